//! `palimp erase`: what was chosen goes, with every copy, for good.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use serde::Serialize;

use super::args::Chosen;
use super::change::{PlanRow, lines, machine, plan_row, scene, was_asked};
use super::chosen::{by_store, records};
use super::failure::{Exit, Failure, say};
use super::{Context, open};
use crate::disk::Real;
use crate::model::{Entry, EntryRef, Plan, Snapshot, Store, Tell};
use crate::ops::erase::REASON;
use crate::query::Query;
use crate::store::commit::erase::{Erased, History, Searched, cannot_reach};
use crate::store::commit::{Host, Vault, Writer};
use crate::text::secrets::mask;
use crate::text::show::show;
use crate::work::{ErasureAsked, Progress, ask_erasure, carry_out_erasure};

#[derive(Serialize)]
struct Row<'a> {
    plan: PlanRow<'a>,
    applied: bool,
    receipt: Option<String>,
    undo: Option<u64>,
    searched: &'a [Searched],
    left: &'a [String],
    cannot_reach: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<&'a History>,
}

/// Erases records. Where an erasure that was cut short is finished before, and leaves something, the
/// verb has not erased all that it was to.
pub fn run(context: &mut Context, chosen: &Chosen, reason: Option<&str>) -> Result<Exit, Failure> {
    let mut snapshot = open::snapshot(context)?;
    let writes = !context.options.dry_run && !context.options.readonly;
    if writes && finish(context, &snapshot)? {
        snapshot = open::snapshot(context)?;
    }
    match erase(context, snapshot, chosen, reason.unwrap_or(REASON)) {
        Ok(_) if context.is_left.get() => Ok(Exit::Failed),
        Err(mut why) if context.is_left.get() => {
            why.exit = Exit::Failed;
            Err(why)
        }
        outcome => outcome,
    }
}

fn erase(context: &mut Context, snapshot: Snapshot, chosen: &Chosen, reason: &str) -> Result<Exit, Failure> {
    // A copy may be in what was not seen.
    snapshot.stores.iter().try_for_each(|store| store.whole().map(drop))?;
    let (snapshot, found) = chosen_of(context, snapshot, chosen)?;
    let mut asked = Vec::new();
    for store in &snapshot.stores {
        let own = by_store(&snapshot, &found).into_iter().find(|(own, _)| std::ptr::eq(*own, &**store));
        if let Some((_, entries)) = own {
            asked.push(ask(context, store, &entries, reason)?);
        }
    }
    if context.options.readonly && !context.options.dry_run {
        return Err(Failure::new(Exit::Refused, "--readonly: nothing was changed."));
    }
    if context.options.dry_run || !agreed(context, &asked)? {
        if !context.options.dry_run && was_asked() {
            return Err(Failure::new(Exit::Refused, "nothing was changed."));
        }
        asked.iter().try_for_each(|one| print(context, one, None))?;
        if context.options.dry_run {
            return Ok(Exit::Done);
        }
        return Err(Failure::new(Exit::Refused, "nothing was changed: use --yes to do it."));
    }
    let plans: Vec<(&Store, &Plan)> = asked.iter().map(|one| (&*one.store, &one.plan)).collect();
    context.shown.check_as_shown(&plans, context.now)?;
    context.shown.was_not_used(context.now)?;
    drop(plans);
    asked.iter_mut().for_each(|one| one.plan.exact = context.shown.agreed);
    let mut exit = Exit::Done;
    for one in &asked {
        if !carry_out(context, one, reason)? {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}

/// The chosen records, in the stores that list them: what is in no file of a store may be in what
/// undo data and backups hold of it.
fn chosen_of(
    context: &Context,
    snapshot: Snapshot,
    chosen: &Chosen,
) -> Result<(Snapshot, Vec<EntryRef>), Failure> {
    let query = chosen.query.as_deref().map(|query| Query::parse(query, context.now)).transpose()?;
    if query.is_none_or(|query| !query.asks_deleted()) {
        match records(context, &snapshot, chosen, |_, _| true) {
            Ok(found) => return Ok((snapshot, found)),
            // What is not there may have been deleted.
            Err(why) if matches!(why.exit, Exit::Nothing | Exit::Refused) && !why.is_ambiguous => {}
            Err(why) => return Err(why),
        }
    }
    let with = open::with_deleted(context, &snapshot)?;
    let found = records(context, &with, chosen, |_, _| true)?;
    Ok((with, found))
}

/// Finishes what was cut short before: what is left of it may be what is asked for. Whether
/// there was any.
fn finish(context: &Context, snapshot: &Snapshot) -> Result<bool, Failure> {
    let data = open::data_folder(context)?;
    let mut any = false;
    for store in &snapshot.stores {
        if Vault::look(&Real, &data, &store.root).erasing()?.is_none() {
            continue;
        }
        any = true;
        let machine = machine();
        let host = Host { disk: &Real, machine: &machine, data: &data, now: context.now };
        open::tell(context, &Writer::open(host, store)?);
    }
    Ok(any)
}

fn ask(
    context: &Context,
    store: &Arc<Store>,
    entries: &[Entry],
    reason: &str,
) -> Result<ErasureAsked, Failure> {
    let (machine, data) = (machine(), open::data_folder(context)?);
    let host = Host { disk: &Real, machine: &machine, data: &data, now: context.now };
    let scene = scene(context, store);
    Ok(ask_erasure(host, &scene, store, entries, (reason, true), &Progress::default())?)
}

/// Whether the user wants it: said so before, or types what it does.
fn agreed(context: &mut Context, asked: &[ErasureAsked]) -> Result<bool, Failure> {
    if context.options.yes {
        return Ok(true);
    }
    if !was_asked() {
        return Ok(false);
    }
    let own: Vec<(&Store, &Plan)> = asked.iter().map(|one| (&*one.store, &one.plan)).collect();
    if context.shown.is_as_shown(&own, context.now) {
        return Ok(true);
    }
    let mut err = io::stderr();
    for line in context.shown.texts() {
        writeln!(err, "{}", show(&mask(&line)))?;
    }
    for line in context.shown.lines(asked.iter().flat_map(|one| lines(&one.plan)).collect()) {
        writeln!(err, "{}", show(&mask(&line)))?;
    }
    let count: usize = asked.iter().map(|one| one.targets.len()).sum();
    writeln!(err, "Undo steps, drafts and backups that hold them go too. It can't be undone.")?;
    write!(err, "Type `erase {count}` to do it: ")?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    context.shown.agreed = answer.trim() == format!("erase {count}");
    Ok(context.shown.agreed)
}

/// Whether nothing is left.
fn carry_out(context: &mut Context, one: &ErasureAsked, reason: &str) -> Result<bool, Failure> {
    let data = open::data_folder(context)?;
    let machine = machine();
    let host = Host { disk: &Real, machine: &machine, data: &data, now: context.now };
    let erased = carry_out_erasure(host, one, reason)?;
    print(context, one, Some(&erased))?;
    tell(context, &erased);
    Ok(erased.left.is_empty())
}

fn tell(context: &Context, erased: &Erased) {
    let (is_left, is_talk) = (!erased.left.is_empty(), !context.options.json);
    let found = if is_left || is_talk { erased.found() } else { Vec::new() };
    let reach = if is_talk { erased.out_of_reach() } else { Vec::new() };
    let lines = [&erased.notes, &found, &erased.besides(), &reach];
    lines.into_iter().flatten().for_each(|line| say(line));
}

fn print(context: &mut Context, one: &ErasureAsked, erased: Option<&Erased>) -> Result<(), Failure> {
    if !context.options.json {
        for line in lines(&one.plan) {
            context.out.line(&line)?;
        }
        return Ok(());
    }
    let row = Row {
        plan: plan_row(&one.plan),
        applied: erased.is_some(),
        receipt: erased.map(|own| own.receipt.told().into_owned()),
        undo: None,
        searched: erased.map_or(&[], |own| &own.searched),
        left: erased.map_or(&[], |own| &own.left),
        cannot_reach: match erased {
            Some(own) => own.cannot_reach.clone(),
            None => cannot_reach(History::before(&Real, &one.store.root).as_ref()),
        },
        git: erased.and_then(|own| own.git.as_ref()),
    };
    context.out.json(&row).map_err(Failure::from)
}
