//! What a plan does to which memories, read from the plan itself, so that a preview is always right.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::detectors::mask;
use crate::format;
use crate::format::writing::{FormatWriter, rename};
use crate::model::key::fast_digest;
use crate::model::{Act, Change, Document, Entry, Moment, PathText, Plan, Record, Role, Span, State, Store};
use crate::store::derived_files;

/// What happens to a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its bytes are removed.
    Goes,
    /// It moves to this file, or is packed into it.
    Moves(PathBuf),
    /// It stays, and is rewritten.
    Changes,
}

impl Fate {
    /// Returns a few words about it. Untrusted text.
    pub fn told(&self) -> String {
        match self {
            Fate::Goes => "is removed".into(),
            Fate::Moves(file) => format!("moves to {}", file.to_text()),
            Fate::Changes => "is rewritten".into(),
        }
    }
}

/// A memory that a plan affects.
#[derive(Clone, Debug)]
pub struct TouchedRecord {
    /// Its index in the store's entries.
    pub entry: u32,
    /// Its id. Untrusted text.
    pub id: Option<String>,
    /// Its title. Untrusted text.
    pub title: String,
    /// What happens to it.
    pub fate: Fate,
    /// Its age and its last use, which a rule looks at.
    pub measure: String,
}

impl TouchedRecord {
    /// Returns the line about it in a plan.
    pub fn line(&self) -> String {
        named(&self.title, &[&self.fate.told(), &self.measure], self.id.as_deref())
    }
}

/// At most this many characters of a title are shown.
const TITLE: usize = 60;

/// Returns a line about a memory: its title, what is said about it, and its id at the end.
pub fn named(title: &str, said: &[&str], id: Option<&str>) -> String {
    // Masks before it cuts: half a secret is not recognized.
    let title = mask(title);
    let name = match title.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", title[..end].trim_end()),
        None if title.is_empty() => "(no title)".into(),
        None => title.into_owned(),
    };
    let parts = std::iter::once(&*name).chain(said.iter().copied()).chain(id);
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
}

/// Returns every memory that a plan removes, moves or changes, in the store's order.
pub fn effect(store: &Store, plan: &Plan, now: Moment) -> Vec<TouchedRecord> {
    let changes: Vec<Change> = plan.all().filter(|change| !change.is_empty()).cloned().collect();
    let places = ChangedRanges::of(store, &changes);
    let concerned = (0_u32..).zip(&store.entries);
    let concerned: Vec<_> =
        concerned.filter(|(_, own)| places.touch(store.document(own), store.record(own))).collect();
    let ids = concerned.iter().filter_map(|(_, own)| store.memory(own)?.id()).collect();
    let after = FilesAfterPlan::of(store, &changes, &places, &ids, now);
    let fate = |(number, own): (u32, &Entry)| {
        let fate = after.fate(store, store.document(own), store.record(own))?;
        Some(told(store, number, own, fate, now))
    };
    concerned.into_iter().filter_map(fate).collect()
}

struct ChangedRanges {
    /// The changed bytes of each file; `None` if it is created or removed, or if they are unknown.
    stretches: HashMap<PathBuf, Option<Vec<Range<u64>>>>,
}

impl ChangedRanges {
    fn of(store: &Store, changes: &[Change]) -> ChangedRanges {
        let of = |own: &Change| {
            let (base, before) = (own.base.as_ref()?, store.document_at(&own.path)?);
            let is_known = base.is_same(&before.bytes) && before.is_held();
            let splices = own.splices().filter(|_| is_known)?;
            Some(splices.iter().map(|own| own.start..own.end()).collect())
        };
        ChangedRanges { stretches: changes.iter().map(|own| (own.path.clone(), of(own))).collect() }
    }

    fn touch(&self, document: &Document, record: &Record) -> bool {
        let is_packed = container(&document.path) != document.path;
        match self.stretches.get(container(&document.path)) {
            _ if !is_data(document.role) => false,
            None => false,
            Some(Some(own)) if !is_packed => is_within(own, record.span),
            Some(_) => true,
        }
    }

    /// Returns digests of a changed file's records after the plan. Those of unchanged places are reused.
    fn lines(&self, store: &Store, after: &Document) -> HashSet<u64> {
        let (before, own) = (store.document_at(&after.path), self.stretches.get(&after.path));
        let (Some(before), Some(Some(stretches))) = (before, own) else {
            return after.record_digests().iter().copied().collect();
        };
        let stay = before.records.iter().zip(before.record_digests());
        let stay = stay.filter(|(own, _)| !is_within(stretches, own.span)).map(|(_, own)| *own);
        let known: HashSet<u64> = stay.collect();
        // Records before the first change and after the last one are known.
        let first = stretches.first().map_or(0, |own| own.start);
        let last = stretches.last().map_or(0, |own| before.len.saturating_sub(own.end));
        let is_new = |own: &&Record| own.span.end >= first && own.span.start + last <= after.len;
        let new = after.records.iter().filter(is_new).map(|own| fast_digest(&after.raw(own)));
        new.chain(known.iter().copied()).collect()
    }
}

/// True if a record overlaps or touches one of the ranges, which are in ascending order.
fn is_within(stretches: &[Range<u64>], span: Span) -> bool {
    let at = stretches.partition_point(|own| own.end < span.start);
    stretches.get(at).is_some_and(|own| own.start <= span.end)
}

/// Returns a line for each memory that a plan adds, and each tombstone that comes or goes. Untrusted text.
pub fn added_lines(store: &Store, plan: &Plan, now: Moment) -> Vec<String> {
    let changes: Vec<Change> = plan.changes.iter().filter(|change| !change.is_empty()).cloned().collect();
    let after = derived_files::documents_after(store, &changes, now);
    let changed: HashSet<&Path> = changes.iter().map(|change| &*change.path).collect();
    let known = ids(store.documents.iter().filter(|own| is_data(own.role)).map(|own| &**own));
    let mut lines = Vec::new();
    for document in after.iter().filter(|own| changed.contains(&*own.path)) {
        let before = store.documents.iter().find(|own| own.path == document.path);
        if document.role == Role::Tombstones {
            let [was, is] = [before.map(|own| &**own), Some(&**document)].map(|own| ids(own.into_iter()));
            let titles = titles(store, &was ^ &is);
            let line = |id: &&str, fate| named(titles.get(id).map_or("", String::as_str), &[fate], Some(id));
            lines.extend(is.difference(&was).map(|id| line(id, "is deleted")));
            lines.extend(was.difference(&is).map(|id| line(id, "is restored")));
        }
        let previous: HashSet<u64> = before.iter().flat_map(|own| own.record_digests()).copied().collect();
        for record in document.records.iter().filter(|_| is_data(document.role)) {
            let (raw, id) = (document.raw(record), record.memory().and_then(|memory| memory.id()));
            if id.map_or(previous.contains(&fast_digest(&raw)), |id| known.contains(id)) {
                continue;
            }
            let title = format::title_of_raw(store, &document.path, record, &raw);
            lines.push(named(&title, &["is restored"], id));
        }
    }
    // The tombstones come from sets, which have no order.
    lines.sort();
    lines
}

fn titles<'s>(store: &'s Store, ids: HashSet<&str>) -> HashMap<&'s str, String> {
    let id = |own: &'s Entry| store.memory(own).and_then(|memory| memory.id());
    let own = store.entries.iter().filter_map(|own| Some((id(own)?, own)));
    own.filter(|(id, _)| ids.contains(id)).map(|(id, own)| (id, format::title(store, own))).collect()
}

fn is_data(role: Role) -> bool {
    matches!(role, Role::Records | Role::Archive)
}

fn ids<'d>(documents: impl Iterator<Item = &'d Document>) -> HashSet<&'d str> {
    let records = documents.flat_map(|own| &own.records);
    records.filter_map(|record| record.named_id()).collect()
}

fn told(store: &Store, number: u32, entry: &Entry, fate: Fate, now: Moment) -> TouchedRecord {
    let memory = store.memory(entry);
    TouchedRecord {
        entry: number,
        id: memory.and_then(|memory| memory.id()).map(str::to_owned),
        title: format::title(store, entry),
        fate,
        measure: measure(store, entry, now),
    }
}

/// Returns how old a memory is, and when it was used last.
fn measure(store: &Store, entry: &Entry, now: Moment) -> String {
    let Some(memory) = store.memory(entry) else { return "broken".into() };
    let mut parts = Vec::new();
    if entry.state == State::Deleted {
        parts.push("deleted".to_owned());
    }
    parts.extend(store.time_with(entry, memory.created).map(|time| match time.is_of_file() {
        true => time.ago_at(now),
        false => format!("{} old", time.age_at(now)),
    }));
    match memory.accessed {
        Some(accessed) => parts.push(format!("used {} ago, {}×", accessed.age_at(now), memory.access_count)),
        None if memory.access_count > 0 => parts.push(format!("used {}×", memory.access_count)),
        None => {}
    }
    if parts.is_empty() { "age unknown".into() } else { parts.join(", ") }
}

#[derive(Default)]
struct FilesAfterPlan {
    changed: HashSet<PathBuf>,
    /// The digests of the records of each file. If several files have a record, the first one is named.
    lines: BTreeMap<PathBuf, HashSet<u64>>,
    /// The files that contain an affected id.
    ids: HashMap<String, Vec<PathBuf>>,
    /// The new compressed files.
    packed: Vec<PathBuf>,
    /// The new lines of a file without the names in them. A record may get other names where it moves to.
    nameless: OnceCell<BTreeMap<PathBuf, HashSet<u64>>>,
    /// The changed files with memories.
    documents: Vec<Arc<Document>>,
}

impl FilesAfterPlan {
    fn of(
        store: &Store,
        changes: &[Change],
        places: &ChangedRanges,
        ids: &HashSet<&str>,
        now: Moment,
    ) -> FilesAfterPlan {
        let documents = derived_files::documents_after(store, changes, now);
        let changed: HashSet<PathBuf> = changes.iter().map(|change| change.path.clone()).collect();
        let mut own = FilesAfterPlan { changed, ..FilesAfterPlan::default() };
        own.documents = documents;
        own.documents.retain(|document| own.changed.contains(&document.path) && is_data(document.role));
        for document in &own.documents {
            own.lines.insert(document.path.clone(), places.lines(store, document));
            let named = document.records.iter().filter_map(|record| record.memory()?.id());
            for id in named.filter(|id| ids.contains(id)) {
                own.ids.entry(id.to_owned()).or_default().push(document.path.clone());
            }
        }
        let is_made = |change: &&Change| matches!(change.act, Act::Create(_));
        let packs = |path: &Path| path.extension().is_some_and(|end| end == "gz" || end == "tgz");
        own.packed =
            changes.iter().filter(is_made).map(|own| own.path.clone()).filter(|own| packs(own)).collect();
        own
    }

    /// Returns the file that has a new line which differs from a record by names alone.
    fn moved_to(&self, store: &Store, document: &Document, record: &Record) -> Option<&PathBuf> {
        let (_, writes) = super::writes(store).ok()?;
        let of_new_lines = || {
            let of = |own: &Arc<Document>| {
                let before = store.document_at(&own.path);
                let known: HashSet<u64> =
                    before.iter().flat_map(|own| own.record_digests()).copied().collect();
                let raws = own.records.iter().map(|record| own.raw(record));
                let new = raws.filter(|raw| !known.contains(&fast_digest(raw)));
                (own.path.clone(), new.filter_map(|raw| nameless(writes, &raw)).collect())
            };
            // Only a file with more records than before is looked at: digests of a long log take time.
            let count = |own: &Document| store.document_at(&own.path).map_or(0, |own| own.records.len());
            self.documents.iter().filter(|own| own.records.len() > count(own)).map(of).collect()
        };
        let files: &BTreeMap<PathBuf, HashSet<u64>> = self.nameless.get_or_init(of_new_lines);
        if files.values().all(HashSet::is_empty) {
            return None;
        }
        let own = nameless(writes, &document.raw(record))?;
        let mut others = files.iter().filter(|(path, _)| **path != document.path);
        others.find(|(_, new)| new.contains(&own)).map(|(path, _)| path)
    }

    /// Returns what happens to a record in a changed place; `None` if it stays as it is.
    fn fate(&self, store: &Store, document: &Document, record: &Record) -> Option<Fate> {
        let path = container(&document.path);
        let raw = fast_digest(&document.raw(record));
        let id = record.memory().and_then(|memory| memory.id());
        if path == document.path && self.lines.get(path).is_some_and(|lines| lines.contains(&raw)) {
            return None;
        }
        let of_id = id.and_then(|id| self.ids.get(id)).map_or(&[][..], Vec::as_slice);
        if of_id.iter().any(|file| file == path) {
            return Some(Fate::Changes);
        }
        let elsewhere = of_id.iter().find(|file| file.as_path() != path);
        let alike = || {
            let others =
                self.lines.iter().find(|(file, lines)| file.as_path() != path && lines.contains(&raw));
            others.map(|(file, _)| file)
        };
        let renamed = || self.moved_to(store, document, record);
        match elsewhere.or_else(alike).or_else(renamed).or_else(|| self.packed.first()) {
            Some(file) => Some(Fate::Moves(file.clone())),
            None => Some(Fate::Goes),
        }
    }
}

/// Returns a digest of a record without the names in it; `None` if it has none.
fn nameless(writes: &dyn FormatWriter, raw: &[u8]) -> Option<u64> {
    let bare = rename(writes, raw, Moment(0), &|_, _| Some(String::new())).ok()?;
    (*bare != *raw).then(|| fast_digest(&bare))
}

/// The path may be that of a member of an archive.
fn container(path: &Path) -> &Path {
    crate::model::container(path).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Extent;
    use crate::store::{Place, load};

    #[test]
    fn of_files_that_get_the_same_bytes_the_first_by_name_is_told() {
        let folder = crate::folder::new();
        let line = "{\"timestamp\":\"2025-01-01T00:00:00Z\",\"trace_id\":\"t\",\"status\":\"success\",\
                    \"event_type\":\"a.b\"}\n";
        let log = folder.path().join("events/2025-01/events.jsonl");
        crate::disk::write_new(&log, line.as_bytes()).unwrap();
        let now = Moment::parse("2026-02-01T12:00:00Z").unwrap().0;
        let place = Place::whole(folder.path().to_owned(), "a-mem");
        let store = load(&place, Extent::All, None, now);
        let archive = |number: usize| PathBuf::from(format!("archive/events/2025-01/{number:02}.jsonl"));
        let made = (0..20).rev().map(|number| Change::create(archive(number), line.as_bytes()));
        let removed = Change::remove("events/2025-01/events.jsonl", line.as_bytes().into());
        let mut plan = Plan::of_unread_store("archive", folder.path(), "a-mem");
        plan.changes = made.chain([removed]).collect();
        for _ in 0..8 {
            let touched = effect(&store, &plan, now);
            assert_eq!(touched.iter().map(|own| &own.fate).collect::<Vec<_>>(), [&Fate::Moves(archive(0))]);
        }
    }

    #[test]
    fn a_secret_that_the_title_is_cut_in_is_masked() {
        let token = ["ghp", "_4kwHuiDL0k0BhOGs3W9WzCrgTCwjyiwFe4fl"].concat();
        for before in 0..60 {
            let line = named(&format!("{} {token} now", "a".repeat(before)), &["is removed"], None);
            assert!(!line.contains("4kwHu"), "{line}");
        }
    }
}
