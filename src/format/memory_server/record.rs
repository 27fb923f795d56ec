//! A record of specification 1, and its schema. `<agent>.json` is one document with three arrays of records, made by the
//! 1.0 writer: read-only.

use std::borrow::Cow;
use std::path::Path;

use super::layout;
use crate::format::entries;
use crate::format::field_reader::{Fault, FieldReader, Need};
use crate::format::record_form::RecordForm;
use crate::format::record_reader::{self, DocumentReading, Reading};
use crate::model::{Code, Moment, Problem, Role, Severity, StoredMemory};
use crate::text::json::{Json, JsonKind};

/// The most characters of a memory's content.
const CONTENT: usize = 5000;
const CATEGORY: usize = 50;
/// The most tags of a memory, and the most characters of a tag.
const TAGS: (usize, usize) = (10, 30);
/// The most bytes of a line ("Format Specification", rule 6).
const LINE: usize = 10 * 1024;

/// Reads a live or archived file.
pub fn read(path: &Path, role: Role, bytes: &[u8], now: Moment) -> Reading {
    let kind = layout::kind_of_file(path);
    let mut reading =
        record_reader::read_lines(path, bytes, now, &|fields, raw| line(fields, raw, kind, role));
    // Rule 5 says "no trailing newline at end of file", but the format's writer ends every line.
    let final_newline = |problem: &&mut Problem| problem.code == Code::NoFinalNewline;
    reading.problems.iter_mut().filter(final_newline).for_each(|problem| problem.severity = Severity::Note);
    reading
}

pub fn form(path: &Path, record: &[u8], now: Moment) -> RecordForm {
    let kind = layout::kind_of_file(path);
    record_reader::form(record, now, &|fields, raw| line(fields, raw, kind, Role::Records))
}

fn line(fields: &mut FieldReader<'_>, raw: &[u8], kind: Option<&'static str>, role: Role) -> StoredMemory {
    fields.size("line", raw.len(), LINE);
    memory(fields, kind, role)
}

/// Reads one memory. `kind` is the type of its file or array.
pub fn memory(fields: &mut FieldReader<'_>, kind: Option<&'static str>, role: Role) -> StoredMemory {
    let id = fields.text("id", Need::Required);
    if let Some(id) = id.as_deref().filter(|id| !is_uuid_v4(id)) {
        fields.fault(Code::OutOfRange, Severity::Note, format!("The id {id:?} is not a UUID v4."));
    }
    let own = fields.word("type", Need::Required, &["core", "learning", "task"]);
    let kind = place(fields, own, kind);
    let content = fields.short_text("content", Need::Required, CONTENT);
    if content.is_some_and(|content| content.trim().is_empty()) {
        fields.fault(Code::OutOfRange, Severity::Error, "`content` is empty.".into());
    }
    let topic = fields.short_text("category", Need::Optional, CATEGORY).map(Into::into);
    let created = fields.moment("created_at", Need::Required);
    fields.moment("updated_at", Need::Required);
    let memory = StoredMemory {
        id: id.map(Into::into),
        kind,
        created,
        accessed: fields.moment("accessed_at", Need::Required),
        access_count: fields.count("access_count", Need::Required).unwrap_or_default(),
        tags: fields.tags("tags", Need::Required, TAGS.0, TAGS.1),
        importance: importance(fields.word("importance", Need::Required, &["high", "medium", "low"])),
        archived: fields.flag("archived", Need::Required).unwrap_or_default() || role == Role::Archive,
        facets: facets(fields.object(), topic.as_deref()),
        topic,
        ..StoredMemory::default()
    };
    fields.within("task_metadata", Need::Optional, task);
    memory
}

fn facets(record: Json<'_>, category: Option<&str>) -> Box<[(&'static str, Box<str>)]> {
    let status = record.path(&["task_metadata", "status"]).and_then(|status| status.text());
    let category = category.map(|category| ("category", category.into()));
    category.into_iter().chain(status.map(|status| ("status", status.into()))).collect()
}

/// Returns the record's type. It is a fault if the file has another type.
fn place(
    fields: &mut FieldReader<'_>,
    own: Option<Cow<'_, str>>,
    of_file: Option<&'static str>,
) -> Cow<'static, str> {
    if let (Some(own), Some(expected)) = (&own, of_file)
        && own != expected
    {
        let message = format!("A memory of type {own:?} is among those of type {expected:?}.");
        fields.fault(Code::UnexpectedPlace, Severity::Warning, message);
    }
    entries::kind(own.or(of_file.map(Cow::Borrowed)), &layout::FILES.map(|(_, kind)| kind))
}

fn importance(word: Option<Cow<'_, str>>) -> f64 {
    match word.as_deref() {
        Some("high") => 0.9,
        Some("medium") => 0.6,
        Some("low") => 0.3,
        _ => 0.5,
    }
}

fn task(fields: &mut FieldReader<'_>) {
    let status = fields.word("status", Need::Required, &["completed", "in-progress", "blocked"]);
    let need = |word: &str| if status.as_deref() == Some(word) { Need::Required } else { Need::Optional };
    fields.moment("completed_at", need("completed"));
    fields.texts("blockers", need("blocked"));
    fields.text("outcome", Need::Optional);
}

fn is_uuid_v4(id: &str) -> bool {
    let bytes = id.as_bytes();
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            14 => *byte == b'4',
            19 => matches!(byte, b'8' | b'9' | b'a' | b'b' | b'A' | b'B'),
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Reads a `.json` file at the root. It may belong to another program.
pub fn read_agent_file(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    if !layout::is_agent_file(bytes) {
        let message = "The format has no such file. It is kept, but not read.";
        let problem = Problem::of_file(Code::UnexpectedPlace, Severity::Note, path, message);
        return Reading { records: Vec::new(), problems: vec![problem] };
    }
    record_reader::read_within(path, bytes, JsonKind::Object, &mut |object, within| {
        let message = "A document of the 1.0 writer: read, and never written.";
        within.of_file(Code::UnsupportedVersion, Severity::Note, message);
        for (key, array) in object.members() {
            if let Some((_, kind)) = layout::ARRAYS.iter().find(|(name, _)| key.is_text(name)) {
                array.items().for_each(|item| agent_item(item, kind, now, within));
            }
        }
    })
}

fn agent_item(item: Json<'_>, kind: &'static str, now: Moment, within: &mut DocumentReading<'_>) {
    if item.kind() != JsonKind::Object {
        let found = item.kind().as_str();
        return within.broken(item, format!("An item of `{kind}` should be an object and is {found}."));
    }
    let mut fields = FieldReader::new(item, now);
    let seen = memory(&mut fields, Some(kind), Role::Records);
    within.record(item, seen, fields.into_faults().into_iter().map(lenient).collect());
}

/// The 1.0 writer had fewer fields, so a missing one is only a note.
fn lenient((code, severity, message): Fault) -> Fault {
    let severity = if code == Code::MissingField { Severity::Note } else { severity };
    (code, severity, message)
}
