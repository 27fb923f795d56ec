//! A session's `index.json` (§3.3) against its memory log.

use std::collections::HashSet;
use std::path::Path;

use crate::format::ids::Ids;
use crate::format::lists::{Keys, Listed};
use crate::format::writing::members_of;
use crate::model::{Body, Code, Document, Moment, Packed, Problem, Record, Severity, View};
use crate::text::json::{Json, Kind};

/// The maps from keys to ids.
pub const MAPS: [(&str, Keys); 2] = [("tags", tags), ("types", |view| vec![view.kind])];

/// The tags of an entry, each once.
fn tags(view: View<'_>) -> Vec<&str> {
    let mut tags: Vec<&str> = view.tags.collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// The entries of a session that have an id, the first of each.
pub struct EntryLog<'a> {
    /// In the order of the log, with their ids.
    pub entries: Vec<Logged<'a>>,
    /// The records that have an id that was there, and the lines on which it was.
    pub again: Vec<(u32, u32)>,
    ids: Ids<'a>,
    /// The ids that tombstones name: they may be in the index or not.
    deleted: HashSet<&'a str>,
}

/// One entry.
pub struct Logged<'a> {
    pub id: &'a str,
    /// Its number in the log.
    pub number: u32,
    pub record: &'a Record,
    packed: &'a Packed,
    /// Whether no tombstone names it.
    pub is_live: bool,
}

impl<'a> Logged<'a> {
    /// What was read of it: a gigabyte has too many to keep them unpacked.
    pub fn view(&self) -> View<'a> {
        self.packed.view()
    }
}

impl<'a> EntryLog<'a> {
    /// Those of a log.
    pub fn of(log: Option<&'a Document>, tombstones: Option<&'a Document>) -> Self {
        let deleted = tombstones.into_iter().flat_map(|own| &own.records);
        let deleted: HashSet<&str> = deleted.filter_map(|own| own.view()?.id).collect();
        let count = log.map_or(0, |log| log.records.len());
        let (mut entries, mut again, mut ids) = (Vec::with_capacity(count), Vec::new(), Ids::of(count));
        let records = log.into_iter().flat_map(|log| log.records.iter().map(move |own| (log, own)));
        for (number, (log, record)) in records.enumerate() {
            let Body::Read(packed) = &record.body else { continue };
            let Some(id) = packed.view().id else { continue };
            match ids.first(id, log, record.line) {
                Some((_, line)) => again.push((number as u32, line)),
                None => {
                    let (number, is_live) = (number as u32, !deleted.contains(id));
                    entries.push(Logged { id, number, record, packed, is_live });
                }
            }
        }
        EntryLog { entries, again, ids, deleted }
    }

    /// Whether a tombstone names that entry.
    pub fn is_deleted(&self, view: View<'_>) -> bool {
        view.id.is_some_and(|id| self.deleted.contains(id))
    }

    /// The entries that no tombstone names.
    pub fn live(&self) -> impl Iterator<Item = &Logged<'a>> {
        self.entries.iter().filter(|own| own.is_live)
    }
}

/// Judges the index of one session.
pub fn check(index: Json<'_>, path: &Path, log: &EntryLog<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let warning = |code, message: String| Problem::of_file(code, Severity::Warning, path, message);
    if let Some(version) = wrong_version(index) {
        let message = format!("The index names version {}; this format has 1.", version.plain());
        problems.push(warning(Code::UnsupportedVersion, message));
    }
    let entries = IndexedEntries::of(index, log, usize::MAX);
    let stale: Vec<String> = entries.told().into_iter().chain(stale_maps(index, log)).collect();
    if !stale.is_empty() {
        let message =
            format!("The index disagrees with the log: {}. It is rebuilt from it.", stale.join("; "));
        problems.push(warning(Code::IndexStale, message));
    }
    if entries.deleted > 0 {
        let message = format!("The index names {} deleted entries as if they were live.", entries.deleted);
        problems.push(Problem::of_file(Code::IndexStale, Severity::Note, path, message));
    }
    problems
}

/// Whether the index has no problem, and its entries. It stops at the first difference.
pub fn is_right(index: Json<'_>, log: &EntryLog<'_>) -> bool {
    index.get("entries").is_some_and(|own| own.members().count() >= log.live().count())
        && wrong_version(index).is_none()
        && IndexedEntries::of(index, log, 1).differ() == 0
        && stale_maps(index, log).next().is_none()
}

fn wrong_version(index: Json<'_>) -> Option<Json<'_>> {
    index.get("version").filter(|version| version.number() != Some(1.0))
}

/// How many entries of an index are not as they should be.
#[derive(Default)]
struct IndexedEntries {
    missing: usize,
    gone: usize,
    wrong: usize,
    /// Those without a mark: agents delete by a tombstone alone.
    deleted: usize,
    /// Whether the index has none although the log does.
    lacks_all: bool,
}

impl IndexedEntries {
    /// Counts until there are `enough`.
    fn of(index: Json<'_>, log: &EntryLog<'_>, enough: usize) -> Self {
        let mut counts = IndexedEntries::default();
        let Some(entries) = index.get("entries") else {
            counts.lacks_all = log.live().next().is_some();
            return counts;
        };
        let mut seen = vec![false; log.entries.len()];
        let mut next = 0;
        for (key, entry) in entries.members() {
            let id = key.text().unwrap_or_default();
            let place = log.ids.place(&id, &mut next).map(|place| place as usize);
            let is_live = match place.and_then(|place| Some((log.entries.get(place)?, seen.get_mut(place)?)))
            {
                Some((own, seen)) => {
                    *seen = true;
                    counts.wrong += usize::from(!agrees(entry, own));
                    own.is_live
                }
                None => !log.deleted.contains(&*id),
            };
            counts.gone += usize::from(place.is_none() && is_live);
            let is_marked = || entry.get("deleted").and_then(|mark| mark.bool()) == Some(true);
            counts.deleted += usize::from(!is_live && !is_marked());
            if counts.differ() >= enough {
                return counts;
            }
        }
        counts.missing = log.entries.iter().zip(seen).filter(|(own, seen)| own.is_live && !seen).count();
        counts
    }

    fn differ(&self) -> usize {
        self.missing + self.gone + self.wrong + self.deleted + usize::from(self.lacks_all)
    }

    fn told(&self) -> Vec<String> {
        let parts = [
            (self.missing, "entries are missing"),
            (self.gone, "entries are not in the log"),
            (self.wrong, "entries are wrong"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let none = self.lacks_all.then(|| "`entries` is missing".to_owned());
        none.into_iter().chain(parts.map(|(count, what)| format!("{count} {what}"))).collect()
    }
}

/// Whether what the index holds of an entry is what the log holds. Its
/// `current_relevance` is a cache of a moment, and not judged.
fn agrees(entry: Json<'_>, own: &Logged<'_>) -> bool {
    let names = ["line_number", "byte_offset", "type", "timestamp", "tags", "importance"];
    let [line, offset, kind, timestamp, tags, importance] = members_of(entry, names);
    let number = |stored: Option<Json<'_>>, value: f64| stored.is_none_or(|own| own.number() == Some(value));
    // What lies outside its range is reported where it is in the log.
    let importance = importance.and_then(|own| own.number()).map(|own| own.clamp(0.0, 1.0));
    let when = |stored: Json<'_>| Some(Moment::parse(&stored.text()?)?.0);
    entry.kind() == Kind::Object
        && number(line, f64::from(own.record.line))
        && number(offset, own.record.span.start as f64)
        && importance.is_none_or(|stored| stored == own.view().importance)
        && kind.is_none_or(|kind| kind.is_text(own.view().kind))
        && tags.is_none_or(|stored| are_tags(stored, own.view()))
        && timestamp.is_none_or(|stored| when(stored) == own.view().created)
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

/// What is wrong with the maps from tags and types to ids, one after the other.
fn stale_maps(index: Json<'_>, log: &EntryLog<'_>) -> impl Iterator<Item = String> {
    MAPS.into_iter().filter_map(move |(name, keys)| {
        let Some(map) = index.get(name) else {
            let has_keys = log.live().any(|own| !keys(own.view()).is_empty());
            return has_keys.then(|| format!("`{name}` is missing"));
        };
        let mut listed = Listed::of(map, &log.ids);
        let mut missing = 0;
        for (place, own) in log.entries.iter().enumerate() {
            let lacks = |key: &&str| !listed.has(key, place as u32);
            let lacking = keys(own.view()).into_iter().filter(lacks).count();
            missing += if own.is_live { lacking } else { 0 };
        }
        let extra = listed.others(&log.ids, |id| !log.deleted.contains(id));
        (missing + extra > 0).then(|| format!("`{name}`: {missing} missing, {extra} extra"))
    })
}

#[cfg(test)]
mod tests;
