//! Knowledge notes (§4.1), and saved queries.

use std::borrow::Cow;
use std::path::Path;

use super::layout;
use crate::format::notes::note_file::{self, NoteReader, stem};
use crate::format::notes::rules::{NoteRules, RelationField};
use crate::format::record_form::FieldKind;
use crate::format::record_reader::Reading;
use crate::model::{Moment, NameKind, StoredMemory};
use crate::text::names;

pub(super) const CONFIDENCES: [(&str, f64); 3] = [("high", 0.9), ("medium", 0.6), ("low", 0.3)];
const STATUSES: [&str; 3] = ["draft", "validated", "deprecated"];
pub(super) const SOURCES: [&str; 4] = ["agent-learning", "human-curated", "external", "research"];

pub(super) static NOTES: NoteRules = NoteRules {
    is_note: |path| layout::kind_of(path) == "note",
    folder: "knowledge",
    ids: &["id", "note_id"],
    required: &["id", "created", "updated", "tags"],
    relations: &[
        link("linked_to"),
        link("links"),
        link("related_notes"),
        RelationField { name: "related_events", of: NameKind::Record, is_link: false },
        RelationField { name: "related_traces", of: NameKind::Trace, is_link: false },
        RelationField { name: "trace_id", of: NameKind::Trace, is_link: false },
    ],
    lists: &names::<6>("tags linked_to links related_notes related_events related_traces"),
    line_fields: &[],
    updated: "updated",
    time: "%Y-%m-%dT%H:%M:%S%.6f+00:00",
    reserved: &["readme", "agents", "claude"],
};

const fn link(name: &'static str) -> RelationField {
    RelationField { name, of: NameKind::Record, is_link: true }
}

pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    note_file::read(&NOTES, path, bytes, now, memory)
}

fn memory(note: &mut NoteReader<'_>) -> StoredMemory {
    let (created, updated) = (note.moment("created"), note.moment("updated"));
    let words = [("confidence", &["low", "medium", "high"][..]), ("status", &STATUSES), ("source", &SOURCES)];
    let mut facets: Vec<(&'static str, Box<str>)> = Vec::new();
    for (name, known) in words {
        facets.extend(note.word(name, known).map(|word| (name, word.into())));
    }
    facets.extend(note.one("author").map(|author| ("agent", author.into())));
    facets.extend(note.one("trace_id").map(|trace| ("trace", trace.into())));
    let confidence = note.one("confidence");
    let importance = CONFIDENCES.iter().find(|(word, _)| confidence.as_deref() == Some(word));
    StoredMemory {
        kind: Cow::Borrowed("note"),
        created: created.or(updated),
        importance: importance.map_or(0.5, |(_, value)| *value),
        tags: note.tags(),
        facets: facets.into(),
        faded: note.one("status").as_deref() == Some("deprecated"),
        ..note.memory()
    }
}

/// Reads a saved query: the whole file is its text. A search runs it (`query::saved_query`).
pub fn read_query(path: &Path, bytes: &[u8]) -> Reading {
    let memory = StoredMemory {
        id: Some(stem(path).into()),
        kind: Cow::Borrowed("query"),
        importance: 0.5,
        ..StoredMemory::default()
    };
    note_file::read_text(path, bytes, memory)
}

/// Returns the fields of §4.1, for the form of a note.
pub fn known_fields() -> Vec<(&'static str, FieldKind)> {
    let text = || FieldKind::Text { most: None };
    vec![
        ("tags", FieldKind::ANY_WORDS),
        ("linked_to", FieldKind::References),
        ("confidence", FieldKind::word(&CONFIDENCES.map(|(word, _)| word), true)),
        ("status", FieldKind::word(&STATUSES, true)),
        ("source", FieldKind::word(&SOURCES, true)),
        ("created", FieldKind::Moment),
        ("updated", FieldKind::Moment),
        ("author", text()),
        ("trace_id", text()),
        ("related_events", FieldKind::References),
        ("related_traces", FieldKind::ANY_WORDS),
        ("id", text()),
    ]
}
