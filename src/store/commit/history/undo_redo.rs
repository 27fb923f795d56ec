//! Steps that are taken back and done again because the user wants it: what takes a step
//! back, fitted to the files as they are.

use std::path::Path;

use super::rebuild_derived::rebuild_derived;
use super::restore_filter::{RestoreSummary, ReversedStep};
use crate::disk::ItemKind;
use crate::model::{Act, Change, Moment, PathText, Plan, Splice, plan};
use crate::store::commit::recovery::recover_steps::is_copy;
use crate::store::commit::scrub::ErasureLine;
use crate::store::commit::vault::{JournalLine, UndoRedo};
use crate::store::commit::{CommitError, FilesState, UndoStep, Writer};

/// Which steps are in force, and which were taken back, the last one last; each with the
/// step whose file turns it round.
#[derive(Debug, Default, PartialEq)]
pub struct StepHistory {
    /// In force: a step, and the step that did it last.
    pub done: Vec<(u64, u64)>,
    /// Taken back: a step, and the step that took it back.
    pub undone: Vec<(u64, u64)>,
    /// Taken back, and not to be done again: something new was done since.
    pub left: Vec<(u64, u64)>,
}

impl StepHistory {
    /// Whether a step of that number can be taken back: one in force, or one that took
    /// another back.
    pub fn has(&self, number: u64) -> bool {
        self.done.iter().any(|(step, by)| *step == number || *by == number)
            || self.undone.iter().any(|(_, by)| *by == number)
    }

    /// The newest step that can be taken back; where there is none, the newest in force. What
    /// erased, and what is kept no longer, is passed over.
    pub fn newest(&self, journal: &[JournalLine], kept: &[u64]) -> Option<(u64, u64)> {
        let can = |own: &&(u64, u64)| why_passed_over(journal, kept, **own).is_none();
        self.done.iter().rev().find(can).or(self.done.last()).copied()
    }

    /// Reads it from the journal.
    pub fn of(journal: &[JournalLine]) -> StepHistory {
        let mut history = StepHistory::default();
        for line in journal {
            match line.turn {
                None => {
                    history.done.push((line.step, line.step));
                    history.left.append(&mut history.undone);
                }
                Some(UndoRedo::Undo(step)) => {
                    history.done.retain(|(own, _)| *own != step);
                    history.undone.push((step, line.step));
                }
                Some(UndoRedo::Redo(step)) => {
                    history.undone.retain(|(own, _)| *own != step);
                    history.done.push((step, line.step));
                }
            }
        }
        history
    }
}

/// The plan that undoes a step.
pub fn undo(writer: &Writer<'_>, wanted: Option<u64>) -> Result<(Plan, UndoRedo), CommitError> {
    let journal = writer.vault.journal()?;
    let history = StepHistory::of(&journal);
    // A step that took another back is itself taken back by doing that one again.
    if let Some(&(step, by)) = history.undone.iter().find(|(_, by)| Some(*by) == wanted) {
        return Ok((turned(writer, "redo", step, by)?, UndoRedo::Redo(step)));
    }
    let found = match wanted {
        None => history.newest(&journal, &writer.vault.steps()?),
        Some(number) => history.done.iter().find(|(step, by)| *step == number || *by == number).copied(),
    };
    let Some((step, by)) = found else {
        return Err(CommitError::NoStep(not_in_force(&writer.place.root, &journal, wanted)));
    };
    let mut plan = turned(writer, "undo", step, by)?;
    plan.lines.extend(passed_over(&history, &journal, &writer.vault.steps()?, step));
    Ok((plan, UndoRedo::Undo(step)))
}

/// What is in the way of undoing a step where that is what later steps of ours made of the same files.
pub fn after_own_steps(writer: &Writer<'_>, plan: &Plan, turn: UndoRedo, error: CommitError) -> CommitError {
    let (
        UndoRedo::Undo(step),
        CommitError::Conflict { files: FilesState::Untouched | FilesState::Restored, .. },
    ) = (turn, &error)
    else {
        return error;
    };
    let Ok(journal) = writer.vault.journal() else { return error };
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

/// Why a step in force is passed over by undo.
fn why_passed_over(journal: &[JournalLine], kept: &[u64], (step, by): (u64, u64)) -> Option<&'static str> {
    let is_erasure = journal.iter().any(|line| line.step == step && line.verb == "erase");
    match is_erasure {
        true => Some("it erased memories, and an erasure can't be undone"),
        false => (!kept.contains(&by)).then_some("what it replaced is not kept any more"),
    }
}

/// Steps after the one that is taken back that can't be: a line each.
fn passed_over(history: &StepHistory, journal: &[JournalLine], kept: &[u64], step: u64) -> Vec<String> {
    let later = history.done.iter().rev().take_while(|(own, _)| *own != step);
    let row = |own: &(u64, u64)| {
        let why = why_passed_over(journal, kept, *own)?;
        Some(format!("step {} is skipped: {why}", own.0))
    };
    later.filter_map(row).collect()
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

/// The plan that does the last step again that was taken back, or that one.
pub fn redo(writer: &Writer<'_>, wanted: Option<u64>) -> Result<(Plan, UndoRedo), CommitError> {
    let history = StepHistory::of(&writer.vault.journal()?);
    let found = match wanted {
        None => history.undone.last(),
        Some(number) => history.undone.iter().find(|(step, _)| *step == number),
    };
    let Some(&(step, by)) = found else {
        let what = format!("There is nothing to redo in {}.", writer.place.root.to_text());
        return Err(CommitError::NoStep(what));
    };
    Ok((turned(writer, "redo", step, by)?, UndoRedo::Redo(step)))
}

fn brings_nothing_erased(
    writer: &Writer<'_>,
    plan: &Plan,
    step: u64,
    erased: Vec<ErasureLine>,
) -> Result<(), CommitError> {
    writer.refuse_erased(plan, &format!("step {step} can't be undone: it"), erased)
}

/// Refuses what another has turned since it was planned, and what would bring back what was
/// erased since.
pub fn check_reversal(writer: &Writer<'_>, plan: &Plan, turn: UndoRedo) -> Result<(), CommitError> {
    let history = StepHistory::of(&writer.vault.journal()?);
    let (steps, step, what) = match turn {
        UndoRedo::Undo(step) => (&history.done, step, "is not applied any more"),
        UndoRedo::Redo(step) => (&history.undone, step, "can't be redone any more"),
    };
    match steps.iter().any(|(own, _)| *own == step) {
        true => brings_nothing_erased(writer, plan, step, writer.vault.erasure_list()?),
        false => {
            let root = writer.place.root.to_text();
            Err(CommitError::NoStep(format!(
                "Step {step} {what} in {root}: another process changed it first."
            )))
        }
    }
}

/// Refuses to turn a change of a file round that is bound to others, where it has not the
/// length that the step left it with.
fn stands_as_left(writer: &Writer<'_>, change: &Change, by: u64) -> Result<(), CommitError> {
    let has_bytes = matches!(change.act, Act::Splice(_) | Act::Remove(_));
    if !has_bytes || !writer.format.forbids_rebase(&change.path) {
        return Ok(());
    }
    let journal = writer.vault.journal()?;
    let files = journal.iter().find(|line| line.step == by).map_or(&[][..], |line| &line.files);
    let left = files.iter().find(|file| file.path == change.path);
    let file = writer.path(&change.path);
    let len = writer.item_at(&file)?.map(|item| item.generation.len);
    match left.is_some_and(|left| len.is_some_and(|len| len != left.bytes_after)) {
        true => {
            Err(CommitError::moved(&file, "it was changed since, and other files of the store depend on it"))
        }
        false => Ok(()),
    }
}

fn turned(writer: &Writer<'_>, verb: &'static str, step: u64, by: u64) -> Result<Plan, CommitError> {
    let erased = writer.vault.erasure_list()?;
    let journal = writer.vault.journal()?;
    if journal.iter().any(|line| line.step == step && line.verb == "erase") {
        return Err(CommitError::NoStep(format!(
            "Step {step} erased memories, which can't be undone. `palimp undo N` undoes an earlier step."
        )));
    }
    let Some(own) = writer.vault.step(by)? else {
        let swept = if erased.is_empty() { "" } else { ", and unless it held what was erased" };
        return Err(CommitError::NoStep(format!(
            "What step {step} replaced is not kept any more: it is kept for 30 days, or up to 256 MB a store{swept}."
        )));
    };
    let mut plan = Plan::of(verb, writer.store.whole()?);
    plan.records = own.line.records as usize;
    let line = journal.iter().find(|line| line.step == step);
    plan.change = line.and_then(|line| line.change.clone());
    let named = line.map_or(&own.line.verb, |line| &line.verb);
    let when = Moment::parse(&own.line.at).map_or(own.line.at.clone(), |(when, _)| when.to_minute());
    plan.lines.push(format!(
        "{verb} step {step}: {named} of {}, {when}",
        plan::count_with_noun(own.line.records, "memory")
    ));
    let mut as_left = own.owed.is_empty() && is_as_left(writer, by, &own)?;
    let mut back = RestoreSummary::default();
    let turning = ReversedStep { journal: &journal, step, by, own: &own };
    for change in writer.with_deferred(&turning)?.iter().filter(|change| !change.is_empty()) {
        stands_as_left(writer, change, by)?;
        let Some(left) = writer.without_present(change, &turning, &mut back)? else {
            as_left = false;
            continue;
        };
        let fitted = match writer.fitted(&left, false) {
            // A copy is no memory: one that was changed since keeps nothing from being turned.
            Err(error) if is_copy(writer, &change.path) && !error.is_failure() => {
                plan.lines.push(format!("the copy {} was changed since, and is kept", change.path.to_text()));
                None
            }
            outcome => outcome?,
        };
        // A folder that is gone already takes nothing with it that was derived.
        let stays_gone = fitted.is_none() && change.act == Act::RemoveFolder;
        as_left &= stays_gone
            || is_copy(writer, &change.path)
            || fitted.as_ref().is_some_and(|now| is_same(&now.act, &change.act));
        plan.changes.extend(fitted);
    }
    plan.lines.extend(back.notes());
    (plan.already_restored, plan.deferred) = (back.already_restored, own.claimed.clone());
    // Where the step's own derived files are not known, they were worked out when it was done:
    // made anew from the disk, and the step does not say how.
    let is_planned = journal.iter().any(|line| line.step == by && line.as_planned);
    let is_known = is_planned || !own.derived.is_empty() || !own.remade.is_empty();
    plan.derive_after = !as_left || !is_known;
    for change in &own.derived {
        match writer.fitted(change, false) {
            Ok(Some(fitted)) if is_same(&fitted.act, &change.act) => plan.derived.push(fitted),
            _ => plan.derive_after = true,
        }
    }
    if !plan.derive_after && !own.remade.is_empty() {
        rebuild_derived(writer, &mut plan, &own.remade, is_planned);
    }
    if plan.derive_after {
        plan.derived.clear();
        // Others wrote since: what was derived then fits no more.
        let remade = own.remade.iter().filter(|_| !is_planned).map(|own| own.path.to_text());
        plan.lines.extend(remade.map(|path| {
            format!("{path} is rebuilt from the memories after this; its old bytes are not kept")
        }));
    }
    plan.lines.extend(writer.store.other_names(&plan.changes));
    brings_nothing_erased(writer, &plan, step, erased)?;
    writer.store.whole()?;
    debug_assert!(
        plan.changes
            .iter()
            .all(|change| change.base.is_some() || !matches!(change.act, plan::Act::Splice(_)))
    );
    Ok(plan)
}

/// Whether the files that a step changed have the lengths that it left them with: then what
/// was derived from them before fits them again when it is taken back.
fn is_as_left(writer: &Writer<'_>, step: u64, own: &UndoStep) -> Result<bool, CommitError> {
    let journal = writer.vault.journal()?;
    let line = journal.iter().find(|line| line.step == step);
    let data = own.changes.iter().filter(|change| !change.is_empty());
    Ok(data.chain(&own.derived).filter(|change| !is_copy(writer, &change.path)).all(|change| {
        let left = line.and_then(|line| line.files.iter().find(|file| file.path == change.path));
        let now = writer.host.disk.look(&writer.path(&change.path));
        let now = now.map_or(0, |item| if item.kind == ItemKind::File { item.generation.len } else { 0 });
        left.map(|file| file.bytes_after) == Some(now)
    }))
}

/// Whether two acts put the same bytes in the same places.
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
