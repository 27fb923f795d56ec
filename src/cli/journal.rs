//! `journal`, `undo`, `redo`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::args::Limit;
use super::change::make_of;
use super::columns::Terminal;
use super::failure::{Exit, Failure, Result, say};
use super::listed::more;
use super::scope::{Scope, StepAsked};
use super::{Context, open};
use crate::deed::{By, Wanted};
use crate::disk::Real;
use crate::model::{Moment, Snapshot, Store, Tell, plan};
use crate::store::Place;
use crate::store::commit::{Account, FileLine, History, Host, Row, Turn, Vault, Writer, last_change};

#[derive(Serialize)]
struct RowLine<'a> {
    store: String,
    step: u64,
    at: &'a str,
    verb: &'a str,
    records: u64,
    files: &'a [FileLine],
    turn: Option<Turn>,
    change: Option<&'a str>,
    ids: &'a [String],
    undone: bool,
    undo_until: Option<String>,
    why_not: Option<&'static str>,
    written_by_others: usize,
    used_by_others: usize,
}

/// What was changed, the newest last, and what others did meanwhile.
pub fn run(context: &mut Context, limit: Limit) -> Result {
    let snapshot = open::snapshot(context, Scope::All)?;
    let data = open::data_folder(context)?;
    let account =
        |store: &Arc<Store>| Account::of(store, &Vault::look(&Real, &data, &store.root), context.now);
    let accounts: Vec<Account> = snapshot.stores.iter().map(account).collect();
    let (all, oldest) = newest(&accounts, limit);
    for (number, (store, account)) in snapshot.stores.iter().zip(&accounts).enumerate() {
        for fault in account.faults.iter() {
            if account.is_read { say(fault) } else { context.unread.line(fault.clone()) }
        }
        let is_wanted = |row: &&Row| oldest.is_none_or(|oldest| when(row, number) >= oldest);
        let rows: Vec<&Row> = account.rows.iter().filter(is_wanted).collect();
        if snapshot.stores.len() > 1 && !rows.is_empty() && !context.options.json {
            context.out.line(&format!("{}:", store.root.told()))?;
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
    more(context, Terminal::of(context), limit.more(all).as_deref())?;
    Ok(if all > 0 { Exit::Done } else { Exit::Nothing })
}

/// The time of a step. If steps have the same time, the one with the higher number is newer.
type When = (Option<Moment>, u64, usize);

fn when(row: &Row, store: usize) -> When {
    (Moment::parse(&row.line.at).map(|(at, _)| at), row.line.step, store)
}

/// How many steps all stores have, and the time of the oldest one that is shown.
fn newest(accounts: &[Account], limit: Limit) -> (usize, Option<When>) {
    let rows = accounts.iter().enumerate();
    let mut times: Vec<When> =
        rows.flat_map(|(store, own)| own.rows.iter().map(move |row| when(row, store))).collect();
    times.sort();
    (times.len(), times.len().checked_sub(limit.most()).and_then(|at| times.get(at).copied()))
}

/// The changes that other programs made to the files since the last step.
fn moved(account: &Account) -> Vec<String> {
    let told = |(path, before, now): &(PathBuf, u64, Option<u64>)| {
        let what = match now {
            Some(now) => format!("changed outside palimp ({before} → {now} bytes)"),
            None => "removed outside palimp".into(),
        };
        format!("{}: {what}", path.told())
    };
    account.moved.iter().map(told).collect()
}

fn told(row: &Row) -> Vec<String> {
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
    let records = plan::counted(own.records, "memory");
    let files = plan::counted(own.files.len() as u64, "file");
    let mut lines = vec![format!("{:5}  {at}  {} {records}, {files}{undone}  {until}", own.step, own.verb)];
    if row.others.written > 0 {
        let written = plan::counted(row.others.written as u64, "memory");
        lines.push(format!("       written by other programs after step {}: {written}", own.step));
    }
    lines
}

fn line<'a>(store: &Store, row: &'a Row) -> RowLine<'a> {
    RowLine {
        store: store.root.told().into_owned(),
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
        written_by_others: row.others.written,
        used_by_others: row.others.used,
    }
}

/// Stores, each with the step in it that is turned.
type StepsIn = Vec<(Arc<Store>, u64)>;

/// Undoes the last step, or that one.
pub fn undo(context: &mut Context, step: Option<u64>) -> Result {
    let data = open::data_folder(context)?;
    let steps_in = |snapshot: &Snapshot| -> Result<StepsIn> {
        let steps = match step {
            None => last_change(&Real, &data, &snapshot.stores, false)?,
            Some(number) => {
                let store = with_step(&snapshot.stores, &data, number)?;
                store.into_iter().map(|store| (store, number)).collect()
            }
        };
        Ok(steps.into_iter().map(|(store, step)| (Arc::clone(store), step)).collect())
    };
    let (snapshot, steps) = read_to_turn(context, &data, false, step, steps_in)?;
    turn(context, &snapshot, &steps, Turn::Undo(step.unwrap_or_default()))
}

/// Redo what was undone last.
pub fn redo(context: &mut Context) -> Result {
    let data = open::data_folder(context)?;
    let steps_in = |snapshot: &Snapshot| -> Result<StepsIn> {
        let steps = last_change(&Real, &data, &snapshot.stores, true)?;
        Ok(steps.into_iter().map(|(store, step)| (Arc::clone(store), step)).collect())
    };
    let (snapshot, steps) = read_to_turn(context, &data, true, None, steps_in)?;
    turn(context, &snapshot, &steps, Turn::Redo(0))
}

/// The stores, and the steps in them that are turned. Where something can't be read that is of no concern to a step
/// within one session, that session alone is read.
fn read_to_turn(
    context: &Context,
    data: &Path,
    is_redo: bool,
    step: Option<u64>,
    steps_in: impl Fn(&Snapshot) -> Result<StepsIn>,
) -> Result<(Snapshot, StepsIn)> {
    let refused = match open::to_change(context, Scope::All) {
        Ok(snapshot) => {
            let steps = steps_in(&snapshot)?;
            return Ok((snapshot, steps));
        }
        Err(failure) if failure.exit == Exit::Refused => failure,
        Err(failure) => return Err(failure),
    };
    let turned = StepAsked { data, is_redo, step };
    let Ok(snapshot) = open::to_change(context, Scope::Step(turned)) else { return Err(refused) };
    let steps = steps_in(&snapshot)?;
    // Another palimp may have done something since in another session.
    let is_within = |(store, step): &(Arc<Store>, u64)| {
        let own = StepAsked { step: Some(*step), ..turned };
        store.only.is_some() && own.place(Place::whole(store.root.clone(), store.format)).only == store.only
    };
    match !steps.is_empty() && steps.iter().all(is_within) {
        true => Ok((snapshot, steps)),
        false => Err(refused),
    }
}

/// The one store in which a step of that number is applied.
fn with_step<'a>(stores: &'a [Arc<Store>], data: &Path, number: u64) -> Result<Option<&'a Arc<Store>>> {
    let mut with: Vec<&Arc<Store>> = Vec::new();
    for store in stores {
        let journal = Vault::look(&Real, data, &store.root).journal()?;
        with.extend(History::of(&journal).has(number).then_some(store));
    }
    match with.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => {
            let names = several.iter().map(|store| format!("  {}", store.root.told()));
            let message = format!("several stores have a step {number}; name one with --store:");
            Err(Failure::lines(Exit::Refused, [message].into_iter().chain(names).collect()))
        }
    }
}

/// Undoes or redoes steps that belong together. Where there is none, a store that has a step of that
/// number says why it can't be undone, else the first store.
fn turn(context: &mut Context, snapshot: &Snapshot, steps: &[(Arc<Store>, u64)], asked: Turn) -> Result {
    let data = open::data_folder(context)?;
    let host = Host::here(&data, context.now);
    let place = |store: &Arc<Store>| snapshot.stores.iter().position(|own| Arc::ptr_eq(own, store));
    let turn = |step| if let Turn::Undo(_) = asked { Turn::Undo(step) } else { Turn::Redo(step) };
    let own = steps.iter().filter_map(|(store, step)| Some((place(store)?, turn(*step))));
    let mut turns: Vec<(usize, Turn)> = own.collect();
    if turns.is_empty() {
        let none = || Failure::new(Exit::Nothing, "no store is open.");
        let has_step = |own: &&Arc<Store>| {
            let Turn::Undo(step) = asked else { return false };
            let journal = Vault::look(&Real, &data, &own.root).journal().unwrap_or_default();
            journal.iter().any(|line| line.step == step)
        };
        let store = snapshot.stores.iter().find(has_step).or(snapshot.stores.first());
        let writer = Writer::look(host, store.ok_or_else(none)?)?;
        let (_, turn) = match asked {
            Turn::Undo(step) => writer.undo(Some(step).filter(|step| *step > 0))?,
            Turn::Redo(_) => writer.redo(None)?,
        };
        turns.push((0, turn));
    }
    make_of(context, snapshot, (Vec::new(), By::Ids), Wanted::Turn(turns))
}
