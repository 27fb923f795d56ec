//! Deprecates and archives notes (§8.2).

use std::path::{Path, PathBuf};

use super::deprecation;
use super::field_values::rewritten;
use crate::format::a_mem::note::NOTES;
use crate::format::notes::edit::{text_of, updated};
use crate::format::notes::note_index::NoteNames;
use crate::format::writing::{ChangesResult, Refusal, RefusalList, Result, WriteContext};
use crate::model::time::DAY;
use crate::model::{Change, Entry, Moment, PathText, Role, State};
use crate::text::front_matter::Note;
use crate::text::json_edit::quoted;

/// The time after which a deprecated note can be archived (§8.2).
const YEAR: i64 = 365 * DAY;

pub fn deprecate(
    context: &WriteContext<'_>,
    entries: &[Entry],
    reason: &str,
    replaced_by: Option<&str>,
) -> ChangesResult {
    let known = NoteNames::of(&NOTES, &context.store.documents);
    if let Some(id) = replaced_by {
        let own = entries.iter().any(|entry| id_of(context, entry) == known.meant(id));
        if own || !known.ids.contains_key(known.meant(id).as_str()) {
            let why = if own { "is deleted itself" } else { "is not a note of this store" };
            return Err(Refusal::invalid(format!("{id:?} {why}: it can't replace others.")));
        }
    }
    let deprecated = |entry: &Entry| {
        let document = context.store.document(entry);
        let new = deprecation::deprecate(text_of(document)?, reason, replaced_by, context.now)?;
        Ok(rewritten(document, new.as_bytes()))
    };
    RefusalList::each(entries, deprecated)
}

fn id_of<'a>(context: &WriteContext<'a>, entry: &Entry) -> &'a str {
    context.store.id(entry).unwrap_or_default()
}

fn is_deprecated(context: &WriteContext<'_>, entry: &Entry) -> bool {
    context.store.memory(entry).is_some_and(|memory| memory.kind() == "note" && memory.faded)
}

pub fn undeprecate(context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
    let own: Vec<&Entry> = entries.iter().filter(|entry| is_deprecated(context, entry)).collect();
    if own.iter().any(|entry| entry.state == State::Archived) {
        return Err(Refusal::new("E_SESSION_ARCHIVED", "it is in the archive: unarchive it first."));
    }
    if own.is_empty() {
        return Err(Refusal::unfit(
            "none of these is deleted or deprecated. `palimp list is:deleted` lists what can be restored.",
        ));
    }
    let restored = |entry: &Entry| {
        let document = context.store.document(entry);
        let new = updated(&NOTES, deprecation::undeprecate(text_of(document)?)?, context.now);
        Ok(rewritten(document, new.as_bytes()))
    };
    own.into_iter().map(restored).collect()
}

fn may_archive(context: &WriteContext<'_>, entry: &Entry) -> Result<()> {
    let id = quoted(id_of(context, entry));
    if !is_deprecated(context, entry) {
        return Err(Refusal::unfit(format!("{id} is not deprecated: only deprecated notes are archived.")));
    }
    let since = deprecated_on(text_of(context.store.document(entry))?);
    if since.is_none_or(|since| context.now < since.plus(YEAR)) {
        let when = since.map_or("it does not say when".into(), |since| {
            format!("{id} can be archived on {}", since.plus(YEAR).to_pattern("%Y-%m-%d"))
        });
        let message = format!("notes are archived a year after they were deprecated; {when}.");
        return Err(Refusal::unfit(message));
    }
    Ok(())
}

/// Moves notes to the archive a year after their deprecation. Returns the copies and the removals.
pub fn archive(context: &WriteContext<'_>, entries: &[Entry]) -> Result<[Vec<Change>; 2]> {
    let mut moved = [Vec::new(), Vec::new()];
    let mut faults = RefusalList::default();
    for entry in entries {
        let document = context.store.document(entry);
        if faults.collect(entry, may_archive(context, entry))?.is_none() {
            continue;
        }
        let target = Path::new("archive").join(&document.path);
        free(context, &target)?;
        moved[0].push(Change::create(target, document.bytes.clone()));
        moved[1].push(Change::remove(&document.path, document.bytes.clone()));
    }
    faults.finish()?;
    Ok(moved)
}

/// Returns the notes that were deprecated a year ago or earlier.
pub fn due(context: &WriteContext<'_>) -> Vec<Entry> {
    let is_due = |entry: &&Entry| {
        let document = context.store.document(entry);
        let is_live = document.role == Role::Records && is_deprecated(context, entry);
        let since = text_of(document).ok().filter(|_| is_live).and_then(deprecated_on);
        since.is_some_and(|since| context.now >= since.plus(YEAR))
    };
    context.store.entries.iter().filter(is_due).copied().collect()
}

/// Refuses a path that exists.
pub fn free(context: &WriteContext<'_>, path: &PathBuf) -> Result<()> {
    match context.store.documents.iter().any(|document| document.path == *path) {
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
