//! Which memories hold values that are to be erased, or sensitive ones, and which values are erased wherever they are.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::secrets::{Finding, findings};
use crate::detectors::NameList;
use crate::model::{EntryRef, Snapshot};
use crate::ops::erase::is_snapshot;
use crate::store::erase::{ErasedValues, SecretValues};

/// A shorter value, in bytes, is in other texts by chance.
pub const SHORTEST_VALUE: usize = 8;
/// More than one in this number of memories: a value of all of them is no secret of one.
const SHARE: usize = 20;
/// Up to this number of memories may hold a value, however small the store is.
const FEW: usize = 5;

/// The memories that hold values.
pub struct ValueHolders {
    /// The memories, each with the numbers of the values that it holds.
    pub found: BTreeMap<EntryRef, BTreeSet<usize>>,
    /// By the number of a value: how many memories hold it, without those that repeat others.
    counts: BTreeMap<usize, usize>,
    /// The number of memories that were searched, without those that repeat others.
    all: usize,
    values: SecretValues,
}

impl ValueHolders {
    /// Searches every memory of a snapshot for the values, in every form.
    pub fn of(snapshot: &Snapshot, values: &SecretValues) -> ValueHolders {
        let search = ErasedValues::of(values.all());
        let (found, counts) = Default::default();
        let mut own = ValueHolders { found, counts, all: 0, values: values.clone() };
        for at in snapshot.entries().filter(|_| !values.is_empty()) {
            let (store, entry) = snapshot.get(at);
            let held = search.which(&store.raw(entry));
            // A checkpoint repeats what it holds: it is no other memory.
            if !is_snapshot(store, entry) {
                own.all += 1;
                held.iter().for_each(|value| *own.counts.entry(*value).or_default() += 1);
            }
            if !held.is_empty() {
                own.found.insert(at, held);
            }
        }
        own
    }

    /// Returns why a value is refused, if more than 5 % of the memories hold it.
    pub fn refusal(&self) -> Option<String> {
        let all = self.all;
        let count = self.counts.values().copied().find(|count| is_common(*count, all))?;
        Some(format!(
            "a value is in {count} of {all} memories, more than 5 %: it is no secret of one of them."
        ))
    }

    /// Returns the values that few enough memories hold.
    pub fn uncommon(&self) -> SecretValues {
        let is_rare = |at: &usize| !is_common(self.counts.get(at).copied().unwrap_or_default(), self.all);
        SecretValues::of(
            self.values.all().iter().enumerate().filter(|(at, _)| is_rare(at)).map(|(_, own)| own),
        )
    }
}

fn is_common(count: usize, all: usize) -> bool {
    count > FEW && count * SHARE > all
}

/// The memories that hold something sensitive, and what they hold.
#[derive(Default)]
pub struct DetectedValues {
    /// The memories, in the order that was given.
    pub holders: Vec<EntryRef>,
    /// The values, each with true if it is a key: a part of it is secret, too.
    pub values: BTreeMap<Vec<u8>, bool>,
}

impl DetectedValues {
    /// Searches these memories. `is_wanted` says which findings count.
    pub fn of(
        snapshot: &Snapshot,
        memories: impl IntoIterator<Item = EntryRef>,
        names: Option<&NameList>,
        is_wanted: &dyn Fn(&Finding) -> bool,
    ) -> DetectedValues {
        let mut own = DetectedValues::default();
        for at in memories {
            let (store, entry) = snapshot.get(at);
            let mut found = findings(store, entry, names).into_iter().filter(is_wanted).peekable();
            if found.peek().is_some() {
                own.holders.push(at);
            }
            own.values.extend(found.map(|own| (own.value, own.kind.is_secret())));
        }
        own
    }
}

/// Returns the values that may be taken out of memories that stay: what opens something, however many have it, and what
/// may be erased.
pub fn removable(snapshot: &Snapshot, values: &BTreeMap<Vec<u8>, bool>) -> SecretValues {
    let keys = values.iter().filter(|(value, is_key)| **is_key && value.len() >= SHORTEST_VALUE);
    let rare = erasable(snapshot, values.keys());
    SecretValues::of(keys.map(|(value, _)| value.as_slice()).chain(rare.all().iter().map(|value| &value[..])))
}

/// Returns the values that may be erased wherever they are. A short value is in other texts by chance, and one that
/// many memories hold is no secret of a few.
pub fn erasable<'v>(snapshot: &Snapshot, values: impl Iterator<Item = &'v Vec<u8>>) -> SecretValues {
    let long = SecretValues::of(values.filter(|own| own.len() >= SHORTEST_VALUE));
    ValueHolders::of(snapshot, &long).uncommon()
}
