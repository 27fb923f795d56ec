//! Plans undo and redo of a step, adapted to the files as they are.

use std::path::Path;

use super::restore_filter::{RestoreSummary, ReversedStep};
use crate::disk::ItemKind;
use crate::disk::host::Host;
use crate::model::{
    Act, Change, CommitReceipt, JournalLine, Moment, PathText, Plan, Splice, Store, UndoRedo, Verb, plan,
};
use crate::store::plan_effects::effects_of;
use crate::store::steps::UndoStep;
use crate::store::steps::step_history::{StepHistory, passed_over};
use crate::store::steps::undo_step::EqualRecords;
use crate::store::write::commit_context::is_copy;
use crate::store::write::derive::rebuild_derived::rebuild_derived;
use crate::store::write::history::restore_filter;
use crate::store::write::recovery::recover_steps;
use crate::store::write::scrub::{ErasureLine, restore_guard};
use crate::store::write::{CommitContext, CommitError, FilesState, Writer, commit_plan};

/// Like [`Writer::undo`]: nothing is locked or written. Fails as [`Writer::undo`].
pub fn plan_undo(host: Host<'_>, store: &Store, step: Option<u64>) -> Result<(Plan, UndoRedo), CommitError> {
    Writer::open_read_only(host, store)?.undo(step)
}

/// Like [`Writer::redo`]: nothing is locked or written. Fails as [`Writer::redo`].
pub fn plan_redo(host: Host<'_>, store: &Store, step: Option<u64>) -> Result<(Plan, UndoRedo), CommitError> {
    Writer::open_read_only(host, store)?.redo(step)
}

impl Writer<'_> {
    /// Plans the undo of a step, or of the newest one that can be undone. Fails if there is no such step, it is
    /// undone already, or its undo data is gone or can't be read.
    pub fn undo(&self, wanted: Option<u64>) -> Result<(Plan, UndoRedo), CommitError> {
        let context = &self.context;
        let journal = context.vault.journal()?;
        let history = StepHistory::of(&journal);
        // The undo of an undo is a redo.
        if let Some(&(step, by)) = history.undone.iter().find(|(_, by)| Some(*by) == wanted) {
            return Ok((turned(context, Verb::Redo, step, by)?, UndoRedo::Redo(step)));
        }
        let found = match wanted {
            None => history.newest(&journal, &context.vault.steps()?),
            Some(number) => history.done.iter().find(|(step, by)| *step == number || *by == number).copied(),
        };
        let Some((step, by)) = found else {
            return Err(CommitError::NoStep(not_in_force(&context.place.root, &journal, wanted)));
        };
        let mut plan = turned(context, Verb::Undo, step, by)?;
        plan.lines.extend(passed_over(&history, &journal, &context.vault.steps()?, step));
        Ok((plan, UndoRedo::Undo(step)))
    }

    /// Plans the redo of a step, or of the last one that was undone. Fails if there is no such step, it is not
    /// undone, or its undo data is gone or can't be read.
    pub fn redo(&self, step: Option<u64>) -> Result<(Plan, UndoRedo), CommitError> {
        let context = &self.context;
        let history = StepHistory::of(&context.vault.journal()?);
        let found = match step {
            None => history.undone.last(),
            Some(number) => history.undone.iter().find(|(step, _)| *step == number),
        };
        let Some(&(step, by)) = found else {
            let what = format!("There is nothing to redo in {}.", context.place.root.to_text());
            return Err(CommitError::NoStep(what));
        };
        Ok((turned(context, Verb::Redo, step, by)?, UndoRedo::Redo(step)))
    }

    /// Carries out what [`Writer::undo`] or [`Writer::redo`] planned. Fails as [`Writer::commit`], and if the step
    /// was undone or redone since.
    pub fn commit_undo_redo(&self, plan: &Plan, turn: UndoRedo) -> Result<CommitReceipt, CommitError> {
        // The plan was made and shown before this writer excluded other palimps.
        check_reversal(&self.context, plan, turn)?;
        commit_plan::commit(&self.context, plan, Some(turn))
            .map_err(|error| after_own_steps(&self.context, plan, turn, error))
    }
}

/// Returns a clearer error than `error` if later steps of palimp caused the conflict of an undo.
fn after_own_steps(
    context: &CommitContext<'_>,
    plan: &Plan,
    turn: UndoRedo,
    error: CommitError,
) -> CommitError {
    let (
        UndoRedo::Undo(step),
        CommitError::Conflict { files: FilesState::Untouched | FilesState::Restored, .. },
    ) = (turn, &error)
    else {
        return error;
    };
    let Ok(journal) = context.vault.journal() else { return error };
    let history = StepHistory::of(&journal);
    let is_of_these =
        |line: &JournalLine| line.files.iter().any(|file| plan.all().any(|change| change.path == file.path));
    let is_later = |(own, by): &&(u64, u64)| {
        *own > step && journal.iter().any(|line| line.step == *by && is_of_these(line))
    };
    let later: Vec<String> =
        history.done.iter().rev().filter(is_later).map(|(own, _)| own.to_string()).collect();
    match later.as_slice() {
        [] => error,
        [one] => CommitError::NoStep(format!(
            "Step {step} can't be undone now: step {one} changed the same file after it. Nothing was changed. \
             Undo step {one} first."
        )),
        several => CommitError::NoStep(format!(
            "Step {step} can't be undone now: steps {} changed the same file after it. Nothing was changed. \
             Undo these first, in this order.",
            several.join(", ")
        )),
    }
}

fn not_in_force(root: &Path, journal: &[JournalLine], wanted: Option<u64>) -> String {
    let root = root.to_text();
    let Some(number) = wanted else { return format!("There is nothing to undo in {root}.") };
    match journal.iter().find(|line| line.step == number).map(|line| line.turn) {
        None => format!("There is no step {number} in {root}."),
        Some(Some(UndoRedo::Undo(step))) => format!(
            "Step {number} undid step {step} in {root}, and another change was made since: it can't be redone."
        ),
        Some(_) => format!("Step {number} is already undone in {root}."),
    }
}

fn brings_nothing_erased(
    context: &CommitContext<'_>,
    plan: &Plan,
    step: u64,
    erased: Vec<ErasureLine>,
) -> Result<(), CommitError> {
    restore_guard::refuse_erased(context, plan, &format!("step {step} can't be undone: it"), erased)
}

/// Returns an error if another process has undone or redone the step since it was planned, or if
/// the plan would restore memories that were erased since.
fn check_reversal(context: &CommitContext<'_>, plan: &Plan, turn: UndoRedo) -> Result<(), CommitError> {
    let history = StepHistory::of(&context.vault.journal()?);
    let (steps, step, what) = match turn {
        UndoRedo::Undo(step) => (&history.done, step, "is not applied any more"),
        UndoRedo::Redo(step) => (&history.undone, step, "can't be redone any more"),
    };
    match steps.iter().any(|(own, _)| *own == step) {
        true => brings_nothing_erased(context, plan, step, context.vault.erasure_list()?),
        false => {
            let root = context.place.root.to_text();
            Err(CommitError::NoStep(format!(
                "Step {step} {what} in {root}: another process changed it first."
            )))
        }
    }
}

/// Returns an error if other files depend on this one and its length is not what the step left.
fn stands_as_left(
    context: &CommitContext<'_>,
    change: &Change,
    left: Option<&JournalLine>,
) -> Result<(), CommitError> {
    let has_bytes = matches!(change.act, Act::Splice(_) | Act::Remove(_));
    if !has_bytes || !context.format.forbids_rebase(&change.path) {
        return Ok(());
    }
    let left = left.and_then(|line| line.files.iter().find(|file| file.path == change.path));
    let file = context.path(&change.path);
    let len = context.item_at(&file)?.map(|item| item.generation.len);
    match left.is_some_and(|left| len.is_some_and(|len| len != left.bytes_after)) {
        true => {
            Err(CommitError::moved(&file, "it was changed since, and other files of the store depend on it"))
        }
        false => Ok(()),
    }
}

fn turned(context: &CommitContext<'_>, verb: Verb, step: u64, by: u64) -> Result<Plan, CommitError> {
    let erased = context.vault.erasure_list()?;
    let journal = context.vault.journal()?;
    if journal.iter().any(|line| line.step == step && line.verb.is_erasure()) {
        return Err(CommitError::NoStep(format!(
            "Step {step} erased memories or values, which can't be undone. `palimp undo N` undoes an earlier step."
        )));
    }
    let Some(own) = context.vault.step(by)? else {
        let swept = if erased.is_empty() { "" } else { ", and unless it held what was erased" };
        return Err(CommitError::NoStep(format!(
            "What step {step} replaced is not kept any more: it is kept for 30 days, or up to 256 MB a store{swept}."
        )));
    };
    let mut plan = Plan::of(verb.clone(), context.store.whole()?);
    plan.records = own.line.records as usize;
    let line = journal.iter().find(|line| line.step == step);
    plan.change = line.and_then(|line| line.change.clone());
    let named = line.map_or(&own.line.verb, |line| &line.verb);
    let when = Moment::parse(&own.line.at).map_or(own.line.at.clone(), |(when, _)| when.to_minute());
    plan.lines.push(format!(
        "{verb} step {step}: {named} of {}, {when}",
        plan::count_with_noun(own.line.records, "memory")
    ));
    let left_by = journal.iter().find(|line| line.step == by);
    let mut as_left = is_as_left(context, left_by, &own);
    let mut back = RestoreSummary::default();
    let turning = ReversedStep { journal: &journal, step, by, own: &own };
    for change in own.changes.iter().filter(|change| !change.is_empty()) {
        stands_as_left(context, change, left_by)?;
        let Some(left) = restore_filter::without_present(context, change, &turning, &mut back)? else {
            as_left = false;
            continue;
        };
        let fitted = match recover_steps::fitted(context, &left, false) {
            // A changed backup must not stop undo or redo of memories.
            Err(error) if is_copy(context, &change.path) && !error.is_failure() => {
                plan.lines.push(format!("the copy {} was changed since, and is kept", change.path.to_text()));
                None
            }
            outcome => outcome?,
        };
        // A folder that is already gone does not affect derived files.
        let stays_gone = fitted.is_none() && change.act == Act::RemoveFolder;
        as_left &= stays_gone
            || is_copy(context, &change.path)
            || fitted.as_ref().is_some_and(|now| is_same(&now.act, &change.act));
        plan.changes.extend(fitted);
    }
    plan.lines.extend(back.notes());
    plan.already_restored =
        back.claimed.into_iter().map(|EqualRecords(file, name, count)| (file, name, count)).collect();
    // Without derived files in the undo data, it is unknown how the step rebuilt them from the disk.
    let is_planned = left_by.is_some_and(|line| line.as_planned);
    let is_known = is_planned || !own.derived.is_empty() || !own.remade.is_empty();
    plan.derive_after = !as_left || !is_known;
    for change in &own.derived {
        match recover_steps::fitted(context, change, false) {
            Ok(Some(fitted)) if is_same(&fitted.act, &change.act) => plan.derived.push(fitted),
            _ => plan.derive_after = true,
        }
    }
    if !plan.derive_after && !own.remade.is_empty() {
        rebuild_derived(context, &mut plan, &own.remade, is_planned);
    }
    if plan.derive_after {
        // An index goes with the folder that the step made for it.
        let is_gone = |derived: &Change| {
            let mut folders = plan.changes.iter().filter(|change| change.act == Act::RemoveFolder);
            folders.any(|folder| derived.path.starts_with(&folder.path))
        };
        let gone: Vec<Change> = plan.derived.drain(..).filter(is_gone).collect();
        plan.changes.splice(0..0, gone);
        // The old derived files do not fit the memories any more.
        let remade = own.remade.iter().filter(|_| !is_planned).map(|own| own.path.to_text());
        plan.lines.extend(remade.map(|path| {
            format!("{path} is rebuilt from the memories after this; its old bytes are not kept")
        }));
    }
    plan.lines.extend(context.store.notes_on_replaced(&plan.changes));
    plan.effects = effects_of(context.store, &plan.changes, context.host.now);
    brings_nothing_erased(context, &plan, step, erased)?;
    context.store.whole()?;
    Ok(plan)
}

/// True if the files still have the lengths that the step left. If so, the old derived files fit
/// them again after undo or redo.
fn is_as_left(context: &CommitContext<'_>, line: Option<&JournalLine>, own: &UndoStep) -> bool {
    let data = own.changes.iter().filter(|change| !change.is_empty());
    data.chain(&own.derived).filter(|change| !is_copy(context, &change.path)).all(|change| {
        let left = line.and_then(|line| line.files.iter().find(|file| file.path == change.path));
        let now = context.host.disk.look(&context.path(&change.path));
        let now = now.map_or(0, |item| if item.kind == ItemKind::File { item.generation.len } else { 0 });
        left.map(|file| file.bytes_after) == Some(now)
    })
}

/// True if two acts put the same bytes in the same places.
fn is_same(one: &Act, other: &Act) -> bool {
    match (one, other) {
        (Act::Splice(one), Act::Splice(other)) => {
            let alike =
                |(a, b): (&Splice, &Splice)| (a.start, &a.was, &a.becomes) == (b.start, &b.was, &b.becomes);
            one.len() == other.len() && one.iter().zip(other).all(alike)
        }
        (one, other) => one == other,
    }
}
