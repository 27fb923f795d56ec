//! Events (§ history/events.jsonl), active and archived.

use std::borrow::Cow;
use std::path::Path;

use super::shape::{self, Shape};
use super::text::text;
use crate::format::fields::Fields;
use crate::format::fields::Need::{Optional, Required};
use crate::format::reading::{self, Reading};
use crate::model::{Code, Moment, Parsed, Reference, Severity};

const KINDS: [&str; 2] = ["tool_run", "imported_session"];

const EVENT: Shape = Shape::Object(&[
    ("id", Required, Shape::Text),
    ("kind", Required, Shape::Word(&KINDS)),
    ("sourceId", Required, Shape::Text),
    ("externalItemId", Optional, Shape::TextOrNull),
    ("createdAt", Required, Shape::When),
    ("contentHash", Required, Shape::Text),
    ("summary", Required, Shape::Text),
    (
        "signals",
        Required,
        Shape::Object(&[
            ("decisions", Required, Shape::Texts),
            ("gotchas", Required, Shape::Texts),
            ("nextStepHints", Required, Shape::Texts),
            ("keyPaths", Required, Shape::Texts),
            ("validationObservations", Required, Shape::Texts),
        ]),
    ),
    ("sourceRef", Required, Shape::Text),
]);

/// Reads an event log.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    reading::read_lines(path, bytes, now, &|fields, _| {
        for found in shape::check(fields.object(), "", &EVENT, now) {
            let (code, severity, message) = found.fault;
            fields.fault(code, severity, message);
        }
        view(fields)
    })
}

fn view(fields: &mut Fields<'_>) -> Parsed {
    let event = fields.object();
    let id = text(event, "id");
    if let Some(id) = id.as_deref().filter(|id| !id.trim().is_empty() && ordinal(id).is_none()) {
        let message = format!("The id is {id:?}; an event's is `evt-` and its number.");
        fields.fault(Code::OutOfRange, Severity::Error, message);
    }
    let kind = text(event, "kind");
    let source = text(event, "sourceId");
    // A run of the tool names the tool itself, which is no source of the registry.
    let imported = source.as_deref().filter(|_| kind.as_deref() != Some("tool_run"));
    let mut facets: Vec<(&'static str, Box<str>)> = Vec::new();
    facets.extend(source.as_deref().map(|source| ("source", source.into())));
    let provider = event.path(&["provider", "name"]).or(event.get("provider")).and_then(|own| own.text());
    facets.extend(provider.map(|provider| ("provider", provider.into())));
    let paths = event.path(&["signals", "keyPaths"]);
    let paths = paths.iter().flat_map(|paths| paths.items()).filter_map(|path| path.text());
    facets.extend(paths.map(|path| ("path", path.into())));
    Parsed {
        kind: named(kind),
        created: text(event, "createdAt").and_then(|when| Moment::parse(&when)).map(|(when, _)| when),
        importance: 0.5,
        references: imported.map(|source| Reference::to_record("sourceId", source)).into_iter().collect(),
        facets: facets.into(),
        id: id.map(Into::into),
        ..Parsed::default()
    }
}

fn named(kind: Option<Cow<'_, str>>) -> Cow<'static, str> {
    match kind {
        Some(word) => match KINDS.iter().find(|kind| **kind == word) {
            Some(kind) => Cow::Borrowed(kind),
            None => Cow::Owned(word.into_owned()),
        },
        None => Cow::Borrowed("unknown"),
    }
}

/// The number in an event's id.
pub fn ordinal(id: &str) -> Option<u64> {
    number(id, "evt-")
}

/// The number behind a prefix.
pub fn number(id: &str, prefix: &str) -> Option<u64> {
    let digits = id.strip_prefix(prefix)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// An event's id with that number.
pub fn id_of(ordinal: u64) -> String {
    format!("evt-{ordinal:06}")
}
