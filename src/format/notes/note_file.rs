//! Reads a Markdown file as one record, and makes its form.

use std::collections::HashSet;
use std::path::Path;

use super::rules::{LINK, NoteRules};
use crate::format::field_reader;
use crate::format::json_document::without_mark;
use crate::format::record_form::{FieldKind, RecordForm};
use crate::format::record_reader::{self, Reading, byte_order_mark};
use crate::model::{
    Code, Moment, Name, NameKind, PathText, Problem, Record, RecordBody, Reference, Severity, Span,
    StoredMemory,
};
use crate::text::front_matter::{Note, YamlValue, second};
use crate::text::merge_conflict::merge_places;
use crate::text::wiki_links::{links, target};

/// Reads a note: the whole file is one record. `memory` makes the memory, usually from [`NoteReader::memory`],
/// and adds its faults.
pub fn read(
    rules: &'static NoteRules,
    path: &Path,
    bytes: &[u8],
    now: Moment,
    memory: impl FnOnce(&mut NoteReader<'_>) -> StoredMemory,
) -> Reading {
    let text = match (text_of(path, bytes), std::str::from_utf8(bytes)) {
        (Ok(text), _) => text,
        // Without required fields an empty file is a memory that says nothing.
        (Err(_), Ok(text)) if rules.required.is_empty() && !text.contains('\0') => text,
        (Err(unread), _) => return unread,
    };
    let problems = byte_order_mark(path, bytes).into_iter().collect();
    let mut reader = NoteReader { rules, path, text, note: Note::read(text), now, problems };
    reader.check();
    let memory = memory(&mut reader);
    let problems = reader.problems.into_iter().map(|problem| problem.of_record(0, memory.id.as_deref()));
    Reading { problems: problems.collect(), records: vec![whole(bytes, RecordBody::Read(memory.into()))] }
}

/// Reads a file of any other text as one record with that view.
pub fn read_text(path: &Path, bytes: &[u8], memory: StoredMemory) -> Reading {
    if let Err(unread) = text_of(path, bytes) {
        return unread;
    }
    let problems = byte_order_mark(path, bytes).into_iter().collect();
    Reading { problems, records: vec![whole(bytes, RecordBody::Read(memory.into()))] }
}

/// Returns the name of a file without its extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_text().into_owned()
}

fn whole(bytes: &[u8], body: RecordBody) -> Record {
    let span = Span { start: 0, end: bytes.len() as u64 };
    Record { span, line: 1, lines: 1 + record_reader::feeds(bytes), body }
}

/// Returns the text of a file, or a reading with the problem that makes it unreadable.
fn text_of<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str, Reading> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let (code, why) = match std::str::from_utf8(bytes) {
        Err(_) => return Err(not_text(path, bytes)),
        Ok(text) if !without_mark(bytes).iter().all(is_blank) => return Ok(text),
        Ok(text) if text.contains('\0') => {
            (Code::NulBytes, "The file contains only NUL bytes, probably after a power cut.")
        }
        Ok(_) => (Code::BadFrontMatter, "The file is empty."),
    };
    Err(unread(path, bytes, code, why))
}

/// Returns the reading of a file that is no text.
pub fn not_text(path: &Path, bytes: &[u8]) -> Reading {
    unread(path, bytes, Code::InvalidUtf8, "The file is not UTF-8.")
}

fn unread(path: &Path, bytes: &[u8], code: Code, why: &str) -> Reading {
    let problem = Problem::of_file(code, Severity::Error, path, why).at_line(1).of_record(0, None);
    Reading { problems: vec![problem], records: vec![whole(bytes, RecordBody::Broken)] }
}

/// Returns the lines of what a merge left, each with what is wrong.
pub fn merge_faults(text: &str) -> Vec<(u32, &'static str)> {
    let all = merge_places(text.as_bytes()).into_iter();
    // What is between two of them is read once, so that no text takes long.
    let (mut from, mut line) = (0, 1);
    let faults = all.filter(|place| !text[place.range.start..].starts_with(['=', '|'])).map(|place| {
        line += record_reader::feeds(&text.as_bytes()[from..place.range.start]);
        from = place.range.start;
        (line, if place.is_stray { ONE_MARKER } else { BOTH_SIDES })
    });
    faults.collect()
}

const BOTH_SIDES: &str = "A merge left both sides here, with its markers.";
const ONE_MARKER: &str = "A merge left this marker here, without the other side.";

/// Reads the fields of one note, and collects its faults.
pub struct NoteReader<'a> {
    rules: &'static NoteRules,
    path: &'a Path,
    text: &'a str,
    note: Note<'a>,
    now: Moment,
    problems: Vec<Problem>,
}

impl NoteReader<'_> {
    /// Adds a fault.
    pub fn fault(&mut self, code: Code, severity: Severity, line: u32, message: impl Into<String>) {
        self.problems.push(Problem::of_file(code, severity, self.path, message).at_line(line));
    }

    /// Returns the text of a field; `None` if it is missing, empty or not a scalar.
    pub fn one(&self, name: &str) -> Option<String> {
        let field = self.note.field(name)?;
        match &field.value {
            YamlValue::Text(text) if !text.is_empty() => Some(self.rules.text_of(field)),
            _ => None,
        }
    }

    /// Returns the texts of a list, or the one text of a field.
    pub fn list(&self, name: &str) -> Vec<String> {
        let texts = self.note.field(name).map(|field| field.value.texts()).unwrap_or_default();
        texts.into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect()
    }

    /// Reads a time. A day without a time means its start, and needs no zone; a time without a zone is in UTC.
    pub fn moment(&mut self, name: &str) -> Option<Moment> {
        let text = self.one(name)?;
        let (when, faults) = field_reader::moment(|| format!("`{name}`"), &text, self.now);
        let line = self.line(name);
        let is_day = text.len() == "2026-01-01".len();
        let faults = faults.into_iter().filter(|(code, ..)| *code != Code::NoTimezone || !is_day);
        for (code, severity, message) in faults {
            self.fault(code, severity, line, message);
        }
        when
    }

    /// Reads a word. One that is not known is a note.
    pub fn word(&mut self, name: &str, known: &[&str]) -> Option<String> {
        let word = self.one(name)?;
        if !known.contains(&word.as_str()) {
            let message = format!("`{name}` is {word:?}; it should be one of {}.", known.join(", "));
            self.fault(Code::OutOfRange, Severity::Note, self.line(name), message);
        }
        Some(word)
    }

    /// Reads the tags.
    pub fn tags(&mut self) -> Box<[Box<str>]> {
        let tags: Box<[Box<str>]> = self.list("tags").into_iter().map(Into::into).collect();
        let line = self.line("tags");
        for (code, severity, message) in field_reader::tag_faults(&tags) {
            self.fault(code, severity, line, message);
        }
        tags
    }

    /// Returns what the rules say of a note: the id, the file's stem as its other name, and references.
    pub fn memory(&self) -> StoredMemory {
        let stem = stem(self.path);
        let id = self.rules.ids.iter().find_map(|name| self.one(name)).unwrap_or_else(|| stem.clone());
        let names = (*id != stem).then(|| Name { of: NameKind::Record, text: stem.into() });
        StoredMemory {
            names: names.into_iter().collect(),
            id: Some(id.into()),
            references: self.references(),
            ..StoredMemory::default()
        }
    }

    fn line(&self, name: &str) -> u32 {
        self.note.field(name).map_or(1, |field| field.line)
    }

    fn body(&self) -> &str {
        self.text.get(self.note.body.clone()).unwrap_or_default()
    }

    /// Adds the faults that any note can have.
    fn check(&mut self) {
        if let Some((before, _)) = self.text.split_once('\0') {
            let line = 1 + record_reader::feeds(before.as_bytes());
            self.fault(Code::NulBytes, Severity::Warning, line, "There are NUL bytes in the text.");
        }
        for (line, fault) in self.note.faults.clone() {
            self.fault(Code::BadFrontMatter, Severity::Note, line, fault);
        }
        let required = self.rules.required;
        if !self.note.has_front_matter && !required.is_empty() {
            self.fault(Code::BadFrontMatter, Severity::Note, 1, "The note has no front matter.");
        }
        for (line, message) in merge_faults(self.text) {
            self.fault(Code::ConflictMarkers, Severity::Error, line, message);
        }
        if self.note.has_front_matter {
            for name in required {
                if self.note.field(name).is_none() {
                    self.fault(Code::MissingField, Severity::Note, 1, format!("`{name}` is missing."));
                }
            }
        }
        if let Some((start, _)) = second(self.text, &self.note) {
            let message =
                "This is a second front matter: agents read the first alone, and take this for text.";
            let line = 1 + record_reader::feeds(&self.text.as_bytes()[..start]);
            self.fault(Code::DoubleFrontMatter, Severity::Warning, line, message);
        }
        if self.body().trim().is_empty() {
            let message = "The text is empty: the memory says nothing.";
            self.fault(Code::EmptyRecord, Severity::Note, 1, message);
        }
    }

    /// Returns the references of the front matter, then the links of the text, each once.
    fn references(&self) -> Box<[Reference<'static>]> {
        let mut references: Vec<Reference<'static>> = Vec::new();
        let mut known = HashSet::new();
        let mut add = |relation, of, text: &str| {
            let to = Name { of, text: text.into() };
            if !text.is_empty() && known.insert(to.clone()) {
                references.push(Reference { relation, to });
            }
        };
        for field in self.rules.relations {
            for name in self.list(field.name) {
                add(field.name, field.of, if field.is_link { target(&name) } else { &name });
            }
        }
        links(self.body(), &mut |link| add(LINK, NameKind::Record, target(link)));
        references.into()
    }
}

/// Returns the form of a note: its text, the known fields, and other fields of its front matter.
pub fn form(bytes: &[u8], known: Vec<(&'static str, FieldKind)>) -> RecordForm {
    let text = String::from_utf8_lossy(bytes);
    let note = Note::read(&text);
    let mut form = text_form();
    if note.has_front_matter {
        for (name, kind) in known {
            form.ask(name.into(), kind);
        }
    }
    for field in &note.fields {
        let kind = match &field.value {
            YamlValue::List(_) => FieldKind::ANY_WORDS,
            YamlValue::Other(_) => FieldKind::Fixed("kept as it is written"),
            YamlValue::Text(_) | YamlValue::Null => FieldKind::Text { most: None },
        };
        form.ask(field.name.into(), kind);
    }
    form
}

/// Returns the form of a record that has only a text.
pub fn text_form() -> RecordForm {
    let mut form = RecordForm::default();
    form.ask("text".into(), FieldKind::Text { most: None });
    form
}
