//! Edits, deprecates and archives notes (§4, §8.2).

use std::path::{Path, PathBuf};

use super::deprecation;
use super::new_notes::{check_id, tag, taken};
use super::note_names::NoteNames;
use crate::format::a_mem::write::field_values::{ended, no_worse, parts, rewritten, timestamp};
use crate::format::writing::{ChangesResult, FieldAssignment, Refusal, RefusalList, Result, WriteContext};
use crate::model::time::{DAY, TimeSpelling, Timestamp};
use crate::model::{Change, Document, Entry, Moment, PathText, Role, State};
use crate::text::front_matter::edit::{NewYamlValue, set, set_body};
use crate::text::front_matter::{Note, YamlValue};
use crate::text::json::JsonKind;
use crate::text::json_edit::{quoted, scan};
use crate::text::json_scanner::Tape;

const LISTS: [&str; 6] = ["tags", "linked_to", "links", "related_notes", "related_events", "related_traces"];
/// The time after which a deprecated note can be archived (§8.2).
const YEAR: i64 = 365 * DAY;

/// Sets a field from JSON.
pub fn with_raw(text: &str, name: &str, raw: &str) -> Result<String> {
    let mut tape = Tape::default();
    let value = scan(&mut tape, raw.as_bytes())?;
    match value.kind() {
        JsonKind::Null => Ok(text.to_owned()),
        JsonKind::Array => Ok(set(text, name, NewYamlValue::List(&texts(raw)?))?),
        JsonKind::Object => Err(Refusal::invalid(format!("`{name}` should be a text or a list of texts."))),
        _ if LISTS.contains(&name) => Ok(set(text, name, NewYamlValue::List(&texts(&format!("[{raw}]"))?))?),
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

fn text_of(document: &Document) -> Result<&str> {
    std::str::from_utf8(&document.bytes)
        .map_err(|_| Refusal::corrupt("the note is not UTF-8: repair it first."))
}

/// Sets the fields of a note, or its text.
pub fn edit(scene: &WriteContext<'_>, entry: &Entry, fields: &[FieldAssignment<'_>]) -> ChangesResult {
    let document = scene.store.document(entry);
    let text = text_of(document)?;
    let mut new = text.to_owned();
    for setting in fields {
        new = with_field(scene, entry, &new, setting)?;
    }
    let sets_time = fields.iter().any(|setting| setting.name == "updated");
    finish(scene, document, text, new, !sets_time)
}

/// Sets the tags of a note. New tags get the format's form; the others stay as they are.
pub fn set_tags(scene: &WriteContext<'_>, entry: &Entry, tags: &[String]) -> ChangesResult {
    let document = scene.store.document(entry);
    let text = text_of(document)?;
    let view = scene.store.view(entry);
    let known = |tag: &String| view.is_some_and(|view| view.tags.contains(tag));
    let mut wanted: Vec<String> = Vec::new();
    for own in tags {
        let tag = if known(own) { own.clone() } else { tag(own)? };
        if !wanted.contains(&tag) {
            wanted.push(tag);
        }
    }
    let new = set(text, "tags", NewYamlValue::List(&wanted))?;
    finish(scene, document, text, new, true)
}

fn finish(
    scene: &WriteContext<'_>,
    document: &Document,
    text: &str,
    new: String,
    is_timed: bool,
) -> ChangesResult {
    if new == text {
        return Ok(Vec::new());
    }
    let new = if is_timed { updated(new, scene.now) } else { new };
    no_worse(&document.path, Some(text.as_bytes()), new.as_bytes(), scene.now)?;
    Ok(vec![rewritten(document, new.as_bytes())])
}

/// Sets the time of the last update. Without front matter, or if the edit is not safe, the note stays.
fn updated(text: String, now: Moment) -> String {
    let note = Note::read(&text);
    if !note.has_front_matter {
        return text;
    }
    let when = match note.field("updated").map(|field| &field.value) {
        Some(YamlValue::Text(found)) => alike(found, now),
        _ => timestamp(now),
    };
    set(&text, "updated", NewYamlValue::Text(&when)).unwrap_or(text)
}

/// Writes a time in the spelling and zone of another.
fn alike(found: &str, now: Moment) -> String {
    if Timestamp::read(found).is_none_or(|stamp| stamp.spelling != TimeSpelling::Usual) {
        return timestamp(now);
    }
    let (Some(day), Some(time)) = (found.get(..10), found.get(11..)) else {
        return now.to_pattern("%Y-%m-%d");
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
    local.to_pattern(&format!("%Y-%m-%d{between}%H:%M{seconds}{fraction}{zone}"))
}

fn with_field(
    scene: &WriteContext<'_>,
    entry: &Entry,
    text: &str,
    setting: &FieldAssignment<'_>,
) -> Result<String> {
    let note = Note::read(text);
    let current = note.field(setting.name).map(|field| &field.value);
    let is_list = matches!(current, Some(YamlValue::List(_))) || LISTS.contains(&setting.name);
    match setting.name {
        "text" | "body" if current.is_none() => {
            let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let body = text.get(note.body.clone()).unwrap_or_default();
            let new = if setting.value == body { body.to_owned() } else { ended(setting.value, end, body) };
            Ok(set_body(text, &new))
        }
        name if is_list => Ok(set(text, name, NewYamlValue::List(&texts(setting.value)?))?),
        name => {
            if name == "id" {
                fits_id(scene, entry, setting.value)?;
            }
            Ok(set(text, name, NewYamlValue::Text(setting.value))?)
        }
    }
}

/// Refuses an id that no note may have, or that means another note.
fn fits_id(scene: &WriteContext<'_>, entry: &Entry, id: &str) -> Result<()> {
    let own = scene.store.view(entry).and_then(|view| view.id);
    if own == Some(id) {
        return Ok(());
    }
    check_id(id)?;
    let known = NoteNames::of(&parts(scene.store));
    match known.notes.ids.get(id).is_some_and(|meant| Some(*meant) != own) {
        true => Err(taken(id)),
        false => Ok(()),
    }
}

/// Marks notes as deprecated.
pub fn deprecate(
    scene: &WriteContext<'_>,
    entries: &[Entry],
    reason: &str,
    replaced_by: Option<&str>,
) -> ChangesResult {
    let known = NoteNames::of(&parts(scene.store));
    if let Some(id) = replaced_by {
        let own = entries.iter().any(|entry| id_of(scene, entry) == known.meant(id));
        if own || !known.ids.contains_key(known.meant(id).as_str()) {
            let why = if own { "is deleted itself" } else { "is not a note of this store" };
            return Err(Refusal::invalid(format!("{id:?} {why}: it can't replace others.")));
        }
    }
    let deprecated = |entry: &Entry| {
        let document = scene.store.document(entry);
        let new = deprecation::deprecate(text_of(document)?, reason, replaced_by, scene.now)?;
        Ok(rewritten(document, new.as_bytes()))
    };
    let mut faults = RefusalList::default();
    let mut changes = Vec::new();
    for entry in entries {
        changes.extend(faults.collect(entry, deprecated(entry))?);
    }
    faults.finish()?;
    Ok(changes)
}

fn id_of<'a>(scene: &WriteContext<'a>, entry: &Entry) -> &'a str {
    scene.store.view(entry).and_then(|view| view.id).unwrap_or_default()
}

fn is_deprecated(scene: &WriteContext<'_>, entry: &Entry) -> bool {
    scene.store.view(entry).is_some_and(|view| view.kind == "note" && view.faded)
}

/// Undoes the deprecation of notes.
pub fn undeprecate(scene: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
    let own: Vec<&Entry> = entries.iter().filter(|entry| is_deprecated(scene, entry)).collect();
    if own.iter().any(|entry| entry.state == State::Archived) {
        return Err(Refusal::new("E_SESSION_ARCHIVED", "it is in the archive: unarchive it first."));
    }
    if own.is_empty() {
        return Err(Refusal::unfit(
            "none of these is deleted or deprecated. `palimp list is:deleted` lists what can be restored.",
        ));
    }
    let restored = |entry: &Entry| {
        let document = scene.store.document(entry);
        let new = updated(deprecation::undeprecate(text_of(document)?)?, scene.now);
        Ok(rewritten(document, new.as_bytes()))
    };
    own.into_iter().map(restored).collect()
}

fn may_archive(scene: &WriteContext<'_>, entry: &Entry) -> Result<()> {
    let id = quoted(id_of(scene, entry));
    if !is_deprecated(scene, entry) {
        return Err(Refusal::unfit(format!("{id} is not deprecated: only deprecated notes are archived.")));
    }
    let since = deprecated_on(text_of(scene.store.document(entry))?);
    if since.is_none_or(|since| scene.now < since.plus(YEAR)) {
        let when = since.map_or("it does not say when".into(), |since| {
            format!("{id} can be archived on {}", since.plus(YEAR).to_pattern("%Y-%m-%d"))
        });
        let message = format!("notes are archived a year after they were deprecated; {when}.");
        return Err(Refusal::unfit(message));
    }
    Ok(())
}

/// Moves notes to the archive a year after their deprecation. Returns the copies and the removals.
pub fn archive(scene: &WriteContext<'_>, entries: &[Entry]) -> Result<[Vec<Change>; 2]> {
    let mut moved = [Vec::new(), Vec::new()];
    let mut faults = RefusalList::default();
    for entry in entries {
        let document = scene.store.document(entry);
        if faults.collect(entry, may_archive(scene, entry))?.is_none() {
            continue;
        }
        let target = Path::new("archive").join(&document.path);
        free(scene, &target)?;
        moved[0].push(Change::create(target, document.bytes.clone()));
        moved[1].push(Change::remove(&document.path, document.bytes.clone()));
    }
    faults.finish()?;
    Ok(moved)
}

/// Returns the notes that were deprecated a year ago or earlier.
pub fn due(scene: &WriteContext<'_>) -> Vec<Entry> {
    let is_due = |entry: &&Entry| {
        let document = scene.store.document(entry);
        let is_live = document.role == Role::Records && is_deprecated(scene, entry);
        let since = text_of(document).ok().filter(|_| is_live).and_then(deprecated_on);
        since.is_some_and(|since| scene.now >= since.plus(YEAR))
    };
    scene.store.entries.iter().filter(is_due).copied().collect()
}

/// Refuses a path that exists.
pub fn free(scene: &WriteContext<'_>, path: &PathBuf) -> Result<()> {
    match scene.store.documents.iter().any(|document| document.path == *path) {
        true => Err(Refusal::unfit(format!("{} already exists; move it away first.", path.to_text()))),
        false => Ok(()),
    }
}

/// Returns the day in the note's text, else the time of its last update or of its creation.
fn deprecated_on(text: &str) -> Option<Moment> {
    let note = Note::read(text);
    let body = text.get(note.body.clone()).unwrap_or_default();
    let mut lines = body.lines().filter_map(|line| line.trim().strip_prefix("**Deprecated**:"));
    let said = lines.find_map(|day| Moment::parse(day.trim()));
    let field = |name: &str| Moment::parse(&note.field(name)?.value.plain());
    said.or_else(|| field("updated")).or_else(|| field("created")).map(|(when, _)| when)
}
