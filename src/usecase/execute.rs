//! Carries out changes, the plan of one store after the other, and reports the result.

use std::path::Path;
use std::sync::Arc;

use super::drafts::failure_with_draft;
use super::erasure_report::{ErasureReport, erasure_proof};
use super::failure::{ChangeFailure, HeldLock, Result};
use super::plan_change::plan_current;
use super::request::ChangeRequest;
use super::revalidate::execute;
use super::revalidate::replan::replan;
use super::undo_redo::{RecentSteps, ReverseLast, undo_or_redo};
use super::write::{Written, write, write_erasure};
use crate::disk::host::Host;
use crate::model::{PathText, Plan, Snapshot, Store};
use crate::ops::Refusal;
use crate::ops::command::{StoreInput, StorePlan, WriteWay};
use crate::ops::erase::EraseOptions;
use crate::ops::init::InitStore;
use crate::store::steps::make_folders;
use crate::store::{CommitError, FilesState};
use crate::usecase::outcome::{ChangeObserver, ChangeReport, ExecuteOutcome, HistoryEffect, SilentObserver};
use crate::usecase::planned_change::{PlannedChange, PlannedErasure};

/// Plans a change and carries it out. An error says what state the files are in.
pub fn plan_and_execute(request: &ChangeRequest, recent: &mut RecentSteps) -> Result<ExecuteOutcome, String> {
    let host = Host::here(&request.data, request.now);
    let rules = request.command.rules();
    let done = match request.command.get::<ReverseLast>() {
        Some(reverse) => undo_or_redo(request, host, recent, reverse.is_redo).map(ExecuteOutcome::Done),
        None => plan_current(request.clone(), host).and_then(|planned| match planned.concurrent {
            Some(_) if rules.binds_to_seen => Ok(ExecuteOutcome::Stale(Box::new(planned))),
            // What the user wrote would replace what another program wrote.
            Some(_) if rules.is_written || planned.is_empty() => {
                Err(ChangeFailure::changed_meanwhile(&request.snapshot, &request.at))
            }
            _ => execute(planned, host, recent, &mut SilentObserver, rules.binds_to_seen),
        }),
    };
    done.map_err(|failed| failure_with_draft(request, failed.told()))
}

/// Carries out what was shown, or says what differs from it. An error says what state the files are in.
pub fn execute_shown(planned: PlannedChange, recent: &mut RecentSteps) -> Result<ExecuteOutcome, String> {
    let request = planned.request.clone();
    let host = Host::here(&request.data, request.now);
    let done = execute(planned, host, recent, &mut SilentObserver, true);
    done.map_err(|failed| failure_with_draft(&request, failed.told()))
}

/// Carries out a plan that was not shown. Each write checks what other programs did since.
pub fn execute_unshown(
    planned: &PlannedChange,
    host: Host<'_>,
    recent: &mut RecentSteps,
    observer: &mut dyn ChangeObserver,
) -> Result<ChangeReport> {
    let request = &planned.request;
    let nothing = ChangeReport {
        said: format!("{}: there is nothing to change", request.name),
        notes: planned.left_out(),
        effect: HistoryEffect::Nothing,
        receipt: Vec::new(),
    };
    if planned.is_empty() {
        return Ok(nothing);
    }
    request.progress.write()?;
    request.progress.begin(planned.plans.len() + planned.erasures.len());
    let [_, _, done] = request.command.words();
    let said = format!("{done} {}", planned.display_name());
    if !planned.erasures.is_empty() {
        let receipt = erase_all(planned, host, observer)?;
        return Ok(ChangeReport { said, receipt, ..nothing });
    }
    let mut notes = Vec::new();
    let mut changed: Vec<&Path> = Vec::new();
    recent.begin();
    let mut effect = HistoryEffect::Made;
    for planned_store in &planned.plans {
        let store = &request.snapshot.stores[planned_store.store];
        if request.command.is::<InitStore>() {
            make_folders(host.disk, &store.root).map_err(|error| {
                let message = format!("{} can't be made: {error}.", store.root.to_text());
                let failed = CommitError::io(&store.root, "made", error).with(FilesState::Restored);
                ChangeFailure { message, ..failed.into() }
            })?;
        }
        let is_due = planned_store.plan.is_due();
        let written = is_due.then(|| write_unlocked(planned, planned_store, host, observer));
        let written = written.transpose().map_err(|error| ChangeFailure::from(error).after(&changed))?;
        let planned_on = written.as_ref().and_then(|written| written.store.as_ref()).unwrap_or(store);
        let receipt = written.as_ref().map(|written| &written.receipt);
        if !observer.on_written(planned_on, &planned_store.plan, receipt) {
            return Ok(nothing);
        }
        let Some(Written { receipt, .. }) = written else { continue };
        changed.push(&store.root);
        notes.extend(receipt.notes);
        match planned_store.way {
            WriteWay::Reversed(reversed) => {
                effect = recent.push_reversed(reversed, &store.root, planned_store.described());
            }
            _ => recent.push_new(&store.root, receipt.step, &said),
        }
        let _ = request.progress.step();
    }
    notes.extend(planned.left_out());
    Ok(ChangeReport { said, notes, effect, receipt: Vec::new() })
}

/// Plans a change of one store again, as the store is while no other palimp writes.
fn plans_again(
    planned: &PlannedChange,
    host: Host<'_>,
    number: usize,
    store: &Arc<Store>,
) -> Result<Vec<StorePlan>, CommitError> {
    if !planned.request.command.is_of_memories() {
        let input = StoreInput { host, store, number, is_only: true, random: planned.random };
        return planned.request.command.plan_store(&input);
    }
    let mut stores = planned.request.snapshot.stores.clone();
    stores[number] = Arc::clone(store);
    let again = replan(planned, Arc::new(Snapshot::of(stores)), host);
    Ok(again.map_err(|failed| *failed.cause)?.plans)
}

/// Writes the plan of one store. If a lock stops it, the observer may break the lock once.
fn write_unlocked(
    planned: &PlannedChange,
    planned_store: &StorePlan,
    host: Host<'_>,
    observer: &mut dyn ChangeObserver,
) -> Result<Written, CommitError> {
    let number = planned_store.store;
    let again = |store: &Arc<Store>| {
        let plans = plans_again(planned, host, number, store)?;
        let shown = &planned_store.plan;
        let again = plans.into_iter().find(|again| again.store == number).map(|again| again.plan);
        let again = again
            .ok_or_else(|| Refusal::new("E_CONCURRENT_MOD", "none of the memories is there any more."))?;
        // Nobody agreed to fewer memories; what was shown is done, or nothing.
        let is_other =
            if shown.exact { !again.has_same_effects(shown) } else { again.records < shown.records };
        if is_other {
            return Err(CommitError::moved(&store.root, "other memories would change now"));
        }
        Ok(Plan { asked: shown.asked, change: shown.change.clone(), ..again })
    };
    let store = &planned.request.snapshot.stores[number];
    match write(host, store, planned_store, &again) {
        Err(error) if is_broken(&error, host, observer) => write(host, store, planned_store, &again),
        outcome => outcome,
    }
}

/// True if a lock stopped the change, and was broken with the observer's consent.
fn is_broken(error: &CommitError, host: Host<'_>, observer: &mut dyn ChangeObserver) -> bool {
    HeldLock::of(error).is_some_and(|held| observer.may_break(&held) && held.break_it(host))
}

fn erase_all(
    planned: &PlannedChange,
    host: Host<'_>,
    observer: &mut dyn ChangeObserver,
) -> Result<Vec<String>> {
    let Some(options) = planned.request.command.get::<EraseOptions>() else { return Ok(Vec::new()) };
    let mut done: Vec<(&PlannedErasure, ErasureReport)> = Vec::new();
    let mut changed: Vec<&Path> = Vec::new();
    for own in &planned.erasures {
        let erased = write_erasure(host, own, &planned.not_reached, options.reason());
        let erased = erased.map_err(|error| ChangeFailure::from(error).after(&changed))?;
        changed.push(&own.store.root);
        let report = ErasureReport::of(erased);
        let goes_on = observer.on_erased(own, &report);
        done.push((own, report));
        if !goes_on {
            break;
        }
        let _ = planned.request.progress.step();
    }
    Ok(erasure_proof(&done, &planned.not_reached))
}
