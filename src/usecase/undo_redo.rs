//! Undo and redo: the last step of this run first, otherwise the last one in a journal.

use std::sync::Arc;

use super::failure::{ChangeFailure, Result};
use super::request::ChangeRequest;
use crate::disk::host::Host;
use crate::model::plan::count_with_noun;
use crate::model::{Plan, Store, UndoRedo};
use crate::store::commit::{CommitError, Vault, Writer};
use crate::usecase::last_change;
use crate::usecase::outcome::{ChangeReport, HistoryEffect};
use crate::usecase::recent_steps::{RecentStep, RecentSteps, StepToTurn};

/// Plans to undo or redo a chosen step of a store. Nothing is written.
pub(super) fn preview(
    request: &ChangeRequest,
    host: Host<'_>,
    store: usize,
    turn: UndoRedo,
) -> Result<(Plan, UndoRedo)> {
    let Some(store) = request.snapshot.stores.get(store) else {
        return Err(CommitError::NoStep("The store is not open any more.".into()).into());
    };
    let writer = Writer::open_read_only(host, store)?;
    Ok(match turn {
        UndoRedo::Undo(step) => writer.undo(Some(step))?,
        UndoRedo::Redo(step) => writer.redo(Some(step))?,
    })
}

/// Undoes the last change, or redoes what was undone last: of this run, otherwise of the journals.
/// If the change is of several stores, this is done in each.
pub fn undo_or_redo(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &mut RecentSteps,
    is_redo: bool,
) -> Result<ChangeReport> {
    let (of_this_run, mut steps) = recent.last(&request.snapshot.stores, is_redo);
    if of_this_run.is_none() {
        steps = of_the_journals(request, host, recent, is_redo)?;
        recent.begin();
    }
    let change = of_this_run.unwrap_or(recent.change);
    let turned = if is_redo { HistoryEffect::Redone } else { HistoryEffect::Undone };
    let said = request.command.done_words().to_owned();
    let mut changed = ChangeReport { said, notes: Vec::new(), effect: turned, receipt: Vec::new() };
    for (at, (store, number, said)) in steps.iter().enumerate() {
        let outcome = turn_in(store, host, *number, is_redo);
        if outcome.as_ref().map_or_else(|failed| failed.is_gone(), |_| true) {
            recent.taken(store, *number, is_redo);
        }
        let (notes, told, number) = outcome.map_err(|failed| match at {
            0 => failed,
            _ => {
                let message = format!("{} {} before that, in another store.", failed.message, changed.said);
                ChangeFailure { message, ..failed }
            }
        })?;
        let told = said.as_ref().map_or(told, |said| format!(": {said}"));
        if at == 0 {
            changed.said.push_str(&told);
        }
        changed.notes.extend(notes);
        let said = said.as_deref().unwrap_or(told.trim_start());
        let waiting = if is_redo { &mut recent.done } else { &mut recent.undone };
        waiting.push(RecentStep { change, ..RecentStep::new(&store.root, number, said) });
    }
    if of_this_run.is_none() && steps.len() > 1 {
        let others = count_with_noun(steps.len() as u64 - 1, "other store");
        changed.said.push_str(&format!(", also in {others}"));
    }
    Ok(changed)
}

/// Returns the undo or redo of one step: of the store that has a step with the asked number, otherwise of
/// the first store. `None` without stores. Nothing is written.
///
/// # Errors
///
/// If there is no such step, it is undone or redone already, or its undo data is gone.
pub fn step_to_turn(host: Host<'_>, stores: &[Arc<Store>], asked: UndoRedo) -> Result<Option<UndoRedo>> {
    let has_step = |own: &&Arc<Store>| {
        let UndoRedo::Undo(step) = asked else { return false };
        let vault = Vault::open_read_only(host.disk, host.data, &own.root);
        vault.journal().unwrap_or_default().iter().any(|line| line.step == step)
    };
    let Some(store) = stores.iter().find(has_step).or(stores.first()) else { return Ok(None) };
    let writer = Writer::open_read_only(host, store)?;
    let (_, turn) = match asked {
        UndoRedo::Undo(step) => writer.undo(Some(step).filter(|step| *step > 0))?,
        UndoRedo::Redo(_) => writer.redo(None)?,
    };
    Ok(Some(turn))
}

fn of_the_journals(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &RecentSteps,
    is_redo: bool,
) -> Result<Vec<StepToTurn>> {
    let steps = match is_redo && recent.is_new {
        true => Vec::new(),
        false => last_change(host.disk, host.data, &request.snapshot.stores, is_redo)?,
    };
    if steps.is_empty() {
        let verb = if is_redo { "redo" } else { "undo" };
        return Err(CommitError::NoStep(format!("There is nothing to {verb}.")).into());
    }
    // In one store, it is the last applied step after recovery from a crash, so its number is not known yet.
    let is_of_several = steps.len() > 1;
    let due =
        |(store, number): (&Arc<Store>, u64)| (Arc::clone(store), is_of_several.then_some(number), None);
    Ok(steps.into_iter().map(due).collect())
}

/// Undoes or redoes a step of a store, or its last step. Returns notes, a description, and the step.
fn turn_in(
    store: &Arc<Store>,
    host: Host<'_>,
    number: Option<u64>,
    is_redo: bool,
) -> Result<(Vec<String>, String, u64)> {
    let writer = Writer::open(host, store)?;
    let (plan, turn) = if is_redo { writer.redo(number)? } else { writer.undo(number)? };
    let (UndoRedo::Undo(step) | UndoRedo::Redo(step)) = turn;
    let receipt = writer.commit_undo_redo(&plan, turn)?;
    let line = plan.lines.first().map_or("", String::as_str);
    let told = line.split_once(' ').map_or(String::new(), |(_, told)| format!(" {told}"));
    let notes = receipt.notes.into_iter().chain(plan.lines.into_iter().skip(1));
    Ok((notes.collect(), told, step))
}
