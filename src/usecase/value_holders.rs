//! Which memories hold values that are to be erased.

use std::collections::BTreeMap;

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
    /// The memories, in the order of the snapshot.
    pub found: Vec<EntryRef>,
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
            if !held.is_empty() {
                own.found.push(at);
            }
            // A checkpoint repeats what it holds: it is no other memory.
            if is_snapshot(store, entry) {
                continue;
            }
            own.all += 1;
            held.into_iter().for_each(|value| *own.counts.entry(value).or_default() += 1);
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
