//! The sensitive values that memories hold, and which of them are erased wherever they are.

use std::collections::BTreeMap;

use super::value_holders::{SHORTEST_VALUE, ValueHolders};
use crate::detectors::NameList;
use crate::model::{EntryRef, Snapshot};
use crate::ops::secrets::{Finding, findings};
use crate::store::erase::SecretValues;

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

/// Returns the values that may be erased wherever they are. A short value is in other texts by chance, and one that
/// many memories hold is no secret of a few.
pub fn erasable<'v>(snapshot: &Snapshot, values: impl Iterator<Item = &'v Vec<u8>>) -> SecretValues {
    let long = SecretValues::of(values.filter(|own| own.len() >= SHORTEST_VALUE));
    ValueHolders::of(snapshot, &long).uncommon()
}
