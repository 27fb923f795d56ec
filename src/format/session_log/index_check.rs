//! Compares a session's `index.json` (§3.3) with its memory log.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::format::id_index::IdIndex;
use crate::format::id_lists::{self, KeysOf};
use crate::format::record_reader::with_object;
use crate::format::writing::members_of;
use crate::model::{Code, Document, Moment, Problem, Record, RecordBody, Severity, StoredMemory};
use crate::text::json::{Json, JsonKind};

pub const MAPS: [(&str, KeysOf); 2] = [("tags", tags), ("types", |memory| vec![memory.kind()])];

/// Returns the tags of an entry without duplicates.
fn tags(memory: &StoredMemory) -> Vec<&str> {
    let mut tags: Vec<&str> = memory.tags().collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// The entries of a session with an id. For a doubled id the first one.
pub struct EntryLog<'a> {
    /// The entries in the order of the log.
    pub entries: Vec<LogEntry<'a>>,
    /// The records whose id an earlier record has, and the line of that one.
    pub again: Vec<(u32, u32)>,
    ids: IdIndex<'a>,
    /// The ids of tombstones, each with the latest time. The index may have them or not.
    deleted: HashMap<&'a str, Option<Moment>>,
}

pub struct LogEntry<'a> {
    pub id: &'a str,
    pub record: &'a Record,
    pub memory: &'a StoredMemory,
    /// True if no tombstone names it.
    pub is_live: bool,
}

impl<'a> EntryLog<'a> {
    pub fn of(log: Option<&'a Document>, tombstones: Option<&'a Document>) -> Self {
        let deleted = tombstones.into_iter().flat_map(|own| &own.records);
        let deleted =
            deleted.filter_map(|own| Some((own.named_id()?, own.memory().and_then(|memory| memory.created))));
        let deleted = deleted.fold(HashMap::new(), |mut all: HashMap<&str, Option<Moment>>, (id, at)| {
            let latest = all.entry(id).or_default();
            *latest = (*latest).max(at);
            all
        });
        let count = log.map_or(0, |log| log.records.len());
        let (mut entries, mut again, mut ids) = (Vec::with_capacity(count), Vec::new(), IdIndex::of(count));
        let records = log.into_iter().flat_map(|log| log.records.iter().map(move |own| (log, own)));
        for (number, (log, record)) in records.enumerate() {
            let RecordBody::Read(memory) = &record.body else { continue };
            let Some(id) = memory.id() else { continue };
            match ids.first(id, log, record.line) {
                Some((_, line)) => again.push((number as u32, line)),
                None => {
                    entries.push(LogEntry { id, record, memory, is_live: !deleted.contains_key(id) });
                }
            }
        }
        EntryLog { entries, again, ids, deleted }
    }

    /// True if a tombstone names that entry.
    pub fn is_deleted(&self, memory: &StoredMemory) -> bool {
        memory.id().is_some_and(|id| self.deleted.contains_key(id))
    }

    /// The time of the tombstone that hides an entry written after it.
    pub fn hidden_since(&self, memory: &StoredMemory) -> Option<Moment> {
        let since = (*self.deleted.get(memory.id()?)?)?;
        memory.created.filter(|created| *created > since).map(|_| since)
    }

    /// Returns the entry with an id, and its place.
    fn entry(&self, id: Json<'_>, next: &mut u32) -> Option<(usize, &LogEntry<'a>)> {
        let place = self.ids.place(&id.text().unwrap_or_default(), next)? as usize;
        Some((place, self.entries.get(place)?))
    }

    pub fn live(&self) -> impl Iterator<Item = &LogEntry<'a>> {
        self.entries.iter().filter(|own| own.is_live)
    }
}

/// Returns the problems of a session's index; none if it can't be read, because that is already a problem.
pub fn check(index: &[u8], path: &Path, log: &EntryLog<'_>) -> Vec<Problem> {
    let problem = |code, severity, message: String| Problem::of_file(code, severity, path, message);
    let problems = |index: Json<'_>| {
        let version = other_version(index).map(|version| {
            let message = format!("The index names version {version}; this format has 1.");
            problem(Code::UnsupportedVersion, Severity::Warning, message)
        });
        let wrong: Vec<String> = wrong(index, log).map(|name| format!("`{name}`")).collect();
        let stale = (!wrong.is_empty()).then(|| {
            let what = wrong.join(", ");
            let message =
                format!("The index disagrees with the log: {what}. A repair rebuilds it from the log.");
            problem(Code::IndexStale, Severity::Warning, message)
        });
        let unmarked = (!marks_deleted(index, log)).then(|| {
            let message = "The index names deleted memories as if they were live.".to_owned();
            problem(Code::IndexStale, Severity::Note, message)
        });
        version.into_iter().chain(stale).chain(unmarked).collect()
    };
    with_object(index, problems).unwrap_or_default()
}

/// True if the index can be read and is correct.
pub fn is_right(index: &[u8], log: &EntryLog<'_>) -> bool {
    let is_right = |index: Json<'_>| {
        other_version(index).is_none()
            && index.get("entries").is_some()
            && wrong(index, log).next().is_none()
            && marks_deleted(index, log)
    };
    with_object(index, is_right).unwrap_or_default()
}

fn other_version(index: Json<'_>) -> Option<String> {
    index.get("version").filter(|version| version.number() != Some(1.0)).map(|version| version.plain())
}

/// Returns the names of the members that disagree with the log.
fn wrong<'i>(index: Json<'i>, log: &'i EntryLog<'i>) -> impl Iterator<Item = &'static str> + 'i {
    // Deleted memories may be in a map while they are in the log.
    let may_stay = move |id: &str| log.deleted.contains_key(id) && log.ids.place(id, &mut 0).is_some();
    let is_wrong = move |(name, keys): &(&str, KeysOf)| {
        let entries = (0..).zip(&log.entries).map(|(place, own)| (keys(own.memory), place, own.is_live));
        !id_lists::is_right(index.get(name), &log.ids, entries, may_stay)
    };
    let entries = (!has_entries(index, log)).then_some("entries");
    entries.into_iter().chain(MAPS.into_iter().filter(is_wrong).map(|(name, _)| name))
}

/// True if the entries are those of the log. A deleted one may be missing.
fn has_entries(index: Json<'_>, log: &EntryLog<'_>) -> bool {
    let Some(entries) = index.get("entries") else { return log.live().next().is_none() };
    let (mut seen, mut next) = (vec![false; log.entries.len()], 0);
    let is_logged = |(id, entry): (Json<'_>, Json<'_>)| {
        // A compaction removes the memory from the log, and its tombstone stays.
        let Some((place, own)) = log.entry(id, &mut next) else { return false };
        seen[place] = true;
        agrees(entry, own)
    };
    entries.members().all(is_logged) && log.entries.iter().zip(&seen).all(|(own, seen)| *seen || !own.is_live)
}

/// True if the index marks each deleted entry that it has. Agents only write a tombstone.
fn marks_deleted(index: Json<'_>, log: &EntryLog<'_>) -> bool {
    let mut next = 0;
    let is_marked = |(id, entry): (Json<'_>, Json<'_>)| {
        log.entry(id, &mut next).is_none_or(|(_, own)| own.is_live)
            || entry.get("deleted").and_then(|mark| mark.bool()) == Some(true)
    };
    let mut entries = index.get("entries").into_iter().flat_map(|entries| entries.members());
    log.deleted.is_empty() || entries.all(is_marked)
}

/// True if an index entry agrees with the log. `current_relevance` is a cache, and is not checked.
fn agrees(entry: Json<'_>, own: &LogEntry<'_>) -> bool {
    let names = ["line_number", "byte_offset", "type", "timestamp", "tags", "importance"];
    let [line, offset, kind, timestamp, tags, importance] = members_of(entry, names);
    let number = |stored: Option<Json<'_>>, value: f64| stored.is_none_or(|own| own.number() == Some(value));
    // A value outside the range is already a problem of the log.
    let importance = importance.and_then(|own| own.number()).map(|own| own.clamp(0.0, 1.0));
    entry.kind() == JsonKind::Object
        && number(line, f64::from(own.record.line))
        && number(offset, own.record.span.start as f64)
        && importance.is_none_or(|stored| stored == own.memory.importance)
        && kind.is_none_or(|kind| kind.is_text(own.memory.kind()))
        && tags.is_none_or(|stored| are_tags(stored, own.memory))
        && timestamp.is_none_or(|stored| stored.moment() == own.memory.created)
}

fn are_tags(stored: Json<'_>, memory: &StoredMemory) -> bool {
    let mut own = memory.tags();
    let is_next = |tag: Json<'_>| own.next().is_some_and(|own| tag.is_text(own));
    if stored.items().all(is_next) && own.next().is_none() {
        return true;
    }
    let stored: HashSet<String> = stored.items().map(|tag| tag.plain()).collect();
    let own: HashSet<&str> = memory.tags().collect();
    stored.len() == own.len() && own.iter().all(|tag| stored.contains(*tag))
}

#[cfg(test)]
mod tests;
