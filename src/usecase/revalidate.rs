//! Checks what other programs did between a plan that was shown and the user's yes. If they
//! changed, deleted or moved one of its memories, nothing is written: the plan is made again for
//! the same memories, never for new ones, and has to be confirmed again with what differs.

pub mod concurrent_changes;
pub(super) mod current_stores;
pub(super) mod replan;

use std::collections::HashSet;
use std::sync::Arc;

use crate::usecase::revalidate::concurrent_changes::{ConcurrentChange, ConcurrentChanges};
use crate::usecase::revalidate::current_stores::{has_same_files, of_bound};

pub use current_stores::{current_snapshot, find_unchanged};

use super::execute::execute_unshown;
use super::failure::{ChangeFailure, Result};
use super::request::Requester;
use crate::disk::host::Host;
use crate::model::entry_tracker::have_equal_bytes;
use crate::model::{EntryRef, EntryTracker, Snapshot, Store};
use crate::ops::backup_restore::BackupRestore;
use crate::ops::command::StorePlan;
use crate::ops::delete::is_held;
use crate::ops::merge::MergeChoice;
use crate::ops::redact::Redaction;
use crate::usecase::outcome::{ChangeObserver, ExecuteOutcome};
use crate::usecase::planned_change::PlannedChange;
use crate::usecase::undo_redo::RecentSteps;

/// A plan is tried at most this often if other programs change what it is not about.
const TRIES: usize = 4;

/// Carries out a plan, on a disk and a machine of the caller's choice. One that was shown is carried out only if its
/// memories are as they were shown.
/// Fails if it can't be carried out. The failure says what state the files are in.
pub fn execute(
    mut planned: PlannedChange,
    host: Host<'_>,
    recent: &mut RecentSteps,
    observer: &mut dyn ChangeObserver,
    was_shown: bool,
) -> Result<ExecuteOutcome> {
    if !was_shown {
        return execute_unshown(&planned, host, recent, observer).map(ExecuteOutcome::Done);
    }
    planned.request.progress.go_on()?;
    // Why the last try failed: files were not as they were read.
    let mut moved: Option<ChangeFailure> = None;
    for _ in 0..=TRIES {
        let fresh = current_snapshot(&planned.request.snapshot, host);
        let difference = difference(&planned, &fresh, host)?;
        if !difference.is_none() {
            let again = replan::replan_with_changes(&planned, difference, fresh, host)?;
            return Ok(ExecuteOutcome::Stale(Box::new(again)));
        }
        // It may take an id that was free when it was shown, or other memories.
        let command = &planned.request.command;
        let chooses = !command.is_of_memories() && !command.is::<BackupRestore>();
        let depends_on_others = chooses || command.rules().is_of_other_sessions;
        if moved.is_some() || depends_on_others && !is_as_shown(&planned, &fresh) {
            let again = match (replan::replan(&planned, Arc::clone(&fresh), host), &moved) {
                (Ok(again), None) => again,
                // A screen shows why it failed, unless the same can be tried again.
                (Ok(again), Some(_)) if !again.is_empty() && may_be_tried(&again, &planned) => again,
                (Err(failed), None) => return Err(failed),
                (_, Some(_)) => break,
            };
            if !again.has_same_effects(&planned) {
                let again = PlannedChange { concurrent: Some(difference), ..again };
                return Ok(ExecuteOutcome::Stale(Box::new(again)));
            }
            planned = again;
        }
        if is_used(&planned, &fresh) {
            moved = Some(ChangeFailure::used());
            continue;
        }
        planned.make_exact();
        match execute_unshown(&planned, host, recent, observer) {
            Err(failed) if failed.is_moved() => moved = Some(failed),
            made => return made.map(ExecuteOutcome::Done),
        }
    }
    Err(moved.unwrap_or_else(ChangeFailure::used))
}

fn may_be_tried(again: &PlannedChange, shown: &PlannedChange) -> bool {
    again.has_same_effects(shown) || again.request.by != Requester::Screen
}

/// True if a memory to erase was used: an erasure that starts from the old bytes would stop halfway.
fn is_used(planned: &PlannedChange, fresh: &Snapshot) -> bool {
    let was = &planned.request.snapshot;
    let mut carry = EntryTracker::new(was, fresh);
    let mut is_other = |at: &EntryRef| match carry.find(*at, &|_| false) {
        Some(is) => !have_equal_bytes(fresh.get(is), was.get(*at)),
        None => !is_held(was.get(*at).0, was.get(*at).1),
    };
    !planned.erasures.is_empty() && planned.changing.iter().any(&mut is_other)
}

/// Returns the memories that a plan is about, in the stores that it was made of.
fn bound(planned: &PlannedChange) -> Vec<EntryRef> {
    let mut all = planned.changing.clone();
    let merge = planned.request.command.get::<MergeChoice>();
    for StorePlan { store: number, plan, .. } in &planned.plans {
        // The memory that others become a part of may stay as it is.
        let store = &planned.request.snapshot.stores[*number];
        let target = merge.and_then(|merge| store.number_of(merge.target(store).ok()?));
        let entries = plan.effects.iter().filter_map(|effect| effect.entry).chain(target);
        all.extend(entries.map(|entry| EntryRef { store: *number as u32, entry }));
    }
    let mut known = HashSet::new();
    all.retain(|at| known.insert(*at));
    all
}

fn difference(planned: &PlannedChange, fresh: &Snapshot, host: Host<'_>) -> Result<ConcurrentChanges> {
    if is_as_shown(planned, fresh) {
        return Ok(ConcurrentChanges::default());
    }
    match planned.request.command.get::<BackupRestore>() {
        Some(restoring) if planned.request.by == Requester::Screen => {
            replan::restoring(planned, restoring, fresh, host)
        }
        _ => Ok(of_memories(planned, fresh)),
    }
}

fn is_as_shown(planned: &PlannedChange, fresh: &Snapshot) -> bool {
    let was = &planned.request.snapshot.stores;
    let is_untouched =
        |(old, new): (&Arc<Store>, &Arc<Store>)| Arc::ptr_eq(old, new) || has_same_files(old, new);
    was.len() == fresh.stores.len() && was.iter().zip(&fresh.stores).all(is_untouched)
}

fn of_memories(planned: &PlannedChange, fresh: &Snapshot) -> ConcurrentChanges {
    let bound = [bound(planned), planned.request.beside.clone()].concat();
    let mut all = of_bound(&planned.request.snapshot, &bound, fresh, planned.request.now);
    let request = &planned.request;
    if request.command.is::<Redaction>() || !request.hidden_values.is_empty() {
        all.changes.iter_mut().for_each(ConcurrentChange::hide_texts);
    }
    all
}

/// Returns how many memories of a shown plan are not as they were shown, in stores that were read
/// since. If only the plans say which memories they change, this is checked when the user agrees,
/// because whole files would have to be read.
pub fn count_changed_since(planned: &PlannedChange, fresh: &Snapshot) -> usize {
    match planned.changing.is_empty() || is_as_shown(planned, fresh) {
        true => 0,
        false => of_memories(planned, fresh).changes.len(),
    }
}
