//! `palimp undo` and `palimp redo`.

use std::path::Path;
use std::sync::Arc;

use super::{Context, Exit, Failure, ReadScope, Result, load_stores};
use crate::cli::read_scope::StepSelector;
use crate::cli::run_change::run_change_of;
use crate::disk::RealDisk;
use crate::disk::host::Host;
use crate::model::{PathText, Snapshot, Store, UndoRedo};
use crate::store::Place;
use crate::usecase::{self, ChangeCommand, Requester, last_change};

type StepsIn = Vec<(Arc<Store>, u64)>;

/// Undoes the last step or the one with the number, or redoes the one that was undone last.
pub fn run(context: &mut Context, step: Option<u64>, is_redo: bool) -> Result {
    let data = load_stores::data_folder(context)?;
    let (snapshot, steps) = read_to_turn(context, StepSelector { data: &data, is_redo, step })?;
    let place = |store: &Arc<Store>| snapshot.stores.iter().position(|own| Arc::ptr_eq(own, store));
    let turn = |step| if is_redo { UndoRedo::Redo(step) } else { UndoRedo::Undo(step) };
    let own = steps.iter().filter_map(|(store, step)| Some((place(store)?, turn(*step))));
    let mut turns: Vec<(usize, UndoRedo)> = own.collect();
    // A store that has a step with the number says why it can't be undone, otherwise the first store.
    if turns.is_empty() {
        let host = Host::here(&data, context.now);
        let turn = usecase::step_to_turn(host, &snapshot.stores, turn(step.unwrap_or_default()))?;
        turns.push((0, turn.ok_or_else(|| Failure::nothing("no store is open."))?));
    }
    run_change_of(context, &snapshot, (Vec::new(), Requester::Ids), ChangeCommand::UndoRedoSteps(turns))
}

/// Returns the stores, and the steps to undo or redo in them. If something can't be read, and the
/// step concerns only one session, only this session is read.
fn read_to_turn(context: &Context, turned: StepSelector<'_>) -> Result<(Snapshot, StepsIn)> {
    let refused = match load_stores::to_change(context, ReadScope::All) {
        Ok(snapshot) => {
            let steps = steps_in(&snapshot, turned)?;
            return Ok((snapshot, steps));
        }
        Err(failure) if failure.exit == Exit::Refused => failure,
        Err(failure) => return Err(failure),
    };
    let Ok(snapshot) = load_stores::to_change(context, ReadScope::Step(turned)) else { return Err(refused) };
    let steps = steps_in(&snapshot, turned)?;
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

fn steps_in(snapshot: &Snapshot, StepSelector { data, is_redo, step }: StepSelector<'_>) -> Result<StepsIn> {
    let steps = match step {
        None => last_change(&RealDisk, data, &snapshot.stores, is_redo)?,
        Some(number) => {
            let store = with_step(&snapshot.stores, data, number)?;
            store.into_iter().map(|store| (store, number)).collect()
        }
    };
    Ok(steps.into_iter().map(|(store, step)| (Arc::clone(store), step)).collect())
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
