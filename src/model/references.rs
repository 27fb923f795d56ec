//! Which entry refers to which, within a store: both ways, by id.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::snapshot::{Entry, EntryRef, Store};

/// Of so many entries under one id the rest is not looked at: no store is healthy that
/// has more, and no screen shows them.
const MOST: usize = 1_000;

/// The references of several stores. Sorted digests and no copies of ids: 32 bytes for
/// an entry with an id and one reference.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// The digest of (store, id) of each entry that has an id.
    named: Vec<(u64, EntryRef)>,
    /// The digest of (store, id) of each reference, with the entry that it stands in.
    naming: Vec<(u64, EntryRef)>,
}

/// One reference, seen from an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tie {
    /// Whether the entry refers to the other; else the other refers to it.
    pub outward: bool,
    /// The other's id as it is stored. Untrusted text.
    pub id: Box<str>,
    /// The other; `None` where the store holds none of that id.
    pub other: Option<EntryRef>,
}

impl References {
    /// Those of all entries of `stores`.
    pub fn of<'a>(stores: impl Iterator<Item = &'a Store>) -> References {
        let mut references = References::default();
        for (number, store) in stores.enumerate() {
            for (index, entry) in store.entries.iter().enumerate() {
                let Some(view) = store.view(entry) else { continue };
                let at = EntryRef { store: number as u32, entry: index as u32 };
                references.named.extend(view.id.iter().map(|id| (digest(at.store, id), at)));
                references.naming.extend(view.references.iter().map(|id| (digest(at.store, id), at)));
            }
        }
        references.named.sort_unstable();
        references.naming.sort_unstable();
        references
    }

    /// The entry of that id in the store of `from`: one of the same session rather than
    /// of another, and one that counts rather than one that does not.
    pub fn find(&self, store: &Store, from: EntryRef, id: &str) -> Option<EntryRef> {
        let own = store.entries.get(from.entry as usize)?.session;
        self.named(store, from.store, id).min_by_key(|at| {
            let entry = &store.entries[at.entry as usize];
            (entry.session != own, entry.state)
        })
    }

    /// The entries of that id in a store, which is the `number`th.
    pub fn named(&self, store: &Store, number: u32, id: &str) -> impl Iterator<Item = EntryRef> {
        with(&self.named, digest(number, id))
            .take(MOST)
            .filter(move |at| entry_view(store, *at).is_some_and(|(_, view)| view.id.as_deref() == Some(id)))
    }

    /// What an entry refers to, in stored order, and then what refers to it.
    pub fn ties(&self, store: &Store, at: EntryRef) -> Vec<Tie> {
        let Some((_, view)) = entry_view(store, at) else { return Vec::new() };
        let outward = view.references.iter().map(|id| Tie {
            outward: true,
            id: id.clone(),
            other: self.find(store, at, id),
        });
        let mut ties: Vec<Tie> = outward.collect();
        let Some(own) = view.id.as_deref() else { return ties };
        let mut others: Vec<EntryRef> = with(&self.naming, digest(at.store, own)).take(MOST).collect();
        others.dedup();
        for other in others {
            let Some((_, named)) = entry_view(store, other) else { continue };
            if named.references.iter().any(|id| &**id == own) && self.find(store, other, own) == Some(at) {
                let id = named.id.clone().unwrap_or_default();
                ties.push(Tie { outward: false, id, other: Some(other) });
            }
        }
        ties
    }
}

fn entry_view(store: &Store, at: EntryRef) -> Option<(&Entry, &super::record::View)> {
    let entry = store.entries.get(at.entry as usize)?;
    Some((entry, store.view(entry)?))
}

/// What stands under a digest. Different ids can share one: who asks compares them.
fn with(sorted: &[(u64, EntryRef)], digest: u64) -> impl Iterator<Item = EntryRef> + '_ {
    let from = sorted.partition_point(|(own, _)| *own < digest);
    sorted[from..].iter().take_while(move |(own, _)| *own == digest).map(|(_, at)| *at)
}

fn digest(store: u32, id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (store, id).hash(&mut hasher);
    hasher.finish()
}
