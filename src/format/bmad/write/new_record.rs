//! Makes a new record for one of the logs (§3.2 to §3.5).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::logs::{LogBytes, each_piece, stamp};
use super::new_session::check_name;
use crate::format::bmad::layout::LOGS;
use crate::format::bmad::record;
use crate::format::writing::{RecordDraft, RecordMembers, Refusal, Result, refuse_taken};
use crate::model::{Moment, Severity, path_from_text};
use crate::text::json::Json;
use crate::text::json_edit::quoted;
use crate::text::names;

/// The author of a record if the draft names none.
const WRITER: &str = "palimp";
/// The number of digits in the first id of a type.
const DIGITS: usize = 3;
/// Ids with this number or a larger one do not come from counting, and are ignored.
const LARGEST: u64 = 1_000_000_000_000_000;

/// How records of a type are written: members in the order of the specification's samples.
struct RecordSchema {
    kind: &'static str,
    prefix: &'static str,
    /// The members with the main text and with the author.
    text: &'static str,
    agent: Option<&'static str>,
    /// The words that are used if the draft has no others.
    usual: &'static [(&'static str, &'static str)],
    /// The order of the members before `decay_factor`.
    order: &'static [&'static str],
}

const SCHEMAS: [RecordSchema; 4] = [
    RecordSchema {
        kind: "conversation",
        prefix: "msg-",
        text: "content",
        agent: Some("agent_id"),
        usual: &[("role", "user")],
        order: &["id", "timestamp", "agent_id", "role", "content", "context", "metadata", "tags"],
    },
    RecordSchema {
        kind: "decision",
        prefix: "dec-",
        text: "decision",
        agent: Some("made_by"),
        usual: &[],
        order: &names::<10>(
            "id timestamp made_by approved_by decision rationale alternatives_considered \
            impact tags references",
        ),
    },
    RecordSchema {
        kind: "finding",
        prefix: "finding-",
        text: "description",
        agent: Some("discovered_by"),
        usual: &[("severity", "medium"), ("status", "open")],
        order: &names::<10>(
            "id timestamp discovered_by category severity description evidence \
            recommendation status tags",
        ),
    },
    RecordSchema {
        kind: "preference",
        prefix: "pref-",
        text: "value",
        agent: None,
        usual: &[("category", "general")],
        order: &names::<9>("id timestamp category key value context confidence learned_from tags"),
    },
];

/// Returns the log of a new record, relative to the root, and its line. The record has what the
/// schema requires. Refuses a draft with a problem. Never gives `reserved` ids: records refer to
/// them.
pub fn new_record(
    session: &str,
    logs: &[LogBytes<'_>],
    draft: &RecordDraft<'_>,
    reserved: &[&str],
    now: Moment,
) -> Result<(PathBuf, Vec<u8>)> {
    numbered(session, draft, now, &|prefix| TakenIds::of(prefix, logs, reserved))
}

/// Makes a record as [`new_record`] does, but its id follows the last id of its session and type.
pub fn next_record(
    session: &str,
    last: &str,
    draft: &RecordDraft<'_>,
    now: Moment,
) -> Result<(PathBuf, Vec<u8>)> {
    numbered(session, draft, now, &|prefix| {
        let mut taken = TakenIds { ids: HashSet::new(), largest: 0, digits: DIGITS };
        taken.add(prefix, last.to_owned());
        taken
    })
}

/// Returns the largest id of a type, with the number 0 if there is none.
pub fn last_id(kind: &str, logs: &[LogBytes<'_>], reserved: &[&str]) -> Option<String> {
    let schema = SCHEMAS.iter().find(|schema| schema.kind == kind)?;
    let TakenIds { largest, digits, .. } = TakenIds::of(schema.prefix, logs, reserved);
    Some(format!("{}{largest:0digits$}", schema.prefix))
}

/// Returns the largest id in logs without reading records. Counts ids in references and torn records, too.
pub fn largest_id(logs: &[Vec<u8>], kind: &str) -> Option<String> {
    let prefix = SCHEMAS.iter().find(|schema| schema.kind == kind)?.prefix;
    let needle = format!("\"{prefix}");
    let mut taken = TakenIds { ids: HashSet::new(), largest: 0, digits: DIGITS };
    for log in logs {
        for at in memmem::find_iter(log, &needle) {
            let rest = log.get(at + needle.len()..).unwrap_or_default();
            let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
            if matches!(rest.get(end), None | Some(b'"' | b'\n')) {
                taken.count(&String::from_utf8_lossy(&rest[..end]));
            }
        }
    }
    Some(format!("{prefix}{:0digits$}", taken.largest, digits = taken.digits))
}

/// True if a record may refer to others.
pub fn refers(record: &str) -> bool {
    SCHEMAS.iter().any(|schema| record.contains(schema.prefix))
}

fn numbered(
    session: &str,
    draft: &RecordDraft<'_>,
    now: Moment,
    taken: &dyn Fn(&str) -> TakenIds,
) -> Result<(PathBuf, Vec<u8>)> {
    check_name(session)?;
    let kind = draft.kind;
    let schema = SCHEMAS.iter().find(|schema| schema.kind == kind).ok_or_else(|| {
        let known = "there are conversation, decision, finding and preference.";
        Refusal::invalid(format!("{kind:?} is not a type of memory; {known}"))
    })?;
    let log = LOGS.iter().find(|(_, own)| *own == kind).map_or("", |(log, _)| *log);
    let mut members = RecordMembers::with(draft.record, compact)?;
    fill(schema, draft, &mut members)?;
    members.or_text("timestamp", &stamp(now));
    let taken = taken(schema.prefix);
    if let Ok(Some(id)) = members.text("id") {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !id.starts_with(|c: char| c.is_ascii_alphanumeric()) || !id.chars().all(plain) {
            let allowed = "it may hold letters, digits, `-`, `_` and `.`.";
            return Err(Refusal::invalid(format!("{id:?} can't be a memory's id: {allowed}")));
        }
        refuse_taken(taken.ids.contains(&id), format_args!("The id {id:?}"))?;
    }
    members.or_text("id", &taken.next(schema.prefix));
    // Members that the schema does not know come before `decay_factor`.
    let decay = members.get("decay_factor").unwrap_or("1.0").to_owned();
    members.set("decay_factor", decay);
    let path = Path::new("sessions").join(path_from_text(session)).join(log);
    let line = members.to_line(schema.order);
    check(&path, &line, now)?;
    Ok((path, line))
}

fn fill(schema: &RecordSchema, draft: &RecordDraft<'_>, members: &mut RecordMembers) -> Result<()> {
    if let Some(name) = schema.agent {
        members.or_text(name, WRITER);
    }
    if !draft.tags.is_empty() {
        let tags: Vec<String> = draft.tags.iter().map(|tag| quoted(tag)).collect();
        once(members, "tags", format!("[{}]", tags.join(", ")))?;
    }
    for (name, word) in schema.usual {
        members.or_text(name, word);
    }
    let mut text = draft.text.unwrap_or_default();
    if schema.kind == "preference" && members.get("key").is_none() {
        let pair = text.split_once(": ").filter(|(key, _)| !key.trim().is_empty());
        let (key, value) = pair.ok_or_else(|| {
            Refusal::invalid("A preference needs a key: write it as `key: value`, or give `key`.")
        })?;
        members.or_text("key", key.trim());
        text = value.trim();
    }
    match text.trim().is_empty() {
        false => once(members, schema.text, quoted(text)),
        true if members.get(schema.text).is_some() => Ok(()),
        true => Err(Refusal::invalid(format!("A {} needs a text.", schema.kind))),
    }
}

/// Sets a member from the draft. Refuses a second, different value.
fn once(members: &mut RecordMembers, name: &str, raw: String) -> Result<()> {
    match members.get(name) {
        Some(there) if *there != raw => Err(Refusal::invalid(format!("{name} is given twice."))),
        _ => {
            members.or(name, raw);
            Ok(())
        }
    }
}

/// The ids in use, and the largest number among those of one type.
struct TakenIds {
    ids: HashSet<String>,
    largest: u64,
    digits: usize,
}

impl TakenIds {
    fn of(prefix: &str, logs: &[LogBytes<'_>], reserved: &[&str]) -> TakenIds {
        let mut taken = TakenIds { ids: HashSet::new(), largest: 0, digits: DIGITS };
        each_piece(logs, &mut |log, piece| match piece.object {
            Some(object) => {
                if let Some(id) = object.get("id").and_then(|id| id.text()) {
                    taken.add(prefix, id.into_owned());
                }
            }
            // A torn record keeps its id: it may be repaired.
            None => {
                let bytes = log.bytes.get(piece.start..piece.end).unwrap_or_default();
                let text = String::from_utf8_lossy(bytes);
                for (at, _) in text.match_indices(&format!("\"{prefix}")) {
                    let id = text.get(at + 1..).unwrap_or_default();
                    let end = id.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
                    taken.add(prefix, id.get(..end.unwrap_or(id.len())).unwrap_or_default().to_owned());
                }
            }
        });
        reserved.iter().for_each(|id| taken.add(prefix, (*id).to_owned()));
        taken
    }

    fn add(&mut self, prefix: &str, id: String) {
        if let Some(digits) =
            id.strip_prefix(prefix).filter(|rest| rest.bytes().all(|own| own.is_ascii_digit()))
        {
            self.count(digits);
        }
        self.ids.insert(id);
    }

    fn count(&mut self, digits: &str) {
        let number = digits.parse().ok().filter(|number| *number < LARGEST && *number >= self.largest);
        (self.largest, self.digits) = number.map_or((self.largest, self.digits), |own| (own, digits.len()));
    }

    /// Returns the id after the largest number. A gap may be the id of a deleted record.
    fn next(&self, prefix: &str) -> String {
        let numbered = |number| format!("{prefix}{number:0digits$}", digits = self.digits);
        let mut numbers = self.largest + 1..;
        numbers.by_ref().map(numbered).find(|id| !self.ids.contains(id)).unwrap_or_default()
    }
}

fn check(path: &Path, line: &[u8], now: Moment) -> Result<()> {
    let problems = record::read(path, line, now).problems.into_iter();
    // A word that is not in the specification's samples is allowed.
    let faults = problems.filter(|problem| problem.severity != Severity::Note);
    let faults: Vec<String> = faults.map(|problem| problem.message).collect();
    let broken = || Refusal::invalid(format!("It would break the schema: {}", faults.join(" ")));
    if faults.is_empty() { Ok(()) } else { Err(broken()) }
}

/// Returns a value's text without white space between tokens.
fn compact(value: Json<'_>) -> String {
    let (mut within, mut escaped) = (false, false);
    let kept = value.raw().iter().copied().filter(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => within = !within,
            _ => {}
        }
        within || !byte.is_ascii_whitespace()
    });
    String::from_utf8_lossy(&kept.collect::<Vec<u8>>()).into_owned()
}
