//! Knowledge notes (§4.1), and saved queries.

use std::borrow::Cow;
use std::path::Path;

use crate::format::field_reader::{self, Need};
use crate::format::record_form::{FieldKind, RecordForm};
use crate::format::record_reader::{self, Reading, byte_order_mark};
use crate::model::{
    Code, Moment, Name, NameKind, PackedView, ParsedRecord, PathText, Problem, Record, RecordBody, Reference,
    Severity, Span,
};
use crate::text::front_matter::{Note, YamlValue};
use crate::text::merge_conflict::conflicts;
use crate::text::wiki_links::{links, target};

pub(super) const CONFIDENCES: [(&str, f64); 3] = [("high", 0.9), ("medium", 0.6), ("low", 0.3)];
const STATUSES: [&str; 3] = ["draft", "validated", "deprecated"];
pub(super) const SOURCES: [&str; 4] = ["agent-learning", "human-curated", "external", "research"];

/// Reads a note: the whole file is one record.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    let text = match text_of(path, bytes) {
        Ok(text) => text,
        Err(unread) => return unread,
    };
    let note = Note::read(text);
    let mut found = NoteProblems { path, problems: byte_order_mark(path, bytes).into_iter().collect() };
    if let Some(line) = text.lines().position(|line| line.contains('\0')) {
        found.add(
            Code::NulBytes,
            Severity::Warning,
            line as u32 + 1,
            "There are NUL bytes in the text.".into(),
        );
    }
    for (line, fault) in &note.faults {
        found.add(Code::BadFrontMatter, Severity::Note, *line, fault.clone());
    }
    if !note.has_front_matter {
        found.add(Code::BadFrontMatter, Severity::Note, 1, "The note has no front matter.".into());
    }
    for line in conflicts_in(text, note.body.start) {
        let message = "A merge left both sides here, with its markers.".into();
        found.add(Code::ConflictMarkers, Severity::Error, line, message);
    }
    let view = view(&note, text, &mut found, now);
    let id = view.id.clone();
    let problems = found.problems.into_iter().map(|problem| problem.of_record(0, id.as_deref()));
    Reading {
        problems: problems.collect(),
        records: vec![whole(bytes, RecordBody::Read(PackedView::of(&view)))],
    }
}

/// Returns the lines on which conflicts start in the body. Skips quoted code: it is only an example.
fn conflicts_in(text: &str, body: usize) -> impl Iterator<Item = u32> + '_ {
    let is_quoted = move |at: usize| {
        let before = text.get(body..at).unwrap_or_default();
        before.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1
    };
    let own = conflicts(text.as_bytes()).into_iter().map(|own| own.range.start);
    let own = own.filter(move |at| *at >= body && !is_quoted(*at));
    own.map(move |at| 1 + record_reader::feeds(&text.as_bytes()[..at]))
}

/// Reads a saved query: the whole file is its text. A search runs it (`query::saved`).
pub fn read_query(path: &Path, bytes: &[u8]) -> Reading {
    if let Err(unread) = text_of(path, bytes) {
        return unread;
    }
    let view = ParsedRecord {
        id: Some(stem(path).into()),
        kind: Cow::Borrowed("query"),
        importance: 0.5,
        ..ParsedRecord::default()
    };
    let problems = byte_order_mark(path, bytes).into_iter().collect();
    Reading { problems, records: vec![whole(bytes, RecordBody::Read(PackedView::of(&view)))] }
}

/// Returns the form of a note: its text, the fields of §4.1, and other fields of its front matter.
pub fn form(bytes: &[u8]) -> RecordForm {
    let text = String::from_utf8_lossy(bytes);
    let note = Note::read(&text);
    let mut form = RecordForm::default();
    form.ask("text".into(), Need::Optional, FieldKind::Text { most: None });
    if note.has_front_matter {
        for (name, kind) in known_fields() {
            form.ask(name.into(), Need::Optional, kind);
        }
    }
    for field in &note.fields {
        let kind = match &field.value {
            YamlValue::List(_) => FieldKind::Words { most: 0, longest: usize::MAX },
            YamlValue::Other(_) => FieldKind::Fixed("kept as it is written"),
            YamlValue::Text(_) | YamlValue::Null => FieldKind::Text { most: None },
        };
        form.ask(field.name.into(), Need::Optional, kind);
    }
    form
}

fn known_fields() -> Vec<(&'static str, FieldKind)> {
    let words = |words: &[&str]| FieldKind::Word {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        is_closed: true,
    };
    let text = || FieldKind::Text { most: None };
    let list = || FieldKind::Words { most: 0, longest: usize::MAX };
    vec![
        ("tags", list()),
        ("linked_to", FieldKind::References),
        ("confidence", words(&CONFIDENCES.map(|(word, _)| word))),
        ("status", words(&STATUSES)),
        ("source", words(&SOURCES)),
        ("created", FieldKind::Moment),
        ("updated", FieldKind::Moment),
        ("author", text()),
        ("trace_id", text()),
        ("related_events", FieldKind::References),
        ("related_traces", list()),
        ("id", text()),
    ]
}

/// Returns the form of a saved query: only its text.
pub fn query_form() -> RecordForm {
    let mut form = RecordForm::default();
    form.ask("text".into(), Need::Required, FieldKind::Text { most: None });
    form
}

fn whole(bytes: &[u8], body: RecordBody) -> Record {
    let span = Span { start: 0, end: bytes.len() as u64 };
    Record { span, line: 1, lines: 1 + record_reader::feeds(bytes), body }
}

/// Returns the text of a file, or a reading with the problem that makes it unreadable.
fn text_of<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str, Reading> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let (code, why) = match std::str::from_utf8(bytes) {
        Err(_) => (Code::InvalidUtf8, "The file is not UTF-8."),
        Ok(text) if !record_reader::without_mark(bytes).iter().all(is_blank) => return Ok(text),
        Ok(text) if text.contains('\0') => {
            (Code::NulBytes, "The file contains only NUL bytes, probably after a power cut.")
        }
        Ok(_) => (Code::BadFrontMatter, "The file is empty."),
    };
    let problem = Problem::of_file(code, Severity::Error, path, why).at_line(1).of_record(0, None);
    Err(Reading { problems: vec![problem], records: vec![whole(bytes, RecordBody::Broken)] })
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_text().into_owned()
}

struct NoteProblems<'a> {
    path: &'a Path,
    problems: Vec<Problem>,
}

impl NoteProblems<'_> {
    fn add(&mut self, code: Code, severity: Severity, line: u32, message: String) {
        self.problems.push(Problem::of_file(code, severity, self.path, message).at_line(line));
    }
}

fn view(note: &Note<'_>, text: &str, found: &mut NoteProblems<'_>, now: Moment) -> ParsedRecord {
    let stem = stem(found.path);
    let id = ["id", "note_id"].iter().find_map(|name| one(note, name)).unwrap_or_else(|| stem.clone());
    if note.has_front_matter {
        for name in ["id", "created", "updated", "tags"].iter().filter(|name| note.field(name).is_none()) {
            found.add(Code::MissingField, Severity::Note, 1, format!("`{name}` is missing."));
        }
    }
    let body = text.get(note.body.clone()).unwrap_or_default();
    if body.trim().is_empty() {
        found.add(Code::EmptyRecord, Severity::Note, 1, "The text is empty: the memory says nothing.".into());
    }
    let created = moment(note, "created", found, now);
    let updated = moment(note, "updated", found, now);
    let words = [("confidence", &["low", "medium", "high"][..]), ("status", &STATUSES), ("source", &SOURCES)];
    let mut facets: Vec<(&'static str, Box<str>)> = Vec::new();
    for (name, known) in words {
        facets.extend(word(note, name, known, found).map(|word| (name, word.into())));
    }
    facets.extend(one(note, "author").map(|author| ("agent", author.into())));
    facets.extend(one(note, "trace_id").map(|trace| ("trace", trace.into())));
    let confidence = one(note, "confidence");
    let importance = CONFIDENCES.iter().find(|(word, _)| confidence.as_deref() == Some(word));
    let tags: Box<[Box<str>]> = list(note, "tags").into_iter().map(Into::into).collect();
    for (code, severity, message) in field_reader::tag_faults(&tags) {
        let line = note.field("tags").map_or(1, |field| field.line);
        found.add(code, severity, line, message);
    }
    ParsedRecord {
        kind: Cow::Borrowed("note"),
        created: created.or(updated),
        importance: importance.map_or(0.5, |(_, value)| *value),
        tags,
        references: references(note, body),
        names: (*id != stem).then(|| Name { of: NameKind::Record, text: stem.into() }).into_iter().collect(),
        facets: facets.into(),
        faded: one(note, "status").as_deref() == Some("deprecated"),
        id: Some(id.into()),
        ..ParsedRecord::default()
    }
}

fn one(note: &Note<'_>, name: &str) -> Option<String> {
    match &note.field(name)?.value {
        YamlValue::Text(text) if !text.is_empty() => Some(text.to_string()),
        _ => None,
    }
}

fn list(note: &Note<'_>, name: &str) -> Vec<String> {
    let texts = note.field(name).map(|field| field.value.texts()).unwrap_or_default();
    texts.into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// Reads a time. A day without a time means its start; a time without a zone is in UTC.
fn moment(note: &Note<'_>, name: &str, found: &mut NoteProblems<'_>, now: Moment) -> Option<Moment> {
    let field = note.field(name)?;
    let text = one(note, name)?;
    let (when, faults) = field_reader::moment(|| format!("`{name}`"), &text, now);
    for (code, severity, message) in faults {
        found.add(code, severity, field.line, message);
    }
    when
}

fn word(note: &Note<'_>, name: &str, known: &[&str], found: &mut NoteProblems<'_>) -> Option<String> {
    let word = one(note, name)?;
    if !known.contains(&word.as_str()) {
        let line = note.field(name).map_or(1, |field| field.line);
        let message = format!("`{name}` is {word:?}; it should be one of {}.", known.join(", "));
        found.add(Code::OutOfRange, Severity::Note, line, message);
    }
    Some(word)
}

/// Returns the references of the front matter, then the links of the text, each once.
fn references(note: &Note<'_>, body: &str) -> Box<[Reference<'static>]> {
    let mut references: Vec<Reference<'static>> = Vec::new();
    let mut known = std::collections::HashSet::new();
    let mut add = |relation, of, text: &str| {
        let to = Name { of, text: text.into() };
        if !text.is_empty() && known.insert(to.clone()) {
            references.push(Reference { relation, to });
        }
    };
    for relation in ["linked_to", "links", "related_notes"] {
        list(note, relation).iter().for_each(|link| add(relation, NameKind::Record, target(link)));
    }
    list(note, "related_events").iter().for_each(|event| add("related_events", NameKind::Record, event));
    list(note, "related_traces").iter().for_each(|trace| add("related_traces", NameKind::Trace, trace));
    list(note, "trace_id").iter().for_each(|trace| add("trace_id", NameKind::Trace, trace));
    links(body, &mut |link| add("[[link]]", NameKind::Record, target(link)));
    references.into()
}
