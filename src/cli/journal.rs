//! `journal`, `undo`, `redo`.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::{Context, Exit, Limit, ReadScope, Result, load_stores, say};
use crate::model::{FileLine, Moment, PathText, Store, UndoRedo, Verb, plan};
use crate::usecase::{JournalRow, JournalView};

#[derive(Serialize)]
struct StepRow<'a> {
    store: String,
    step: u64,
    at: &'a str,
    verb: &'a Verb,
    records: u64,
    files: &'a [FileLine],
    turn: Option<UndoRedo>,
    change: Option<&'a str>,
    ids: &'a [String],
    undone: bool,
    is_half: bool,
    undo_until: Option<String>,
    why_not: Option<&'static str>,
    written_by_others: usize,
    used_by_others: usize,
}

/// Lists the steps, the newest last, and what other programs did meanwhile.
pub fn run(context: &mut Context, limit: Limit) -> Result {
    let snapshot = load_stores::snapshot(context, ReadScope::All)?;
    let data = load_stores::data_folder(context)?;
    let account = |store: &Arc<Store>| JournalView::of(store, &data, context.now);
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
    context.more(limit, all)?;
    Ok(if all > 0 { Exit::Done } else { Exit::Nothing })
}

/// The time of a step. If steps have the same time, the one with the higher number is newer.
type StepTime = (Option<Moment>, u64, usize);

fn when(row: &JournalRow, store: usize) -> StepTime {
    (Moment::of(&row.line.at), row.line.step, store)
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
    let undone = match row.is_undone() {
        true => "  undone",
        false if own.is_half => "  neither finished nor undone",
        false => "",
    };
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
        is_half: row.line.is_half,
        undo_until: row.until.map(|until| until.to_rfc3339()),
        why_not: row.why_not,
        written_by_others: row.foreign.written,
        used_by_others: row.foreign.used,
    }
}
