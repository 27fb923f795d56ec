//! Compares a session's `index.json` (§3.3) with its memory log.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::format::id_index::IdIndex;
use crate::format::id_lists::{IdListCheck, KeysOf};
use crate::format::json_stream::{JsonEvent, JsonOutline, JsonVisitor, visit_object};
use crate::format::writing::members_of;
use crate::model::{Bytes, Code, Document, Moment, PackedView, Problem, Record, RecordBody, Severity, View};
use crate::text::json::{Json, JsonKind};

/// The maps from keys to ids.
pub const MAPS: [(&str, KeysOf); 2] = [("tags", tags), ("types", |view| vec![view.kind])];

/// Returns the tags of an entry without duplicates.
fn tags(view: View<'_>) -> Vec<&str> {
    let mut tags: Vec<&str> = view.tags.collect();
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
    pub number: u32,
    pub record: &'a Record,
    packed: &'a PackedView,
    /// True if no tombstone names it.
    pub is_live: bool,
}

impl<'a> LogEntry<'a> {
    /// Unpacks the view. A gigabyte has more entries than can be kept unpacked.
    pub fn view(&self) -> View<'a> {
        self.packed.view()
    }
}

impl<'a> EntryLog<'a> {
    /// Collects the entries of a log.
    pub fn of(log: Option<&'a Document>, tombstones: Option<&'a Document>) -> Self {
        let deleted = tombstones.into_iter().flat_map(|own| &own.records);
        let deleted =
            deleted.filter_map(|own| Some((own.named_id()?, own.view().and_then(|view| view.created))));
        let deleted = deleted.fold(HashMap::new(), |mut all: HashMap<&str, Option<Moment>>, (id, at)| {
            let latest = all.entry(id).or_default();
            *latest = (*latest).max(at);
            all
        });
        let count = log.map_or(0, |log| log.records.len());
        let (mut entries, mut again, mut ids) = (Vec::with_capacity(count), Vec::new(), IdIndex::of(count));
        let records = log.into_iter().flat_map(|log| log.records.iter().map(move |own| (log, own)));
        for (number, (log, record)) in records.enumerate() {
            let RecordBody::Read(packed) = &record.body else { continue };
            let Some(id) = packed.view().id else { continue };
            match ids.first(id, log, record.line) {
                Some((_, line)) => again.push((number as u32, line)),
                None => {
                    let (number, is_live) = (number as u32, !deleted.contains_key(id));
                    entries.push(LogEntry { id, number, record, packed, is_live });
                }
            }
        }
        EntryLog { entries, again, ids, deleted }
    }

    /// True if a tombstone names that entry.
    pub fn is_deleted(&self, view: View<'_>) -> bool {
        view.id.is_some_and(|id| self.deleted.contains_key(id))
    }

    /// The time of the tombstone that hides an entry written after it.
    pub fn hidden_since(&self, view: View<'_>) -> Option<Moment> {
        let since = (*self.deleted.get(view.id?)?)?;
        view.created.filter(|created| *created > since).map(|_| since)
    }

    /// Returns the entries without a tombstone.
    pub fn live(&self) -> impl Iterator<Item = &LogEntry<'a>> {
        self.entries.iter().filter(|own| own.is_live)
    }
}

/// Returns the problems of a session's index; none if it can't be read, because that is already a problem.
pub fn check(index: &Bytes, path: &Path, log: &EntryLog<'_>) -> Vec<Problem> {
    visit_object(index, || EntryIndexCheck::of(log, usize::MAX))
        .map_or_else(Vec::new, |(own, _)| own.problems(path))
}

/// Returns whether the index is correct, and its outline; `None` if unreadable. Stops at the first fault.
pub fn is_right<'b>(index: &'b Bytes, log: &EntryLog<'_>) -> Option<(bool, JsonOutline<'b>)> {
    visit_object(index, || EntryIndexCheck::of(log, 1)).map(|(own, outline)| (own.has_no_fault(), outline))
}

struct EntryIndexCheck<'l, 'a> {
    log: &'l EntryLog<'a>,
    /// The number of differences at which the comparison stops.
    enough: usize,
    /// A version that this format does not have.
    version: Option<String>,
    entries: Option<EntryDifferences>,
    maps: [Option<IdListCheck>; 2],
}

impl JsonVisitor for EntryIndexCheck<'_, '_> {
    fn depth(&self, name: &str) -> u8 {
        match name {
            "entries" => 1,
            name if MAPS.iter().any(|(own, _)| *own == name) => 2,
            _ => 0,
        }
    }

    fn visit(&mut self, name: &str, met: JsonEvent<'_>) {
        match (name, met) {
            ("version", JsonEvent::Member(own)) => {
                self.version = (own.number() != Some(1.0)).then(|| own.plain());
            }
            ("entries", JsonEvent::Value(id, entry)) => {
                self.entries.get_or_insert_default().meet(id, entry, self.log);
            }
            ("entries", _) => drop(self.entries.get_or_insert_default()),
            (name, met) => {
                let own = MAPS.iter().position(|(own, _)| *own == name);
                if let Some(own) = own.and_then(|at| self.maps.get_mut(at)) {
                    own.get_or_insert_default().meet(met, &self.log.ids);
                }
            }
        }
    }

    fn is_done(&self) -> bool {
        self.entries.as_ref().is_some_and(|own| own.differ() >= self.enough)
    }
}

impl<'l, 'a> EntryIndexCheck<'l, 'a> {
    fn of(log: &'l EntryLog<'a>, enough: usize) -> Self {
        EntryIndexCheck { log, enough, version: None, entries: None, maps: Default::default() }
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
                let has_keys = log.live().any(|own| !keys(own.view()).is_empty());
                return has_keys.then(|| format!("`{name}` is missing"));
            };
            listed.sort();
            let mut missing = 0;
            for (place, own) in log.entries.iter().enumerate() {
                let lacks = |key: &&str| !listed.has(key, place as u32);
                let lacking = keys(own.view()).into_iter().filter(lacks).count();
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
    /// The expected next place.
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
        && importance.is_none_or(|stored| stored == own.view().importance)
        && kind.is_none_or(|kind| kind.is_text(own.view().kind))
        && tags.is_none_or(|stored| are_tags(stored, own.view()))
        && timestamp.is_none_or(|stored| stored.moment() == own.view().created)
}

fn are_tags(stored: Json<'_>, view: View<'_>) -> bool {
    let mut own = view.tags.iter();
    let is_next = |tag: Json<'_>| own.next().is_some_and(|own| tag.is_text(own));
    if stored.items().all(is_next) && own.next().is_none() {
        return true;
    }
    let stored: HashSet<String> = stored.items().map(|tag| tag.plain()).collect();
    let own: HashSet<&str> = view.tags.collect();
    stored.len() == own.len() && own.iter().all(|tag| stored.contains(*tag))
}

#[cfg(test)]
mod tests;
