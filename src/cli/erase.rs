//! `palimp erase`: erases the chosen records with every copy.

use serde::Serialize;

use super::args::RecordSelection;
use super::change_report::{ChangeRow, plan_row};
use super::failure::{Exit, Failure, Result, say};
use super::load_stores;
use super::read_scope::ReadScope;
use super::run_change::run_change_of;
use super::selection::records;
use crate::cli::context::Context;
use crate::disk::host::Host;
use crate::model::{EntryRef, PathText, Snapshot};
use crate::query::Query;
use crate::usecase::{ChangeCommand, ErasureReport, PlannedErasure, Requester, finish_erasure};

#[derive(Serialize)]
struct ErasureRow<'a> {
    #[serde(flatten)]
    change: ChangeRow<'a>,
    #[serde(flatten)]
    report: &'a ErasureReport,
}

/// Erases records. Fails if an interrupted erasure is finished first and leaves something.
pub fn run(context: &mut Context, chosen: &RecordSelection, reason: Option<String>) -> Result {
    let mut snapshot = load_stores::snapshot(context, ReadScope::All)?;
    let writes = !context.options.dry_run && !context.options.readonly;
    if writes && finish(context, &snapshot)? {
        snapshot = load_stores::snapshot(context, ReadScope::All)?;
    }
    match erase(context, snapshot, chosen, reason) {
        Ok(_) if context.is_left.get() => Ok(Exit::Failed),
        Err(mut why) if context.is_left.get() => {
            why.exit = Exit::Failed;
            Err(why)
        }
        outcome => outcome,
    }
}

fn erase(
    context: &mut Context,
    snapshot: Snapshot,
    chosen: &RecordSelection,
    reason: Option<String>,
) -> Result {
    // A copy may be in what was not read.
    snapshot.stores.iter().try_for_each(|store| store.whole().map(drop))?;
    load_stores::data_folder(context)?;
    let (snapshot, found) = chosen_of(context, snapshot, chosen)?;
    run_change_of(context, &snapshot, (found, Requester::Ids), ChangeCommand::Erase(reason))
}

/// Returns the chosen records and their stores. Undo data and backups may hold a record that no file has.
fn chosen_of(
    context: &Context,
    snapshot: Snapshot,
    chosen: &RecordSelection,
) -> Result<(Snapshot, Vec<EntryRef>)> {
    let query = chosen.query.as_deref().map(|query| Query::parse(query, context.now)).transpose()?;
    if query.is_none_or(|query| !query.asks_deleted()) {
        match records(context, &snapshot, chosen, |_, _| true) {
            Ok(found) => return Ok((snapshot, found)),
            // A record that is not found may have been deleted.
            Err(why) if matches!(why.exit, Exit::Nothing | Exit::Refused) && !why.is_ambiguous => {}
            Err(why) => return Err(why),
        }
    }
    let with = load_stores::with_deleted(context, &snapshot)?;
    let found = records(context, &with, chosen, |_, _| true)?;
    Ok((with, found))
}

/// Finishes interrupted erasures first: their rest may be what is asked for. True if there was one.
fn finish(context: &Context, snapshot: &Snapshot) -> Result<bool> {
    let data = load_stores::data_folder(context)?;
    let mut any = false;
    for store in &snapshot.stores {
        if let Some(report) = finish_erasure(Host::here(&data, context.now), store)? {
            any = true;
            load_stores::tell(context, &report);
        }
    }
    Ok(any)
}

/// Reports the result of an erasure.
pub fn tell(context: &Context, erased: &ErasureReport) {
    erased.told(!context.options.json).iter().for_each(|line| say(line));
}

/// Prints what is erased from a store, before or after the erasure.
pub fn print(context: &mut Context, one: &PlannedErasure, erased: Option<&ErasureReport>) -> Result<()> {
    if !context.options.json {
        return Ok(one.plan.preview_lines().iter().try_for_each(|line| context.out.line(line))?);
    }
    let change = ChangeRow {
        plan: plan_row(&one.plan),
        applied: erased.is_some(),
        receipt: erased.and_then(ErasureReport::receipt).map(|path| path.to_text().into_owned()),
        undo: None,
    };
    let before;
    let report = match erased {
        Some(erased) => erased,
        None => {
            before = ErasureReport::before(one);
            &before
        }
    };
    let row = ErasureRow { change, report };
    context.out.json(&row).map_err(Failure::from)
}
