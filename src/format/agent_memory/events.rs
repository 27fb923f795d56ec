//! Events (§ history/events.jsonl), active and archived.

use std::path::Path;

use super::json_shape;
use super::json_shape::JsonShape::{self, Object, Text, TextOrNull, Texts, When, Word};
use super::main_text::{items, text};
use crate::format::entries;
use crate::format::field_reader::FieldReader;
use crate::format::field_reader::Need::{Optional, Required};
use crate::format::record_reader::{self, Reading};
use crate::model::{Code, Moment, Reference, Severity, StoredMemory};

const KINDS: [&str; 2] = ["tool_run", "imported_session"];

const EVENT: JsonShape = Object(&[
    (&["id"], Required, Text),
    (&["kind"], Required, Word(&KINDS)),
    (&["sourceId"], Required, Text),
    (&["externalItemId"], Optional, TextOrNull),
    (&["createdAt"], Required, When),
    (&["contentHash", "summary"], Required, Text),
    (&["signals"], Required, SIGNALS),
    (&["sourceRef"], Required, Text),
]);

const SIGNALS: JsonShape = Object(&[(
    &["decisions", "gotchas", "nextStepHints", "keyPaths", "validationObservations"],
    Required,
    Texts,
)]);

pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    record_reader::read_lines(path, bytes, now, &|fields, _| {
        for found in json_shape::check(fields.object(), "", &EVENT, now) {
            let (code, severity, message) = found.fault;
            fields.fault(code, severity, message);
        }
        memory(fields)
    })
}

fn memory(fields: &mut FieldReader<'_>) -> StoredMemory {
    let event = fields.object();
    let id = text(event, "id");
    if let Some(id) = id.as_deref().filter(|id| !id.trim().is_empty() && ordinal(id).is_none()) {
        let message = format!("The id is {id:?}; an event's is `evt-` and its number.");
        fields.fault(Code::OutOfRange, Severity::Error, message);
    }
    let kind = text(event, "kind");
    let source = text(event, "sourceId");
    // A run of the tool names the tool itself, which is not in the registry of sources.
    let imported = source.as_deref().filter(|_| kind.as_deref() != Some("tool_run"));
    let mut facets: Vec<(&'static str, Box<str>)> = Vec::new();
    facets.extend(source.as_deref().map(|source| ("source", source.into())));
    let provider = event.path(&["provider", "name"]).or(event.get("provider")).and_then(|own| own.text());
    facets.extend(provider.map(|provider| ("provider", provider.into())));
    let paths = items(event, &["signals", "keyPaths"]).filter_map(|path| path.text());
    facets.extend(paths.map(|path| ("path", path.into())));
    StoredMemory {
        kind: entries::kind(kind, &KINDS),
        created: event.get("createdAt").and_then(|own| own.moment()),
        importance: 0.5,
        references: imported.map(|source| Reference::to_record("sourceId", source)).into_iter().collect(),
        facets: facets.into(),
        id: id.map(Into::into),
        ..StoredMemory::default()
    }
}

/// Returns the number in an event's id.
pub fn ordinal(id: &str) -> Option<u64> {
    number(id, "evt-")
}

pub fn number(id: &str, prefix: &str) -> Option<u64> {
    let digits = id.strip_prefix(prefix)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

pub fn id_of(ordinal: u64) -> String {
    format!("evt-{ordinal:06}")
}
