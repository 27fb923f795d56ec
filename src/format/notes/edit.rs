//! Edits the fields, the tags and the text of a note.

use super::ids::check_rename;
use super::rules::NoteRules;
use crate::format::Format;
use crate::format::writing::{ChangesResult, FieldAssignment, Refusal, Result, WriteContext, no_worse};
use crate::model::time::{TimeSpelling, Timestamp};
use crate::model::{Change, Document, Entry, Moment};
use crate::text::front_matter::edit::{EditRefused, NewYamlValue, set, set_body, set_line};
use crate::text::front_matter::{Note, YamlValue};
use crate::text::json::JsonKind;
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

impl From<EditRefused> for Refusal {
    fn from(refused: EditRefused) -> Self {
        let message = format!("{refused}.");
        match refused {
            EditRefused::Faulty(..) => Refusal::corrupt(message),
            _ => Refusal::invalid(message),
        }
    }
}

/// Returns the text of a note. Fails if it is not UTF-8.
pub fn text_of(document: &Document) -> Result<&str> {
    std::str::from_utf8(&document.bytes)
        .map_err(|_| Refusal::corrupt("the note is not UTF-8: repair it first."))
}

/// Sets the fields of a note, or its text.
pub fn edit(
    format: &dyn Format,
    rules: &'static NoteRules,
    context: &WriteContext<'_>,
    entry: &Entry,
    fields: &[FieldAssignment<'_>],
) -> ChangesResult {
    let document = context.store.document(entry);
    let mut new = text_of(document)?.to_owned();
    for setting in fields {
        new = with_field(rules, context, entry, &new, setting)?;
    }
    let sets_time = fields.iter().any(|setting| setting.name == rules.updated);
    finish((format, rules), context, document, new, !sets_time)
}

/// Sets the tags of a note. New tags get the form of [`tag`]; the others stay as they are.
pub fn set_tags(
    format: &dyn Format,
    rules: &'static NoteRules,
    context: &WriteContext<'_>,
    entry: &Entry,
    tags: &[String],
) -> ChangesResult {
    let document = context.store.document(entry);
    let text = text_of(document)?;
    let memory = context.store.memory(entry);
    let wanted = each_once(tags, |own| memory.is_some_and(|memory| memory.has_tag(own)))?;
    let new = set(text, "tags", NewYamlValue::List(&wanted))?;
    finish((format, rules), context, document, new, true)
}

/// Returns a tag in the form of new ones: lower case, with hyphens for white space. Fails if it is empty or has
/// control characters.
pub fn tag(own: &str) -> Result<String> {
    let tag = own.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase();
    match tag.is_empty() || tag.chars().any(char::is_control) {
        true => Err(Refusal::bad_value("tag", own, "it should be a word")),
        false => Ok(tag),
    }
}

/// Returns the tags of a new note, each once. Fails if one is refused.
pub fn new_tags(asked: &[String]) -> Result<Vec<String>> {
    each_once(asked, |_| false)
}

fn each_once(asked: &[String], keeps_form: impl Fn(&String) -> bool) -> Result<Vec<String>> {
    let mut tags: Vec<String> = Vec::new();
    for own in asked {
        let tag = if keeps_form(own) { own.clone() } else { tag(own)? };
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Ok(tags)
}

/// Sets a field from JSON.
pub fn with_raw(rules: &NoteRules, text: &str, name: &str, raw: &str) -> Result<String> {
    let mut tape = Tape::default();
    let value = scan(&mut tape, raw.as_bytes())?;
    let list = |raw: &str| Ok(set(text, name, NewYamlValue::List(&texts(raw)?))?);
    match value.kind() {
        JsonKind::Null => Ok(text.to_owned()),
        JsonKind::Array => list(raw),
        JsonKind::Object => Err(Refusal::invalid(format!("`{name}` should be a text or a list of texts."))),
        _ if rules.lists.contains(&name) => list(&format!("[{raw}]")),
        _ => Ok(set(text, name, NewYamlValue::Text(&value.plain()))?),
    }
}

/// Reads a list of texts, in JSON or separated by commas.
pub fn texts(value: &str) -> Result<Vec<String>> {
    if !value.trim_start().starts_with('[') {
        let items = value.split(',').map(str::trim).filter(|item| !item.is_empty());
        return Ok(items.map(str::to_owned).collect());
    }
    let mut tape = Tape::default();
    let list = scan(&mut tape, value.as_bytes()).ok();
    let items = list.and_then(|list| list.items().map(|item| Some(item.text()?.into_owned())).collect());
    items.ok_or_else(|| Refusal::invalid(format!("{value:?} is not a list of texts in JSON.")))
}

/// Adds a line end to the text, unless the text that it replaces ends without one.
pub fn ended(text: &str, end: &str, before: &str) -> String {
    let is_open = !before.is_empty() && !before.ends_with('\n');
    let stays = text.is_empty() || text.ends_with('\n') || is_open;
    if stays { text.to_owned() } else { format!("{text}{end}") }
}

/// Sets the time of the last update. Without front matter, or if the edit is not safe, the note stays.
pub fn updated(rules: &NoteRules, text: String, now: Moment) -> String {
    let note = Note::read(&text);
    if !note.has_front_matter || rules.updated.is_empty() {
        return text;
    }
    let alike = match note.field(rules.updated).map(|field| &field.value) {
        Some(YamlValue::Text(found)) => alike(found, now),
        _ => None,
    };
    let when = alike.unwrap_or_else(|| now.to_pattern(rules.time));
    set(&text, rules.updated, NewYamlValue::Text(&when)).unwrap_or(text)
}

fn finish(
    (format, rules): (&dyn Format, &NoteRules),
    context: &WriteContext<'_>,
    document: &Document,
    new: String,
    is_timed: bool,
) -> ChangesResult {
    if new.as_bytes() == &document.bytes[..] {
        return Ok(Vec::new());
    }
    let new = if is_timed { updated(rules, new, context.now) } else { new };
    let problems = |bytes: &[u8]| format.read(document.role, &document.path, bytes, context.now).problems;
    no_worse(problems, Some(&document.bytes), new.as_bytes())?;
    Ok(vec![Change::rewrite(&document.path, document.bytes.clone(), new.as_bytes())])
}

/// Writes a time in the spelling and zone of another; `None` if that one has an unusual spelling.
fn alike(found: &str, now: Moment) -> Option<String> {
    Timestamp::read(found).filter(|stamp| stamp.spelling == TimeSpelling::Usual)?;
    let (Some(day), Some(time)) = (found.get(..10), found.get(11..)) else {
        return Some(now.to_pattern("%Y-%m-%d"));
    };
    let clock = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(clock);
    let decimals = clock.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let fraction = match decimals {
        0 => "",
        1..=3 => "%.3f",
        _ => "%.6f",
    };
    let seconds = if clock.matches(':').count() > 1 { ":%S" } else { "" };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let part = |from, to| digits.get(from..to).and_then(|part| part.parse::<i64>().ok()).unwrap_or(0);
    let offset = (part(0, 2) * 60 + part(2, 4)) * 60_000_000;
    let local = now.plus(if zone.starts_with('-') { -offset } else { offset });
    let between = found.get(day.len()..11).unwrap_or("T");
    Some(local.to_pattern(&format!("%Y-%m-%d{between}%H:%M{seconds}{fraction}{zone}")))
}

fn with_field(
    rules: &'static NoteRules,
    context: &WriteContext<'_>,
    entry: &Entry,
    text: &str,
    setting: &FieldAssignment<'_>,
) -> Result<String> {
    let note = Note::read(text);
    let current = note.field(setting.name).map(|field| &field.value);
    let is_list = matches!(current, Some(YamlValue::List(_))) || rules.lists.contains(&setting.name);
    match setting.name {
        "text" | "body" if current.is_none() => {
            let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let body = text.get(note.body.clone()).unwrap_or_default();
            let new = if setting.value == body { body.to_owned() } else { ended(setting.value, end, body) };
            Ok(set_body(text, &new))
        }
        name if is_list => Ok(set(text, name, NewYamlValue::List(&texts(setting.value)?))?),
        name => {
            if rules.ids.first() == Some(&name) {
                check_rename(rules, context, entry, setting.value)?;
            }
            let set = if rules.line_fields.contains(&name) { set_line } else { set };
            Ok(set(text, name, NewYamlValue::Text(setting.value))?)
        }
    }
}
