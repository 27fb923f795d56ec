//! The references between entries of a store, in both directions, by name.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Entry, EntryRef, Name, NameKind, Store, StoredMemory};

/// The maximum number of entries of one name that are looked at. No healthy store has more with one id.
const MOST: usize = 100;
/// The maximum number of references to one entry that are listed.
const INWARD: usize = 10_000;
/// The maximum number of events of one trace that are shown.
const LONGEST_TRACE: usize = 10_000;

/// The references of several stores, as sorted digests: 16 bytes for each name and each reference.
#[derive(Clone, Debug, Default)]
pub struct ReferenceIndex {
    /// The digest of each name, with the entry that has it.
    named: Vec<(u64, EntryRef)>,
    /// The digest of each reference, with the entry that contains it.
    naming: Vec<(u64, EntryRef)>,
}

/// One reference, seen from an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryLink {
    /// True if the entry refers to the other; false if the other refers to the entry.
    pub outward: bool,
    /// The specification's word for the relation.
    pub relation: Box<str>,
    /// The name that is referred to; if the other refers to the entry, the id of the other, or its key if it
    /// has none. Untrusted text.
    pub name: Box<str>,
    /// The other entry; `None` if the store has none of that name.
    pub other: Option<EntryRef>,
}

impl Store {
    /// True if one of its memories refers to something that is not in it.
    pub fn refers_elsewhere(&self) -> bool {
        let references = ReferenceIndex::of(std::iter::once(self));
        (0..).zip(&self.entries).any(|(number, entry)| {
            let at = EntryRef { store: 0, entry: number };
            let mut all = self.memory(entry).into_iter().flat_map(|memory| memory.references());
            all.any(|own| references.find(self, at, &own.to).is_none())
        })
    }
}

impl ReferenceIndex {
    /// Collects the references of all entries of `stores`.
    pub fn of<'a>(stores: impl Iterator<Item = &'a Store>) -> ReferenceIndex {
        let mut references = ReferenceIndex::default();
        for (number, store) in stores.enumerate() {
            references.add(number as u32, store);
        }
        references.named.sort_unstable();
        references.naming.sort_unstable();
        references
    }

    fn add(&mut self, number: u32, store: &Store) {
        let mut begun = vec![false; store.sessions.len()];
        for (index, entry) in store.entries.iter().enumerate() {
            let at = EntryRef { store: number, entry: index as u32 };
            if let Some(session) = entry.session
                && let Some(begun) = begun.get_mut(session as usize)
                && !std::mem::replace(begun, true)
            {
                let name = &store.sessions[session as usize].name;
                self.named.push((digest(number, NameKind::Session, name), at));
            }
            let Some(memory) = store.memory(entry) else { continue };
            self.named.extend(names(memory).map(|(of, text)| (digest(number, of, text), at)));
            self.naming.extend(memory.references().map(|own| (digest(number, own.to.of, own.to.text), at)));
        }
    }

    /// Returns the entries of that name in a store with that number.
    pub fn named(
        &self,
        store: &Store,
        number: u32,
        of: NameKind,
        text: &str,
    ) -> impl Iterator<Item = EntryRef> {
        with(&self.named, digest(number, of, text)).filter(move |at| is_named(store, *at, of, text))
    }

    /// Returns the entry that a name refers to, seen from `from`: first one of the same session, then a live
    /// one. For a trace, returns its first event.
    pub fn find(&self, store: &Store, from: EntryRef, name: &Name<&str>) -> Option<EntryRef> {
        let own = store.entries.get(from.entry as usize)?.session;
        self.named(store, from.store, name.of, name.text).take(MOST).min_by_key(|at| {
            let entry = &store.entries[at.entry as usize];
            let created = store.memory(entry).and_then(|memory| memory.created);
            let first = if name.of == NameKind::Trace { created } else { None };
            (entry.session != own && name.of == NameKind::Record, entry.state, first)
        })
    }

    /// Returns what an entry refers to, in stored order, and then what refers to it.
    pub fn links_of(&self, store: &Store, at: EntryRef) -> Vec<EntryLink> {
        let Some((_, memory)) = entry_view(store, at) else { return Vec::new() };
        let outward = memory.references().map(|own| EntryLink {
            outward: true,
            relation: own.relation.into(),
            name: own.to.text.into(),
            other: self.find(store, at, &own.to),
        });
        let mut ties: Vec<EntryLink> = outward.collect();
        for (of, text) in names(memory) {
            self.inward(store, at, of, text, &mut ties);
        }
        ties
    }

    /// Adds what refers to an entry by one of its names. An id of several entries refers to one of them; a
    /// trace refers to all its events.
    fn inward(&self, store: &Store, at: EntryRef, of: NameKind, text: &str, ties: &mut Vec<EntryLink>) {
        let name = Name { of, text };
        if of != NameKind::Trace && !self.is_led_to(store, at, &name) {
            return;
        }
        let mut others: Vec<EntryRef> = with(&self.naming, digest(at.store, of, text)).take(INWARD).collect();
        others.dedup();
        // The target of a name depends only on the session of the reference.
        let mut found: HashMap<Option<u32>, Option<EntryRef>> = HashMap::new();
        for other in others {
            let Some((entry, memory)) = entry_view(store, other) else { continue };
            let leads_to = || self.find(store, other, &name);
            if of != NameKind::Trace && *found.entry(entry.session).or_insert_with(leads_to) != Some(at) {
                continue;
            }
            let Some(reference) = memory.references().find(|own| own.to == name) else { continue };
            let name = memory.id().map_or_else(|| store.key(entry), str::to_owned).into();
            ties.push(EntryLink {
                outward: false,
                relation: reference.relation.into(),
                name,
                other: Some(other),
            });
        }
    }

    /// True if the name refers to this entry from its session, or from one without an entry of that name.
    fn is_led_to(&self, store: &Store, at: EntryRef, name: &Name<&str>) -> bool {
        let named = self.named(store, at.store, name.of, name.text).take(MOST);
        let first = named.min_by_key(|other| store.entries[other.entry as usize].state);
        first == Some(at) || self.find(store, at, name) == Some(at)
    }

    /// Returns the events of an entry's trace with the entry itself, in order of time; none without a trace.
    pub fn trace(&self, store: &Store, at: EntryRef) -> Vec<EntryRef> {
        let Some(trace) = entry_view(store, at).and_then(|(_, memory)| trace(memory)) else {
            return Vec::new();
        };
        let mut events: Vec<EntryRef> =
            self.named(store, at.store, NameKind::Trace, trace).take(LONGEST_TRACE).collect();
        events.sort_by_key(|event| {
            let created = entry_view(store, *event).and_then(|(_, memory)| memory.created);
            (created.is_none(), created, *event)
        });
        events
    }
}

pub fn trace(memory: &StoredMemory) -> Option<&str> {
    memory.names().find(|name| name.of == NameKind::Trace).map(|name| name.text)
}

fn names(memory: &StoredMemory) -> impl Iterator<Item = (NameKind, &str)> {
    let others = memory.names().map(|name| (name.of, name.text));
    memory.id().into_iter().map(|id| (NameKind::Record, id)).chain(others)
}

fn is_named(store: &Store, at: EntryRef, of: NameKind, text: &str) -> bool {
    let Some(entry) = store.entries.get(at.entry as usize) else { return false };
    match of {
        NameKind::Session => store.session(entry).is_some_and(|session| session.name == text),
        _ => store.memory(entry).is_some_and(|memory| names(memory).any(|own| own == (of, text))),
    }
}

fn entry_view(store: &Store, at: EntryRef) -> Option<(&Entry, &StoredMemory)> {
    let entry = store.entries.get(at.entry as usize)?;
    Some((entry, store.memory(entry)?))
}

/// Returns the entries with a digest. Different names may share one, so the caller compares the names.
fn with(sorted: &[(u64, EntryRef)], digest: u64) -> impl Iterator<Item = EntryRef> + '_ {
    let from = sorted.partition_point(|(own, _)| *own < digest);
    sorted[from..].iter().take_while(move |(own, _)| *own == digest).map(|(_, at)| *at)
}

fn digest(store: u32, of: NameKind, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (store, of, text).hash(&mut hasher);
    hasher.finish()
}
