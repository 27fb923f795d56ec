//! The bundle of `state.json` and of checkpoints: its sections and items as records.

use std::borrow::Cow;
use std::path::Path;

use super::event;
use crate::format::fields::{Fault, Fields, Need};
use crate::format::reading::{self, Reading, whole_object};
use crate::model::{Body, Code, Moment, Problem, Record, Reference, Severity, Span, View};
use crate::text::json::{Json, Kind};
use crate::text::scan::Tape;
use crate::text::secrets;

/// The sections of a bundle, and what each of their items must have; a section without
/// items is one record.
pub const SECTIONS: [(&str, &[&str]); 6] = [
    ("project", &["name", "summary"]),
    ("projectMap", &[]),
    ("currentFocus", &["summary"]),
    ("gotchas", &["title", "symptom", "cause", "correctPath"]),
    ("nextSteps", &["title", "why", "start", "done"]),
    ("validationCommands", &["label", "purpose"]),
];
/// The `schemaVersion` that the tool writes.
const VERSION: f64 = 2.0;

/// A value that is a record of its own.
pub struct Item<'a> {
    pub kind: &'static str,
    pub value: Json<'a>,
    /// The time of the state that it belongs to.
    pub created: Option<Moment>,
}

/// Reads `state.json`.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    let body = reading::without_mark(bytes);
    let mut tape = Tape::default();
    match whole_object(&mut tape, body) {
        Ok(state) => {
            let mut fields = Fields::new(state, now);
            shape(&mut fields);
            let created = fields.moment("generatedAt", Need::Required);
            let bundle = state.get("bundle");
            let items = bundle.map(|bundle| items(bundle, created)).unwrap_or_default();
            let mut reading = records(path, bytes, now, items);
            let faults = fields.into_faults().into_iter();
            let of_file = |(code, severity, message)| Problem::of_file(code, severity, path, message);
            reading.problems.extend(faults.map(of_file));
            reading
        }
        Err(_) => reading::read_document(path, bytes, now, &|_, _| View::default()),
    }
}

/// What `state.json` must have around its bundle.
fn shape(fields: &mut Fields<'_>) {
    let version = fields.value("schemaVersion", Need::Required, "a number", |value| value.number());
    if let Some(version) = version.filter(|version| *version != VERSION) {
        let message = format!("`schemaVersion` is {version}; this format has {VERSION}.");
        fields.fault(Code::UnsupportedVersion, Severity::Warning, message);
    }
    filled(fields, "generatorVersion");
    filled(fields, "bundleHash");
    fields.within("bundle", Need::Required, |bundle| {
        for (section, _) in SECTIONS {
            let wanted = if is_list(section) { Kind::Array } else { Kind::Object };
            bundle.value(section, Need::Required, wanted.as_str(), |value| {
                (value.kind() == wanted).then_some(())
            });
        }
    });
    fields.within("maintenance", Need::Required, |maintenance| {
        maintenance.count("historyEventCount", Need::Required);
        maintenance.count("importSourceCount", Need::Required);
        maintenance.text("latestCheckpointId", Need::Optional);
    });
}

fn is_list(section: &str) -> bool {
    matches!(section, "gotchas" | "nextSteps" | "validationCommands")
}

/// The records of a bundle, in the order of the file.
pub fn items(bundle: Json<'_>, created: Option<Moment>) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    for (section, _) in SECTIONS {
        let Some(value) = bundle.get(section) else { continue };
        let own: Vec<Json<'_>> = match value.kind() {
            Kind::Array => value.items().collect(),
            _ => vec![value],
        };
        items.extend(own.into_iter().map(|value| Item { kind: section, value, created }));
    }
    items.sort_by_key(|item| item.value.span());
    items
}

/// Values within a file as its records.
pub fn records(path: &Path, bytes: &[u8], now: Moment, items: Vec<Item<'_>>) -> Reading {
    let mark = bytes.len() - reading::without_mark(bytes).len();
    let mut reading = Reading::default();
    let (mut counted, mut line) = (0, 1);
    for item in items {
        let (start, end) = item.value.span();
        let (start, end) = (start + mark, end + mark);
        line += reading::feeds(bytes.get(counted..start).unwrap_or_default());
        counted = start;
        let raw = bytes.get(start..end).unwrap_or_default();
        let mut fields = Fields::new(item.value, now);
        let seen = View {
            kind: Cow::Borrowed(item.kind),
            importance: 0.5,
            sensitive: secrets::is_sensitive(raw),
            ..view(&item, &mut fields)
        };
        let span = Span { start: start as u64, end: end as u64 };
        let faults: Vec<Fault> = fields.into_faults();
        reading.push(path, span, line, 1 + reading::feeds(raw), seen, faults);
    }
    reading
}

fn view(item: &Item<'_>, fields: &mut Fields<'_>) -> View {
    if item.value.kind() != Kind::Object {
        let message = format!("It should be an object and is {}.", item.value.kind().as_str());
        fields.fault(Code::WrongType, Severity::Error, message);
    } else if item.kind == "source" {
        return event::source(fields);
    } else {
        let needed = SECTIONS.iter().find(|(section, _)| *section == item.kind).map_or(&[][..], |own| own.1);
        needed.iter().for_each(|name| {
            filled(fields, name);
        });
    }
    View { created: item.created, ..View::default() }
}

/// A string that must be there and not empty.
pub fn filled<'a>(fields: &mut Fields<'a>, name: &'static str) -> Option<Cow<'a, str>> {
    let text = fields.text(name, Need::Required)?;
    if text.trim().is_empty() {
        fields.fault(Code::OutOfRange, Severity::Error, format!("`{name}` is empty."));
    }
    Some(text)
}

/// A file of which nothing can be read as a record.
pub fn broken(bytes: &[u8], problem: Problem) -> Reading {
    let span = Span { start: 0, end: bytes.len() as u64 };
    let record = Record { span, line: 1, lines: 1 + reading::feeds(bytes), body: Body::Broken };
    Reading { records: vec![record], problems: vec![problem.of_record(0, None)] }
}

/// Reads a checkpoint: the file is one record.
pub fn read_checkpoint(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    reading::read_document(path, bytes, now, &|fields, _| {
        let id = filled(fields, "id");
        let event = filled(fields, "eventId");
        filled(fields, "bundleHash");
        fields.text("summary", Need::Required);
        fields.value("bundle", Need::Required, "an object", |value| {
            (value.kind() == Kind::Object).then_some(())
        });
        View {
            id: id.map(Into::into),
            kind: Cow::Borrowed("checkpoint"),
            created: fields.moment("createdAt", Need::Required),
            importance: 0.5,
            references: event
                .map(|event| Reference::to_record("eventId", event.as_ref()))
                .into_iter()
                .collect(),
            ..View::default()
        }
    })
}

/// What stands for an item: its title, and what else it says.
pub fn main_text(value: Json<'_>) -> (String, Vec<&'static str>) {
    let text =
        |name: &str| value.get(name).and_then(|value| value.text()).filter(|text| !text.trim().is_empty());
    if value.kind() != Kind::Object {
        return (value.plain(), Vec::new());
    }
    if let (Some(label), Some(command)) = (text("label"), value.get("command")) {
        let words: Vec<String> = command.items().map(|word| word.plain()).collect();
        return (format!("{label}: {}", words.join(" ")), vec!["label", "command"]);
    }
    if let (Some(name), Some(summary)) = (text("name"), text("summary")) {
        return (format!("{name}: {summary}"), vec!["name", "summary"]);
    }
    for name in ["title", "summary"] {
        if let Some(text) = text(name) {
            // Of a checkpoint's bundle the differences are told, not the whole.
            return (text.into_owned(), vec![name, "bundle"]);
        }
    }
    match (text("id"), text("path")) {
        (Some(id), Some(path)) => (format!("{id}: {path}"), Vec::new()),
        (Some(id), None) => (id.into_owned(), Vec::new()),
        _ => (first_text(value).unwrap_or_else(|| value.plain()), Vec::new()),
    }
}

/// The first text of a project map: what to read first.
fn first_text(value: Json<'_>) -> Option<String> {
    let first = value.get("architectureNotes").or_else(|| value.get("firstFilesToRead"))?;
    let texts: Vec<String> = first.items().map(|item| item.plain()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
