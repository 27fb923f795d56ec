//! An entry of the memory log (§3.1), and a tombstone (§5.2).

use std::borrow::Cow;
use std::path::Path;

use super::layout;
use crate::format::field_reader::{FieldReader, Need};
use crate::format::record_form::RecordForm;
use crate::format::record_reader::{self, Reading};
use crate::format::{Placement, entries};
use crate::model::{Code, Moment, PathText, Role, Severity, StoredMemory};
use crate::text::canonical::{self, Checksum};
use crate::text::json::{Json, JsonKind};
use crate::text::names;

/// The most bytes of an entry (§14.2).
pub const ENTRY: usize = 1 << 20;
/// The most characters of a tag (§14.2).
pub const TAG: usize = 32;
/// The most characters of an id (§14.2). A longer one is kept as it is.
pub const ID: usize = 32;

const KINDS: [&str; 4] = ["conversation", "decision", "finding", "preference"];

/// Members of `content` for the main text. The first existing one has it.
const MAIN: [&str; 12] = names(
    "content.message content.decision content.finding content.preference content.description content.text \
    content.summary content.content content.title content.value content.note content.question",
);

pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    let session = session_of(path);
    record_reader::read_lines(path, bytes, now, &|fields, raw| entry(fields, raw, session.as_deref()))
}

pub fn form(path: &Path, record: &[u8], now: Moment) -> RecordForm {
    if layout::place(path, false) == Placement::File(Role::Tombstones) {
        return record_reader::form(record, now, &|fields, _| tombstone(fields));
    }
    let session = session_of(path);
    record_reader::form(record, now, &|fields, raw| entry(fields, raw, session.as_deref()))
}

fn session_of(path: &Path) -> Option<String> {
    layout::session_of(path).map(|name| name.to_text().into_owned())
}

fn entry(fields: &mut FieldReader<'_>, raw: &[u8], session: Option<&str>) -> StoredMemory {
    fields.size("entry", raw.len(), ENTRY);
    memory(fields, session)
}

fn memory(fields: &mut FieldReader<'_>, session: Option<&str>) -> StoredMemory {
    let id = fields.text("id", Need::Required);
    if let Some(id) = id.as_deref().filter(|id| id.len() > ID) {
        let message = format!("The id has {} characters; new ones may have {ID}.", id.chars().count());
        fields.fault(Code::TooLong, Severity::Note, message);
    }
    let created = fields.moment("timestamp", Need::Required);
    let kind = entries::kind(fields.word("type", Need::Required, &KINDS), &KINDS);
    fields.value("content", Need::Required, "an object, a string or an array", |content| {
        matches!(content.kind(), JsonKind::Object | JsonKind::String | JsonKind::Array).then_some(())
    });
    says(fields);
    let own = fields.text("session_id", Need::Optional);
    if let (Some(own), Some(session)) = (own.as_deref(), session)
        && own != session
    {
        let message = format!("`session_id` is {own:?}, and the memory is in the session {session:?}.");
        fields.fault(Code::UnexpectedPlace, Severity::Warning, message);
    }
    schema_version(fields);
    fields.fraction("decay_factor", Need::Optional);
    let memory = StoredMemory {
        id: id.map(Into::into),
        kind,
        created,
        accessed: fields.moment("last_accessed", Need::Optional),
        access_count: fields.count("access_count", Need::Optional).unwrap_or_default(),
        importance: fields.fraction("importance", Need::Optional).unwrap_or(0.5),
        tags: fields.tags("tags", Need::Optional, 0, TAG),
        references: fields.references("references", Need::Optional),
        facets: role(fields.object()).into_iter().collect(),
        ..StoredMemory::default()
    };
    StoredMemory { checksum: checksum(fields), ..memory }
}

/// Adds a note if the main text is empty.
fn says(fields: &mut FieldReader<'_>) {
    let Some(content) = fields.object().get("content") else { return };
    let held = |path: &'static str| {
        let own = member(content, path).filter(|own| own.kind() == JsonKind::String)?;
        Some((path, own))
    };
    match MAIN.into_iter().find_map(held) {
        _ if content.kind() == JsonKind::String => fields.says("content", Some(content)),
        // The key gives an empty value a meaning.
        Some(("content.value", _)) if content.get("key").is_some() => {}
        Some((path, own)) => fields.says(path, Some(own)),
        None => {}
    }
}

fn member<'a>(content: Json<'a>, path: &str) -> Option<Json<'a>> {
    content.get(path.strip_prefix("content.")?)
}

/// Returns who spoke in a conversation.
fn role(entry: Json<'_>) -> Option<(&'static str, Box<str>)> {
    Some(("role", entry.path(&["content", "role"])?.text()?.into()))
}

fn schema_version(fields: &mut FieldReader<'_>) {
    let version = fields.object().get("schema_version").filter(|version| version.number() != Some(1.0));
    if let Some(version) = version {
        let message = format!("`schema_version` is {}; this format has 1.", version.plain());
        fields.fault(Code::UnsupportedVersion, Severity::Warning, message);
    }
}

fn checksum(fields: &mut FieldReader<'_>) -> bool {
    let Some(stored) = fields.text("checksum", Need::Optional) else { return false };
    match canonical::verify(fields.object()) {
        Some(Checksum::Legacy) => {
            let message = "The checksum is in the old form: it does not cover the content.";
            fields.fault(Code::ChecksumLegacy, Severity::Note, message.into());
        }
        Some(Checksum::Mismatch) => {
            let start: String = stored.chars().take(19).collect();
            let message = format!("The checksum {start}… does not match the memory.");
            fields.fault(Code::ChecksumMismatch, Severity::Error, message);
        }
        _ => {}
    }
    true
}

pub fn tombstone(fields: &mut FieldReader<'_>) -> StoredMemory {
    let id = fields.text("id", Need::Required).map(Into::into);
    let created = fields.moment("timestamp", Need::Required);
    fields.text("reason", Need::Required);
    StoredMemory { id, created, kind: Cow::Borrowed("tombstone"), ..StoredMemory::default() }
}

pub fn main_text(object: Json<'_>) -> (String, Vec<&'static str>) {
    let Some(content) = object.get("content") else { return (String::new(), Vec::new()) };
    if content.kind() != JsonKind::Object {
        return (content.plain(), vec!["content"]);
    }
    let held = |path| Some((path, member(content, path)?.text()?.into_owned()));
    let held = MAIN.into_iter().find_map(held);
    match (held, content.get("key").and_then(|key| key.text())) {
        (Some((path @ "content.value", text)), Some(key)) => {
            (format!("{key}: {text}"), vec![path, "content.key"])
        }
        (Some((path, text)), _) => (text, vec![path]),
        // An empty object has no text to show.
        (None, _) if content.members().next().is_none() => (String::new(), Vec::new()),
        (None, _) => {
            let mut spoken = content.members().filter(|(key, _)| !key.is_text("role"));
            let first = spoken.find_map(|(_, value)| value.text());
            (first.map_or_else(|| content.plain(), Cow::into_owned), Vec::new())
        }
    }
}
