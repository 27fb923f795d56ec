//! Carries out a plan as one step: undo data first, then the files, then the journal.

use crate::store::write::derive::{derive_files, rebuild_derived};
use std::borrow::Cow;
use std::io;

use super::apply::apply_plan::{self, KEPT_CHANGING};
use super::apply::{create_files, inverse_change, owner_and_mode, ready_plan, record_digests};
use super::handover::{add_late_lines, rescue};
use super::recovery::recover_steps;
use super::scrub::stale_plan_guard;
use super::{CommitContext, CommitError, FilesState, UndoStep};
use crate::format::writing::Refusal;
use crate::model::plan::effect::{EffectKind, MemoryEffect};
use crate::model::{CommitReceipt, FileLine, JournalLine, MemoryName, Plan, Renaming, UndoRedo};
use crate::store::lock::LockError;
use crate::store::referenced_files;
use crate::store::steps::undo_step::EqualRecords;
use crate::store::write::apply::ApplyProgress;

pub fn commit(
    context: &CommitContext<'_>,
    plan: &Plan,
    turn: Option<UndoRedo>,
) -> Result<CommitReceipt, CommitError> {
    if let Some(why) = context.format.about().read_only {
        return Err(Refusal::unfit(why).into());
    }
    retry(context, || commit_as(context, plan, turn))
}

fn commit_as(
    context: &CommitContext<'_>,
    plan: &Plan,
    turn: Option<UndoRedo>,
) -> Result<CommitReceipt, CommitError> {
    let plan = &*ready(context, plan)?;
    let number = context.vault.next_step()?;
    let (kept, remade) = rebuild_derived::kept_of_derived(context, plan)?;
    let inverse = |change| inverse_change::bare_inverse(context, change);
    let mut step = UndoStep {
        line: JournalLine {
            at: context.host.now.to_rfc3339(),
            verb: plan.verb.clone(),
            records: plan.records as u64,
            turn,
            change: plan.change.clone(),
            brought_back: plan.brought_back.clone(),
            renamed: renamed(context, plan),
            ..JournalLine::default()
        },
        process: context.own_process(),
        new_keys: new_keys(plan),
        changes: plan.changes.iter().rev().map(inverse).collect::<Result<_, _>>()?,
        derived: kept.into_iter().rev().map(inverse).collect::<Result<_, _>>()?,
        remade,
        twins: plan.changes.iter().flat_map(record_digests::remaining_equals_of).collect(),
        claimed: plan
            .already_restored
            .iter()
            .cloned()
            .map(|(file, name, count)| EqualRecords(file, name, count))
            .collect(),
    };
    context.keep(number, &step)?;
    // If the step is not finished, it archived nothing: the journal does not have it.
    context.vault.put_archived(number, &plan.archived).inspect_err(|_| drop(context.forget(number)))?;
    let mut carried = ApplyProgress::default();
    if let Err(error) = apply_plan::apply_plan(context, plan, &mut carried, Some((number, &mut step))) {
        return Err(taken_back(context, number, error, &carried));
    }
    let mut notes = std::mem::take(&mut *context.notes.borrow_mut());
    notes.append(&mut carried.notes);
    notes.extend(owner_and_mode::sentences(&carried.lacking));
    notes.extend(referenced_files::newly_missing(context.host.disk, context.store, plan, context.host.now));
    let mut line = JournalLine {
        step: number,
        files: plan.all().filter(|change| !change.is_empty()).map(FileLine::of).collect(),
        format: context.place.format.to_owned(),
        as_planned: !carried.derive,
        ..step.line
    };
    for (path, before, after) in &carried.changed_lens {
        let own = line.files.iter_mut().find(|own| own.path == *path);
        own.into_iter().for_each(|own| (own.bytes_before, own.bytes_after) = (*before, *after));
    }
    let mut waits = false;
    if carried.derive {
        context.is_busy.set(context.is_busy.get() || carried.met_others);
        waits = derive_files::note_derive_due(context, &carried.touched)
            && plan.derive_later
            && context.tuning.defers_indexes;
    }
    // Written as soon as the files have the change: later writes of others make that hard to see.
    // If the journal can't be written, the step is still applied: its undo data says the same, and
    // the next start writes the line.
    let journalled = context.vault.write_later(&line).map_err(|error| {
        let why = error.in_short();
        format!(
            "the change is saved, but the journal is not: {why}. The next start of palimp adds step {number} to it; then `palimp undo {number}` undoes it"
        )
    });
    // A step that is not in the journal needs its undo data to be settled.
    if journalled.is_ok()
        && let Err(error) = context.vault.drop_too_large(number)
    {
        let why = error.in_short();
        notes.push(format!("its undo data exceeds the limit and could not be removed: {why}"));
    }
    add_late_lines::move_before(context, std::mem::take(&mut carried.splitting));
    // Late lines come first, so that derived files are rebuilt only once.
    let late = rescue::rescue_own(context);
    carried.derive |= !late.is_empty();
    carried.touched.extend(late);
    if carried.derive && !waits {
        waits = !derive_files::derive_touched(context, &carried.touched, plan.verb.clone());
        notes.extend(waits.then(|| derive_files::STALE.to_owned()));
    }
    let is_journalled = journalled.is_ok();
    notes.extend(journalled.err());
    Ok(CommitReceipt { step: number, notes, is_journalled, waits, plan: plan.clone() })
}

/// Returns the plan as it is carried out now. Nothing of an earlier state of the store is left in it.
fn ready<'p>(context: &CommitContext<'_>, plan: &'p Plan) -> Result<Cow<'p, Plan>, CommitError> {
    // Such a plan contains nothing that existed before.
    if plan.is_tail_append() {
        return Ok(Cow::Borrowed(plan));
    }
    let mut plan = plan.clone();
    ready_plan::place_new_files(context, &mut plan);
    stale_plan_guard::refuse_stale_plan(context, &mut plan)?;
    ready_plan::restore_surroundings(context, &mut plan)?;
    Ok(Cow::Owned(plan))
}

fn new_keys(plan: &Plan) -> Vec<(String, String)> {
    let taken = plan.effects.iter().filter(|effect| effect.kind.takes_bytes());
    let keys = |effect: &MemoryEffect| {
        let after = effect.key_after.unwrap_or(effect.key);
        (effect.key.to_string(), after.to_string())
    };
    taken.map(keys).collect()
}

/// Returns the names before and after the plan of the memories that get others.
fn renamed(context: &CommitContext<'_>, plan: &Plan) -> Vec<Renaming> {
    let renaming = |effect: &MemoryEffect| {
        let id = effect.id.as_ref().filter(|id| !id.is_empty())?;
        let moved = Some(&effect.file).filter(|_| effect.kind == EffectKind::Move);
        let session = moved.and_then(|file| context.format.session_of(file));
        let session = session.or_else(|| effect.session.clone());
        let before = MemoryName { session: effect.session.clone(), id: id.clone() };
        let after = MemoryName { session, id: effect.id_after.as_ref().unwrap_or(id).clone() };
        (before != after).then_some(Renaming { before, after })
    };
    plan.effects.iter().filter_map(renaming).collect()
}

/// Undoes a failed step if possible. Returns the error with the state of the files.
fn taken_back(
    context: &CommitContext<'_>,
    number: u64,
    error: CommitError,
    carried: &ApplyProgress,
) -> CommitError {
    if carried.began.is_empty() && carried.began_derived {
        // Only derived files were to be rebuilt: the next start finishes that.
        return error.with(FilesState::Halfway);
    }
    // New files alone are removed without a lock and without a journal line: no other program knows
    // them, and the holder of the lock may keep us waiting.
    let is_made_alone = !carried.began_there && !carried.began_derived;
    if carried.began.is_empty() || (is_made_alone && create_files::unmake(context, &carried.created).is_ok())
    {
        let _ = context.forget(number);
        return error.with(FilesState::Untouched);
    }
    match recover_steps::settle(context, number, Some(&carried.began)) {
        Ok(recover_steps::RecoveryOutcome::Undone) => error.with(FilesState::Restored),
        _ => error.with(FilesState::Halfway),
    }
}

/// The Linux error of a failed disk (`EIO`): a network disk may work again at once.
const DISK_FAILED: i32 = 5;

/// Calls `make`, and again after a pause if the reason may pass (2 §5.3). Only if every file is unchanged: otherwise the
/// same bytes could be written twice. A lock that timed out is not waited for again.
fn retry<T>(
    context: &CommitContext<'_>,
    make: impl Fn() -> Result<T, CommitError>,
) -> Result<T, CommitError> {
    let began = context.host.machine.monotonic();
    let mut outcome = make();
    let pauses =
        (0..context.tuning.retries).filter_map(|retry| Some(context.tuning.lock_backoff?.after(retry)));
    for pause in pauses {
        // Other programs wait: all pauses together are no longer than the lock timeout.
        let waited = context.host.machine.monotonic().saturating_sub(began);
        let is_in_time = waited + pause <= context.tuning.lock_timeout;
        if !is_in_time || !outcome.as_ref().is_err_and(may_pass) {
            break;
        }
        context.host.machine.sleep(pause);
        outcome = make();
    }
    outcome
}

fn may_pass(error: &CommitError) -> bool {
    let is_passing = match error {
        CommitError::Io { source, .. }
        | CommitError::OwnData(_, source)
        | CommitError::Lock(LockError::Io(_, source)) => is_passing(source),
        CommitError::Moved { what, .. } => *what == KEPT_CHANGING,
        _ => false,
    };
    is_passing && error.files() == FilesState::Untouched
}

fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, ResourceBusy, StaleNetworkFileHandle, TimedOut, WouldBlock};
    let kinds = [Interrupted, ResourceBusy, StaleNetworkFileHandle, TimedOut, WouldBlock];
    kinds.contains(&error.kind()) || error.raw_os_error() == Some(DISK_FAILED)
}
