//! Changes: planned of the entries that the user saw, carried out, told. The verbs of the
//! command line plan and write in the same way.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::erase::{self, Asked as Erasure};
use super::turn::{Recent, Step, turn};
use super::wanted::{Restoring, Wanted};
use crate::disk::{Real, ThisMachine};
use crate::format;
use crate::model::{Entry, EntryRef, Moment, Plan, Snapshot, Store};
use crate::ops::erase::{Gone, REASON};
use crate::ops::progress::is_stop;
use crate::ops::several::{self, LeftOut, leave_out};
use crate::ops::tag::Tagging;
use crate::ops::{self, Progress, Refusal, Scene, Setting};
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
    /// The names of those that the filter hides. Untrusted text.
    pub hidden: Vec<String>,
    /// How far it is, for whoever waits.
    pub progress: Arc<Progress>,
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
    /// What an erasure came to, a line each. May quote the store.
    pub receipt: Vec<String>,
}

/// So many memories: "1 memory", "2 memories".
pub fn memories(count: usize) -> String {
    if count == 1 { "1 memory".into() } else { format!("{count} memories") }
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
    /// It was refused before anything began, and for a reason other than that somebody stopped it.
    pub(super) is_refusal: bool,
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        let message = format!("{} Nothing was changed. ({})", refusal.message, refusal.code);
        Failed { message, is_gone: false, is_refusal: !is_stop(&refusal) }
    }
}

impl From<CommitError> for Failed {
    fn from(error: CommitError) -> Self {
        Failed {
            message: format!("{error} ({})", error.code()),
            is_gone: matches!(error, CommitError::NoStep(_)),
            is_refusal: matches!(&error, CommitError::Refused(refusal) if !is_stop(refusal)),
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
        _ => planned(request.clone(), host).and_then(|planned| make(&planned, host, recent)),
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
    /// What is erased.
    pub erasures: Vec<Erasure>,
    /// What can't be changed, and why.
    pub left: Vec<LeftOut>,
    /// What becomes of the first of them, a line each. Untrusted text.
    pub first: Vec<String>,
}

/// So many memories are named before a change.
const FIRST: usize = 3;

impl Planned {
    /// Plans that were made before.
    pub fn of(request: ChangeRequest, plans: Vec<(usize, Plan)>) -> Planned {
        Planned { request, plans, erasures: Vec::new(), left: Vec::new(), first: Vec::new() }
    }

    /// How many memories change.
    pub fn records(&self) -> usize {
        let erased: usize = self.erasures.iter().map(|own| own.targets.len()).sum();
        erased + self.plans.iter().map(|(_, plan)| plan.records).sum::<usize>()
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.plans.is_empty() && self.erasures.is_empty()
    }

    /// What is left out, and why; empty where nothing is. May quote the store.
    pub fn left_out(&self) -> Vec<String> {
        let told = |own: &LeftOut| format!("left out: {}: {}", memories(own.count), own.reason);
        self.left.iter().map(told).collect()
    }

    /// What is changed, as it is called.
    pub fn called(&self) -> String {
        match self.request.at.len() {
            0 | 1 => self.request.name.clone(),
            _ => memories(self.records()),
        }
    }
}

/// Plans a change and writes nothing. An error says why it can't be made.
pub fn preview(request: ChangeRequest) -> Result<Planned, String> {
    let machine = ThisMachine::new();
    let data = request.data.clone();
    let host = Host { disk: &Real, machine: &machine, data: &data, now: request.now };
    let of = request.clone();
    planned(request, host).map_err(|failed| not_made(&of, failed.message))
}

/// Carries out what was shown. An error says what state the files are in.
pub fn commit(planned: &Planned, recent: &mut Recent) -> Result<Changed, String> {
    let request = &planned.request;
    let machine = ThisMachine::new();
    let host = Host { disk: &Real, machine: &machine, data: &request.data, now: request.now };
    make(planned, host, recent).map_err(|failed| not_made(request, failed.message))
}

fn planned(request: ChangeRequest, host: Host<'_>) -> Result<Planned, Failed> {
    let request = match &request.wanted {
        Wanted::Restore(wanted) => {
            let plans = vec![(wanted.store, restored(&request, wanted, host)?)];
            return Ok(Planned::of(request, plans));
        }
        Wanted::Turn(number, turn) => {
            let (plan, turn) = super::turn::preview(&request, host, *number, *turn)?;
            let (plans, wanted) = (vec![(*number, plan)], Wanted::Turn(*number, turn));
            return Ok(Planned::of(ChangeRequest { wanted, ..request }, plans));
        }
        _ => request,
    };
    let mut planned = Planned::of(request, Vec::new());
    let request = planned.request.clone();
    let is_one = request.at.len() == 1;
    request.progress.begin(request.at.len());
    for (number, store) in request.snapshot.stores.iter().enumerate() {
        let own = request.at.iter().filter(|at| at.store == number as u32);
        let entries: Vec<Entry> = own.map(|&at| *request.snapshot.get(at).1).collect();
        if entries.is_empty() {
            continue;
        }
        let changed = match in_store(&request, host, store, &entries) {
            Ok(part) => part.into(&mut planned, number),
            // Of several stores one that refuses is left out.
            Err(failed) if is_one || !failed.is_refusal => return Err(failed),
            Err(failed) => {
                leave_out(&mut planned.left, entries.len(), &failed.message);
                Vec::new()
            }
        };
        let room = FIRST.saturating_sub(planned.first.len());
        let lines = changed.iter().take(room).map(|entry| line(&request.wanted, store, entry));
        planned.first.extend(lines);
    }
    Ok(planned)
}

/// What a memory is called, what it says, and what becomes of it. Untrusted text.
fn line(wanted: &Wanted, store: &Store, entry: &Entry) -> String {
    let id = store.view(entry).and_then(|view| view.id.as_deref()).map(str::to_owned);
    let id = id.unwrap_or_else(|| store.key(entry));
    let told = wanted.told(store, entry);
    let told = if told.is_empty() { told } else { format!("{told}  ") };
    format!("{id}  {told}{}", format::title(store, entry))
}

/// What a change comes to in one store.
struct Part {
    plan: Option<Plan>,
    erasure: Option<Erasure>,
    entries: Vec<Entry>,
    left: Vec<LeftOut>,
}

impl Part {
    /// Joins it to the others; what is returned are the entries that change.
    fn into(self, planned: &mut Planned, number: usize) -> Vec<Entry> {
        self.left.iter().for_each(|own| leave_out(&mut planned.left, own.count, &own.reason));
        let plan = self.plan.filter(|plan| !plan.is_empty());
        let erasure = self.erasure.filter(|own| !own.targets.is_empty());
        let changes = plan.is_some() || erasure.is_some();
        planned.plans.extend(plan.map(|plan| (number, plan)));
        planned.erasures.extend(erasure);
        if changes { self.entries } else { Vec::new() }
    }
}

fn in_store(
    request: &ChangeRequest,
    host: Host<'_>,
    store: &Arc<Store>,
    entries: &[Entry],
) -> Result<Part, Failed> {
    let progress = &*request.progress;
    let wanted = &request.wanted;
    if *wanted == Wanted::Erase {
        let scene = Scene { store, now: request.now, random: host.machine.random(), packed: &ops::NO_PACKED };
        let erasure = erase::ask(host, &scene, store, entries, (REASON, false), progress)?;
        return Ok(Part { plan: None, erasure: Some(erasure), entries: entries.to_vec(), left: Vec::new() });
    }
    let erased = Vault::look(host.disk, host.data, &store.root).erased()?;
    let gone = Gone::of(erased.into_iter().map(|line| line.record));
    let random = host.machine.random();
    let make = |own: &[Entry]| {
        let packed = packed_bytes(host.disk, store, &ops::archive::packed(store, own)?)
            .map_err(|error| Refusal::corrupt(format!("an archive can't be read: {error}.")))?;
        let scene = Scene { store, now: request.now, random, packed: &packed };
        plan(wanted, &scene, own, &gone, progress)
    };
    // Where the plan itself counts, this does not.
    let look = || if wanted.is_counted() { progress.go_on() } else { progress.step() };
    let may = |entry: &Entry| look().and_then(|()| wanted.may(store, entry));
    let sifted = several::sift(entries, &may, &make)?;
    Ok(Part { plan: sifted.made, erasure: None, entries: sifted.entries, left: sifted.left })
}

/// The plan that brings back what a copy has.
fn restored(request: &ChangeRequest, wanted: &Restoring, host: Host<'_>) -> Result<Plan, Failed> {
    let Some(store) = request.snapshot.stores.get(wanted.store) else {
        return Err(Refusal::unfit("the store is not open any more.").into());
    };
    let vault = Vault::look(host.disk, host.data, &store.root);
    let gone = Gone::out_of(store, &vault, &wanted.copy)?;
    let scene = Scene { store, now: request.now, random: host.machine.random(), packed: &ops::NO_PACKED };
    let compared = ops::restore::compare(&scene, &wanted.copy.file, &wanted.bytes, &gone)?;
    Ok(match &wanted.chosen {
        Some(chosen) => ops::restore::restore(&scene, &compared, chosen)?,
        None => ops::restore::replace(&scene, &compared, &wanted.bytes, &gone)?,
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

fn make(planned: &Planned, host: Host<'_>, recent: &mut Recent) -> Result<Changed, Failed> {
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
        let receipt = erase_all(planned, host)?;
        return Ok(Changed { said, receipt, ..nothing });
    }
    let mut notes = Vec::new();
    let mut changed: Vec<&Path> = Vec::new();
    recent.begin();
    for (number, plan) in &planned.plans {
        let store = &request.snapshot.stores[*number];
        let committed = Writer::open(host, store).and_then(|writer| carried(&writer, &request.wanted, plan));
        let receipt = committed.map_err(|error| Failed::from(error).after(&changed))?;
        changed.push(&store.root);
        notes.extend(receipt.notes);
        let step = |number| Step::new(&store.root, number, &said);
        match request.wanted {
            Wanted::Turn(_, turn) => recent.turned(turn, step),
            _ => recent.made(step(receipt.step)),
        }
        let _ = request.progress.step();
    }
    notes.extend(planned.left_out());
    let turned = match request.wanted {
        Wanted::Turn(_, Turn::Undo(_)) => Turned::Undone,
        Wanted::Turn(_, Turn::Redo(_)) => Turned::Redone,
        _ => Turned::Made,
    };
    Ok(Changed { said, notes, turned, receipt: Vec::new() })
}

/// Erases what was shown, store after store.
fn erase_all(planned: &Planned, host: Host<'_>) -> Result<Vec<String>, Failed> {
    let mut lines = Vec::new();
    let mut changed: Vec<&Path> = Vec::new();
    for own in &planned.erasures {
        let erased = erase::carry_out(host, own, REASON);
        let erased = erased.map_err(|error| Failed::from(error).after(&changed))?;
        changed.push(&own.store.root);
        lines.push(format!("{}: {}", own.store.root.display(), memories(own.targets.len())));
        lines.extend(erase::told(&erased));
        let _ = planned.request.progress.step();
    }
    Ok(lines)
}

fn plan(
    wanted: &Wanted,
    scene: &Scene<'_>,
    entries: &[Entry],
    gone: &Gone,
    progress: &Progress,
) -> Result<Plan, Refusal> {
    let one = || match entries {
        [one] => Ok(one),
        _ => Err(Refusal::unfit("that is done with one memory at a time.")),
    };
    progress.go_on()?;
    match wanted {
        Wanted::Tag { add, remove } => {
            ops::tag::tagged(scene, entries, Tagging::Change { add, remove }, progress)
        }
        Wanted::Rename { from, to } => {
            ops::tag::tagged(scene, entries, Tagging::Rename { from, to }, progress)
        }
        Wanted::Importance(value) => ops::tag::importances(scene, entries, *value, progress),
        Wanted::Word { field, value } => ops::tag::set_word(scene, entries, (field, value), progress),
        Wanted::Text(text) => ops::edit::edit(scene, one()?, &[Setting { name: "text", value: text }]),
        Wanted::Archive => ops::archive::archive(scene, entries),
        Wanted::Unarchive => ops::archive::unarchive(scene, entries),
        Wanted::Delete => ops::delete::delete(scene, entries, ops::delete::Asked::default()),
        Wanted::Undelete => ops::delete::undelete(scene, entries, gone),
        Wanted::Erase
        | Wanted::Undo
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
