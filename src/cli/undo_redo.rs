//! `palimp undo` and `palimp redo`.

use std::sync::Arc;

use super::{Context, Exit, Failure, ReadScope, Result, load_stores};
use crate::cli::read_scope::StepSelector;
use crate::cli::run_change::{request, run_change};
use crate::disk::host::Host;
use crate::model::{PathText, Snapshot, UndoRedo};
use crate::store::Place;
use crate::usecase::{ReverseSteps, steps_to_reverse, store_of_step};

/// Steps, each with the number of its store.
type StepsIn = Vec<(usize, u64)>;

/// Undoes the last step or the one with the number, or redoes the one that was undone last.
pub fn run(context: &mut Context, step: Option<u64>, is_redo: bool) -> Result {
    let data = load_stores::data_folder(context)?;
    let (snapshot, mut steps) = read_to_turn(context, StepSelector { data: &data, is_redo, step })?;
    // A store that has a step with the number says why it can't be undone, otherwise the first store.
    if steps.is_empty() {
        let step = step.unwrap_or_default();
        steps.push((store_of_step(Host::here(&data, context.now), &snapshot.stores, step), step));
    }
    let turn = |step| if is_redo { UndoRedo::Redo(step) } else { UndoRedo::Undo(step) };
    let turns = steps.into_iter().map(|(store, step)| (store, turn(step))).collect();
    run_change(context, request(context, &snapshot, Arc::new(ReverseSteps(turns))), None)
}

/// Returns the stores, and the steps to undo or redo in them. If something can't be read, and the
/// step concerns only one session, only this session is read.
fn read_to_turn(context: &Context, turned: StepSelector<'_>) -> Result<(Snapshot, StepsIn)> {
    let refused = match load_stores::to_change(context, ReadScope::All) {
        Ok(snapshot) => {
            let steps = steps_in(context, &snapshot, turned)?;
            return Ok((snapshot, steps));
        }
        Err(failure) if failure.exit == Exit::Refused => failure,
        Err(failure) => return Err(failure),
    };
    let Ok(snapshot) = load_stores::to_change(context, ReadScope::Step(turned)) else { return Err(refused) };
    let steps = steps_in(context, &snapshot, turned)?;
    // Another palimp may have made a step in another session since.
    let is_within = |(store, step): &(usize, u64)| {
        let (store, own) = (&snapshot.stores[*store], StepSelector { step: Some(*step), ..turned });
        store.scope.is_some()
            && own.place(Place::whole(store.root.clone(), store.format)).scope == store.scope
    };
    match !steps.is_empty() && steps.iter().all(is_within) {
        true => Ok((snapshot, steps)),
        false => Err(refused),
    }
}

fn steps_in(context: &Context, snapshot: &Snapshot, turned: StepSelector<'_>) -> Result<StepsIn> {
    let StepSelector { data, is_redo, step } = turned;
    let steps = steps_to_reverse(Host::here(data, context.now), &snapshot.stores, step, is_redo)?;
    match step {
        Some(number) if steps.len() > 1 => {
            let names = steps.iter().map(|(at, _)| format!("  {}", snapshot.stores[*at].root.to_text()));
            let message = format!("several stores have a step {number}; name one with --store:");
            Err(Failure::lines(Exit::Refused, [message].into_iter().chain(names).collect()))
        }
        _ => Ok(steps),
    }
}
