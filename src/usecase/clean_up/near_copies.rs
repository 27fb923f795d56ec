//! Memories that a clean-up does not take, though they say nearly the same, or hold a part of a value.

use std::collections::BTreeMap;

use crate::model::{EntryRef, Snapshot};
use crate::ops::erase::is_snapshot;
use crate::query::{CancelToken, SIMILAR_PERCENT, nearest};
use crate::store::erase::{ErasedValues, SecretValues};

/// A part of a value is searched for if it has at least this many bytes.
const SHORTEST_PART: usize = 12;

/// Why a memory is a near-copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearKind {
    /// It says the same as a memory that goes.
    Equal,
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
    /// True if it is not of the time that is asked for.
    pub is_out_of_time: bool,
    /// True if it is pinned, and pinned ones stay.
    pub is_pinned: bool,
}

impl NearCopy {
    /// Says why it is one.
    pub fn told(&self) -> String {
        let kind = match self.kind {
            NearKind::Equal => "says the same".to_owned(),
            NearKind::Text(percent) => format!("{percent} % alike"),
            NearKind::Part => "holds a part of the value".into(),
        };
        let reasons = [(self.is_out_of_time, ", outside the time"), (self.is_pinned, ", pinned")];
        let reasons = reasons.into_iter().filter(|(is, _)| *is).map(|(_, told)| told);
        std::iter::once(&*kind).chain(reasons).collect()
    }
}

/// Returns the memories that say the same as one that goes or nearly so, and those that hold half of a value. Each
/// is named once: a part of a value is said first. `None` if cancelled.
pub fn near_copies(
    snapshot: &Snapshot,
    goes: &[EntryRef],
    others: &[EntryRef],
    values: &[String],
    cancel: &CancelToken,
) -> Option<BTreeMap<EntryRef, NearKind>> {
    let kind = |percent: u32| if percent == 100 { NearKind::Equal } else { NearKind::Text(percent) };
    // A checkpoint sums up what it repeats, and many have the same summary.
    let own_texts = |all: &[EntryRef]| {
        let is_own = |at: &&EntryRef| {
            let (store, entry) = snapshot.get(**at);
            !is_snapshot(store, entry)
        };
        all.iter().filter(is_own).copied().collect::<Vec<_>>()
    };
    let alike = nearest(snapshot, (&own_texts(goes), &own_texts(others)), SIMILAR_PERCENT, cancel)?;
    let mut near: BTreeMap<EntryRef, NearKind> =
        alike.into_iter().map(|own| (own.at, kind(own.percent))).collect();
    near.extend(with_halves(snapshot, others, values).map(|at| (at, NearKind::Part)));
    Some(near)
}

/// Returns the memories that hold the first or the last half of a value.
fn with_halves(
    snapshot: &Snapshot,
    others: &[EntryRef],
    values: &[String],
) -> impl Iterator<Item = EntryRef> {
    let halves = values.iter().flat_map(|own| {
        let (first, last) = own.as_bytes().split_at(own.len() / 2);
        [first, last].into_iter().filter(|half| half.len() >= SHORTEST_PART)
    });
    let halves = SecretValues::of(halves);
    let search = (!halves.is_empty()).then(|| ErasedValues::of(halves.all()));
    others.iter().copied().filter(move |at| {
        let (store, entry) = snapshot.get(*at);
        search.as_ref().is_some_and(|search| search.any(&store.raw(entry)))
    })
}
