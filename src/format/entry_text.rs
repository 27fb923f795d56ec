//! An entry as text: its title, its main text and fields, and the texts that a search reads.

use std::borrow::Cow;
use std::path::Path;

use super::record_details::{self, TextMember};
use super::{Format, RecordSyntax, by_name, title_of};
use crate::model::{Entry, PathText, Record, RecordText, Store, UntrustedText};
use crate::text::front_matter::{self, Note};
use crate::text::json::Json;
use crate::text::json_scanner::{Newlines, ScanResult, Tape};

/// The texts that a search reads, not folded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchText {
    /// Title, tags and id.
    pub head: Vec<String>,
    /// Every other string value, except ids of other records, times and checksums.
    pub body: Vec<String>,
}

/// Returns an entry's title, text and fields.
pub fn text_of(store: &Store, entry: &Entry) -> RecordText {
    let record = store.record(entry);
    with_content(store, entry, |content| whole(content).unwrap_or_else(|raw| broken_text(record.line, raw)))
}

/// Returns the title, text and fields of record bytes of this format; `None` if they can't be read.
pub fn text_of_raw(format: &str, path: &Path, raw: &[u8]) -> Option<RecordText> {
    with_bytes(Some(by_name(format)?), path, raw, |content| whole(content).ok())
}

/// Returns the bytes if they can't be read.
fn whole(content: EntryContent<'_>) -> Result<RecordText, &[u8]> {
    Ok(match content {
        EntryContent::Json(format, value) => read_text(format, value),
        EntryContent::Note(format, note, text, stem) => note_text(format, &note, text, stem),
        EntryContent::Text(text, stem) => RecordText {
            title: title_of(stem).into(),
            text: text.into(),
            main: "text",
            ..RecordText::default()
        },
        EntryContent::Broken(raw) => return Err(raw),
    })
}

/// Returns the main text of record bytes from a file at this path.
pub fn main_text(format: &'static dyn Format, path: &Path, raw: &[u8]) -> String {
    with_bytes(Some(format), path, raw, |content| match content {
        EntryContent::Json(format, value) => format.main_text(value).0,
        EntryContent::Note(_, note, text, _) => text.get(note.body.clone()).unwrap_or_default().to_owned(),
        EntryContent::Text(text, _) => text.to_owned(),
        EntryContent::Broken(raw) => String::from_utf8_lossy(raw).into_owned(),
    })
}

/// True if an entry's main text is Markdown.
pub fn is_markdown(store: &Store, entry: &Entry) -> bool {
    let format = by_name(store.format).filter(|_| store.is_readable(entry));
    format.is_some_and(|format| format.syntax(&store.document(entry).path) == RecordSyntax::Markdown)
}

/// Returns only the title of an entry, for lists.
pub fn title(store: &Store, entry: &Entry) -> UntrustedText {
    let title = || title_of_raw(store, &store.document(entry).path, store.record(entry), &store.raw(entry));
    match store.memory(entry) {
        Some(memory) => memory.title.get_or_init(title).clone(),
        None => title(),
    }
}

/// Returns the title of record bytes from a file of the store.
pub fn title_of_raw(store: &Store, path: &Path, record: &Record, raw: &[u8]) -> UntrustedText {
    let format = by_name(store.format).filter(|_| record.memory().is_some());
    with_bytes(format, path, raw, |content| match content {
        EntryContent::Json(format, value) => title_of(&format.main_text(value).0).into(),
        EntryContent::Note(format, note, text, stem) => note_title(format, &note, text, stem).into(),
        EntryContent::Text(_, stem) => title_of(stem).into(),
        EntryContent::Broken(raw) => broken_text(record.line, raw).title,
    })
}

/// Returns the texts of an entry that a search reads. The body of a broken record is its bytes.
pub fn searched_of(store: &Store, entry: &Entry) -> SearchText {
    let names = |title: String| {
        let mut head = vec![title];
        if let Some(memory) = store.memory(entry) {
            head.extend(memory.tags().chain(memory.id()).map(|text| text.to_string()));
        }
        head
    };
    with_content(store, entry, |content| match content {
        EntryContent::Json(format, value) => {
            let (text, _) = format.main_text(value);
            SearchText { head: names(title_of(&text)), body: strings(format, value) }
        }
        EntryContent::Note(format, note, text, stem) => {
            let unsearched = format.about().unsearched;
            let mut body = vec![text.get(note.body.clone()).unwrap_or_default().to_owned()];
            let fields = note.fields.iter().filter(|field| !matches!(field.name, "id" | "tags"));
            let fields = fields.filter(|field| !unsearched.contains(&field.name));
            body.extend(fields.map(|field| format.field_text(field)));
            SearchText { head: names(note_title(format, &note, text, stem)), body }
        }
        EntryContent::Text(text, stem) => {
            SearchText { head: names(title_of(stem)), body: vec![text.to_owned()] }
        }
        EntryContent::Broken(raw) => {
            SearchText { head: Vec::new(), body: vec![String::from_utf8_lossy(raw).into_owned()] }
        }
    })
}

/// Returns the string values that a search reads, without tags and id.
fn strings(format: &dyn Format, value: Json<'_>) -> Vec<String> {
    let mut body = Vec::new();
    value.each_string(&mut |path, value| {
        let name = path.last().map_or("", |name| name.as_ref());
        let own = path.len() == 1 && matches!(name, "id" | "tags");
        if !own && !format.about().unsearched.contains(&name) {
            body.push(value.plain());
        }
    });
    body
}

/// Returns every string of a JSON record that a search reads, in stored order, with its dotted member name.
pub(super) fn named_strings(store: &Store, entry: &Entry) -> Vec<(String, String)> {
    with_content(store, entry, |content| {
        let mut strings = Vec::new();
        if let EntryContent::Json(format, value) = content {
            value.each_string(&mut |path, value| {
                let is_searched =
                    path.last().is_none_or(|own| !format.about().unsearched.contains(&own.as_ref()));
                if is_searched {
                    strings.push((path.join("."), value.plain()));
                }
            });
        }
        strings
    })
}

enum EntryContent<'a> {
    Json(&'static dyn Format, Json<'a>),
    /// The note, its text, and the stem of its file.
    Note(&'static dyn Format, Note<'a>, &'a str, &'a str),
    /// The text, and the stem of its file.
    Text(&'a str, &'a str),
    Broken(&'a [u8]),
}

fn with_content<T>(store: &Store, entry: &Entry, take: impl FnOnce(EntryContent<'_>) -> T) -> T {
    let format = by_name(store.format).filter(|_| store.is_readable(entry));
    with_bytes(format, &store.document(entry).path, &store.raw(entry), take)
}

fn with_bytes<T>(
    format: Option<&'static dyn Format>,
    path: &Path,
    raw: &[u8],
    take: impl FnOnce(EntryContent<'_>) -> T,
) -> T {
    let Some(format) = format else { return take(EntryContent::Broken(raw)) };
    let stem = path.file_stem().map(PathText::to_text).unwrap_or_default();
    match format.syntax(path) {
        RecordSyntax::Markdown => {
            let text = String::from_utf8_lossy(raw);
            take(EntryContent::Note(format, Note::read(&text), &text, &stem))
        }
        RecordSyntax::Text => take(EntryContent::Text(&String::from_utf8_lossy(raw), &stem)),
        RecordSyntax::Json => {
            let mut tape = Tape::default();
            match tape.scan(raw, Newlines::Refused) {
                ScanResult::Whole { .. } => take(EntryContent::Json(format, Json::of(raw, &tape))),
                _ => take(EntryContent::Broken(raw)),
            }
        }
    }
}

/// Returns a note's own title, or its first heading or line, or the stem of its file.
fn note_title(format: &dyn Format, note: &Note<'_>, text: &str, stem: &str) -> String {
    let second = front_matter::second(text, note);
    let below = |name| second.as_ref().and_then(|(_, below)| below.field(name));
    let fields =
        format.about().title_fields.iter().filter_map(|name| note.field(name).or_else(|| below(name)));
    let own = { fields }.map(|field| format.field_text(field)).find(|title| !title.trim().is_empty());
    let start = second.as_ref().map_or(note.body.start, |(start, below)| start + below.body.start);
    let body = text.get(start..note.body.end).unwrap_or_default();
    let lines = body.lines().map(|line| line.trim_start_matches('#').trim());
    // A rule is no title.
    let lines = lines.filter(|line| !line.trim_matches(['-', '*', '_']).is_empty());
    let first = || lines.filter_map(|line| format.title_of_line(line)).find(|line| !line.is_empty());
    title_of(own.as_deref().or_else(first).unwrap_or(stem))
}

fn note_text(format: &dyn Format, note: &Note<'_>, text: &str, stem: &str) -> RecordText {
    let fields = note.fields.iter().map(|field| TextMember::of_text(field.name, format.field_text(field)));
    let body = text.get(note.body.clone()).unwrap_or_default().to_owned();
    with_said(format, note_title(format, note, text, stem), (body, "body"), fields.collect())
}

/// Returns a text with the other fields of its record, in the order of the format.
fn with_said(
    format: &dyn Format,
    title: String,
    (text, main): (String, &'static str),
    members: Vec<TextMember>,
) -> RecordText {
    let about = format.about();
    let said = record_details::other_texts(&members, &text, about.reading_order, about.unsearched);
    let fields = members.into_iter().map(|member| (member.name, member.plain.into())).collect();
    RecordText { title: title.into(), text: text.into(), main, other_texts: said, fields }
}

fn read_text(format: &dyn Format, object: Json<'_>) -> RecordText {
    let (text, used) = format.main_text(object);
    let mut members = Vec::new();
    for (key, value) in object.members() {
        flatten(key.text().unwrap_or_default(), value, &used, &mut members);
    }
    let main = used.first().copied().unwrap_or("text");
    with_said(format, title_of(&text), (text, main), members)
}

/// Opens nested objects, at most three levels deep. Deeper ones stay JSON.
fn flatten(name: Cow<'_, str>, value: Json<'_>, used: &[&str], members: &mut Vec<TextMember>) {
    if used.contains(&name.as_ref()) {
        return;
    }
    if value.members().next().is_none() || name.matches('.').count() >= 2 {
        let listed: Option<Vec<String>> =
            value.items().map(|item| item.text().map(Cow::into_owned)).collect();
        let plain = match listed {
            Some(texts) if !texts.is_empty() => texts.join(", "),
            _ => value.plain(),
        };
        members.push(TextMember { name: name.into_owned(), plain, read: record_details::read(value) });
        return;
    }
    for (key, inner) in value.members() {
        flatten(Cow::Owned(format!("{name}.{}", key.text().unwrap_or_default())), inner, used, members);
    }
}

/// The number of bytes of a broken line that are searched for a text.
const BROKEN: usize = 4_096;

/// Returns the longest string of two words or more in a broken line, with its escapes. It may be cut off.
fn readable(start: &str) -> Option<&str> {
    let strings = start.split('"').skip(1).step_by(2).map(|own| own.trim_end_matches('\\'));
    let words = |own: &&str| own.split_whitespace().count();
    strings.filter(|own| words(own) >= 2).max_by_key(words)
}

fn broken_text(line: u32, raw: &[u8]) -> RecordText {
    let start = String::from_utf8_lossy(&raw[..raw.len().min(BROKEN)]);
    let shown = title_of(readable(&start).unwrap_or(&start));
    let title = if line > 0 { format!("Broken line {line}: {shown}") } else { format!("Broken: {shown}") };
    RecordText {
        title: title.into(),
        text: String::from_utf8_lossy(raw).into(),
        main: "bytes",
        ..RecordText::default()
    }
}
