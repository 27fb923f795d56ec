//! Finds a memory in another state of its store. If its file is unchanged, its place identifies it. Otherwise its id
//! and its session, or its bytes, do.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::snapshot::{Entry, EntryRef, Snapshot, State, Store};
use crate::model::record_name::NameKind;

/// Returns the memories of `from` in `to`, without those that are gone.
pub fn track_entries(from: &Snapshot, to: &Snapshot, all: impl Iterator<Item = EntryRef>) -> Vec<EntryRef> {
    let mut carry = EntryTracker::new(from, to);
    all.filter_map(|at| carry.find(at, &|_| false)).collect()
}

/// Finds memories of one state of the stores in another state.
pub struct EntryTracker<'a> {
    from: &'a Snapshot,
    to: &'a Snapshot,
    /// The number in `to` of each store of `from`.
    stores: Vec<Option<u32>>,
    /// By store and file of `from`, the file of `to` with the same path.
    files: HashMap<(u32, u32), Option<u32>>,
    /// By store of `to`, its files by path.
    paths: HashMap<u32, HashMap<&'a Path, u32>>,
}

impl<'a> EntryTracker<'a> {
    /// Creates a tracker from one state to another.
    pub fn new(from: &'a Snapshot, to: &'a Snapshot) -> EntryTracker<'a> {
        let number = |root: &Path| to.stores.iter().position(|own| own.root == root).map(|own| own as u32);
        let stores = from.stores.iter().map(|store| number(&store.root)).collect();
        let (files, paths) = Default::default();
        EntryTracker { from, to, stores, files, paths }
    }

    /// Returns where the memory is in `to`. Of several that look alike, returns one that is not taken.
    pub fn find(&mut self, at: EntryRef, taken: &dyn Fn(EntryRef) -> bool) -> Option<EntryRef> {
        let (from, to) = (self.from, self.to);
        let store = self.stores.get(at.store as usize).copied().flatten()?;
        let (was, is) = (from.stores.get(at.store as usize)?, to.stores.get(store as usize)?);
        if Arc::ptr_eq(was, is) {
            return Some(EntryRef { store, entry: at.entry });
        }
        let entry = was.entries.get(at.entry as usize)?;
        let file = self.file(at.store, entry.document, store);
        if let Some(file) = file
            && let Some(document) = is.documents.get(file as usize)
            && Arc::ptr_eq(document, &was.documents[entry.document as usize])
        {
            let own = Entry { document: file, ..*entry };
            return is.number_of(&own).map(|entry| EntryRef { store, entry });
        }
        let by_bytes = || by_bytes(was, entry, (is, store), file?, taken);
        match was.id(entry) {
            Some(id) if is_place(id) => by_bytes().or_else(|| self.by_id(was, entry, (is, store), id)),
            Some(id) => self.by_id(was, entry, (is, store), id).or_else(by_bytes),
            None => by_bytes(),
        }
    }

    /// True if the memory is listed as before: it was not deleted, archived or restored since.
    pub fn is_in_place(&self, at: EntryRef, to: EntryRef) -> bool {
        let ((was, old), (is, new)) = (self.from.get(at), self.to.get(to));
        let is_aside = |state| matches!(state, State::Deleted | State::Archived);
        let is_as_it_was = old.state == new.state || !is_aside(old.state) && !is_aside(new.state);
        let count = |store: &Store, entry: &Entry| store.document(entry).records.len();
        let moved_up = was.id(old).is_some_and(is_place)
            && count(was, old) != count(is, new)
            && !have_equal_bytes((was, old), (is, new));
        is_as_it_was && !moved_up
    }

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

    /// Finds a memory by its id in its session; `None` if several have the id: a later memory with the same id is
    /// another memory.
    fn by_id(&self, was: &Store, entry: &Entry, (is, store): (&Store, u32), id: &str) -> Option<EntryRef> {
        let session = was.session(entry).map(|session| session.name.as_str());
        let same = |at: &EntryRef| {
            let own = &is.entries[at.entry as usize];
            is.session(own).map(|session| session.name.as_str()) == session && is.id(own) == Some(id)
        };
        let mut named = self.to.references().named(is, store, NameKind::Record, id).filter(same);
        let one = named.next()?;
        named.all(|other| other == one).then_some(one)
    }
}

/// True for an id that is a place in a list. If one goes, the next one gets its id.
fn is_place(id: &str) -> bool {
    id.rsplit_once('.').is_some_and(|(_, place)| place.parse::<u32>().is_ok())
}

/// True if two memories have the same bytes.
pub fn have_equal_bytes((was, old): (&Store, &Entry), (is, new): (&Store, &Entry)) -> bool {
    was.document(old).record_digests().get(old.record as usize)
        == is.document(new).record_digests().get(new.record as usize)
}

/// Finds a memory by its bytes in its file.
fn by_bytes(
    was: &Store,
    entry: &Entry,
    (is, store): (&Store, u32),
    file: u32,
    taken: &dyn Fn(EntryRef) -> bool,
) -> Option<EntryRef> {
    let same = is.documents[file as usize].records_like(was.document(entry), entry.record);
    let named = same.filter_map(|record| is.entry_number(file, record));
    named.map(|entry| EntryRef { store, entry }).find(|at| !taken(*at))
}
