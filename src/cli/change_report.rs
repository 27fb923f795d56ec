//! Prints plans, and reports changes that were made.

use std::path::Path;

use serde::Serialize;

use super::failure::warn;
use super::{Context, Exit, Failure, Result, say};
use crate::detectors::mask;
use crate::format::by_name;
use crate::model::plan::effect::MemoryEffect;
use crate::model::{CommitReceipt, FileLine, NotReached, PathText, Plan, Store, UndoRedo, Verb};
use crate::ops::command::WriteWay;
use crate::text::shell_quote;
use crate::usecase::{self, AddMemories, ErasureReport, PlannedChange, PlannedErasure, not_reached_lines};

/// A change in `--json`: its plan, and its result.
#[derive(Serialize)]
struct ChangeRow<'a> {
    plan: PlanRow<'a>,
    applied: bool,
    receipt: Option<String>,
    undo: Option<u64>,
}

#[derive(Serialize)]
struct ErasureRow<'a> {
    #[serde(flatten)]
    change: ChangeRow<'a>,
    #[serde(flatten)]
    report: &'a ErasureReport,
}

/// A plan in `--json`.
#[derive(Serialize)]
struct PlanRow<'a> {
    fingerprint: String,
    verb: &'a Verb,
    store: String,
    records: usize,
    memories: Vec<EffectRow<'a>>,
    files: Vec<FileLine>,
    told: &'a [String],
}

/// A memory that a plan affects, in `--json`.
#[derive(Serialize)]
struct EffectRow<'a> {
    key: String,
    id: Option<String>,
    session: Option<&'a str>,
    effect: &'static str,
}

/// The first words about a change that was made.
pub enum ChangeSummary {
    /// All of them, with the title of a single memory.
    All(String),
    /// A verb, before the count of each store.
    Verb(&'static str),
}

impl ChangeSummary {
    fn of(&self, plan: &Plan) -> String {
        match self {
            ChangeSummary::All(told) => told.clone(),
            ChangeSummary::Verb(_) if plan.records == 0 => "saved".into(),
            ChangeSummary::Verb(verb) => format!("{verb} {}", usecase::memory_count(plan.records)),
        }
    }
}

pub fn change_summary(planned: &PlannedChange) -> ChangeSummary {
    let [_, _, done] = planned.request.command.words();
    let add = planned.request.command.get::<AddMemories>();
    let is_of_several = add.is_some_and(|add| add.records.len() > 1);
    match (planned.plans.first().map(|own| &own.way), planned.changing.as_slice()) {
        (Some(WriteWay::Reversed(UndoRedo::Redo(_))), _) => ChangeSummary::All("redone".into()),
        (Some(WriteWay::Reversed(UndoRedo::Undo(_))), _) => ChangeSummary::All("undone".into()),
        (_, [at]) => ChangeSummary::All(format!("{done} \"{}\"", mask(&planned.shown_title(*at)))),
        (_, []) if is_of_several => ChangeSummary::Verb(done),
        (_, []) => ChangeSummary::All("saved".into()),
        _ => ChangeSummary::Verb(done),
    }
}

/// Reports a change that was made, and how to undo it.
pub fn report_change(
    context: &mut Context,
    store: &Store,
    receipt: &CommitReceipt,
    (said, is_asked): (&ChangeSummary, bool),
) -> Result<()> {
    let printed = match is_asked && !context.options.json {
        true => Ok(()),
        false => print_plan(context, &receipt.plan, Some(receipt)),
    };
    // The plan comes before the report about it.
    let printed = printed.and_then(|()| Ok(context.out.flush()?));
    if !receipt.is_journalled {
        return Err(Failure::lines(Exit::Failed, receipt.notes.clone()));
    }
    let undo = match receipt.plan.is_too_large_to_undo() {
        true => "it can't be undone: it replaced more than undo keeps".to_owned(),
        false if receipt.plan.verb == Verb::Undo => {
            format!("`{}` redoes it", undo_of(context, store, receipt.step))
        }
        false => format!("`{}` undoes it", undo_of(context, store, receipt.step)),
    };
    // This is noted even if the output failed, because the store is changed.
    context.changed.push(format!("  {}: {undo}", store.root.to_text()));
    printed?;
    receipt.notes.iter().for_each(|note| warn(note));
    if !context.options.json {
        say(&format!("{}; {undo}", said.of(&receipt.plan)));
    }
    Ok(())
}

/// Returns the command that undoes a step, from any folder. Each store has its own step numbers.
fn undo_of(context: &Context, store: &Store, step: u64) -> String {
    let mut command = format!("palimp undo {step} --store {}", quoted(&store.root));
    if let Some(format) = &context.options.format {
        command.push_str(&format!(" --as {format}"));
    }
    if let Some(data) = &context.options.data_dir {
        command.push_str(&format!(" --data-dir {}", quoted(data)));
    }
    command
}

fn quoted(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    shell_quote::word(&path.to_text())
}

pub fn print_plans(context: &mut Context, planned: &PlannedChange) -> Result<()> {
    planned.plans.iter().try_for_each(|own| print_plan(context, &own.plan, None))?;
    let not_reached = &planned.not_reached;
    planned.erasures.iter().try_for_each(|own| print_erasure(context, (own, not_reached), None))?;
    if !context.options.json {
        not_reached_lines(not_reached).iter().try_for_each(|line| context.out.line(line))?;
    }
    Ok(())
}

pub fn print_plan(context: &mut Context, plan: &Plan, receipt: Option<&CommitReceipt>) -> Result<()> {
    if !context.options.json {
        return Ok(plan.preview_lines().iter().try_for_each(|line| context.out.line(line))?);
    }
    let undo = receipt.map(|receipt| receipt.step);
    let row = ChangeRow { plan: plan_row(plan), applied: receipt.is_some(), receipt: None, undo };
    context.out.json(&row).map_err(Failure::from)
}

/// Prints what is erased from a store, before or after the erasure.
pub fn print_erasure(
    context: &mut Context,
    (one, not_reached): (&PlannedErasure, &NotReached),
    erased: Option<&ErasureReport>,
) -> Result<()> {
    if !context.options.json {
        return Ok(one.plan.preview_lines().iter().try_for_each(|line| context.out.line(line))?);
    }
    let change = ChangeRow {
        plan: plan_row(&one.plan),
        applied: erased.is_some(),
        receipt: erased.and_then(ErasureReport::receipt).map(|path| path.to_text().into_owned()),
        undo: None,
    };
    let report = match erased {
        Some(erased) => erased,
        None => &ErasureReport::before(one, not_reached),
    };
    Ok(context.out.json(&ErasureRow { change, report })?)
}

fn plan_row(plan: &Plan) -> PlanRow<'_> {
    PlanRow {
        fingerprint: plan.fingerprint(),
        verb: &plan.verb,
        store: plan.root.to_text().into_owned(),
        records: plan.records,
        memories: plan
            .effects
            .iter()
            .filter(|own| own.is_of_memory())
            .map(|own| effect_row(plan, own))
            .collect(),
        files: plan.all().filter(|change| !change.is_empty()).map(FileLine::of).collect(),
        told: &plan.lines,
    }
}

fn effect_row<'p>(plan: &Plan, effect: &'p MemoryEffect) -> EffectRow<'p> {
    let has_id = || by_name(plan.format).is_some_and(|format| !format.about().keys_are_ids);
    EffectRow {
        key: effect.key.to_string(),
        id: if effect.id.is_none() && has_id() { None } else { Some(effect.name()) },
        session: effect.session.as_deref(),
        effect: effect.kind.as_str(),
    }
}
