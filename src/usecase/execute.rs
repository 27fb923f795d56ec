//! Carries out changes, the plan of one store after the other, and reports the result.

use std::borrow::Cow;
use std::path::Path;

use super::command::ChangeCommand;
use super::drafts::failure_with_draft;
use super::erasure_report::{ErasureReport, erasure_proof};
use super::failure::{ChangeFailure, HeldLock, Result};
use super::plan_change::plan_current;
use super::request::ChangeRequest;
use super::undo_redo::{RecentStep, RecentSteps, undo_or_redo};
use super::{erase, revalidate};
use crate::disk::host::Host;
use crate::model::{CommitReceipt, EntryRef, Plan, UndoRedo};
use crate::ops::{WriteContext, repair};
use crate::store::commit::{CommitError, Writer, make_folders, watch_due};
use crate::usecase::outcome::{ChangeObserver, ChangeReport, ExecuteOutcome, HistoryEffect, SilentObserver};
use crate::usecase::planned_change::{PlannedChange, PlannedErasure};

/// Plans a change and carries it out. An error says what state the files are in.
pub fn plan_and_execute(request: &ChangeRequest, recent: &mut RecentSteps) -> Result<ExecuteOutcome, String> {
    let host = Host::here(&request.data, request.now);
    let done = match &request.command {
        ChangeCommand::Undo => undo_or_redo(request, host, recent, false).map(ExecuteOutcome::Done),
        ChangeCommand::Redo => undo_or_redo(request, host, recent, true).map(ExecuteOutcome::Done),
        wanted => plan_current(request.clone(), host).and_then(|planned| match planned.concurrent {
            Some(_) if wanted.binds_to_seen() => Ok(ExecuteOutcome::Stale(Box::new(planned))),
            // What the user wrote would replace what another program wrote.
            Some(_) if wanted.is_written() || planned.is_empty() => Err(changed_meanwhile(request)),
            _ => execute(planned, host, recent, &mut SilentObserver, wanted.binds_to_seen()),
        }),
    };
    done.map_err(|failed| failure_with_draft(request, failed.told()))
}

/// Makes the failure for a memory that another program changed before the plan.
fn changed_meanwhile(request: &ChangeRequest) -> ChangeFailure {
    let of = |at: &EntryRef| {
        let (store, entry) = request.snapshot.get(*at);
        store.document(entry).path.clone()
    };
    ChangeFailure::changed_meanwhile(request.at.first().map_or_else(Default::default, of))
}

/// Carries out what was shown, or says what differs from it. An error says what state the files are in.
pub fn execute_shown(planned: PlannedChange, recent: &mut RecentSteps) -> Result<ExecuteOutcome, String> {
    let request = planned.request.clone();
    let host = Host::here(&request.data, request.now);
    let done = execute(planned, host, recent, &mut SilentObserver, true);
    done.map_err(|failed| failure_with_draft(&request, failed.told()))
}

/// Like [`execute_shown`], with a disk and a machine of the caller's choice. If the plan was not
/// shown, the stores may have changed.
pub fn execute(
    planned: PlannedChange,
    host: Host<'_>,
    recent: &mut RecentSteps,
    teller: &mut dyn ChangeObserver,
    was_shown: bool,
) -> Result<ExecuteOutcome> {
    match was_shown {
        true => revalidate::execute_if_unchanged(planned, host, recent, teller),
        false => execute_unshown(&planned, host, recent, teller).map(ExecuteOutcome::Done),
    }
}

/// Carries out one plan, in the way that its command needs.
fn carried(
    writer: &Writer<'_>,
    planned: &PlannedChange,
    (number, plan): (usize, &Plan),
    host: Host<'_>,
) -> Result<CommitReceipt, CommitError> {
    match &planned.request.command {
        ChangeCommand::RestoreBackup(_) => writer.restore(plan),
        ChangeCommand::UndoRedoSteps(steps) => match steps.iter().find(|(own, _)| *own == number) {
            Some((_, turn)) => writer.commit_undo_redo(plan, *turn),
            None => writer.commit(plan),
        },
        // A free id may be taken by then. It is only chosen while no other palimp writes.
        ChangeCommand::Add(..) => match writer.load() {
            Cow::Borrowed(_) => writer.commit(&Plan { exact: false, ..plan.clone() }),
            Cow::Owned(store) => {
                let context = WriteContext::of(&store, planned.request.now, planned.random);
                writer.commit(&planned.request.command.plan_store(&context, &[])?)
            }
        },
        ChangeCommand::Repair(_) => {
            let mut kept = Vec::new();
            for (file, pieces) in planned.quarantined_of(number) {
                let at = pieces.first().map_or(0, |own| own.at);
                let bytes = repair::written(pieces.into_iter());
                kept.push(writer.vault().quarantine(file, (at, None), &bytes, host.now)?);
            }
            let outcome = writer.commit(plan);
            match &outcome {
                // A piece without a step would stay listed after the undo of the repair.
                Ok(done) => {
                    kept.iter().for_each(|path| drop(writer.vault().quarantined_by(path, done.step)));
                }
                // Bytes that did not leave their file are not kept twice.
                Err(_) => kept.iter().for_each(|path| drop(host.disk.remove(path))),
            }
            outcome
        }
        _ => {
            let receipt = writer.commit(plan)?;
            if receipt.waits {
                watch_due(writer.place(), host.data);
            }
            Ok(receipt)
        }
    }
}

/// Carries out a plan that was not shown. Each write checks what other programs did since.
pub fn execute_unshown(
    planned: &PlannedChange,
    host: Host<'_>,
    recent: &mut RecentSteps,
    teller: &mut dyn ChangeObserver,
) -> Result<ChangeReport> {
    let request = &planned.request;
    let nothing = ChangeReport {
        said: format!("{}: there is nothing to change", request.name),
        notes: planned.left_out(),
        effect: HistoryEffect::Nothing,
        receipt: Vec::new(),
    };
    if planned.is_empty() {
        return Ok(nothing);
    }
    request.progress.write()?;
    request.progress.begin(planned.plans.len() + planned.erasures.len());
    let said = format!("{} {}", request.command.done_words(), planned.display_name());
    if !planned.erasures.is_empty() {
        let receipt = erase_all(planned, host, teller)?;
        return Ok(ChangeReport { said, receipt, ..nothing });
    }
    let mut notes = Vec::new();
    let mut changed: Vec<&Path> = Vec::new();
    recent.begin();
    for (number, plan) in &planned.plans {
        let store = &request.snapshot.stores[*number];
        if request.command == ChangeCommand::Init {
            make_folders(host.disk, &store.root)
                .map_err(|error| ChangeFailure::unmade(&store.root, &error))?;
        }
        let attempt =
            || Writer::open(host, store).and_then(|writer| carried(&writer, planned, (*number, plan), host));
        let receipt = match plan.is_due().then(attempt) {
            None => None,
            Some(Err(error)) if is_broken(&error, host, teller) => Some(attempt()),
            done => done,
        };
        let receipt = receipt.transpose().map_err(|error| ChangeFailure::from(error).after(&changed))?;
        if !teller.on_written(store, plan, receipt.as_ref()) {
            return Ok(nothing);
        }
        let Some(receipt) = receipt else { continue };
        changed.push(&store.root);
        notes.extend(receipt.notes);
        let step = |number| RecentStep::new(&store.root, number, &said);
        match &request.command {
            ChangeCommand::UndoRedoSteps(steps) => {
                let turn = steps.iter().find(|(own, _)| own == number);
                turn.into_iter().for_each(|(_, turn)| recent.push_undone_or_redone(*turn, step));
            }
            _ => recent.push_new(step(receipt.step)),
        }
        let _ = request.progress.step();
    }
    notes.extend(planned.left_out());
    let turned = match &request.command {
        ChangeCommand::UndoRedoSteps(steps) => match steps.first() {
            Some((_, UndoRedo::Redo(_))) => HistoryEffect::Redone,
            _ => HistoryEffect::Undone,
        },
        _ => HistoryEffect::Made,
    };
    Ok(ChangeReport { said, notes, effect: turned, receipt: Vec::new() })
}

/// True if a lock stopped the change, and was broken with the observer's consent.
fn is_broken(error: &CommitError, host: Host<'_>, teller: &mut dyn ChangeObserver) -> bool {
    HeldLock::of(error).is_some_and(|held| teller.may_break(&held) && held.break_it(host))
}

fn erase_all(
    planned: &PlannedChange,
    host: Host<'_>,
    teller: &mut dyn ChangeObserver,
) -> Result<Vec<String>> {
    let ChangeCommand::Erase(asked) = &planned.request.command else { return Ok(Vec::new()) };
    let mut done: Vec<(&PlannedErasure, ErasureReport)> = Vec::new();
    let mut changed: Vec<&Path> = Vec::new();
    for own in &planned.erasures {
        let erased = erase::execute_erasure(host, (own, &planned.not_reached), asked.reason());
        let erased = erased.map_err(|error| ChangeFailure::from(error).after(&changed))?;
        changed.push(&own.store.root);
        let report = ErasureReport::of(erased);
        let goes_on = teller.on_erased(own, &report);
        done.push((own, report));
        if !goes_on {
            break;
        }
        let _ = planned.request.progress.step();
    }
    Ok(erasure_proof(&done, &planned.not_reached))
}
