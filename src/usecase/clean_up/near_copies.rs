//! Memories that a clean-up does not take, though they say nearly the same, or hold a part of a value.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{EntryRef, Snapshot};
use crate::query::{CancelToken, Hit, SIMILAR_PERCENT, duplicates};
use crate::store::erase::{ErasedValues, SecretValues};

/// A part of a value is searched for if it has at least this many bytes.
const SHORTEST_PART: usize = 12;

/// Why a memory is a near-copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearKind {
    /// Its text is this similar to that of a memory that goes, in percent.
    Text(u32),
    /// It holds a part of a value.
    Part,
}

/// A memory that says nearly the same as one that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearCopy {
    /// The memory.
    pub at: EntryRef,
    /// Why it is one.
    pub kind: NearKind,
}

impl NearCopy {
    /// Says why it is one.
    pub fn told(&self) -> String {
        match self.kind {
            NearKind::Text(percent) => format!("{percent} % alike"),
            NearKind::Part => "holds a part of the value".into(),
        }
    }
}

/// Returns memories with the same words as one that goes, and those that are nearly alike. `None` if cancelled.
pub fn alike(
    snapshot: &Snapshot,
    goes: &BTreeSet<EntryRef>,
    cancel: &CancelToken,
) -> Option<(Vec<EntryRef>, Vec<NearCopy>)> {
    let hit = |at: EntryRef| Hit { at, rank: None, decay: 0.0 };
    let others = snapshot.entries().filter(|at| !goes.contains(at));
    let hits: Vec<Hit> = goes.iter().copied().chain(others).map(hit).collect();
    let (mut equal, mut near) = (Vec::new(), BTreeMap::new());
    for group in duplicates(snapshot, &hits, SIMILAR_PERCENT, cancel)? {
        let is_taken = |at: &EntryRef| goes.contains(at);
        if !group.iter().any(|own| is_taken(&own.hit.at)) {
            continue;
        }
        // The similarity is to the first of a group: a member equals one that goes if both are as similar to it.
        let first_goes = group.first().is_some_and(|own| is_taken(&own.hit.at));
        for own in group.iter().filter(|own| !is_taken(&own.hit.at)) {
            match own.percent() {
                100 if first_goes => equal.push(own.hit.at),
                percent => _ = near.insert(own.hit.at, percent.min(99)),
            }
        }
    }
    let near = near.into_iter().map(|(at, percent)| NearCopy { at, kind: NearKind::Text(percent) });
    Some((equal, near.collect()))
}

/// Returns memories that hold the first half of a value, and not all of it.
pub fn with_parts(snapshot: &Snapshot, goes: &BTreeSet<EntryRef>, values: &[String]) -> Vec<NearCopy> {
    let half = |own: &String| {
        let end = (0..=own.len() / 2).rev().find(|at| own.is_char_boundary(*at))?;
        (end >= SHORTEST_PART).then(|| own[..end].to_owned())
    };
    let parts = SecretValues::of(values.iter().filter_map(half));
    if parts.is_empty() {
        return Vec::new();
    }
    let search = ErasedValues::of(parts.all());
    let holds = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        search.any(&store.raw(entry))
    };
    let found = snapshot.entries().filter(|at| !goes.contains(at)).filter(holds);
    found.map(|at| NearCopy { at, kind: NearKind::Part }).collect()
}
