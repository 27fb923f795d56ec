//! What a change of the store writes, as bytes: the canonical write of the bundle, and the
//! pruning of events and checkpoints. Nothing here touches the disk or the clock.
//!
//! A canonical write leaves the store as the format's own tool does: a checkpoint of the
//! new bundle, the state, the projections, the entry block, and last one event, which the
//! state counts already. The files are in the order in which they are to be written.
//!
//! Choices where the specification is silent:
//! - A state in the canonical form is written in it; any other keeps its bytes, but for
//!   what was changed.
//! - An entry block that is there keeps its text: only its marker holds a value.
//! - A projection's part is looked for as the bundle wrote it that its marker names: the
//!   present one, or that of a checkpoint. What people added stays.
//! - A projection or an entry file that is missing stays missing, and one that is not one
//!   is left alone; the notes say so.
//! - An edit that would make a bundle that the format's own tool refuses is refused.
//!   Faults that were there before may stay.
//! - Where retention is off, no event is ever pruned: it would leave a gap in the numbers.

mod beside;
mod erase;
mod event;
mod markdown;
mod project;
mod prune;
mod recall;
mod splice;
mod store;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use super::bundle::{BUNDLE, COMMANDS};
use super::document::text;
use super::{events, layout, shape};
use crate::model::{Document, Moment, Tell};
use crate::text::canonical::sha256_indented;
use crate::text::json::Json;
use crate::text::scan::Tape;

use beside::Beside;
use event::Told;
use project::Said;
use store::{Files, StateText, canonical_text, checkpoint_path, iso};

pub use prune::{Chosen, Pruned, prune};
pub use recall::{unsaid, would_return};

/// A file as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Relative to the store's root, or to the folder around the store.
    pub path: PathBuf,
    /// Whether it is relative to the folder around the store: projections, entry file.
    pub beside: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether the bytes follow those that the file has, instead of taking their place.
    pub append: bool,
}

/// One change of the bundle. Paths are dotted and start at the bundle: `gotchas.2.title`;
/// an item is named by its number from 0, or by its own `id`. Values are JSON. Of several
/// edits each sees what those before it left, numbers of items included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleEdit<'a> {
    /// Puts a value in the place of the one that is there, or a new member into an object.
    Set {
        /// Which.
        path: &'a str,
        /// As JSON.
        value: &'a str,
    },
    /// Takes out an item or a member.
    Remove {
        /// Which.
        path: &'a str,
    },
    /// Puts in a member, or an item before the one that has the number; the number after
    /// the last appends. What `Remove` took out is where it was.
    Insert {
        /// Where.
        path: &'a str,
        /// As JSON.
        value: &'a str,
    },
}

/// A canonical write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The files, in the order in which they are to be written.
    pub files: Vec<Written>,
    /// The id of the checkpoint.
    pub checkpoint: String,
    /// The id of the event.
    pub event: String,
    /// The hash of the new bundle.
    pub hash: String,
    /// What was left as it is, and why, as sentences.
    pub notes: Vec<String>,
}

/// Why nothing is written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// There is no state to start from.
    #[error("The store has no `state.json` that can be read: {0}")]
    NoState(String),
    /// Not all of a file is at hand.
    #[error("Only a part of {} was read.", .0.told())]
    NotWhole(PathBuf),
    /// The state is of another version than the one there is.
    #[error("The state's `schemaVersion` is not the one that this format has.")]
    Version,
    /// The state has no such object.
    #[error("The state has no object `{0}`.")]
    Lacks(&'static str),
    /// A path leads nowhere.
    #[error("The bundle has no `{0}`.")]
    NoSuchPath(String),
    /// Something is already where a member is to be inserted.
    #[error("The bundle has a `{0}` already.")]
    Taken(String),
    /// A new value is not JSON.
    #[error("The new value of `{0}` is not JSON.")]
    NotJson(String),
    /// The bundle would be one that the format's own tool refuses.
    #[error("The format's own tool would refuse the bundle: {0}")]
    Invalid(String),
    /// The state would be nested too deep to be written.
    #[error("The state is nested too deep to be written.")]
    TooDeep,
    /// The numbers of events or checkpoints are used up.
    #[error("No number is left for another event or checkpoint.")]
    NoNumberLeft,
    /// Retention is off.
    #[error("The config turns retention off, and without it the numbers of events must have no gaps.")]
    RetentionOff,
    /// There is no active record of that id.
    #[error("The store has no active event or checkpoint {0:?}.")]
    NoSuchRecord(String),
    /// The record must stay.
    #[error("The checkpoint {0} stays: it is the latest, or among the newest {1} that the config keeps.")]
    Stays(String, u64),
    /// There is nothing to prune.
    #[error("There is nothing to prune.")]
    Nothing,
}

/// One canonical write of the bundle with these edits. Without edits it brings a store
/// whose derived values are stale up to date.
pub fn canonical_write(
    documents: &[Arc<Document>],
    beside: &[(PathBuf, Vec<u8>)],
    edits: &[BundleEdit<'_>],
    summary: &str,
    now: Moment,
) -> Result<Canonical, Refused> {
    let files = Files::of(documents)?;
    let mut state = StateText::of(files.state)?;
    let before = StateText::of(files.state)?;
    let mut tape = Tape::default();
    let before = before.object(&mut tape)?;
    for edit in edits {
        apply(&mut state, edit)?;
    }
    let event = events::id_of(files.next_event(before)?);
    let checkpoint = format!("chk-{:06}", files.next_checkpoint(before)?);
    let hash = judged(before, &state, now)?;
    let at = iso(now);
    let count = Files::count(files.events) + 1;
    state.set(&["maintenance"], "historyEventCount", &count.to_string())?;
    if files.sources.is_some_and(|sources| sources.records.iter().all(|own| own.view().is_some())) {
        let count = Files::count(files.sources).to_string();
        state.set(&["maintenance"], "importSourceCount", &count)?;
    }
    state.set(&["maintenance"], "latestCheckpointId", &splice::quoted(&checkpoint))?;
    state.set(&[], "bundleHash", &splice::quoted(&hash))?;
    state.set(&[], "generatedAt", &splice::quoted(&at))?;

    let mut tape = Tape::default();
    let new = state.object(&mut tape)?;
    let bundle = new.get("bundle").ok_or(Refused::Lacks("bundle"))?;
    let summary = Some(summary.trim()).filter(|own| !own.is_empty()).unwrap_or("the bundle was rewritten");
    let told = Told { event: &event, checkpoint: &checkpoint, at: &at, hash: &hash, summary };
    let mut written = vec![in_store(checkpoint_path(&checkpoint), canonical_text(&told.checkpoint(bundle))?)];
    let line = told.event(before.get("bundle"), bundle)?;
    let mut notes = Vec::new();
    let around = around(&files, before, new, &hash, beside, &mut notes);
    written.push(in_store(layout::STATE.into(), state.into_bytes()?));
    written.extend(around);
    written.push(appended(files.events, &line));
    Ok(Canonical { files: written, checkpoint, event, hash, notes })
}

/// The pages and the entry block as the present state makes them, those that can be made.
pub fn pages_anew(
    documents: &[Arc<Document>],
    beside: &[(PathBuf, Vec<u8>)],
) -> Result<Vec<Written>, Refused> {
    let files = Files::of(documents)?;
    let mut tape = Tape::default();
    let state = store::object(&mut tape, &files.state.bytes).map_err(Refused::NoState)?;
    let hash = text(state, "bundleHash").unwrap_or_default();
    Ok(around(&files, state, state, &hash, beside, &mut Vec::new()))
}

/// The state with the counts that its files make, where it says otherwise. A line that can't be
/// read may or may not be counted.
pub fn counts_anew(documents: &[Arc<Document>]) -> Result<Option<Written>, Refused> {
    let files = Files::of(documents)?;
    let mut tape = Tape::default();
    let said = store::object(&mut tape, &files.state.bytes).map_err(Refused::NoState)?;
    let mut state = StateText::of(files.state)?;
    let mut is_wrong = false;
    for (name, own) in [("historyEventCount", files.events), ("importSourceCount", files.sources)] {
        let Some(own) = own else { continue };
        let count = said.path(&["maintenance", name]).and_then(|count| count.count());
        let read = Files::count(Some(own));
        if count.is_some_and(|count| !(read..=own.records.len() as u64).contains(&count)) {
            state.set(&["maintenance"], name, &read.to_string())?;
            is_wrong = true;
        }
    }
    if is_wrong { Ok(Some(in_store(layout::STATE.into(), state.into_bytes()?))) } else { Ok(None) }
}

/// The path that names a record of `state.json` in a [`BundleEdit`], whatever its id is.
pub fn path_of(state: &Document, record: usize) -> Option<String> {
    let span = state.records.get(record)?.span;
    let mut tape = Tape::default();
    let mark = state.bytes.len() - crate::format::reading::without_mark(&state.bytes).len();
    let object = store::object(&mut tape, &state.bytes).ok()?;
    let is = |value: Json<'_>| (value.span().0 + mark) as u64 == span.start;
    object.get("bundle")?.members().find_map(|(name, section)| {
        let name = name.text()?;
        if is(section) {
            return Some(name.into_owned());
        }
        let index = section.items().position(is)?;
        Some(format!("{name}.{index}"))
    })
}

/// The value at a path of the bundle, as it is spelled: what an edit that undoes needs.
pub fn value_at(state: &Document, path: &str) -> Option<String> {
    let mut tape = Tape::default();
    let bundle = store::object(&mut tape, &state.bytes).ok()?.get("bundle")?;
    let value = splice::value_at(bundle, path)?;
    Some(String::from_utf8_lossy(value.raw()).into_owned())
}

fn in_store(path: PathBuf, bytes: Vec<u8>) -> Written {
    Written { path, beside: false, bytes, append: false }
}

/// The event behind the others. A last line without its end is closed first.
fn appended(events: Option<&Document>, line: &str) -> Written {
    let open = events.is_some_and(|events| !events.bytes.is_empty() && !events.bytes.ends_with(b"\n"));
    let start = if open { "\n" } else { "" };
    let bytes = format!("{start}{line}\n").into_bytes();
    Written { path: layout::EVENTS.into(), beside: false, bytes, append: true }
}

fn apply(state: &mut StateText, edit: &BundleEdit<'_>) -> Result<(), Refused> {
    let json = |path: &str, value: &str| {
        let mut tape = Tape::default();
        splice::parse(&mut tape, value).map(|_| ()).ok_or_else(|| Refused::NotJson(path.to_owned()))
    };
    state.edit(|text, object| {
        let bundle = object.get("bundle").ok_or(Refused::Lacks("bundle"))?;
        match edit {
            BundleEdit::Set { path, value } => {
                json(path, value)?;
                splice::set(text, bundle, path, value.trim_ascii())
            }
            BundleEdit::Insert { path, value } => {
                json(path, value)?;
                splice::insert(text, bundle, path, value.trim_ascii())
            }
            BundleEdit::Remove { path } => splice::remove(bundle, path),
        }
    })
}

/// The hash of the new bundle, if it has no fault that the old one does not have.
fn judged(before: Json<'_>, state: &StateText, now: Moment) -> Result<String, Refused> {
    let mut tape = Tape::default();
    let bundle = state.object(&mut tape)?.get("bundle").ok_or(Refused::Lacks("bundle"))?;
    let mut known: HashMap<String, usize> = HashMap::new();
    let old = before.get("bundle").map(|bundle| faults(bundle, now)).unwrap_or_default();
    old.into_iter().for_each(|(own, _)| *known.entry(own).or_default() += 1);
    for (fault, message) in faults(bundle, now) {
        match known.get_mut(&fault).filter(|left| **left > 0) {
            Some(left) => *left -= 1,
            None => return Err(Refused::Invalid(message)),
        }
    }
    sha256_indented(bundle).ok_or(Refused::TooDeep)
}

/// What a bundle has wrong, as what is wrong wherever it is, and as a sentence: an
/// item that moved has the faults that it had.
fn faults(bundle: Json<'_>, now: Moment) -> Vec<(String, String)> {
    let found = shape::check(bundle, "bundle", &BUNDLE, now);
    let mut faults: Vec<(String, String)> = found
        .into_iter()
        .map(|found| {
            let (_, _, message) = found.fault;
            (message.chars().filter(|c| !c.is_ascii_digit()).collect(), message)
        })
        .collect();
    let commands = bundle.get("validationCommands").map_or(0, |own| own.items().count());
    for number in COMMANDS..commands {
        let message = format!("`validationCommands` would hold {commands}; it may hold {COMMANDS}.");
        faults.push((format!("validationCommands {number}"), message));
    }
    faults
}

/// What is beside the store, anew.
fn around(
    files: &Files<'_>,
    before: Json<'_>,
    new: Json<'_>,
    hash: &str,
    beside: &[(PathBuf, Vec<u8>)],
    notes: &mut Vec<String>,
) -> Vec<Written> {
    let Some(said) = said(new, new) else { return Vec::new() };
    let entry = |said: &Said<'_>| text(said.bundle.get("project")?, "recommendedEntryFile").map(String::from);
    if beside.is_empty() {
        notes.push("There is no projection and no entry file beside the store; none is made.".into());
        return Vec::new();
    }
    // What the projections were made from: the present bundle, or that of a checkpoint.
    let mut tapes: Vec<Tape> = Vec::new();
    tapes.resize_with(files.checkpoints.len(), Tape::default);
    let mut known: HashMap<String, Said<'_>> = HashMap::new();
    for (checkpoint, tape) in files.checkpoints.iter().zip(&mut tapes) {
        let Ok(object) = store::object(tape, &checkpoint.document.bytes) else { continue };
        let Some(stored) = text(object, "bundleHash") else { continue };
        known.extend(self::said(object, before).map(|said| (stored.into_owned(), said)));
    }
    let old = self::said(before, before);
    let old_hash = before.get("bundle").and_then(sha256_indented);
    let find = |wanted: &str| {
        let present = old.as_ref().filter(|_| old_hash.as_deref() == Some(wanted));
        present.or_else(|| known.get(wanted))
    };
    let around = Beside { files: beside, new: &said, hash };
    let mut written = around.projections(&find, notes);
    let (entry, former) = (entry(&said), old.as_ref().and_then(entry));
    match entry.as_deref().map(|entry| around.entry(entry)) {
        Some(Ok(file)) => written.push(file),
        Some(Err(note)) => notes.push(note),
        None => notes.push("The project names no entry file.".into()),
    }
    let former = former.filter(|former| Some(former) != entry.as_ref());
    if let Some(former) = former.filter(|former| beside.iter().any(|(own, _)| own == Path::new(former))) {
        notes.push(format!("`{former}` is no longer the entry file; a block in it is left as it is."));
    }
    written
}

/// What a state or a checkpoint says, the head being that of a state.
fn said<'a>(owner: Json<'a>, state: Json<'a>) -> Option<Said<'a>> {
    let provider = state.path(&["provider", "name"]).and_then(|name| name.text());
    Some(Said {
        bundle: owner.get("bundle")?,
        generated: text(state, "generatedAt").unwrap_or_default().into_owned(),
        provider: provider.unwrap_or_default().into_owned(),
    })
}
