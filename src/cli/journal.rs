//! `journal`, `undo`, `redo`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::args::Limit;
use super::columns::OutputTerminal;
use super::failure::{Exit, Failure, Result, say};
use super::list_table::more;
use super::read_scope::{ReadScope, StepSelector};
use super::run_change::run_change_of;
use super::{Context, load_stores};
use crate::disk::RealDisk;
use crate::model::{Moment, PathText, Snapshot, Store, plan};
use crate::store::Place;
use crate::store::commit::last_change;
use crate::store::commit::{FileLine, Host, JournalRow, JournalView, StepHistory, UndoRedo, Vault, Writer};
use crate::usecase::{ChangeCommand, Requester};

#[derive(Serialize)]
struct StepRow<'a> {
    store: String,
    step: u64,
    at: &'a str,
    verb: &'a str,
    records: u64,
    files: &'a [FileLine],
    turn: Option<UndoRedo>,
    change: Option<&'a str>,
    ids: &'a [String],
    undone: bool,
    undo_until: Option<String>,
    why_not: Option<&'static str>,
    written_by_others: usize,
    used_by_others: usize,
}

/// Lists the steps, the newest last, and what other programs did meanwhile.
pub fn run(context: &mut Context, limit: Limit) -> Result {
    let snapshot = load_stores::snapshot(context, ReadScope::All)?;
    let data = load_stores::data_folder(context)?;
    let account = |store: &Arc<Store>| {
        JournalView::of(store, &Vault::open_read_only(&RealDisk, &data, &store.root), context.now)
    };
    let accounts: Vec<JournalView> = snapshot.stores.iter().map(account).collect();
    let (all, oldest) = newest(&accounts, limit);
    for (number, (store, account)) in snapshot.stores.iter().zip(&accounts).enumerate() {
        for fault in account.faults.iter() {
            if account.is_read { say(fault) } else { context.unread.line(fault.clone()) }
        }
        let is_wanted = |row: &&JournalRow| oldest.is_none_or(|oldest| when(row, number) >= oldest);
        let rows: Vec<&JournalRow> = account.rows.iter().filter(is_wanted).collect();
        if snapshot.stores.len() > 1 && !rows.is_empty() && !context.options.json {
            context.out.line(&format!("{}:", store.root.to_text()))?;
        }
        for row in rows {
            match context.options.json {
                true => context.out.json(&line(store, row))?,
                false => told(row).iter().try_for_each(|line| context.out.line(line))?,
            }
        }
        if !context.options.json {
            moved(account).iter().for_each(|line| say(line));
        }
    }
    more(context, OutputTerminal::of(context), limit.more(all).as_deref())?;
    Ok(if all > 0 { Exit::Done } else { Exit::Nothing })
}

/// The time of a step. If steps have the same time, the one with the higher number is newer.
type StepTime = (Option<Moment>, u64, usize);

fn when(row: &JournalRow, store: usize) -> StepTime {
    (Moment::parse(&row.line.at).map(|(at, _)| at), row.line.step, store)
}

/// Returns the number of steps in all stores, and the time of the oldest one that is shown.
fn newest(accounts: &[JournalView], limit: Limit) -> (usize, Option<StepTime>) {
    let rows = accounts.iter().enumerate();
    let mut times: Vec<StepTime> =
        rows.flat_map(|(store, own)| own.rows.iter().map(move |row| when(row, store))).collect();
    times.sort();
    (times.len(), times.len().checked_sub(limit.most()).and_then(|at| times.get(at).copied()))
}

/// Returns the changes that other programs made to the files since the last step.
fn moved(account: &JournalView) -> Vec<String> {
    let told = |(path, before, now): &(PathBuf, u64, Option<u64>)| {
        let what = match now {
            Some(now) => format!("changed outside palimp ({before} → {now} bytes)"),
            None => "removed outside palimp".into(),
        };
        format!("{}: {what}", path.to_text())
    };
    account.changed_files.iter().map(told).collect()
}

fn told(row: &JournalRow) -> Vec<String> {
    let until = match (row.until, row.why_not) {
        (Some(until), _) if row.comes_again() => format!("redo until {}", until.to_minute()),
        (Some(until), _) => format!("undo until {}", until.to_minute()),
        (None, Some(why)) if row.is_undone() => format!("can't be redone: {why}"),
        (None, Some(why)) => format!("can't be undone: {why}"),
        (None, None) => "can't be undone any more".into(),
    };
    let own = &row.line;
    let at = Moment::parse(&own.at).map_or_else(|| own.at.clone(), |(at, _)| at.to_minute());
    let undone = if row.is_undone() { "  undone" } else { "" };
    let records = plan::count_with_noun(own.records, "memory");
    let files = plan::count_with_noun(own.files.len() as u64, "file");
    let mut lines = vec![format!("{:5}  {at}  {} {records}, {files}{undone}  {until}", own.step, own.verb)];
    if row.foreign.written > 0 {
        let written = plan::count_with_noun(row.foreign.written as u64, "memory");
        lines.push(format!("       written by other programs after step {}: {written}", own.step));
    }
    lines
}

fn line<'a>(store: &Store, row: &'a JournalRow) -> StepRow<'a> {
    StepRow {
        store: store.root.to_text().into_owned(),
        step: row.line.step,
        at: &row.line.at,
        verb: &row.line.verb,
        records: row.line.records,
        files: &row.line.files,
        turn: row.line.turn,
        change: row.line.change.as_deref(),
        ids: &row.line.ids,
        undone: row.is_undone(),
        undo_until: row.until.map(|until| until.to_rfc3339()),
        why_not: row.why_not,
        written_by_others: row.foreign.written,
        used_by_others: row.foreign.used,
    }
}

/// Stores, each with the step to undo or redo in it.
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

/// Redoes what was undone last.
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

/// Returns the one store in which a step with this number is applied.
fn with_step<'a>(stores: &'a [Arc<Store>], data: &Path, number: u64) -> Result<Option<&'a Arc<Store>>> {
    let mut with: Vec<&Arc<Store>> = Vec::new();
    for store in stores {
        let journal = Vault::open_read_only(&RealDisk, data, &store.root).journal()?;
        with.extend(StepHistory::of(&journal).has(number).then_some(store));
    }
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
fn turn(context: &mut Context, snapshot: &Snapshot, steps: &[(Arc<Store>, u64)], asked: UndoRedo) -> Result {
    let data = load_stores::data_folder(context)?;
    let host = Host::here(&data, context.now);
    let place = |store: &Arc<Store>| snapshot.stores.iter().position(|own| Arc::ptr_eq(own, store));
    let turn = |step| if let UndoRedo::Undo(_) = asked { UndoRedo::Undo(step) } else { UndoRedo::Redo(step) };
    let own = steps.iter().filter_map(|(store, step)| Some((place(store)?, turn(*step))));
    let mut turns: Vec<(usize, UndoRedo)> = own.collect();
    if turns.is_empty() {
        let none = || Failure::new(Exit::Nothing, "no store is open.");
        let has_step = |own: &&Arc<Store>| {
            let UndoRedo::Undo(step) = asked else { return false };
            let journal = Vault::open_read_only(&RealDisk, &data, &own.root).journal().unwrap_or_default();
            journal.iter().any(|line| line.step == step)
        };
        let store = snapshot.stores.iter().find(has_step).or(snapshot.stores.first());
        let writer = Writer::open_read_only(host, store.ok_or_else(none)?)?;
        let (_, turn) = match asked {
            UndoRedo::Undo(step) => writer.undo(Some(step).filter(|step| *step > 0))?,
            UndoRedo::Redo(_) => writer.redo(None)?,
        };
        turns.push((0, turn));
    }
    run_change_of(context, snapshot, (Vec::new(), Requester::Ids), ChangeCommand::UndoRedoSteps(turns))
}
