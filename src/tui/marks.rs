//! Which memories are marked. Marks are places in the list's snapshot, and are carried to the
//! next one by what tells a memory apart: its id and its session, or its bytes.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use crate::model::{Document, Entry, EntryRef, Named, Snapshot, Store};
use crate::query::Hit;

/// The marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// By store and entry.
    flags: Vec<Vec<bool>>,
    count: usize,
    /// How many of them the list does not show.
    hidden: usize,
    /// Where a range began that is still open.
    pub range: Option<EntryRef>,
    /// Whether the list shows the marked ones alone.
    pub only: bool,
}

impl Marks {
    /// Whether a memory is marked.
    pub fn has(&self, at: EntryRef) -> bool {
        let own = self.flags.get(at.store as usize);
        own.and_then(|own| own.get(at.entry as usize)).copied().unwrap_or(false)
    }

    /// How many are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many of them the list does not show.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Marks a memory, or takes its mark away.
    pub fn set(&mut self, at: EntryRef, marked: bool) {
        let (store, entry) = (at.store as usize, at.entry as usize);
        if self.has(at) == marked {
            return;
        }
        if self.flags.len() <= store {
            self.flags.resize(store + 1, Vec::new());
        }
        if let Some(own) = self.flags.get_mut(store) {
            if own.len() <= entry {
                own.resize(entry + 1, false);
            }
            own[entry] = marked;
        }
        if marked {
            self.count += 1;
        } else {
            self.count -= 1;
        }
    }

    /// Every marked memory, by store and place.
    pub fn list(&self) -> Vec<EntryRef> {
        let stores = self.flags.iter().enumerate();
        let own = stores.flat_map(|(store, own)| {
            let marked = own.iter().enumerate().filter(|(_, marked)| **marked);
            marked.map(move |(entry, _)| EntryRef { store: store as u32, entry: entry as u32 })
        });
        own.collect()
    }

    /// Takes every mark away.
    pub fn clear(&mut self) {
        *self = Marks { only: self.only, ..Marks::default() };
    }

    /// Counts those that the list does not show.
    pub fn see(&mut self, hits: &[Hit]) {
        let shown = if self.count == 0 { 0 } else { hits.iter().filter(|hit| self.has(hit.at)).count() };
        self.hidden = self.count - shown.min(self.count);
    }

    /// Those that the list does not show.
    pub fn hidden_ones(&self, hits: &[Hit]) -> Vec<EntryRef> {
        if self.hidden == 0 {
            return Vec::new();
        }
        let mut rest = self.clone();
        hits.iter().for_each(|hit| rest.set(hit.at, false));
        rest.list()
    }

    /// The same marks in another state of the stores. A memory that is gone has none; what came
    /// since never has one.
    pub fn carried(&self, from: &Snapshot, to: &Snapshot) -> Marks {
        let mut carry = Carry::new(from, to);
        let mut marks = Marks { only: self.only, ..Marks::default() };
        for at in self.list() {
            if let Some(to) = carry.find(at, Some(&marks)) {
                marks.set(to, true);
            }
        }
        marks.range = self.range.and_then(|at| carry.find(at, None));
        marks
    }
}

/// The memories of `from` in `to`, without those that are gone.
pub fn carried(from: &Snapshot, to: &Snapshot, all: impl Iterator<Item = EntryRef>) -> Vec<EntryRef> {
    let mut carry = Carry::new(from, to);
    all.filter_map(|at| carry.find(at, None)).collect()
}

/// From one state of the stores to another.
struct Carry<'a> {
    from: &'a Snapshot,
    to: &'a Snapshot,
    /// The number of each store in `to`.
    stores: Vec<Option<u32>>,
    /// By store and number, the file of `to` of the same path.
    files: HashMap<(u32, u32), Option<u32>>,
    /// By store and file of `to`, its records by a digest of their bytes.
    bytes: HashMap<(u32, u32), HashMap<u64, Vec<u32>>>,
    /// By store, its files by path.
    paths: HashMap<u32, HashMap<&'a Path, u32>>,
}

impl<'a> Carry<'a> {
    fn new(from: &'a Snapshot, to: &'a Snapshot) -> Carry<'a> {
        let number = |root: &Path| to.stores.iter().position(|own| own.root == root).map(|own| own as u32);
        let stores = from.stores.iter().map(|store| number(&store.root)).collect();
        let (files, bytes, paths) = Default::default();
        Carry { from, to, stores, files, bytes, paths }
    }

    /// Where the memory stands now. Of several that can't be told apart one that has no mark yet.
    fn find(&mut self, at: EntryRef, taken: Option<&Marks>) -> Option<EntryRef> {
        let (from, to) = (self.from, self.to);
        let store = self.stores.get(at.store as usize).copied().flatten()?;
        let (was, is) = (from.stores.get(at.store as usize)?, to.stores.get(store as usize)?);
        if Arc::ptr_eq(was, is) {
            return Some(EntryRef { store, entry: at.entry });
        }
        let entry = was.entries.get(at.entry as usize)?;
        let file = self.file(at.store, entry.document, store);
        let own = file.and_then(|file| Some((file, is.documents.get(file as usize)?)));
        if let Some((file, document)) = own
            && Arc::ptr_eq(document, &was.documents[entry.document as usize])
        {
            return entry_at(is, file, entry.record).map(|entry| EntryRef { store, entry });
        }
        match was.view(entry).and_then(|view| view.id.as_deref()) {
            Some(id) => self.by_id(was, entry, (is, store), id, taken),
            None => self.by_bytes(was, entry, (is, store), file?, taken),
        }
    }

    /// The file of the same path.
    fn file(&mut self, old: u32, document: u32, new: u32) -> Option<u32> {
        let (from, to) = (self.from, self.to);
        let paths = self.paths.entry(new).or_insert_with(|| {
            let own = to.stores[new as usize].documents.iter().zip(0..);
            own.map(|(document, number)| (document.path.as_path(), number)).collect()
        });
        *self.files.entry((old, document)).or_insert_with(|| {
            let was = from.stores[old as usize].documents.get(document as usize)?;
            paths.get(was.path.as_path()).copied()
        })
    }

    /// By id within its session. Where several have it, those are told apart by their bytes: one
    /// that came since under the same id is another memory.
    fn by_id(
        &self,
        was: &Store,
        entry: &Entry,
        (is, store): (&Store, u32),
        id: &str,
        taken: Option<&Marks>,
    ) -> Option<EntryRef> {
        let session = was.session(entry).map(|session| session.name.as_str());
        let same = |at: &EntryRef| {
            let own = &is.entries[at.entry as usize];
            is.session(own).map(|session| session.name.as_str()) == session
                && is.view(own).and_then(|view| view.id.as_deref()) == Some(id)
        };
        let mut named: Vec<EntryRef> =
            self.to.references().named(is, store, Named::Record, id).filter(same).collect();
        named.sort_unstable();
        named.dedup();
        if let [one] = named.as_slice() {
            return Some(*one);
        }
        let is_free = |at: &&EntryRef| !taken.is_some_and(|marks| marks.has(**at));
        let raw = was.raw(entry);
        let alike = |at: &&EntryRef| is.raw(&is.entries[at.entry as usize]) == raw;
        let start = was.record(entry).span.start;
        let moved = |at: &&EntryRef| is.record(&is.entries[at.entry as usize]).span.start != start;
        named.iter().filter(is_free).filter(alike).min_by_key(moved).copied()
    }

    /// By its bytes in its file, where it has no id.
    fn by_bytes(
        &mut self,
        was: &Store,
        entry: &Entry,
        (is, store): (&Store, u32),
        file: u32,
        taken: Option<&Marks>,
    ) -> Option<EntryRef> {
        let document = &is.documents[file as usize];
        let records = self.bytes.entry((store, file)).or_insert_with(|| by_digest(document));
        let raw = was.raw(entry);
        let start = was.record(entry).span.start;
        let alike = records.get(&digest(raw))?.iter().filter_map(|&record| {
            let own = document.records.get(record as usize).filter(|own| document.raw(own) == raw)?;
            let at = EntryRef { store, entry: entry_at(is, file, record)? };
            let is_free = !taken.is_some_and(|marks| marks.has(at));
            is_free.then_some((own.span.start != start, at))
        });
        alike.min().map(|(_, at)| at)
    }
}

/// The entry of a record, of entries that stand in the order of files and records.
fn entry_at(store: &Store, document: u32, record: u32) -> Option<u32> {
    let place = |entry: &Entry| (entry.document, entry.record);
    let at = store.entries.binary_search_by_key(&(document, record), place).ok()?;
    Some(at as u32)
}

fn by_digest(document: &Document) -> HashMap<u64, Vec<u32>> {
    let mut records: HashMap<u64, Vec<u32>> = HashMap::new();
    for (record, number) in document.records.iter().zip(0..) {
        if record.view().and_then(|view| view.id.as_deref()).is_none() {
            records.entry(digest(document.raw(record))).or_default().push(number);
        }
    }
    records
}

fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
