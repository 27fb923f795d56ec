//! Compares a session's `index.json` (§3.3) with its memory log.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::format::id_index::IdIndex;
use crate::format::id_lists::{IdListCheck, KeysOf};
use crate::format::record_reader::{named_members, with_object};
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

    pub fn live(&self) -> impl Iterator<Item = &LogEntry<'a>> {
        self.entries.iter().filter(|own| own.is_live)
    }
}

/// Returns the problems of a session's index; none if it can't be read, because that is already a problem.
pub fn check(index: &[u8], path: &Path, log: &EntryLog<'_>) -> Vec<Problem> {
    let problems = |index: Json<'_>| EntryIndexCheck::of(index, log, usize::MAX).problems(path);
    with_object(index, problems).unwrap_or_default()
}

/// True if the index can be read and is correct. Stops at the first fault.
pub fn is_right(index: &[u8], log: &EntryLog<'_>) -> bool {
    with_object(index, |index| EntryIndexCheck::of(index, log, 1).has_no_fault()).unwrap_or_default()
}

struct EntryIndexCheck<'l, 'a> {
    log: &'l EntryLog<'a>,
    version: Option<String>,
    entries: Option<EntryDifferences>,
    maps: [Option<IdListCheck>; 2],
}

impl<'l, 'a> EntryIndexCheck<'l, 'a> {
    /// Reads the index, its entries up to the difference with the number `enough`.
    fn of(index: Json<'_>, log: &'l EntryLog<'a>, enough: usize) -> Self {
        let mut check = EntryIndexCheck { log, version: None, entries: None, maps: Default::default() };
        for (name, value) in named_members(index) {
            match &*name {
                "version" => check.version = (value.number() != Some(1.0)).then(|| value.plain()),
                "entries" => {
                    let entries = check.entries.get_or_insert_default();
                    for (id, entry) in value.members() {
                        if entries.differ() >= enough {
                            break;
                        }
                        entries.meet(&id.text().unwrap_or_default(), entry, log);
                    }
                }
                name => {
                    if let Some(at) = MAPS.iter().position(|(map, _)| *map == name) {
                        check.maps[at] = Some(IdListCheck::of(value, &log.ids));
                    }
                }
            }
        }
        check
    }

    fn problems(mut self, path: &Path) -> Vec<Problem> {
        let mut problems = Vec::new();
        let warning = |code, message: String| Problem::of_file(code, Severity::Warning, path, message);
        if let Some(version) = self.version.take() {
            let message = format!("The index names version {version}; this format has 1.");
            problems.push(warning(Code::UnsupportedVersion, message));
        }
        let entries = EntryDifferences::counted(self.entries.take(), self.log);
        let stale: Vec<String> = entries.told().into_iter().chain(self.stale_maps()).collect();
        if !stale.is_empty() {
            let message = format!(
                "The index disagrees with the log: {}. A repair rebuilds it from the log.",
                stale.join("; ")
            );
            problems.push(warning(Code::IndexStale, message));
        }
        if entries.deleted > 0 {
            let message =
                format!("The index names {} deleted memories as if they were live.", entries.deleted);
            problems.push(Problem::of_file(Code::IndexStale, Severity::Note, path, message));
        }
        problems
    }

    fn has_no_fault(mut self) -> bool {
        self.version.is_none()
            && self.entries.is_some()
            && EntryDifferences::counted(self.entries.take(), self.log).differ() == 0
            && self.stale_maps().next().is_none()
    }

    /// Returns how the maps from tags and types to ids differ from the log.
    fn stale_maps(self) -> impl Iterator<Item = String> {
        let log = self.log;
        MAPS.into_iter().zip(self.maps).filter_map(move |((name, keys), listed)| {
            let Some(mut listed) = listed else {
                let has_keys = log.live().any(|own| !keys(own.memory).is_empty());
                return has_keys.then(|| format!("`{name}` is missing"));
            };
            let mut missing = 0;
            for (place, own) in log.entries.iter().enumerate() {
                let lacks = |key: &&str| !listed.has(key, place as u32);
                let lacking = keys(own.memory).into_iter().filter(lacks).count();
                missing += if own.is_live { lacking } else { 0 };
            }
            // Deleted memories may be in the map while they are in the log.
            let may_stay = |id: &str| log.deleted.contains_key(id) && log.ids.place(id, &mut 0).is_some();
            let extra = listed.others(&log.ids, |id| !may_stay(id));
            (missing + extra > 0).then(|| format!("`{name}`: {missing} missing, {extra} extra"))
        })
    }
}

#[derive(Default)]
struct EntryDifferences {
    missing: usize,
    gone: usize,
    wrong: usize,
    /// Deleted entries that the index does not mark. Agents only write a tombstone.
    deleted: usize,
    /// True if the index lacks `entries` although the log has some.
    lacks_all: bool,
    /// By place, true if the entry is in the index.
    seen: Vec<bool>,
    next: u32,
}

impl EntryDifferences {
    /// Counts the missing entries after the last event.
    fn counted(own: Option<Self>, log: &EntryLog<'_>) -> Self {
        let Some(mut own) = own else {
            return EntryDifferences { lacks_all: log.live().next().is_some(), ..Self::default() };
        };
        own.seen.resize(log.entries.len(), false);
        own.missing = log.entries.iter().zip(&own.seen).filter(|(own, seen)| own.is_live && !**seen).count();
        own
    }

    fn meet(&mut self, id: &str, entry: Json<'_>, log: &EntryLog<'_>) {
        self.seen.resize(log.entries.len(), false);
        let place = log.ids.place(id, &mut self.next).map(|place| place as usize);
        let found = place.and_then(|place| Some((log.entries.get(place)?, self.seen.get_mut(place)?)));
        let Some((own, seen)) = found else {
            // A compaction removes the memory from the log, and its tombstone stays.
            self.gone += 1;
            return;
        };
        *seen = true;
        self.wrong += usize::from(!agrees(entry, own));
        let is_marked = || entry.get("deleted").and_then(|mark| mark.bool()) == Some(true);
        self.deleted += usize::from(!own.is_live && !is_marked());
    }

    fn differ(&self) -> usize {
        self.missing + self.gone + self.wrong + self.deleted + usize::from(self.lacks_all)
    }

    fn told(&self) -> Vec<String> {
        let parts = [
            (self.missing, "memories are missing"),
            (self.gone, "memories are not in the log"),
            (self.wrong, "memories are wrong"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let none = self.lacks_all.then(|| "`entries` is missing".to_owned());
        none.into_iter().chain(parts.map(|(count, what)| format!("{count} {what}"))).collect()
    }
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
