//! Completes a torn memory: what survived becomes a memory of its format, marked as salvaged.

use std::collections::HashSet;
use std::path::Path;
use std::rc::Rc;

use super::fix::ProblemFix;
use super::line_damage::{ProblemRecord, SILENT, bytes, piece, with_end, wrong_in};
use super::repair_context::LastReading;
use super::{RepairContext, truncated_time};
use crate::format::record_form::{FieldKind, FieldSpec};
use crate::format::record_reader::Reading;
use crate::format::{Format, LOST_TEXT};
use crate::model::{Code, Document, Problem, Record, Role, Severity};
use crate::text::digest::hex;
use crate::text::json_edit::{Tape, quoted, remove, scan, set};
use crate::text::json_salvage::CompletedObject;
use crate::text::torn_line::first_name;

/// The member that marks a memory as completed.
const MARK: &str = "salvaged";
/// At most this many fields are filled in.
const FIELDS: usize = 24;
/// At most this many records before and after a torn one are searched for an intact one.
const NEAR: usize = 64;
/// Values that say nothing.
const EMPTY: [&str; 6] = ["\"(lost)\"", "[]", "{}", "null", "0", "false"];

struct SalvagedRecord {
    bytes: Vec<u8>,
    /// The fields of which nothing was left.
    filled: Vec<String>,
    /// The times that were cut, each with how exact it still is.
    times: Vec<String>,
    is_valid: bool,
    /// What is still wrong with it.
    wrong: Vec<String>,
}

impl RepairContext<'_> {
    pub(super) fn of_salvage(&self, torn: ProblemRecord<'_>, own: &CompletedObject) -> Option<ProblemFix> {
        let ProblemRecord { document, problem, record, content } = torn;
        let is_silent = !self.says(document, &own.bytes(content));
        let found = self.salvaged(document, record, (content, own))?;
        // The complete line goes to quarantine, because an erasure could not recognize a tail alone.
        let edit = with_end(document, record.span.range(), found.bytes);
        let was = bytes(document, edit.0.clone())?;
        let out = vec![piece(document, problem, edit.0.start, was)];
        let is_all = found.filled.is_empty() && found.wrong.is_empty() && found.times.is_empty();
        let confidence = match (found.is_valid, is_all) {
            _ if is_silent => SILENT,
            (true, true) => 75,
            (true, false) => 60,
            (false, _) => 30,
        };
        let told = |what: &str, names: &[String]| {
            (!names.is_empty()).then(|| format!("{what}: {}.", names.join(", ")))
        };
        let is_cut = own.is_cut_text && !is_silent && found.times.is_empty();
        let reasons = [
            is_silent.then(|| "Nothing is left of its text.".to_owned()),
            told("Kept as far as it survived", &found.times),
            told("Filled in, because nothing was left of it", &found.filled),
            told("Still missing or wrong", &found.wrong),
            is_cut.then(|| "Its last text ends where it was cut.".to_owned()),
        ];
        let reasons: Vec<String> = reasons.into_iter().flatten().collect();
        let reason = match reasons.as_slice() {
            [] => format!("All fields that the format asks for survived. {}", rest(content, own)),
            all => all.join(" "),
        };
        let title = match document.role {
            Role::Tombstones => "complete the tombstone, marked salvaged",
            _ => "keep what can be read as a memory, marked salvaged",
        };
        Some(ProblemFix::edit(title, confidence, reason, (&document.path, vec![edit], out)))
    }

    fn salvaged(
        &self,
        document: &Document,
        record: &Record,
        (content, own): (&[u8], &CompletedObject),
    ) -> Option<SalvagedRecord> {
        let format = self.format?;
        let near = self.neighbour(document, record);
        let (mut object, times) = self.with_times(document, (content, own), near.as_deref());
        let mut known: HashSet<String> = HashSet::new();
        let mut filled = Vec::new();
        while known.len() < FIELDS {
            let read = self.read_alone(document, &object)?;
            let lacking = lacking(format, (document, &object), &read, self.context.now, &known);
            if lacking.is_empty() {
                break;
            }
            known.extend(lacking.iter().map(|own| own.name.clone()));
            let (checksums, fields): (Vec<_>, Vec<_>) =
                lacking.into_iter().partition(|own| own.name == "checksum");
            for own in checksums {
                object = remove(&object, &[&own.name]).ok()?;
            }
            filled.extend(self.fill(document, fields, &mut object, near.as_deref()));
        }
        let object = set(&object, &[MARK], "true").ok()?;
        let read = format.read(document.role, &document.path, &[&*object, b"\n"].concat(), self.context.now);
        let [only] = read.records.as_slice() else { return None };
        only.memory()?;
        let is_valid = !read.problems.iter().any(|own| own.severity == Severity::Error);
        let wrong = wrong_in(&read.problems);
        Some(SalvagedRecord { bytes: object, filled, times, is_valid, wrong })
    }

    /// Reads an object as a record of a file. Caches the last result, because calls repeat.
    pub(super) fn read_alone(&self, document: &Document, object: &[u8]) -> Option<Rc<Reading>> {
        self.read_as((document.role, &document.path), object)
    }

    /// Like `read_alone`, for a file that may not exist.
    pub(super) fn read_as(&self, (role, path): (Role, &Path), object: &[u8]) -> Option<Rc<Reading>> {
        let mut last = self.caches.last_reading.borrow_mut();
        let is_same = |own: &&LastReading| own.role == role && own.path == path && own.object == object;
        if let Some(own) = last.as_ref().filter(is_same) {
            return Some(Rc::clone(&own.read));
        }
        let read = Rc::new(self.format?.read(role, path, object, self.context.now));
        let (path, object) = (path.to_owned(), object.to_owned());
        *last = Some(LastReading { role, path, object, read: Rc::clone(&read) });
        Some(read)
    }

    /// Completes a torn memory and the time that was cut in it. Says which time it is, and how exact.
    fn with_times(
        &self,
        document: &Document,
        (content, own): (&[u8], &CompletedObject),
        near: Option<&[u8]>,
    ) -> (Vec<u8>, Vec<String>) {
        let object = own.bytes(content);
        // Most texts are no times.
        let text = content.get(..own.kept).unwrap_or_default().rsplit(|byte| *byte == b'"').next();
        if !text.is_some_and(truncated_time::may_be) {
            return (object, Vec::new());
        }
        let cut = self.cut_time(document, &object, own).and_then(|name| {
            let cut: String = serde_json::from_str(&member(&object, &name)?).ok()?;
            let near = near.and_then(|near| serde_json::from_str::<String>(&member(near, &name)?).ok());
            let (whole, exact) = truncated_time::completed(&cut, near.as_deref())?;
            let steps: Vec<&str> = name.split('.').collect();
            Some((set(&object, &steps, &quoted(&whole)).ok()?, format!("{name} (to the {exact})")))
        });
        cut.map_or((object, Vec::new()), |(object, told)| (object, vec![told]))
    }

    fn cut_time(&self, document: &Document, object: &[u8], own: &CompletedObject) -> Option<String> {
        let format = self.format.filter(|_| own.is_cut_text)?;
        let read = self.read_alone(document, object)?;
        let kind = read.records.first().and_then(|own| own.memory()).map_or("", |memory| memory.kind());
        let form = format.form(&document.path, kind, object, self.context.now);
        let asked = form.fields.into_iter().filter(|own| matches!(own.kind, FieldKind::Moment));
        // A format without a form reports a wrong time as a problem.
        let is_time = |own: &&Problem| matches!(own.code, Code::BadTimestamp | Code::NoTimezone);
        let wrong =
            read.problems.iter().filter(is_time).filter_map(|own| name_in(&own.message).map(str::to_owned));
        let mut names = asked.map(|own| own.name).chain(wrong);
        names.find(|name| {
            let steps: Vec<&str> = name.split('.').collect();
            let mut tape = Tape::default();
            let end = scan(&mut tape, object).ok().and_then(|own| Some(own.path(&steps)?.span().1));
            // Only its closing quote follows.
            end == Some(own.kept + 1)
        })
    }

    /// Fills in all fields. One whose value is refused gets an empty value. Returns their names.
    fn fill(
        &self,
        document: &Document,
        fields: Vec<FieldSpec>,
        object: &mut Vec<u8>,
        near: Option<&[u8]>,
    ) -> Vec<String> {
        let mut names = Vec::new();
        for own in fields {
            let value = self.filling(document, &own, object, near);
            let steps: Vec<&str> = own.name.split('.').collect();
            let mut tried = std::iter::once(&*value).chain(EMPTY);
            if let Some(with) = tried.find_map(|value| set(object, &steps, value).ok()) {
                *object = with;
                names.push(own.name);
            }
        }
        for name in self.unfit(document, object, &names) {
            let steps: Vec<&str> = name.split('.').collect();
            let mut tried = EMPTY.iter().filter_map(|value| set(object, &steps, value).ok());
            let fits = |own: &Vec<u8>| !self.unfit(document, own, &names).contains(&name);
            if let Some(with) = tried.find(fits) {
                *object = with;
            }
        }
        names
    }

    /// Returns those of the named fields that are wrong in an object.
    fn unfit(&self, document: &Document, object: &[u8], names: &[String]) -> Vec<String> {
        let Some(read) = self.read_alone(document, object) else { return Vec::new() };
        let errors = read.problems.iter().filter(|own| own.severity == Severity::Error);
        let wrong: HashSet<&str> = errors.filter_map(|own| name_in(&own.message)).collect();
        names.iter().filter(|own| wrong.contains(own.as_str())).cloned().collect()
    }

    /// Returns an intact record near a torn one, before it if there is one.
    fn neighbour(&self, document: &Document, record: &Record) -> Option<Vec<u8>> {
        let at = document.records.partition_point(|own| own.span.start < record.span.start);
        let before = document.records[..at].iter().rev().take(NEAR);
        let behind = document.records.iter().skip(at + 1).take(NEAR);
        let whole = before.chain(behind).find(|own| own.memory().is_some())?;
        Some(document.raw(whole).into_owned())
    }

    fn filling(&self, document: &Document, own: &FieldSpec, object: &[u8], near: Option<&[u8]>) -> String {
        let now = quoted(&self.context.now.to_millis());
        if is_id(&own.name, object, near) {
            return quoted(&self.new_id(document, object, near, &own.name));
        }
        // The text of a neighbour is never copied, because this memory did not have it.
        let is_said = |value: &String| {
            let alone = set(b"{}", &own.name.split('.').collect::<Vec<_>>(), value);
            document.role != Role::Tombstones && alone.is_ok_and(|alone| self.says(document, &alone))
        };
        let taken = near.and_then(|near| member(near, &own.name));
        let taken = taken.filter(|value| own.kind == FieldKind::Moment || !is_said(value));
        match &own.kind {
            FieldKind::Moment => taken.unwrap_or(now),
            FieldKind::Word { words, .. } => {
                let cut = member(object, &own.name).unwrap_or_default();
                let cut = cut.trim_matches('"');
                let mut begun = words.iter().filter(|word| !cut.is_empty() && word.starts_with(cut));
                let only = begun.next().filter(|_| begun.next().is_none());
                let first = only.map(|word| quoted(word)).or(taken);
                first.unwrap_or_else(|| quoted(words.first().map_or(LOST_TEXT, String::as_str)))
            }
            FieldKind::Number { range, .. } => range.map_or(0.0, |(least, _)| least.max(0.0)).to_string(),
            FieldKind::Flag => "false".into(),
            FieldKind::Words { .. } | FieldKind::References => "[]".into(),
            FieldKind::Json => "{}".into(),
            FieldKind::Text { .. } if document.role == Role::Tombstones => quoted("unknown"),
            FieldKind::Text { .. } | FieldKind::Fixed(_) => match (own.name.ends_with("_id"), taken) {
                (true, Some(same)) => same,
                _ => quoted(LOST_TEXT),
            },
        }
    }

    /// Returns an id for a memory whose id is lost: the next number if ids are numbered.
    fn new_id(&self, document: &Document, object: &[u8], near: Option<&[u8]>, name: &str) -> String {
        let last = near.and_then(|near| member(near, name)).unwrap_or_default();
        let last = last.trim_matches('"');
        let digits = last.len() - last.trim_end_matches(|own: char| own.is_ascii_digit()).len();
        let (stem, number) = last.split_at(last.len() - digits);
        if let (1..=18, Ok(number)) = (digits, number.parse::<u64>()) {
            let next = format!("{stem}{:0digits$}", number + 1);
            if !self.is_taken(&document.path, &next) {
                return next;
            }
        }
        let seed = [object, document.path.as_os_str().as_encoded_bytes()].concat();
        let digest = crate::model::short_digest(seed.iter());
        format!("salvaged_{}", hex(&digest.to_be_bytes()))
    }
}

/// Says what happened to fields that the format does not ask for.
fn rest(content: &[u8], own: &CompletedObject) -> &'static str {
    let behind = content.get(own.kept..).unwrap_or_default();
    let is_nothing = behind.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0);
    if is_nothing { "Others may have followed." } else { "What stood behind them is left out." }
}

fn is_id(name: &str, object: &[u8], near: Option<&[u8]>) -> bool {
    let leads = |own: &[u8]| first_name(own).is_some_and(|own| own == quoted(name).as_bytes());
    let is_of_others = name.contains('.') || matches!(name, "session_id" | "agent_id" | "trace_id");
    matches!(name, "id" | "event_id")
        || name.ends_with("_id") && !is_of_others && (leads(object) || near.is_some_and(leads))
}

/// Returns the fields that keep an object from being a record without an error. The list ends at a
/// field that may decide which other fields are needed.
fn lacking(
    format: &dyn Format,
    (document, object): (&Document, &[u8]),
    read: &Reading,
    now: crate::model::Moment,
    known: &HashSet<String>,
) -> Vec<FieldSpec> {
    let is_lacking = |own: &Problem| own.severity == Severity::Error || own.code == Code::MissingField;
    let is_wrong = |own: &Problem| is_lacking(own) || own.code == Code::ChecksumMismatch;
    // The form finds the same errors as the reading.
    if !read.problems.iter().any(is_wrong) {
        return Vec::new();
    }
    let kind = read.records.first().and_then(|own| own.memory()).map_or("", |memory| memory.kind());
    if read.problems.iter().any(|own| own.code == Code::ChecksumMismatch) && !known.contains("checksum") {
        let kind = FieldKind::Fixed("");
        return vec![FieldSpec { name: "checksum".into(), kind }];
    }
    let form = format.form(&document.path, kind, object, now);
    if form.fields.is_empty() {
        return unasked(&read.problems, known).into_iter().collect();
    }
    let mut all: Vec<FieldSpec> = Vec::new();
    for (at, (code, severity, message)) in &form.faults {
        if *severity != Severity::Error && *code != Code::MissingField {
            continue;
        }
        let of_name = |name: &str| form.fields.iter().find(|own| own.name == name);
        let own = at.and_then(|at| form.fields.get(at)).or_else(|| of_name(name_in(message)?));
        let Some(own) = own else { continue };
        if known.contains(&own.name) || all.iter().any(|other| other.name == own.name) {
            continue;
        }
        all.push(own.clone());
        if matches!(own.kind, FieldKind::Word { .. } | FieldKind::Json) {
            break;
        }
    }
    all
}

/// Like `lacking`, for a format without a form: uses what the problem itself says.
fn unasked(problems: &[Problem], known: &HashSet<String>) -> Option<FieldSpec> {
    problems.iter().filter(|own| own.severity == Severity::Error).find_map(|own| {
        let name = name_in(&own.message)?.to_owned();
        let is_time = own.code == Code::BadTimestamp || name.contains("time") || name.ends_with("_at");
        let any_word = FieldKind::Word { words: Vec::new(), is_closed: false };
        let kind = if is_time { FieldKind::Moment } else { any_word };
        (!known.contains(&name)).then_some(FieldSpec { name, kind })
    })
}

/// Returns the field that a message begins with.
fn name_in(message: &str) -> Option<&str> {
    message.strip_prefix('`')?.split(['`', '[']).next()
}

/// Returns a member of an object as it is spelled, if it is on one line.
fn member(object: &[u8], name: &str) -> Option<String> {
    let mut tape = Tape::default();
    let names: Vec<&str> = name.split('.').collect();
    let found = scan(&mut tape, object).ok()?.path(&names)?;
    let text = std::str::from_utf8(found.raw()).ok()?;
    (!text.contains(['\n', '\r'])).then(|| text.to_owned())
}
