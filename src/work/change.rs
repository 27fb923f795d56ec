//! Changes carried out, and told. The verbs of the command line plan and write in the same way.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::erase;
use super::meanwhile;
use super::planned::{Planned, planned};
use super::turn::{Recent, Step, turn};
use super::wanted::Wanted;
use crate::disk::{Real, ThisMachine};
use crate::model::{Entry, EntryRef, Moment, Plan, Snapshot, Store, Tell};
use crate::ops::erase::REASON;
use crate::ops::progress::is_stop;
use crate::ops::{Progress, Refusal};
use crate::store::commit::{
    CommitError, Host, Receipt, Turn, Writer, is_left_over, keep_text, kept_in, not_kept, nothing_else,
};

/// A change that the user asked for.
#[derive(Clone)]
pub struct ChangeRequest {
    /// The stores as the user saw them.
    pub snapshot: Arc<Snapshot>,
    /// Which entries; none to undo and redo.
    pub at: Vec<EntryRef>,
    /// What they are called. Untrusted text.
    pub name: String,
    /// Those of them that the filter hides, ascending.
    pub hidden: Vec<EntryRef>,
    /// How far it is, for whoever waits.
    pub progress: Arc<Progress>,
    /// What is to be done.
    pub wanted: Wanted,
    /// The folder of our own data.
    pub data: PathBuf,
    /// The time.
    pub now: Moment,
}

impl ChangeRequest {
    /// Whether the filter hides a memory that it is about.
    pub fn is_hidden(&self, at: EntryRef) -> bool {
        self.hidden.binary_search(&at).is_ok()
    }
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
    /// Something was undone: it can be redone.
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
    /// Why it was refused before anything began; `None` where it was otherwise, or the user
    /// stopped it.
    pub(super) refused: Option<String>,
    /// The files were not as it was planned of them, and are as they were.
    pub(super) is_moved: bool,
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        let message = format!("{} Nothing was changed. ({})", refusal.message, refusal.code);
        Failed { message, is_gone: false, refused: reason(&refusal), is_moved: false }
    }
}

fn reason(refusal: &Refusal) -> Option<String> {
    (!is_stop(refusal)).then(|| refusal.message.clone())
}

impl From<CommitError> for Failed {
    fn from(error: CommitError) -> Self {
        Failed {
            message: format!("{error} ({})", error.code()),
            is_gone: matches!(error, CommitError::NoStep(_)),
            refused: match &error {
                CommitError::Refused(refusal) => reason(refusal),
                _ => None,
            },
            is_moved: error.is_moved(),
        }
    }
}

impl Failed {
    /// The same when other stores had been changed before.
    fn after(self, changed: &[&Path]) -> Failed {
        if changed.is_empty() {
            return self;
        }
        let roots: Vec<String> = changed.iter().map(|root| root.told().into_owned()).collect();
        let message = nothing_else(&self.message);
        let message = format!("{message} Changed before that: {}.", roots.join(", "));
        Failed { message, is_moved: false, ..self }
    }
}

/// What became of a change that was agreed to.
pub enum Committed {
    /// It is made.
    Made(Changed),
    /// Others changed what it is about, and nothing was written: it is to be asked for again, and
    /// says what differs.
    Moved(Box<Planned>),
}

/// Plans a change and carries it out. An error says what state the files are in.
pub fn carry_out(request: &ChangeRequest, recent: &mut Recent) -> Result<Committed, String> {
    let machine = ThisMachine::new();
    let host = Host { disk: &Real, machine: &machine, data: &request.data, now: request.now };
    let done = match &request.wanted {
        Wanted::Undo => turn(request, host, recent, false).map(Committed::Made),
        Wanted::Redo => turn(request, host, recent, true).map(Committed::Made),
        wanted => planned(request.clone(), host).and_then(|planned| match wanted.binds() {
            true => meanwhile::carry_out(planned, host, recent),
            false => make(&planned, host, recent).map(Committed::Made),
        }),
    };
    done.map_err(|failed| not_made(request, failed.message))
}

/// Why a change was not made. A text that the user wrote outlives that.
pub fn not_made(request: &ChangeRequest, why: String) -> String {
    match (&request.wanted, request.at.first()) {
        (Wanted::Text(text), Some(at)) => {
            let of = request.snapshot.get(*at);
            format!("{why} {}", keep(&request.data, of, text.as_bytes(), request.now))
        }
        _ => why,
    }
}

/// Keeps what the user wrote about a memory, and says where, as a sentence. Of one that was erased
/// meanwhile nothing is kept.
pub fn keep(data: &Path, of: (&Store, &Entry), text: &[u8], now: Moment) -> String {
    keep_at(data, of, text, now).0
}

/// The same, with where that is.
pub fn keep_at(data: &Path, of: (&Store, &Entry), text: &[u8], now: Moment) -> (String, Option<PathBuf>) {
    let machine = ThisMachine::new();
    let host = Host { disk: &Real, machine: &machine, data, now };
    let keep = || keep_text(host, &of.0.root, text);
    let drop = |kept: Result<PathBuf, CommitError>| {
        let _ = kept.map(|path| host.disk.remove(&path));
    };
    match erase::unless_erased(host, of, keep, drop) {
        Ok(Some(Ok(path))) => (kept_in(&path), Some(path)),
        Ok(None) => (format!("What you wrote is not kept: {}.", erase::ERASED), None),
        Ok(Some(Err(error))) | Err(error) => (not_kept(&error), None),
    }
}

/// Carries out what was shown, or says what of it is not as it was shown. An error says what
/// state the files are in.
pub fn commit(planned: Planned, recent: &mut Recent) -> Result<Committed, String> {
    let request = planned.request.clone();
    let machine = ThisMachine::new();
    let host = Host { disk: &Real, machine: &machine, data: &request.data, now: request.now };
    meanwhile::carry_out(planned, host, recent).map_err(|failed| not_made(&request, failed.message))
}

/// Carries one plan out, each kind of change in its own way.
fn carried(writer: &Writer<'_>, wanted: &Wanted, plan: &Plan) -> Result<Receipt, CommitError> {
    match wanted {
        Wanted::Restore(_) => writer.restore(plan),
        Wanted::Turn(_, turn) => writer.turn(plan, *turn),
        _ => writer.commit(plan),
    }
}

pub(super) fn make(planned: &Planned, host: Host<'_>, recent: &mut Recent) -> Result<Changed, Failed> {
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
        lines.push(format!("{}: {}", own.store.root.told(), memories(own.targets.len())));
        lines.extend(erased.notes.iter().cloned().chain(erased.told()));
        let _ = planned.request.progress.step();
    }
    Ok(lines)
}

/// What came of looking after files of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tended {
    /// So many lines were rescued.
    pub rescued: usize,
    /// What was found and can't be repaired here. May quote the store.
    pub notes: Vec<String>,
}

/// Finishes what was cut short in stores that hold files of ours, and rescues late lines.
/// What can't be done now is done next time.
pub fn tend(snapshot: &Snapshot, data: &Path, now: Moment) -> Tended {
    let machine = ThisMachine::new();
    let host = Host { disk: &Real, machine: &machine, data, now };
    let mut tended = Tended::default();
    for store in &snapshot.stores {
        match is_left_over(&Real, &machine, data, store) {
            Ok(false) => {}
            Ok(true) => {
                let Ok(writer) = Writer::open(host, store) else { continue };
                tended.rescued += writer.rescued();
                tended.notes.extend(writer.notes());
            }
            Err(error) => tended.notes.push(error.to_string()),
        }
    }
    tended
}
