//! Changes: planned of the entries that the user saw, carried out, told. The verbs of the
//! command line plan and write in the same way.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::turn::{Recent, Step, turn};
use super::wanted::{Restoring, Wanted};
use crate::disk::{Real, ThisMachine};
use crate::format::writing::NO_PACKED;
use crate::model::{Entry, EntryRef, Moment, Plan, Snapshot};
use crate::ops::erase::Gone;
use crate::ops::{self, Refusal, Scene, Setting};
use crate::store::commit::{
    CommitError, Host, Receipt, Turn, Vault, Writer, is_left_over, keep_draft, nothing_else,
};
use crate::store::packed_bytes;

/// A change that the user asked for.
#[derive(Clone)]
pub struct ChangeRequest {
    /// The stores as the user saw them.
    pub snapshot: Arc<Snapshot>,
    /// Which entries; none to undo and redo.
    pub at: Vec<EntryRef>,
    /// What they are called. Untrusted text.
    pub name: String,
    /// What is to be done.
    pub wanted: Wanted,
    /// The folder of our own data.
    pub data: PathBuf,
    /// The time.
    pub now: Moment,
}

/// What a change came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// What was done, in a few words. May quote the store.
    pub said: String,
    /// What went otherwise than it was shown.
    pub notes: Vec<String>,
    /// What can follow.
    pub turned: Turned,
}

/// Which way a change went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// Something is new: it can be undone.
    Made,
    /// Something was taken back: it can be redone.
    Undone,
    /// Something was done again: it can be undone.
    Redone,
    /// Everything was so already.
    Nothing,
}

/// Why nothing came of it.
pub(super) struct Failed {
    pub(super) message: String,
    /// The step that was to be turned is not there any more.
    pub(super) is_gone: bool,
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        let message = format!("{} Nothing was changed. ({})", refusal.message, refusal.code);
        Failed { message, is_gone: false }
    }
}

impl From<CommitError> for Failed {
    fn from(error: CommitError) -> Self {
        Failed {
            message: format!("{error} ({})", error.code()),
            is_gone: matches!(error, CommitError::NoStep(_)),
        }
    }
}

impl Failed {
    /// The same when other stores had been changed before.
    fn after(self, changed: &[&Path]) -> Failed {
        if changed.is_empty() {
            return self;
        }
        let roots: Vec<String> = changed.iter().map(|root| root.display().to_string()).collect();
        let message = nothing_else(&self.message);
        Failed { message: format!("{message} Changed before that: {}.", roots.join(", ")), ..self }
    }
}

/// Plans a change and carries it out. An error says what state the files are in.
pub fn carry_out(request: &ChangeRequest, recent: &mut Recent) -> Result<Changed, String> {
    let machine = ThisMachine::new();
    let host = Host { disk: &Real, machine: &machine, data: &request.data, now: request.now };
    let done = match &request.wanted {
        Wanted::Undo => turn(request, host, recent, false),
        Wanted::Redo => turn(request, host, recent, true),
        _ => plans(request, host).and_then(|plans| make(request, &plans, host, recent)),
    };
    done.map_err(|failed| not_made(request, failed.message))
}

/// Why a change was not made. A text that somebody wrote outlives that.
pub fn not_made(request: &ChangeRequest, why: String) -> String {
    match (&request.wanted, request.at.first()) {
        (Wanted::Text(text), Some(at)) => {
            let (store, _) = request.snapshot.get(*at);
            format!("{why} {}", keep(&request.data, &store.root, text.as_bytes(), request.now))
        }
        _ => why,
    }
}

/// Keeps what somebody wrote for the store at `root`, and says where.
pub fn keep(data: &Path, root: &Path, text: &[u8], now: Moment) -> String {
    let machine = ThisMachine::new();
    keep_draft(Host { disk: &Real, machine: &machine, data, now }, root, text)
}

/// A change as it will be made: what is shown is what is carried out.
pub struct Planned {
    /// What was asked for.
    pub request: ChangeRequest,
    /// A plan a store, by the store's number.
    pub plans: Vec<(usize, Plan)>,
}

impl Planned {
    /// How many records change.
    pub fn records(&self) -> usize {
        self.plans.iter().map(|(_, plan)| plan.records).sum()
    }
}

/// Plans a change and writes nothing. An error says why it can't be made.
pub fn preview(request: ChangeRequest) -> Result<Planned, String> {
    let machine = ThisMachine::new();
    let host = Host { disk: &Real, machine: &machine, data: &request.data, now: request.now };
    let planned = match &request.wanted {
        Wanted::Turn(number, turn) => super::turn::preview(&request, host, *number, *turn)
            .map(|(plan, turn)| (vec![(*number, plan)], Some(Wanted::Turn(*number, turn)))),
        _ => plans(&request, host).map(|plans| (plans, None)),
    };
    match planned {
        Ok((plans, wanted)) => {
            let wanted = wanted.unwrap_or_else(|| request.wanted.clone());
            Ok(Planned { request: ChangeRequest { wanted, ..request }, plans })
        }
        Err(failed) => Err(not_made(&request, failed.message)),
    }
}

/// Carries out what was shown. An error says what state the files are in.
pub fn commit(planned: &Planned, recent: &mut Recent) -> Result<Changed, String> {
    let request = &planned.request;
    let machine = ThisMachine::new();
    let host = Host { disk: &Real, machine: &machine, data: &request.data, now: request.now };
    make(request, &planned.plans, host, recent).map_err(|failed| not_made(request, failed.message))
}

fn plans(request: &ChangeRequest, host: Host<'_>) -> Result<Vec<(usize, Plan)>, Failed> {
    if let Wanted::Restore(wanted) = &request.wanted {
        return Ok(vec![(wanted.store, restored(request, wanted, host)?)]);
    }
    let mut plans = Vec::new();
    for (number, store) in request.snapshot.stores.iter().enumerate() {
        let own = request.at.iter().filter(|at| at.store == number as u32);
        let entries: Vec<Entry> = own.map(|&at| *request.snapshot.get(at).1).collect();
        if !entries.is_empty() {
            let packed = packed_bytes(host.disk, store, &ops::archive::packed(store, &entries)?)
                .map_err(|error| Refusal::corrupt(format!("an archive can't be read: {error}.")))?;
            let scene = Scene { store, now: request.now, random: host.machine.random(), packed: &packed };
            let erased = Vault::look(host.disk, host.data, &store.root).erased()?;
            let gone = Gone::of(erased.into_iter().map(|line| line.record));
            plans.push((number, plan(&request.wanted, &scene, &entries, &gone)?));
        }
    }
    plans.retain(|(_, plan)| !plan.is_empty());
    Ok(plans)
}

/// The plan that brings back what a copy has.
fn restored(request: &ChangeRequest, wanted: &Restoring, host: Host<'_>) -> Result<Plan, Failed> {
    let Some(store) = request.snapshot.stores.get(wanted.store) else {
        return Err(Refusal::unfit("the store is not open any more.").into());
    };
    let gone = Gone::of_lines(Vault::look(host.disk, host.data, &store.root).erased()?);
    let scene = Scene { store, now: request.now, random: host.machine.random(), packed: &NO_PACKED };
    let compared = ops::restore::compare(&scene, &wanted.file, &wanted.copy, &gone)?;
    Ok(match &wanted.chosen {
        Some(chosen) => ops::restore::restore(&scene, &compared, chosen)?,
        None => ops::restore::replace(&scene, &compared, &wanted.copy, &gone)?,
    })
}

/// Carries one plan out, each kind of change in its own way.
fn carried(writer: &Writer<'_>, wanted: &Wanted, plan: &Plan) -> Result<Receipt, CommitError> {
    match wanted {
        Wanted::Restore(_) => writer.restore(plan),
        Wanted::Turn(_, turn) => writer.turn(plan, *turn),
        _ => writer.commit(plan),
    }
}

fn make(
    request: &ChangeRequest,
    plans: &[(usize, Plan)],
    host: Host<'_>,
    recent: &mut Recent,
) -> Result<Changed, Failed> {
    if plans.is_empty() {
        let said = format!("{}: there is nothing to change", request.name);
        return Ok(Changed { said, notes: Vec::new(), turned: Turned::Nothing });
    }
    let said = format!("{} {}", request.wanted.done(), request.name);
    let mut notes = Vec::new();
    let mut changed: Vec<&Path> = Vec::new();
    for (number, plan) in plans {
        let store = &request.snapshot.stores[*number];
        let committed = Writer::open(host, store).and_then(|writer| carried(&writer, &request.wanted, plan));
        let receipt = committed.map_err(|error| Failed::from(error).after(&changed))?;
        changed.push(&store.root);
        notes.extend(receipt.notes);
        let step = |number| Step { root: store.root.clone(), number, said: said.clone() };
        match request.wanted {
            Wanted::Turn(_, turn) => recent.turned(turn, step),
            _ => recent.made(step(receipt.step)),
        }
    }
    let turned = match request.wanted {
        Wanted::Turn(_, Turn::Undo(_)) => Turned::Undone,
        Wanted::Turn(_, Turn::Redo(_)) => Turned::Redone,
        _ => Turned::Made,
    };
    Ok(Changed { said, notes, turned })
}

fn plan(wanted: &Wanted, scene: &Scene<'_>, entries: &[Entry], gone: &Gone) -> Result<Plan, Refusal> {
    let one = || match entries {
        [one] => Ok(one),
        _ => Err(Refusal::unfit("that is done with one memory at a time.")),
    };
    match wanted {
        Wanted::Tag { add, remove } => ops::tag::tag(scene, entries, add, remove),
        Wanted::Importance(value) => ops::tag::importance(scene, one()?, *value),
        Wanted::Text(text) => ops::edit::edit(scene, one()?, &[Setting { name: "text", value: text }]),
        Wanted::Archive => ops::archive::archive(scene, entries),
        Wanted::Unarchive => ops::archive::unarchive(scene, entries),
        Wanted::Delete => ops::delete::delete(scene, entries, ops::delete::Asked::default()),
        Wanted::Undelete => ops::delete::undelete(scene, entries, gone),
        Wanted::Undo
        | Wanted::Redo
        | Wanted::Restore(_)
        | Wanted::Maintain
        | Wanted::Compact
        | Wanted::Turn(..) => Err(Refusal::unfit("there is nothing to plan.")),
    }
}

/// What came of looking after files of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tended {
    /// So many lines were rescued.
    pub rescued: usize,
    /// What was found and can't be mended here. May quote the store.
    pub notes: Vec<String>,
}

/// Finishes what was cut short in stores that hold files of ours, and rescues late lines.
/// What can't be done now is done next time.
pub fn tend(snapshot: &Snapshot, data: &Path, now: Moment) -> Tended {
    let machine = ThisMachine::new();
    let host = Host { disk: &Real, machine: &machine, data, now };
    let own = snapshot.stores.iter().filter(|store| is_left_over(&Real, data, store, now));
    let mut tended = Tended::default();
    for writer in own.filter_map(|store| Writer::open(host, store).ok()) {
        tended.rescued += writer.rescued();
        tended.notes.extend(writer.notes());
    }
    tended
}
