//! The canonical write of the bundle: a checkpoint, the state, the pages, the event.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::page_rebuild::PageRebuild;
use super::path_edits::{self, BundleEdit, BundleFileWrite};
use super::store_files::{StateText, StoreFiles, canonical_text, checkpoint_path, lacks, no_state, too_deep};
use super::write_event::CanonicalWriteInfo;
use crate::format::agent_memory::bundle::{BUNDLE, COMMANDS};
use crate::format::agent_memory::main_text::text;
use crate::format::agent_memory::projection_text::ProjectionSource;
use crate::format::agent_memory::{events, json_shape, layout};
use crate::format::record_reader::{object_of, without_mark};
use crate::format::writing::{Refusal, Result};
use crate::model::{Bytes, Document, Moment};
use crate::text::canonical::sha256_indented;
use crate::text::json::Json;
use crate::text::json_edit::{quoted, scan};
use crate::text::json_scanner::Tape;

/// Returns one canonical write with these edits. Without edits, it updates stale derived values.
pub fn canonical_write(
    documents: &[Arc<Document>],
    beside: &[(PathBuf, Bytes)],
    edits: &[BundleEdit<'_>],
    summary: &str,
    now: Moment,
) -> Result<Vec<BundleFileWrite>> {
    let files = StoreFiles::of(documents)?;
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
    let at = now.to_millis();
    let count = StoreFiles::count(files.events) + 1;
    state.set(&["maintenance"], "historyEventCount", count.to_string())?;
    if files.sources.is_some_and(|sources| sources.records.iter().all(|own| own.memory().is_some())) {
        let count = StoreFiles::count(files.sources).to_string();
        state.set(&["maintenance"], "importSourceCount", count)?;
    }
    state.set(&["maintenance"], "latestCheckpointId", quoted(&checkpoint))?;
    state.set(&[], "bundleHash", quoted(&hash))?;
    state.set(&[], "generatedAt", quoted(&at))?;

    let mut tape = Tape::default();
    let new = state.object(&mut tape)?;
    let bundle = new.get("bundle").ok_or_else(|| lacks("bundle"))?;
    let summary = Some(summary.trim()).filter(|own| !own.is_empty()).unwrap_or("the bundle was rewritten");
    let told = CanonicalWriteInfo { event: &event, checkpoint: &checkpoint, at: &at, hash: &hash, summary };
    let mut written =
        vec![in_store(checkpoint_path(&checkpoint), canonical_text(told.checkpoint(bundle).as_bytes())?)];
    let line = told.event(before.get("bundle"), bundle)?;
    let around = around(&files, before, new, &hash, beside);
    written.push(in_store(layout::STATE.into(), state.into_bytes()?));
    written.extend(around);
    written.push(appended(files.events, &line));
    Ok(written)
}

/// Rebuilds the pages and the entry block from the present state, as far as possible.
pub fn make_pages(documents: &[Arc<Document>], beside: &[(PathBuf, Bytes)]) -> Result<Vec<BundleFileWrite>> {
    let files = StoreFiles::of(documents)?;
    let mut tape = Tape::default();
    let state = object_of(&mut tape, &files.state.bytes).map_err(no_state)?;
    let hash = text(state, "bundleHash").unwrap_or_default();
    Ok(around(&files, state, state, &hash, beside))
}

/// Returns the state with the right counts; `None` if they are right. Unreadable lines may count or not.
pub fn make_counts(documents: &[Arc<Document>]) -> Result<Option<BundleFileWrite>> {
    let files = StoreFiles::of(documents)?;
    let mut tape = Tape::default();
    let said = object_of(&mut tape, &files.state.bytes).map_err(no_state)?;
    let mut state = StateText::of(files.state)?;
    let mut is_wrong = false;
    for (name, own) in [("historyEventCount", files.events), ("importSourceCount", files.sources)] {
        let Some(own) = own else { continue };
        let count = said.path(&["maintenance", name]).and_then(|count| count.count());
        let read = StoreFiles::count(Some(own));
        if count.is_some_and(|count| !(read..=own.records.len() as u64).contains(&count)) {
            state.set(&["maintenance"], name, read.to_string())?;
            is_wrong = true;
        }
    }
    if is_wrong { Ok(Some(in_store(layout::STATE.into(), state.into_bytes()?))) } else { Ok(None) }
}

/// Returns the path of a record of `state.json` for a [`BundleEdit`], whatever its id is.
pub fn path_of(state: &Document, record: usize) -> Option<String> {
    let span = state.records.get(record)?.span;
    let mut tape = Tape::default();
    let mark = state.bytes.len() - without_mark(&state.bytes).len();
    let object = object_of(&mut tape, &state.bytes).ok()?;
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

/// Returns the value at a path of the bundle, as it is spelled. An edit that undoes another needs it.
pub fn value_at(state: &Document, path: &str) -> Option<String> {
    let mut tape = Tape::default();
    let bundle = object_of(&mut tape, &state.bytes).ok()?.get("bundle")?;
    let value = path_edits::value_at(bundle, path)?;
    Some(value.spelled().into_owned())
}

pub fn in_store(path: PathBuf, bytes: Vec<u8>) -> BundleFileWrite {
    BundleFileWrite { path, bytes, append: false }
}

/// Appends an event. A last line without a line end is closed first.
fn appended(events: Option<&Document>, line: &str) -> BundleFileWrite {
    let open = events.is_some_and(|events| !events.bytes.is_empty() && !events.bytes.ends_with(b"\n"));
    let start = if open { "\n" } else { "" };
    let bytes = format!("{start}{line}\n").into_bytes();
    BundleFileWrite { path: layout::EVENTS.into(), bytes, append: true }
}

pub fn apply(state: &mut StateText, edit: &BundleEdit<'_>) -> Result<()> {
    let json = |path: &str, value: &str| match scan(&mut Tape::default(), value.as_bytes()) {
        Ok(_) => Ok(value.trim_ascii().to_owned()),
        Err(_) => Err(Refusal::invalid(format!("The new value of `{path}` is not JSON."))),
    };
    state.edit(|object| {
        let bundle = object.get("bundle").ok_or_else(|| lacks("bundle"))?;
        match edit {
            BundleEdit::Set { path, value } => Ok(vec![path_edits::set(bundle, path, json(path, value)?)?]),
            BundleEdit::Insert { path, value } => {
                Ok(vec![path_edits::insert(bundle, path, json(path, value)?)?])
            }
            BundleEdit::Remove { path } => path_edits::remove(bundle, path),
        }
    })
}

/// Returns the hash of the new bundle. Refuses a bundle with a fault that the old one does not have.
fn judged(before: Json<'_>, state: &StateText, now: Moment) -> Result<String> {
    let mut tape = Tape::default();
    let bundle = state.object(&mut tape)?.get("bundle").ok_or_else(|| lacks("bundle"))?;
    let mut known: HashMap<String, usize> = HashMap::new();
    let old = before.get("bundle").map(|bundle| faults(bundle, now)).unwrap_or_default();
    old.into_iter().for_each(|(own, _)| *known.entry(own).or_default() += 1);
    for (fault, message) in faults(bundle, now) {
        match known.get_mut(&fault).filter(|left| **left > 0) {
            Some(left) => *left -= 1,
            None => {
                let message = format!("The format's own tool would refuse the bundle: {message}");
                return Err(Refusal::invalid(message));
            }
        }
    }
    sha256_indented(bundle).ok_or_else(too_deep)
}

/// Returns the faults of a bundle as keys and sentences. Keys have no digits, so moved items keep them.
fn faults(bundle: Json<'_>, now: Moment) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    for found in json_shape::check(bundle, "bundle", &BUNDLE, now) {
        let (_, _, message) = found.fault;
        faults.push((message.replace(|c: char| c.is_ascii_digit(), ""), message));
    }
    let commands = bundle.get("validationCommands").map_or(0, |own| own.items().count());
    for number in COMMANDS..commands {
        let message = format!("`validationCommands` would hold {commands}; it may hold {COMMANDS}.");
        faults.push((format!("validationCommands {number}"), message));
    }
    faults
}

/// Rebuilds the files beside the store.
pub fn around(
    files: &StoreFiles<'_>,
    before: Json<'_>,
    new: Json<'_>,
    hash: &str,
    beside: &[(PathBuf, Bytes)],
) -> Vec<BundleFileWrite> {
    let Some(source) = ProjectionSource::of(new, new).filter(|_| !beside.is_empty()) else {
        return Vec::new();
    };
    // A projection was made from the present state or from a checkpoint.
    let mut tapes: Vec<Tape> = Vec::new();
    tapes.resize_with(files.checkpoints.len(), Tape::default);
    let checkpoints = files.checkpoints.iter().zip(&mut tapes).rev();
    let checkpoints = checkpoints.filter_map(|(own, tape)| object_of(tape, &own.document.bytes).ok());
    let known = [before].into_iter().chain(checkpoints);
    let known: Vec<_> = known.filter_map(|owner| ProjectionSource::of(owner, before)).collect();
    let around = PageRebuild { files: beside, new: &source, hash };
    let entry = source.bundle.get("project").and_then(|project| text(project, "recommendedEntryFile"));
    let entry = entry.and_then(|entry| around.entry(&entry));
    around.projections(&known).into_iter().chain(entry).collect()
}
