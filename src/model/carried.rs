//! Where a memory stands in another state of its store: it is known by its id and its session, or
//! by its bytes.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use super::record::Named;
use super::snapshot::{Document, Entry, EntryRef, Snapshot, Store};

/// The memories of `from` in `to`, without those that are gone.
pub fn carried(from: &Snapshot, to: &Snapshot, all: impl Iterator<Item = EntryRef>) -> Vec<EntryRef> {
    let mut carry = Carry::new(from, to);
    all.filter_map(|at| carry.find(at, &|_| false)).collect()
}

/// From one state of the stores to another.
pub struct Carry<'a> {
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
    /// From the one to the other.
    pub fn new(from: &'a Snapshot, to: &'a Snapshot) -> Carry<'a> {
        let number = |root: &Path| to.stores.iter().position(|own| own.root == root).map(|own| own as u32);
        let stores = from.stores.iter().map(|store| number(&store.root)).collect();
        let (files, bytes, paths) = Default::default();
        Carry { from, to, stores, files, bytes, paths }
    }

    /// Where the memory stands now; of several that can't be told apart one that is not taken.
    pub fn find(&mut self, at: EntryRef, taken: &dyn Fn(EntryRef) -> bool) -> Option<EntryRef> {
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
            let own = Entry { document: file, ..*entry };
            return is.number_of(&own).map(|entry| EntryRef { store, entry });
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
        taken: &dyn Fn(EntryRef) -> bool,
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
        let is_free = |at: &&EntryRef| !taken(**at);
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
        taken: &dyn Fn(EntryRef) -> bool,
    ) -> Option<EntryRef> {
        let document = &is.documents[file as usize];
        let records = self.bytes.entry((store, file)).or_insert_with(|| by_digest(document));
        let raw = was.raw(entry);
        let start = was.record(entry).span.start;
        let alike = records.get(&digest(raw))?.iter().filter_map(|&record| {
            let own = document.records.get(record as usize).filter(|own| document.raw(own) == raw)?;
            let at = EntryRef { store, entry: is.number_of(&Entry { document: file, record, ..*entry })? };
            let is_free = !taken(at);
            is_free.then_some((own.span.start != start, at))
        });
        alike.min().map(|(_, at)| at)
    }
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
