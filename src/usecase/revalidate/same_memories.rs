//! The request for the same memories in stores that were read again.

use std::collections::HashSet;

use crate::model::{EntryRef, EntryTracker};
use crate::usecase::planned_change::{memory_count, name_of};
use crate::usecase::request::ChangeRequest;

/// Returns the request for the same memories, without those that are gone.
pub fn same_memories(shown: &ChangeRequest, request: ChangeRequest) -> ChangeRequest {
    let mut carry = EntryTracker::new(&shown.snapshot, &request.snapshot);
    let mut taken: HashSet<EntryRef> = HashSet::new();
    let (mut at, mut hidden) = (Vec::new(), Vec::new());
    for &own in &shown.at {
        if let Some(now) = carry.find(own, &|now| taken.contains(&now))
            && taken.insert(now)
        {
            at.push(now);
            hidden.extend(shown.is_hidden(own).then_some(now));
        }
    }
    hidden.sort_unstable();
    let beside =
        shown.beside.iter().filter_map(|own| carry.find(*own, &|now| taken.contains(&now))).collect();
    let name = match at.as_slice() {
        all if all.len() == shown.at.len() => request.name,
        [one] => {
            let (store, entry) = request.snapshot.get(*one);
            name_of(store, entry)
        }
        several => memory_count(several.len()),
    };
    ChangeRequest { at, beside, hidden, name, ..request }
}
