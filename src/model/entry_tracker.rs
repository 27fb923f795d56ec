//! Finds a memory in another state of its store. If its file is unchanged before or after it, its place
//! identifies it. Otherwise its id and its session, or its bytes, do.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::document::Document;
use super::record::Record;
use super::snapshot::{Entry, EntryRef, Snapshot, State, Store};
use crate::model::record_name::NameKind;

/// Returns the memories of `from` in `to`, without those that are gone.
pub fn track_entries(from: &Snapshot, to: &Snapshot, all: impl Iterator<Item = EntryRef>) -> Vec<EntryRef> {
    let mut carry = EntryTracker::new(from, to);
    all.filter_map(|at| carry.find(at, &|_| false)).collect()
}

/// The numbers of records at the start and at the end of a file that are equal in two states and have the
/// same distance from its start or end.
#[derive(Clone, Copy)]
struct EqualRecordCounts {
    first: usize,
    last: usize,
}

impl EqualRecordCounts {
    fn of(was: &Document, is: &Document) -> EqualRecordCounts {
        let (old, new) = (was.record_digests(), is.record_digests());
        let both = || was.records.iter().zip(old).zip(is.records.iter().zip(new));
        let at_start = |((old, a), (new, b)): &((&Record, &u64), (&Record, &u64))| {
            a == b && old.span.start == new.span.start && old.span.len() == new.span.len()
        };
        let at_end = |((old, a), (new, b)): &((&Record, &u64), (&Record, &u64))| {
            a == b && was.len - old.span.start == is.len - new.span.start && old.span.len() == new.span.len()
        };
        let back = was.records.iter().zip(old).rev().zip(is.records.iter().zip(new).rev());
        EqualRecordCounts {
            first: both().take_while(at_start).count(),
            last: back.take_while(at_end).count(),
        }
    }
}

/// Finds memories of one state of the stores in another state.
pub struct EntryTracker<'a> {
    from: &'a Snapshot,
    to: &'a Snapshot,
    /// The number in `to` of each store of `from`.
    stores: Vec<Option<u32>>,
    /// By store and file of `from`, the file of `to` with the same path.
    files: HashMap<(u32, u32), Option<u32>>,
    /// By store and file of `from`, how much of it is equal in `to`.
    same: HashMap<(u32, u32), EqualRecordCounts>,
    /// By store of `to`, its files by path.
    paths: HashMap<u32, HashMap<&'a Path, u32>>,
}

impl<'a> EntryTracker<'a> {
    /// Creates a tracker from one state to another.
    pub fn new(from: &'a Snapshot, to: &'a Snapshot) -> EntryTracker<'a> {
        let number = |root: &Path| to.stores.iter().position(|own| own.root == root).map(|own| own as u32);
        let stores = from.stores.iter().map(|store| number(&store.root)).collect();
        let (files, same, paths) = Default::default();
        EntryTracker { from, to, stores, files, same, paths }
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
        let own = file.and_then(|file| Some((file, is.documents.get(file as usize)?)));
        if let Some((file, document)) = own
            && Arc::ptr_eq(document, &was.documents[entry.document as usize])
        {
            let own = Entry { document: file, ..*entry };
            return is.number_of(&own).map(|entry| EntryRef { store, entry });
        }
        if let Some((file, _)) = own
            && let Some(at) =
                self.untouched(at.store, entry, (is, file)).map(|entry| EntryRef { store, entry })
            && !taken(at)
        {
            return Some(at);
        }
        match was.id(entry) {
            Some(id) => self.by_id(was, entry, (is, store), id, taken),
            None => by_bytes(was, entry, (is, store), file?, taken),
        }
    }

    /// True if the memory is listed as before: it was not deleted, archived or restored since.
    pub fn is_in_place(&self, at: EntryRef, to: EntryRef) -> bool {
        let ((was, old), (is, new)) = (self.from.get(at), self.to.get(to));
        let is_aside = |state| matches!(state, State::Deleted | State::Archived);
        let is_as_it_was = old.state == new.state || !is_aside(old.state) && !is_aside(new.state);
        // Some ids are places in a list. If one goes, the next one gets its id.
        let id = was.id(old).unwrap_or_default();
        let is_place = id.rsplit_once('.').is_some_and(|(_, place)| place.parse::<u32>().is_ok());
        let count = |store: &Store, entry: &Entry| store.document(entry).records.len();
        let moved_up =
            is_place && count(was, old) != count(is, new) && !have_equal_bytes((was, old), (is, new));
        is_as_it_was && !moved_up
    }

    /// Returns the record if the file is unchanged from its start to the record, or from the record to its
    /// end. This finds the right one even among equal records.
    fn untouched(&mut self, store: u32, entry: &Entry, (is, file): (&Store, u32)) -> Option<u32> {
        let was = &self.from.stores[store as usize].documents[entry.document as usize];
        let now = &is.documents[file as usize];
        if was.offset != now.offset {
            return None;
        }
        let same =
            *self.same.entry((store, entry.document)).or_insert_with(|| EqualRecordCounts::of(was, now));
        let (record, records) = (entry.record as usize, was.records.len());
        let place = match record {
            _ if record < same.first => record,
            _ if record >= records - same.last => record + now.records.len() - records,
            _ => return None,
        };
        is.entry_number(file, place as u32)
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

    /// Finds a memory by its id in its session. If several have the id, their bytes decide: a later memory
    /// with the same id is another memory.
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
            is.session(own).map(|session| session.name.as_str()) == session && is.id(own) == Some(id)
        };
        let mut named: Vec<EntryRef> =
            self.to.references().named(is, store, NameKind::Record, id).filter(same).collect();
        named.sort_unstable();
        named.dedup();
        if let [one] = named.as_slice() {
            return Some(*one);
        }
        let is_free = |at: &&EntryRef| !taken(**at);
        let alike = |at: &&EntryRef| have_equal_bytes((was, entry), (is, &is.entries[at.entry as usize]));
        let start = was.record(entry).span.start;
        let moved = |at: &&EntryRef| is.record(&is.entries[at.entry as usize]).span.start != start;
        named.iter().filter(is_free).filter(alike).min_by_key(moved).copied()
    }
}

/// True if two memories have the same bytes.
pub fn have_equal_bytes((was, old): (&Store, &Entry), (is, new): (&Store, &Entry)) -> bool {
    was.document(old).record_digests().get(old.record as usize)
        == is.document(new).record_digests().get(new.record as usize)
}

/// Finds a memory without an id by its bytes in its file.
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
