//! `palimp erase`: erases the chosen records with every copy.

use std::path::Path;

use serde::Serialize;

use super::args::RecordSelection;
use super::change_report::{ChangeRow, plan_row};
use super::failure::{Exit, Failure, Result, say};
use super::load_stores;
use super::read_scope::ReadScope;
use super::run_change::run_change_of;
use super::selection::records;
use crate::cli::context::Context;
use crate::disk::RealDisk;
use crate::disk::host::Host;
use crate::model::{Change, EntryRef, PathText, Snapshot};
use crate::query::Query;
use crate::store::commit::scrub::{ErasureReceipt, GitHistory, SearchReport, cannot_reach};
use crate::store::commit::{Vault, Writer};
use crate::usecase::{ChangeCommand, PlannedErasure, Requester};

#[derive(Serialize)]
struct ErasureRow<'a> {
    #[serde(flatten)]
    change: ChangeRow<'a>,
    searched: &'a [SearchReport],
    left: &'a [String],
    cannot_reach: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<&'a GitHistory>,
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
        if Vault::open_read_only(&RealDisk, &data, &store.root).erasing()?.is_none() {
            continue;
        }
        any = true;
        let host = Host::here(&data, context.now);
        load_stores::tell(context, &Writer::open(host, store)?);
    }
    Ok(any)
}

/// Reports the result of an erasure.
pub fn tell(context: &Context, erased: &ErasureReceipt) {
    let (is_left, is_talk) = (!erased.left.is_empty(), !context.options.json);
    let found = if is_left || is_talk { erased.found() } else { Vec::new() };
    let reach = if is_talk { erased.out_of_reach() } else { Vec::new() };
    let lines = [&erased.notes, &found, &erased.besides(), &reach];
    lines.into_iter().flatten().for_each(|line| say(line));
}

/// Prints what is erased from a store, before or after the erasure.
pub fn print(context: &mut Context, one: &PlannedErasure, erased: Option<&ErasureReceipt>) -> Result<()> {
    if !context.options.json {
        return Ok(one.plan.preview_lines().iter().try_for_each(|line| context.out.line(line))?);
    }
    let change = ChangeRow {
        plan: plan_row(&one.plan),
        applied: erased.is_some(),
        receipt: erased.map(|own| own.receipt.to_text().into_owned()),
        undo: None,
    };
    let row = ErasureRow {
        change,
        searched: erased.map_or(&[], |own| &own.searched),
        left: erased.map_or(&[], |own| &own.left),
        cannot_reach: match erased {
            Some(own) => own.cannot_reach.clone(),
            None => {
                let git = GitHistory::before(&RealDisk, &one.store.root);
                let is_it = |own: &&Change, path: &Path| own.path == path && own.replaces();
                cannot_reach(git.as_ref(), &one.store, &|path| one.plan.all().any(|own| is_it(&own, path)))
            }
        },
        git: erased.and_then(|own| own.git.as_ref()),
    };
    context.out.json(&row).map_err(Failure::from)
}
