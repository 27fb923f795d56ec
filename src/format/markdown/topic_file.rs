//! A file that is one memory.

use std::borrow::Cow;
use std::path::Path;

use super::family::Family;
use super::layout;
use super::references::{self, mem_names};
use crate::format::notes::note_file::{self, NoteReader, stem};
use crate::format::record_reader::Reading;
use crate::model::{Code, Moment, Name, NameKind, PathText, Reference, Severity, StoredMemory};
use crate::text::front_matter::{Note, YamlField, YamlValue, second};
use crate::text::lines::BOM;

/// The types that Claude Code gives to its topics.
const TYPES: [&str; 4] = ["user", "feedback", "project", "reference"];

pub fn read(family: &'static Family, path: &Path, bytes: &[u8], now: Moment) -> Reading {
    note_file::read(&family.rules, path, bytes, now, |note| memory(family, path, bytes, note))
}

fn memory(family: &Family, path: &Path, bytes: &[u8], note: &mut NoteReader<'_>) -> StoredMemory {
    let own = note.memory();
    let stored = family.rules.ids.iter().find_map(|name| note.one(name));
    let id = stored.unwrap_or_else(|| layout::id_of(family, path));
    let name = note.one("name").or_else(|| note.one("title"));
    let text = String::from_utf8_lossy(bytes);
    let parsed = Note::read(&text);
    let kind = note
        .one("type")
        .or_else(|| nested(&parsed, "type"))
        .unwrap_or_else(|| family.kind_of(path).to_owned());
    if family.has_front_matter {
        if !parsed.has_front_matter {
            note.fault(Code::MissingField, Severity::Note, 1, "The front matter is missing.");
        } else if is_emptied(&parsed) && second(&text, &parsed).is_none() {
            let line = parsed.field("name").map_or(1, |field| field.line);
            let message = "Name and description are empty: an agent that chooses by them never opens it.";
            note.fault(Code::EmptyFrontMatter, Severity::Warning, line, message);
        }
    }
    let modified = nested(&parsed, "modified");
    let created = note.moment("created").or_else(|| note.moment("date"));
    let facts = (family.facts)(path, &text);
    let created = created.or(facts.created);
    let body = text.get(parsed.body.clone()).unwrap_or_default();
    let mut references = own.references.into_vec();
    references.extend(references::to_files(body, path));
    if family.has_mem_references {
        references.extend(mem_names(body).map(|name| Reference::to_record(references::MEM, name)));
    }
    let mut known = std::collections::HashSet::new();
    references.retain(|own| known.insert((own.relation.to_string(), own.to.text.to_string())));
    let names = names_of(path, &id, name.as_deref());
    let topic = path.parent().filter(|own| !own.as_os_str().is_empty()).map(|own| own.to_text());
    StoredMemory {
        created: created.or_else(|| modified.and_then(|own| Moment::of(&own))),
        importance: 0.5,
        tags: tags(note, facts.tags),
        topic: topic.map(|own| own.into_owned().into()),
        kind: Cow::Owned(kind),
        references: references.into(),
        names: names.into_iter().map(|text| Name { of: NameKind::Record, text: text.into() }).collect(),
        id: Some(id.into()),
        ..own
    }
}

/// Fields that say nothing of what a memory is about.
const UNSAID: [&str; 6] = ["metadata", "type", "created", "modified", "originSessionId", "node_type"];

/// True if a front matter says nothing of its memory. One with a type alone may never have had more than that.
fn is_emptied(note: &Note<'_>) -> bool {
    let is_said = |field: &YamlField<'_>| !field.value.plain().is_empty();
    let has_type = nested(note, "type").is_some() || note.field("type").is_some_and(is_said);
    let is_there = ["name", "description"].iter().any(|name| note.field(name).is_some());
    // What is not closed has no fields yet, and another problem.
    note.body.start > BOM.len()
        && !note.fields.iter().any(|field| is_said(field) && !UNSAID.contains(&field.name))
        && (!has_type || is_there)
}

/// Returns the tags of the front matter: a list, or one text with commas. Then those that its text names.
fn tags(note: &mut NoteReader<'_>, more: Vec<String>) -> Box<[Box<str>]> {
    let own: Vec<Box<str>> = match note.one("tags").filter(|own| own.contains(',')) {
        Some(list) => list.split(',').map(str::trim).filter(|own| !own.is_empty()).map(Into::into).collect(),
        None => note.tags().into_vec(),
    };
    own.into_iter().chain(more.into_iter().map(Into::into)).collect()
}

/// Returns the other names by which links name a file: its path, its stem, its `name`, its stem without the type
/// before it; each also in lower case, with `-` and with `_`.
pub fn names_of(path: &Path, id: &str, name: Option<&str>) -> Vec<String> {
    let stem = stem(path);
    let untyped = type_and_name(&stem).map(|(_, name)| name);
    let whole = path.with_extension("").to_text().into_owned();
    let mut all: Vec<String> = Vec::new();
    for own in [Some(whole.as_str()), Some(&stem), name, untyped].into_iter().flatten() {
        for form in [own.to_owned(), own.replace('_', "-"), own.replace('-', "_")] {
            for form in [form.to_lowercase(), form] {
                if form != id && !all.contains(&form) {
                    all.push(form);
                }
            }
        }
    }
    all
}

/// Returns the type at the start of a file's name, and the rest of the name.
pub fn type_and_name(stem: &str) -> Option<(&'static str, &str)> {
    TYPES.iter().find_map(|kind| Some((*kind, stem.strip_prefix(kind)?.strip_prefix(['_', '-'])?)))
}

/// Returns a field below `metadata`.
fn nested(note: &Note<'_>, name: &str) -> Option<String> {
    let YamlValue::Other(raw) = &note.field("metadata")?.value else { return None };
    let own = raw.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'))?;
    let own = own.trim().trim_matches(['"', '\'']);
    (!own.is_empty()).then(|| own.to_owned())
}
