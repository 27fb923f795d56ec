//! A change from its plan to its receipt: shown, asked for, carried out, told.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::failure::{Exit, Failure, say};
use super::{Context, lock, open};
use crate::disk::{Machine, Real, ThisMachine};
use crate::format::writing::{NO_PACKED, Refusal, Scene};
use crate::model::{Change, Entry, NotWhole, Plan, Store, Tell, plan};
use crate::store::commit::{
    CommitError, Files, Host, Receipt, Writer, change_id, keep_text, kept_in, not_kept,
};
use crate::store::referred;
use crate::text::secrets::mask;
use crate::text::shell;
use crate::text::show::show;
use crate::work;

#[derive(Serialize)]
struct Row<'a> {
    plan: PlanRow<'a>,
    applied: bool,
    receipt: Option<String>,
    undo: Option<u64>,
}

/// A plan in `--json`.
#[derive(Serialize)]
pub struct PlanRow<'a> {
    fingerprint: String,
    verb: &'a str,
    store: String,
    records: usize,
    files: Vec<FileRow>,
    told: &'a [String],
}

#[derive(Serialize)]
struct FileRow {
    path: String,
    change: &'static str,
    bytes_before: u64,
    bytes_after: u64,
}

/// The machine on which a verb runs.
pub fn machine() -> ThisMachine {
    ThisMachine::new()
}

/// What a plan is made with.
pub fn scene<'a>(context: &Context, store: &'a Store) -> Scene<'a> {
    Scene { store, now: context.now, random: machine().random(), packed: &NO_PACKED }
}

/// How a plan is carried out.
pub type Carry<'c> = dyn Fn(&Writer<'_>, &Plan) -> Result<Receipt, CommitError> + 'c;

/// Shows plans, asks, and carries them out, one store after the other.
pub fn make(context: &mut Context, plans: &[(&Store, Plan)]) -> Result<Exit, Failure> {
    make_with(context, plans, &|writer, plan| writer.commit(plan))
}

/// The same, carried out in another way.
pub fn make_with(
    context: &mut Context,
    plans: &[(&Store, Plan)],
    carry: &Carry<'_>,
) -> Result<Exit, Failure> {
    make_written(context, plans, carry, None)
}

/// The same for what the user wrote, which is kept where it can't be saved.
pub fn make_written(
    context: &mut Context,
    plans: &[(&Store, Plan)],
    carry: &Carry<'_>,
    written: Option<UserText<'_>>,
) -> Result<Exit, Failure> {
    if plans.iter().all(|(_, plan)| plan.is_empty() && !is_turn(plan)) {
        plans.iter().try_for_each(|(_, plan)| print(context, plan, false, None))?;
        say("there is nothing to change");
        return Ok(Exit::Done);
    }
    if context.options.readonly && !context.options.dry_run {
        return Err(Failure::new(Exit::Refused, "--readonly: nothing was changed."));
    }
    for (store, plan) in plans.iter().filter(|_| !context.options.yes || context.options.dry_run) {
        referred::newly_missing(&Real, store, plan, context.now).iter().for_each(|line| say(line));
    }
    if context.options.dry_run || !agreed(context, plans)? {
        if !context.options.dry_run && was_asked() {
            return Err(Failure::new(Exit::Refused, "nothing was changed."));
        }
        records(context)?;
        plans.iter().try_for_each(|(_, plan)| print(context, plan, false, None))?;
        if context.options.dry_run {
            return Ok(Exit::Done);
        }
        return Err(Failure::new(Exit::Refused, "nothing was changed: use --yes to do it."));
    }
    let change = is_of_several(plans).then(|| change_id(&machine()));
    let shown: Vec<(&Store, &Plan)> = plans.iter().map(|(store, plan)| (*store, plan)).collect();
    context.shown.check_as_shown(&shown, context.now)?;
    for (number, (store, plan)) in plans.iter().enumerate() {
        match plan.is_empty() && !is_turn(plan) {
            true => print(context, plan, false, None)?,
            false => {
                // What this one changes is not what others did.
                let is_first = !plans[..number].iter().any(|(before, _)| std::ptr::eq(*before, *store));
                let exact = context.shown.agreed && is_first;
                let change = plan.change.clone().or_else(|| change.clone());
                let plan = Plan { exact, change, ..plan.clone() };
                let done = carry_out(context, store, &plan, carry, written);
                done.map_err(|failure| match context.changed.as_slice() {
                    [] => context.shown.told_of(failure, &shown, context.now),
                    // What differs now may be what was changed just before.
                    _ => failure,
                })?;
            }
        }
    }
    Ok(Exit::Done)
}

/// Whether it undoes or redoes a step: where others did that already, the journal is to say so.
fn is_turn(plan: &Plan) -> bool {
    matches!(plan.verb, "undo" | "redo")
}

/// Whether it changes several stores, each once.
fn is_of_several(plans: &[(&Store, Plan)]) -> bool {
    let mut roots: Vec<&Path> =
        plans.iter().filter(|(_, plan)| !plan.is_empty()).map(|(store, _)| &*store.root).collect();
    let plans = roots.len();
    roots.sort();
    roots.dedup();
    roots.len() > 1 && roots.len() == plans
}

fn carry_out(
    context: &mut Context,
    store: &Store,
    plan: &Plan,
    carry: &Carry<'_>,
    written: Option<UserText<'_>>,
) -> Result<(), Failure> {
    let data = open::data_folder(context)?;
    let machine = machine();
    let host = Host { disk: &Real, machine: &machine, data: &data, now: context.now };
    let attempt = || Writer::open(host, store).and_then(|writer| carry(&writer, plan));
    let done = match attempt() {
        Err(error) if lock::is_broken(&error) => attempt(),
        outcome => outcome,
    };
    let receipt = match (done, written) {
        (Ok(receipt), _) => receipt,
        (Err(error), None) => return Err(error.into()),
        (Err(error), Some(own)) => {
            let (told, path) = keep(context, store, own.of, own.text.as_bytes());
            context.shown.keep_draft(path);
            return Err(Failure::from(error).with(&told));
        }
    };
    context.shown.drop_draft();
    print(context, &receipt.plan, true, Some(&receipt))?;
    if !receipt.is_journalled {
        return Err(Failure::lines(Exit::Failed, receipt.notes));
    }
    let undo = undo_of(context, store, receipt.step);
    context.changed.push(format!("  {}: `{undo}` undoes it", store.root.told()));
    receipt.notes.iter().for_each(|note| say(note));
    if !context.options.json {
        say(&match receipt.plan.is_too_large_to_undo() {
            true => "saved; it can't be undone: it replaced more than is kept for that".to_owned(),
            false => format!("saved; `{undo}` undoes it"),
        });
    }
    Ok(())
}

/// The command that undoes a step, wherever it is run: numbers are each store's own.
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

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    shell::word(&path.told())
}

/// What the user wrote, and about which record, where it is about one.
#[derive(Clone, Copy)]
pub struct UserText<'w> {
    pub text: &'w str,
    pub of: Option<&'w Entry>,
}

/// Keeps what the user wrote for that store: what is said of it, and where it is.
pub fn keep(context: &Context, store: &Store, of: Option<&Entry>, text: &[u8]) -> (String, Option<PathBuf>) {
    let machine = machine();
    match (open::data_folder(context), of) {
        (Ok(data), Some(entry)) => work::keep_at(&data, (store, entry), text, context.now),
        (Ok(data), None) => {
            let host = Host { disk: &Real, machine: &machine, data: &data, now: context.now };
            match keep_text(host, &store.root, text) {
                Ok(path) => (kept_in(&path), Some(path)),
                Err(error) => (not_kept(&error), None),
            }
        }
        (Err(failure), _) => (failure.message(), None),
    }
}

/// Whether there is somebody who is asked.
pub fn was_asked() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether the user wants it: said so before, or says so now.
fn agreed(context: &mut Context, plans: &[(&Store, Plan)]) -> Result<bool, Failure> {
    if context.options.yes {
        return Ok(true);
    }
    if !was_asked() {
        return Ok(false);
    }
    let own: Vec<(&Store, &Plan)> = plans.iter().map(|(store, plan)| (*store, plan)).collect();
    if context.shown.is_as_shown(&own, context.now) {
        return Ok(true);
    }
    let mut err = io::stderr();
    for line in context.shown.texts() {
        writeln!(err, "{}", show(&mask(&line)))?;
    }
    for line in context.shown.lines(plans.iter().flat_map(|(_, plan)| lines(plan)).collect()) {
        writeln!(err, "{}", show(&mask(&line)))?;
    }
    let records: usize = plans.iter().map(|(_, plan)| plan.records).sum();
    let verb = plans.first().map_or("", |(_, plan)| plan.verb);
    write!(err, "{verb} {}? [y/N] ", plan::counted(records as u64, "record"))?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    context.shown.agreed = matches!(answer.trim(), "y" | "Y" | "yes");
    Ok(context.shown.agreed)
}

pub fn lines(plan: &Plan) -> Vec<String> {
    let mut lines = plan.lines.clone();
    for change in plan.all().filter(|change| !change.is_empty()) {
        lines.push(format!("{:8} {}", change.word(), plan.place(&change.path).told()));
    }
    lines
}

/// Prints which records a plan is about, where nobody was asked.
fn records(context: &mut Context) -> io::Result<()> {
    if context.options.json {
        return Ok(());
    }
    let texts = context.shown.texts();
    texts.iter().try_for_each(|line| context.out.line(line))
}

fn print(
    context: &mut Context,
    plan: &Plan,
    applied: bool,
    receipt: Option<&Receipt>,
) -> Result<(), Failure> {
    if !context.options.json {
        for line in lines(plan) {
            context.out.line(&line)?;
        }
        return Ok(());
    }
    let row = Row { plan: plan_row(plan), applied, receipt: None, undo: receipt.map(|receipt| receipt.step) };
    context.out.json(&row).map_err(Failure::from)
}

/// A plan as it is told in `--json`.
pub fn plan_row(plan: &Plan) -> PlanRow<'_> {
    PlanRow {
        fingerprint: plan.fingerprint(),
        verb: plan.verb,
        store: plan.root.told().into_owned(),
        records: plan.records,
        files: plan.all().filter(|change| !change.is_empty()).map(file_row).collect(),
        told: &plan.lines,
    }
}

fn file_row(change: &Change) -> FileRow {
    FileRow {
        path: change.path.told().into_owned(),
        change: change.word(),
        bytes_before: change.len_before(),
        bytes_after: change.len_after(),
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::new(Exit::Refused, format!("{} Nothing was changed. ({})", refusal.message, refusal.code))
    }
}

impl From<NotWhole> for Failure {
    fn from(not: NotWhole) -> Self {
        Refusal::from(not).into()
    }
}

impl From<CommitError> for Failure {
    fn from(error: CommitError) -> Self {
        let exit = match &error {
            CommitError::NoStep(_) => Exit::Nothing,
            error if error.is_failure() => Exit::Failed,
            // "Refused" says that nothing changed.
            error if matches!(error.files(), Files::Halfway | Files::Erasing) => Exit::Failed,
            _ => Exit::Refused,
        };
        let mut failure = Failure::new(exit, format!("{error} ({})", error.code()));
        failure.is_moved = error.is_moved();
        failure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_stopped_halfway_is_no_refusal() {
        let moved = |files| CommitError::Moved { file: "a".into(), what: "it is gone", files };
        assert_eq!(Failure::from(moved(Files::Halfway)).exit, Exit::Failed);
        assert_eq!(Failure::from(moved(Files::Erasing)).exit, Exit::Failed);
        assert_eq!(Failure::from(moved(Files::Restored)).exit, Exit::Refused);
        let erased = Failure::from(moved(Files::Erasing)).message();
        assert!(erased.contains("not erased everywhere") && !erased.contains("undoes it"), "{erased}");
    }
}
