//! Changes carried out, each store's plan in turn, and what is said of it.

use std::borrow::Cow;
use std::path::Path;

use super::asked::ChangeRequest;
use super::drafts::not_made;
use super::erase::{self, ErasureAsked};
use super::failed::{Failed, Result};
use super::meanwhile;
use super::planned::{Planned, as_it_is};
use super::turn::{Recent, Step, turn};
use super::wanted::Wanted;
use crate::model::plan::counted;
use crate::model::{EntryRef, Plan, Store, Tell};
use crate::ops::erase::REASON;
use crate::ops::repair;
use crate::store::commit::erase::Erased;
use crate::store::commit::{CommitError, Files, Host, Receipt, Turn, Writer, leave_due, make_folders};

/// What a change came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// What was done, in a few words. May quote the store.
    pub said: String,
    /// What went otherwise than it was shown.
    pub notes: Vec<String>,
    /// What can follow.
    pub turned: Turned,
    /// What an erasure came to, a line each. May quote the store.
    pub receipt: Vec<String>,
}

/// This many memories: "1 memory", "2 memories".
pub fn memories(count: usize) -> String {
    counted(count as u64, "memory")
}

/// Which way a change went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// Something is new: it can be undone.
    Made,
    /// Something was undone: it can be redone.
    Undone,
    /// Something was redone: it can be undone.
    Redone,
    /// Everything was so already.
    Nothing,
}

/// Who asked for a change, while it is carried out.
pub trait Teller {
    /// A store is locked: whether that lock was broken now, so that it may be tried again.
    fn breaks(&mut self, _: &CommitError) -> bool {
        false
    }

    /// A plan was carried out, or there was nothing in it to do; false ends it there.
    fn wrote(&mut self, _: &Store, _: &Plan, _: Option<&Receipt>) -> bool {
        true
    }

    /// What was shown of a store was erased; false ends it there.
    fn erased(&mut self, _: &ErasureAsked, _: &Erased) -> bool {
        true
    }
}

/// Who looks at nothing but what it came to.
pub struct Quiet;

impl Teller for Quiet {}

/// What became of a change that was agreed to.
pub enum Committed {
    /// It is made.
    Made(Changed),
    /// Others changed what it is about, and nothing was written: it is to be asked for again, and
    /// says what differs.
    Moved(Box<Planned>),
}

/// Plans a change and carries it out. An error says what state the files are in.
pub fn carry_out_at_once(request: &ChangeRequest, recent: &mut Recent) -> Result<Committed, String> {
    let host = Host::here(&request.data, request.now);
    let done = match &request.wanted {
        Wanted::Undo => turn(request, host, recent, false).map(Committed::Made),
        Wanted::Redo => turn(request, host, recent, true).map(Committed::Made),
        wanted => as_it_is(request.clone(), host).and_then(|planned| match planned.difference {
            Some(_) if wanted.binds() => Ok(Committed::Moved(Box::new(planned))),
            // What the user wrote would take the place of what others wrote.
            Some(_) if wanted.is_written() || planned.is_empty() => Err(changed_meanwhile(request)),
            _ => carry_out(planned, host, recent, &mut Quiet, wanted.binds()),
        }),
    };
    done.map_err(|failed| not_made(request, failed.told()))
}

/// Others changed what the user saw, before it was planned.
fn changed_meanwhile(request: &ChangeRequest) -> Failed {
    let of = |at: &EntryRef| {
        let (store, entry) = request.snapshot.get(*at);
        store.document(entry).path.clone()
    };
    let file = request.at.first().map_or_else(Default::default, of);
    CommitError::Conflict { file, planned: Vec::new(), found: None, files: Files::Untouched }.into()
}

/// Carries out what was shown, or says what of it is not as it was shown. An error says what
/// state the files are in.
pub fn commit(planned: Planned, recent: &mut Recent) -> Result<Committed, String> {
    let request = planned.request.clone();
    let host = Host::here(&request.data, request.now);
    let done = carry_out(planned, host, recent, &mut Quiet, true);
    done.map_err(|failed| not_made(&request, failed.told()))
}

/// The same, on a disk and a machine of the caller's choice. What was not shown may have changed.
pub fn carry_out(
    planned: Planned,
    host: Host<'_>,
    recent: &mut Recent,
    teller: &mut dyn Teller,
    was_shown: bool,
) -> Result<Committed> {
    match was_shown {
        true => meanwhile::carry_out(planned, host, recent, teller),
        false => make(&planned, host, recent, teller).map(Committed::Made),
    }
}

/// Carries one plan out, each kind of change in its own way.
fn carried(
    writer: &Writer<'_>,
    planned: &Planned,
    (number, plan): (usize, &Plan),
    host: Host<'_>,
) -> Result<Receipt, CommitError> {
    match &planned.request.wanted {
        Wanted::Restore(_) => writer.restore(plan),
        Wanted::Turn(steps) => match steps.iter().find(|(own, _)| *own == number) {
            Some((_, turn)) => writer.turn(plan, *turn),
            None => writer.commit(plan),
        },
        // An id that is free now may be taken by then: it is settled when no other palimp writes.
        Wanted::Add(..) => match writer.load() {
            Cow::Borrowed(_) => writer.commit(&Plan { exact: false, ..plan.clone() }),
            Cow::Owned(store) => writer.commit(&planned.anew(&store)?),
        },
        Wanted::Repair(_) => {
            let mut kept = Vec::new();
            for (file, pieces) in planned.quarantined_of(number) {
                let at = pieces.first().map_or(0, |own| own.at);
                let bytes = repair::written(pieces.into_iter());
                kept.push(writer.vault().quarantine(file, at, &bytes, host.now)?);
            }
            let outcome = writer.commit(plan);
            match &outcome {
                // What has no step stays listed when the repair is undone.
                Ok(done) => {
                    kept.iter().for_each(|path| drop(writer.vault().quarantined_by(path, done.step)));
                }
                // What did not leave is not kept twice.
                Err(_) => kept.iter().for_each(|path| drop(host.disk.remove(path))),
            }
            outcome
        }
        _ => {
            let receipt = writer.commit(plan)?;
            if receipt.waits {
                leave_due(writer.place(), host.data);
            }
            Ok(receipt)
        }
    }
}

/// Carries out what was planned, though it was not shown. What others did since is looked at by each write.
pub fn make(
    planned: &Planned,
    host: Host<'_>,
    recent: &mut Recent,
    teller: &mut dyn Teller,
) -> Result<Changed> {
    let request = &planned.request;
    let nothing = Changed {
        said: format!("{}: there is nothing to change", request.name),
        notes: planned.left_out(),
        turned: Turned::Nothing,
        receipt: Vec::new(),
    };
    if planned.is_empty() {
        return Ok(nothing);
    }
    request.progress.write()?;
    request.progress.begin(planned.plans.len() + planned.erasures.len());
    let said = format!("{} {}", request.wanted.done(), planned.called());
    if !planned.erasures.is_empty() {
        let receipt = erase_all(planned, host, teller)?;
        return Ok(Changed { said, receipt, ..nothing });
    }
    let mut notes = Vec::new();
    let mut changed: Vec<&Path> = Vec::new();
    recent.begin();
    for (number, plan) in &planned.plans {
        let store = &request.snapshot.stores[*number];
        if request.wanted == Wanted::Init {
            make_folders(host.disk, &store.root).map_err(|error| Failed::unmade(&store.root, &error))?;
        }
        let attempt =
            || Writer::open(host, store).and_then(|writer| carried(&writer, planned, (*number, plan), host));
        let receipt = match plan.is_due().then(attempt) {
            None => None,
            Some(Err(error)) if teller.breaks(&error) => Some(attempt()),
            done => done,
        };
        let receipt = receipt.transpose().map_err(|error| Failed::from(error).after(&changed))?;
        if !teller.wrote(store, plan, receipt.as_ref()) {
            return Ok(nothing);
        }
        let Some(receipt) = receipt else { continue };
        changed.push(&store.root);
        notes.extend(receipt.notes);
        let step = |number| Step::new(&store.root, number, &said);
        match &request.wanted {
            Wanted::Turn(steps) => {
                let turn = steps.iter().find(|(own, _)| own == number);
                turn.into_iter().for_each(|(_, turn)| recent.turned(*turn, step));
            }
            _ => recent.made(step(receipt.step)),
        }
        let _ = request.progress.step();
    }
    notes.extend(planned.left_out());
    let turned = match &request.wanted {
        Wanted::Turn(steps) => match steps.first() {
            Some((_, Turn::Redo(_))) => Turned::Redone,
            _ => Turned::Undone,
        },
        _ => Turned::Made,
    };
    Ok(Changed { said, notes, turned, receipt: Vec::new() })
}

/// Erases what was shown, store after store.
fn erase_all(planned: &Planned, host: Host<'_>, teller: &mut dyn Teller) -> Result<Vec<String>> {
    let Wanted::Erase(reason) = &planned.request.wanted else { return Ok(Vec::new()) };
    let mut lines = Vec::new();
    let mut changed: Vec<&Path> = Vec::new();
    for own in &planned.erasures {
        let erased = erase::carry_out(host, own, reason.as_deref().unwrap_or(REASON));
        let erased = erased.map_err(|error| Failed::from(error).after(&changed))?;
        changed.push(&own.store.root);
        if !teller.erased(own, &erased) {
            break;
        }
        lines.push(format!("{}: {}", own.store.root.told(), memories(own.targets.len())));
        lines.extend(erased.notes.iter().cloned().chain(erased.told()));
        let _ = planned.request.progress.step();
    }
    Ok(lines)
}
