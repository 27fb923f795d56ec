//! `merge`: makes several memories of a store into one. No text is written new: the texts follow each other.

use crate::model::key::Key;
use crate::model::{Entry, Plan, State, Store};
use crate::ops::{Operation, Refusal, Result, WriteContext, check, may, plan_and_after, writes};

const NO_MERGE: &str = "this format has no way to make several memories into one.";

/// Checks that a memory can become a part of another.
pub fn may_merge(store: &Store, entry: &Entry) -> Result<()> {
    let (_, writes) = writes(store)?;
    if writes.own().merge.is_none() {
        return Err(Refusal::unfit(NO_MERGE));
    }
    may(store, entry, Operation::Delete)
}

/// Plans to put the texts of `entries` after that of the memory with the id `into`, and to delete them.
pub fn merge(context: &WriteContext<'_>, entries: &[Entry], into: &str) -> Result<Plan> {
    let (store, (_, writes)) = (context.store, writes(context.store)?);
    let merge = writes.own().merge.ok_or_else(|| Refusal::unfit(NO_MERGE))?;
    let key = Key::read(into).and_then(|key| store.entry_of_key(&key));
    let is_it = |own: &&Entry| match key {
        Some(number) => store.number_of(own) == Some(number),
        None => store.view(own).is_some_and(|view| view.id == Some(into)),
    };
    let mut found = store.entries.iter().filter(|own| own.state == State::Live).filter(is_it);
    let (Some(target), None) = (found.next(), found.next()) else {
        return Err(Refusal::unfit(format!(
            "{into:?} is not the id or key of one live memory of the store."
        )));
    };
    let others: Vec<Entry> = entries.iter().filter(|own| *own != target).copied().collect();
    if others.is_empty() {
        return Err(Refusal::unfit("name the memories that become a part of it."));
    }
    others.iter().try_for_each(|own| may_merge(store, own))?;
    let changes = merge(context, &others, target)?;
    let (plan, after) = plan_and_after("merge", context, others.len(), changes)?;
    check(context, &plan, &after)?;
    Ok(plan)
}
