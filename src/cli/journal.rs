//! `journal`, `undo`, `redo`.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::change::{Carry, machine, make_with};
use super::failure::{Exit, Failure, say};
use super::{Context, open};
use crate::disk::Real;
use crate::model::{Moment, Plan, Store, plan};
use crate::store::commit::erase::Erasing;
use crate::store::commit::{
    CommitError, FileLine, History, Host, JournalLine, Turn, Vault, Writer, latest, undo_until,
};

#[derive(Serialize)]
struct Row {
    store: String,
    step: u64,
    at: String,
    verb: String,
    records: u64,
    files: Vec<FileLine>,
    turn: Option<Turn>,
    ids: Vec<String>,
    undo_until: Option<String>,
}

/// What was changed, the newest last.
pub fn run(context: &mut Context) -> Result<Exit, Failure> {
    let snapshot = open::snapshot(context)?;
    let data = open::data_folder(context)?;
    let mut any = false;
    for store in &snapshot.stores {
        let vault = Vault::look(&Real, &data, &store.root);
        let kept = vault.steps();
        let begun = vault.erasing().unwrap_or_else(|error| {
            say(&error.to_string());
            None
        });
        let begun = begun.map(self::begun);
        for line in vault.journal().into_iter().chain(begun) {
            any = true;
            let row = row(store, line, &kept);
            if context.options.json {
                context.out.json(&row)?;
            } else {
                let until = row.undo_until.as_deref().map(|until| format!("undo until {until}"));
                let until = until.unwrap_or_else(|| "can't be undone any more".into());
                let records = plan::counted(row.records, "record");
                let files = plan::counted(row.files.len() as u64, "file");
                let line = format!("{:5}  {}  {} {records}, {files}  {until}", row.step, row.at, row.verb);
                context.out.line(&line)?;
            }
        }
    }
    Ok(if any { Exit::Done } else { Exit::Nothing })
}

/// An erasure that was cut short: the next change of the store finishes it.
fn begun(entry: Erasing) -> JournalLine {
    JournalLine {
        step: entry.step,
        at: entry.at,
        verb: "erasing".into(),
        records: entry.records.len() as u64,
        files: entry.files,
        turn: None,
        ids: entry.records.into_iter().filter_map(|own| own.id).collect(),
        as_planned: false,
    }
}

fn row(store: &Store, line: JournalLine, kept: &[u64]) -> Row {
    let done = Moment::parse(&line.at).map(|(when, _)| when);
    let until = done.filter(|_| kept.contains(&line.step)).map(|done| undo_until(done).to_rfc3339());
    Row {
        store: store.root.display().to_string(),
        step: line.step,
        at: line.at,
        verb: line.verb,
        records: line.records,
        files: line.files,
        turn: line.turn,
        ids: line.ids,
        undo_until: until,
    }
}

/// Takes back the last step, or that one.
pub fn undo(context: &mut Context, step: Option<u64>) -> Result<Exit, Failure> {
    let snapshot = open::to_change(context)?;
    let data = open::data_folder(context)?;
    let store = match step {
        None => latest(&Real, &data, &snapshot.stores, false),
        Some(number) => with_step(&snapshot.stores, &data, number)?,
    };
    // Where there is none, the first store says so.
    let store = store.or(snapshot.stores.first());
    turn(context, store, &|writer| writer.undo(step))
}

/// Does again what was taken back last.
pub fn redo(context: &mut Context) -> Result<Exit, Failure> {
    let snapshot = open::to_change(context)?;
    let data = open::data_folder(context)?;
    let store = latest(&Real, &data, &snapshot.stores, true).or(snapshot.stores.first());
    turn(context, store, &|writer| writer.redo(None))
}

/// The one store in which a step of that number is in force.
fn with_step<'a>(
    stores: &'a [Arc<Store>],
    data: &Path,
    number: u64,
) -> Result<Option<&'a Arc<Store>>, Failure> {
    let has = |store: &&Arc<Store>| {
        let journal = Vault::look(&Real, data, &store.root).journal();
        History::of(&journal).has(number)
    };
    let with: Vec<&Arc<Store>> = stores.iter().filter(has).collect();
    match with.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => {
            let names: Vec<String> =
                several.iter().map(|store| format!("  {}", store.root.display())).collect();
            let message =
                format!("several stores have a step {number}; name one with --store:\n{}", names.join("\n"));
            Err(Failure::new(Exit::Refused, message))
        }
    }
}

type Planned<'p> = dyn Fn(&Writer<'_>) -> Result<(Plan, Turn), CommitError> + 'p;

/// Turns a step of a store round.
fn turn(context: &mut Context, store: Option<&Arc<Store>>, planned: &Planned<'_>) -> Result<Exit, Failure> {
    let Some(store) = store else { return Err(Failure::new(Exit::Nothing, "no store is open.")) };
    let data = open::data_folder(context)?;
    let machine = machine();
    let host = Host { disk: &Real, machine: &machine, data: &data, now: context.now };
    let (plan, turned) = planned(&Writer::look(host, store)?)?;
    let carry: &Carry<'_> = &|writer, plan| writer.turn(plan, turned);
    make_with(context, &[(store, plan)], carry)
}
