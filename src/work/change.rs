//! Changes: planned of the entries that the user saw, carried out, told. The verbs of the
//! command line plan and write in the same way.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Real, ThisMachine};
use crate::model::{Entry, EntryRef, Moment, Plan, Snapshot, Store};
use crate::ops::erase::Gone;
use crate::ops::{self, Refusal, Scene, Setting};
use crate::store::commit::{
    CommitError, Host, Turn, Vault, Writer, is_left_over, keep_draft, latest, nothing_else,
};
use crate::store::packed_bytes;

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Tags are added and taken away.
    Tag {
        /// These come.
        add: Vec<String>,
        /// These go.
        remove: Vec<String>,
    },
    /// The importance is set.
    Importance(f64),
    /// The main text is this.
    Text(String),
    /// It is moved aside.
    Archive,
    /// It is brought back.
    Unarchive,
    /// It is deleted.
    Delete,
    /// Its deletion is taken back.
    Undelete,
    /// The last step is taken back.
    Undo,
    /// What was taken back last is done again.
    Redo,
}

impl Wanted {
    /// What is going on while it is done.
    pub fn going_on(&self) -> &'static str {
        match self {
            Wanted::Tag { .. } => "tagging",
            Wanted::Importance(_) => "setting the importance of",
            Wanted::Text(_) => "saving",
            Wanted::Archive => "archiving",
            Wanted::Unarchive => "bringing back",
            Wanted::Delete => "deleting",
            Wanted::Undelete => "restoring",
            Wanted::Undo => "taking back the last change",
            Wanted::Redo => "doing again what was taken back",
        }
    }

    fn done(&self) -> &'static str {
        match self {
            Wanted::Tag { .. } => "tagged",
            Wanted::Importance(_) => "set the importance of",
            Wanted::Text(_) => "saved",
            Wanted::Archive => "archived",
            Wanted::Unarchive => "brought back",
            Wanted::Delete => "deleted",
            Wanted::Undelete => "restored",
            Wanted::Undo => "took back",
            Wanted::Redo => "did again",
        }
    }
}

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

/// Steps of this run in their order: undo and redo turn these first, whatever the times in
/// the journals of several stores say.
#[derive(Default)]
pub struct Recent {
    done: Vec<Step>,
    undone: Vec<Step>,
    /// Whether something new was done: what had been taken back before is not done again then.
    is_new: bool,
}

struct Step {
    root: PathBuf,
    number: u64,
    said: String,
}

/// Why nothing came of it.
struct Failed {
    message: String,
    /// The step that was to be turned is not there any more.
    is_gone: bool,
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
        _ => make(request, host, recent),
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

fn make(request: &ChangeRequest, host: Host<'_>, recent: &mut Recent) -> Result<Changed, Failed> {
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
            plans.push((store, plan(&request.wanted, &scene, &entries, &gone)?));
        }
    }
    plans.retain(|(_, plan)| !plan.is_empty());
    if plans.is_empty() {
        let said = format!("{}: there is nothing to change", request.name);
        return Ok(Changed { said, notes: Vec::new(), turned: Turned::Nothing });
    }
    let said = format!("{} {}", request.wanted.done(), request.name);
    let mut notes = Vec::new();
    let mut changed: Vec<&Path> = Vec::new();
    for (store, plan) in plans {
        let committed = Writer::open(host, store).and_then(|writer| writer.commit(&plan));
        let receipt = committed.map_err(|error| Failed::from(error).after(&changed))?;
        changed.push(&store.root);
        notes.extend(receipt.notes);
        recent.done.push(Step { root: store.root.clone(), number: receipt.step, said: said.clone() });
        recent.undone.clear();
        recent.is_new = true;
    }
    Ok(Changed { said, notes, turned: Turned::Made })
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
        Wanted::Undo | Wanted::Redo => Err(Refusal::unfit("there is nothing to plan.")),
    }
}

/// Takes the last step back, or does again what was taken back last.
fn turn(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &mut Recent,
    is_redo: bool,
) -> Result<Changed, Failed> {
    let stores = &request.snapshot.stores;
    let steps = if is_redo { &recent.undone } else { &recent.done };
    let is_open = |step: &Step| stores.iter().any(|store| store.root == step.root);
    let own = steps.iter().rposition(is_open);
    let root = own.map(|at| steps[at].root.as_path());
    let store = match root {
        Some(root) => stores.iter().find(|store| store.root == root),
        None if is_redo && recent.is_new => None,
        None => latest(host.disk, host.data, stores, is_redo),
    };
    let Some(store) = store else {
        let verb = if is_redo { "redo" } else { "undo" };
        return Err(CommitError::NoStep(format!("There is nothing to {verb}.")).into());
    };
    let number = own.map(|at| steps[at].number);
    let turned = turn_in(store, host, number, is_redo);
    let from = if is_redo { &mut recent.undone } else { &mut recent.done };
    let is_over = turned.as_ref().map_or_else(|failed| failed.is_gone, |_| true);
    let step = own.filter(|_| is_over).map(|at| from.remove(at));
    let (notes, told, number) = turned?;
    let told = step.map_or(told, |step| format!(": {}", step.said));
    let said = format!("{}{told}", request.wanted.done());
    let step = Step { root: store.root.clone(), number, said: told.trim_start_matches([':', ' ']).into() };
    if is_redo {
        recent.done.push(step)
    } else {
        recent.undone.push(step)
    }
    let turned = if is_redo { Turned::Redone } else { Turned::Undone };
    Ok(Changed { said, notes, turned })
}

/// Turns a step of a store: notes, what is told of it, and the step that was turned.
fn turn_in(
    store: &Arc<Store>,
    host: Host<'_>,
    number: Option<u64>,
    is_redo: bool,
) -> Result<(Vec<String>, String, u64), Failed> {
    let writer = Writer::open(host, store)?;
    let (plan, turn) = if is_redo { writer.redo(number)? } else { writer.undo(number)? };
    let (Turn::Undo(step) | Turn::Redo(step)) = turn;
    let receipt = writer.turn(&plan, turn)?;
    let line = plan.lines.first().map_or("", String::as_str);
    let told = line.split_once(' ').map_or(String::new(), |(_, told)| format!(" {told}"));
    Ok((receipt.notes, told, step))
}

/// Finishes what was cut short in stores that hold files of ours, and rescues late lines:
/// how many. What can't be done now is done next time.
pub fn tend(snapshot: &Snapshot, data: &Path, now: Moment) -> usize {
    let machine = ThisMachine::new();
    let host = Host { disk: &Real, machine: &machine, data, now };
    let own = snapshot.stores.iter().filter(|store| is_left_over(&Real, data, store, now));
    own.filter_map(|store| Writer::open(host, store).ok()).map(|writer| writer.rescued()).sum()
}
