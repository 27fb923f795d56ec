//! Checks what other programs did between a plan that was shown and the user's yes. If they
//! changed, deleted or moved one of its memories, nothing is written: the plan is made again for
//! the same memories, never for new ones, and has to be confirmed again with what differs.

pub mod concurrent_changes;
mod current_stores;
mod replan;

use std::sync::Arc;

use crate::usecase::revalidate::concurrent_changes::{ConcurrentChange, ConcurrentChanges};
use crate::usecase::revalidate::current_stores::{has_same_files, of_bound};

pub(super) use current_stores::renew;
pub use current_stores::{current_snapshot, find_unchanged};

use super::command::ChangeCommand;
use super::execute::execute_unshown;
use super::failure::{ChangeFailure, Result};
use super::request::Requester;
use crate::disk::host::Host;
use crate::model::entry_tracker::have_equal_bytes;
use crate::model::{EntryRef, EntryTracker, Snapshot, Store};
use crate::ops::delete::is_held;
use crate::usecase::outcome::{ChangeObserver, ExecuteOutcome};
use crate::usecase::planned_change::PlannedChange;
use crate::usecase::undo_redo::RecentSteps;

/// A plan is tried at most this often if other programs change what it is not about.
const TRIES: usize = 4;

/// Carries out a plan that was shown, if its memories are as they were shown.
pub(super) fn execute_if_unchanged(
    planned: PlannedChange,
    host: Host<'_>,
    recent: &mut RecentSteps,
    teller: &mut dyn ChangeObserver,
) -> Result<ExecuteOutcome> {
    let mut planned = planned;
    planned.request.progress.go_on()?;
    for _ in 0..TRIES {
        let fresh = current_snapshot(&planned.request.snapshot, host, planned.request.now);
        let difference = difference(&planned, &fresh, host)?;
        if !difference.is_none() {
            let again = replan::replan_with_changes(&planned, difference, fresh, host)?;
            return Ok(ExecuteOutcome::Stale(Box::new(again)));
        }
        if planned.request.command.is_of_other_sessions() && !are_stores_as_shown(&planned, &fresh) {
            // It may take an id that was free when it was shown.
            let again = replan::replan(&planned, Arc::clone(&fresh), host)?;
            if !again.has_same_effects(&planned) {
                let concurrent = Some(difference);
                return Ok(ExecuteOutcome::Stale(Box::new(PlannedChange { concurrent, ..again })));
            }
            planned = again;
        }
        let made = match is_used(&planned, &fresh) {
            true => Err(ChangeFailure::used()),
            false => {
                planned.make_exact();
                execute_unshown(&planned, host, recent, teller)
            }
        };
        match made {
            Err(failed) if failed.is_moved => match replan_for_retry(planned, failed, host)? {
                (again, true) => return Ok(ExecuteOutcome::Stale(Box::new(again))),
                (again, false) => planned = again,
            },
            made => return made.map(ExecuteOutcome::Done),
        }
    }
    planned.make_exact();
    execute_unshown(&planned, host, recent, teller).map(ExecuteOutcome::Done)
}

/// True if the stores are as they were when the plan was made.
fn are_stores_as_shown(planned: &PlannedChange, fresh: &Snapshot) -> bool {
    let shown = &planned.request.snapshot.stores;
    shown.len() == fresh.stores.len()
        && shown.iter().zip(&fresh.stores).all(|(old, new)| Arc::ptr_eq(old, new))
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

/// Returns the plan for the next try after files were not as they were read. It is made again if
/// its memories are as they were shown, and other programs only used them or wrote beside them. The
/// flag is true if the plan has to be confirmed again, because a verb would do something else now.
fn replan_for_retry(
    planned: PlannedChange,
    failed: ChangeFailure,
    host: Host<'_>,
) -> Result<(PlannedChange, bool)> {
    let fresh = current_snapshot(&planned.request.snapshot, host, planned.request.now);
    let difference = difference(&planned, &fresh, host)?;
    if !difference.is_none() {
        return Ok((planned, false));
    }
    match replan::replan(&planned, fresh, host) {
        Ok(again) if !again.is_empty() && again.has_same_effects(&planned) => Ok((again, false)),
        Ok(again) if !again.is_empty() && planned.request.by != Requester::Screen => {
            Ok((PlannedChange { concurrent: Some(difference), ..again }, true))
        }
        _ => Err(failed),
    }
}

/// Returns the memories that a plan is about, in the stores that it was made of.
fn bound(planned: &PlannedChange) -> Vec<EntryRef> {
    if !planned.changing.is_empty() {
        return planned.changing.clone();
    }
    let mut all = Vec::new();
    for (number, plan) in &planned.plans {
        all.extend(plan.touched_entries().map(|entry| EntryRef { store: *number as u32, entry }));
    }
    all
}

fn difference(planned: &PlannedChange, fresh: &Snapshot, host: Host<'_>) -> Result<ConcurrentChanges> {
    if is_as_shown(planned, fresh) {
        return Ok(ConcurrentChanges::default());
    }
    match &planned.request.command {
        ChangeCommand::RestoreBackup(restoring) if planned.request.by == Requester::Screen => {
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
    if matches!(request.command, ChangeCommand::Redact(_)) || !request.hidden_values.is_empty() {
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
