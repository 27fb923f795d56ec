//! `palimp undo` and `palimp redo`.

use std::path::Path;
use std::sync::Arc;

use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure, Result};
use crate::cli::load_stores;
use crate::cli::read_scope::{ReadScope, StepSelector};
use crate::cli::run_change::run_change_of;
use crate::disk::RealDisk;
use crate::disk::host::Host;
use crate::model::{PathText, Snapshot, Store, UndoRedo};
use crate::store::Place;
use crate::usecase::{self, ChangeCommand, Requester, last_change};

type StepsIn = Vec<(Arc<Store>, u64)>;

/// Undoes the last step, or the one with the number.
pub fn undo(context: &mut Context, step: Option<u64>) -> Result {
    let data = load_stores::data_folder(context)?;
    let steps_in = |snapshot: &Snapshot| -> Result<StepsIn> {
        let steps = match step {
            None => last_change(&RealDisk, &data, &snapshot.stores, false)?,
            Some(number) => {
                let store = with_step(&snapshot.stores, &data, number)?;
                store.into_iter().map(|store| (store, number)).collect()
            }
        };
        Ok(steps.into_iter().map(|(store, step)| (Arc::clone(store), step)).collect())
    };
    let (snapshot, steps) = read_to_turn(context, &data, false, step, steps_in)?;
    turn(context, &snapshot, &steps, UndoRedo::Undo(step.unwrap_or_default()))
}

pub fn redo(context: &mut Context) -> Result {
    let data = load_stores::data_folder(context)?;
    let steps_in = |snapshot: &Snapshot| -> Result<StepsIn> {
        let steps = last_change(&RealDisk, &data, &snapshot.stores, true)?;
        Ok(steps.into_iter().map(|(store, step)| (Arc::clone(store), step)).collect())
    };
    let (snapshot, steps) = read_to_turn(context, &data, true, None, steps_in)?;
    turn(context, &snapshot, &steps, UndoRedo::Redo(0))
}

/// Returns the stores, and the steps to undo or redo in them. If something can't be read, and the
/// step concerns only one session, only this session is read.
fn read_to_turn(
    context: &Context,
    data: &Path,
    is_redo: bool,
    step: Option<u64>,
    steps_in: impl Fn(&Snapshot) -> Result<StepsIn>,
) -> Result<(Snapshot, StepsIn)> {
    let refused = match load_stores::to_change(context, ReadScope::All) {
        Ok(snapshot) => {
            let steps = steps_in(&snapshot)?;
            return Ok((snapshot, steps));
        }
        Err(failure) if failure.exit == Exit::Refused => failure,
        Err(failure) => return Err(failure),
    };
    let turned = StepSelector { data, is_redo, step };
    let Ok(snapshot) = load_stores::to_change(context, ReadScope::Step(turned)) else { return Err(refused) };
    let steps = steps_in(&snapshot)?;
    // Another palimp may have made a step in another session since.
    let is_within = |(store, step): &(Arc<Store>, u64)| {
        let own = StepSelector { step: Some(*step), ..turned };
        store.scope.is_some()
            && own.place(Place::whole(store.root.clone(), store.format)).scope == store.scope
    };
    match !steps.is_empty() && steps.iter().all(is_within) {
        true => Ok((snapshot, steps)),
        false => Err(refused),
    }
}

fn with_step<'a>(stores: &'a [Arc<Store>], data: &Path, number: u64) -> Result<Option<&'a Arc<Store>>> {
    let with = usecase::stores_with_step(data, stores, number)?;
    match with.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => {
            let names = several.iter().map(|store| format!("  {}", store.root.to_text()));
            let message = format!("several stores have a step {number}; name one with --store:");
            Err(Failure::lines(Exit::Refused, [message].into_iter().chain(names).collect()))
        }
    }
}

/// Undoes or redoes steps that belong together. If there are none, a store that has a step with the
/// number says why it can't be undone, otherwise the first store.
pub fn turn(
    context: &mut Context,
    snapshot: &Snapshot,
    steps: &[(Arc<Store>, u64)],
    asked: UndoRedo,
) -> Result {
    let data = load_stores::data_folder(context)?;
    let host = Host::here(&data, context.now);
    let place = |store: &Arc<Store>| snapshot.stores.iter().position(|own| Arc::ptr_eq(own, store));
    let turn = |step| if let UndoRedo::Undo(_) = asked { UndoRedo::Undo(step) } else { UndoRedo::Redo(step) };
    let own = steps.iter().filter_map(|(store, step)| Some((place(store)?, turn(*step))));
    let mut turns: Vec<(usize, UndoRedo)> = own.collect();
    if turns.is_empty() {
        let turn = usecase::step_to_turn(host, &snapshot.stores, asked)?;
        let turn = turn.ok_or_else(|| Failure::nothing("no store is open."))?;
        turns.push((0, turn));
    }
    run_change_of(context, snapshot, (Vec::new(), Requester::Ids), ChangeCommand::UndoRedoSteps(turns))
}
