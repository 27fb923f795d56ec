//! The files that a write starts from, and the numbers that are already used.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;

use super::super::config::RetentionConfig;
use super::super::main_text::text;
use super::super::{checkpoint, events, history, layout, state};
use crate::format::record_reader::{object_of, without_mark};
use crate::format::writing::{Refusal, Result, document};
use crate::model::{Document, Moment, PathText, RecordBody, Role};
use crate::text::canonical::indented;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{JsonSplice, apply, put_sorted, scan};
use crate::text::json_scanner::Tape;
use crate::text::lines::BOM;

pub struct StoreFiles<'a> {
    pub state: &'a Document,
    /// The active events, if the file exists.
    pub events: Option<&'a Document>,
    pub sources: Option<&'a Document>,
    pub config: Option<&'a Document>,
    /// The active checkpoints, ordered by number.
    pub checkpoints: Vec<Checkpoint<'a>>,
    all: &'a [Arc<Document>],
}

/// An active checkpoint that can be read.
pub struct Checkpoint<'a> {
    pub ordinal: u64,
    pub id: &'a str,
    /// When it was created, if that can be read.
    pub created: Option<Moment>,
    pub document: &'a Document,
}

impl<'a> StoreFiles<'a> {
    /// Finds the files. Refuses if there is no state, or a file was read only in part.
    pub fn of(documents: &'a [Arc<Document>]) -> Result<Self> {
        let named = |name: &str| document(documents, Path::new(name));
        let read =
            |document: &&Arc<Document>| matches!(document.role, Role::Records | Role::Archive | Role::Config);
        let is_partial = |own: &&Arc<Document>| own.offset != 0 || own.bytes.len() as u64 != own.len;
        if let Some(document) = documents.iter().filter(read).find(is_partial) {
            let path = document.path.to_text();
            return Err(Refusal::corrupt(format!("Only a part of {path} was read.")));
        }
        let state = named(layout::STATE);
        let state = state.ok_or_else(|| no_state("there is no file of this name".into()))?;
        let mut checkpoints: Vec<Checkpoint<'a>> = layout::active_checkpoints(documents)
            .filter_map(|document| {
                let (.., memory) = history::views(document).next()?;
                let id = memory.id()?;
                Some(Checkpoint { ordinal: checkpoint::ordinal(id)?, id, created: memory.created, document })
            })
            .collect();
        checkpoints.sort_by_key(|checkpoint| checkpoint.ordinal);
        Ok(StoreFiles {
            state,
            events: named(layout::EVENTS),
            sources: named(layout::SOURCES),
            config: named(layout::CONFIG),
            checkpoints,
            all: documents,
        })
    }

    pub fn settings(&self) -> RetentionConfig {
        let mut tape = Tape::default();
        let config = self.config.and_then(|config| object_of(&mut tape, &config.bytes).ok());
        RetentionConfig::of(config)
    }

    /// Returns the number of the next event: above all numbers in the store, unreadable lines
    /// included. With retention, references count, too: events may have expired.
    pub fn next_event(&self, state: Json<'_>) -> Result<u64> {
        let logs = self.all.iter().filter(|document| {
            let active = document.path == Path::new(layout::EVENTS);
            active || (document.role == Role::Archive && !layout::is_checkpoint(&document.path))
        });
        let mut taken: Vec<u64> = logs.flat_map(|log| event_numbers(log)).collect();
        if self.settings().retention {
            let views = self.all.iter().flat_map(|document| history::views(document));
            let references = views.flat_map(|(_, _, memory)| memory.references());
            taken.extend(references.filter_map(|reference| events::ordinal(reference.to.text)));
            let cursors = state.path(&["maintenance", "recallCursors"]);
            let cursors = cursors.iter().flat_map(|cursors| cursors.members());
            let ids = cursors.filter_map(|(_, cursor)| text(cursor, "lastRecalledEventId"));
            taken.extend(ids.filter_map(|id| events::ordinal(&id)));
        }
        next(taken)
    }

    /// Returns the number of the next checkpoint. It is above all checkpoint ids and file names.
    pub fn next_checkpoint(&self, state: Json<'_>) -> Result<u64> {
        let files = self.all.iter().filter(|document| layout::is_checkpoint(&document.path));
        let mut taken: Vec<u64> = Vec::new();
        for document in files {
            let stem = document.path.file_stem().and_then(|stem| stem.to_str());
            taken.extend(stem.and_then(checkpoint::ordinal));
            let ids = history::views(document).filter_map(|(.., memory)| memory.id());
            taken.extend(ids.filter_map(checkpoint::ordinal));
        }
        let latest = state.path(&["maintenance", "latestCheckpointId"]).and_then(|id| id.text());
        taken.extend(latest.and_then(|id| checkpoint::ordinal(&id)));
        next(taken)
    }

    /// Returns how many records of a file can be read.
    pub fn count(document: Option<&Document>) -> u64 {
        document.map_or(0, |document| history::views(document).count() as u64)
    }

    pub fn batches(&self) -> impl Iterator<Item = &'a Path> {
        self.all.iter().filter_map(|document| layout::batch_of(&document.path))
    }
}

/// The largest number in an id that every reader can hold: JavaScript rounds larger ones.
const LAST: u64 = 1 << 53;

fn next(taken: Vec<u64>) -> Result<u64> {
    let last = taken.into_iter().max().unwrap_or_default();
    match last < LAST {
        true => Ok(last + 1),
        false => Err(Refusal::unfit("No number is left for another event or checkpoint.")),
    }
}

fn event_numbers(log: &Document) -> Vec<u64> {
    let mut numbers = Vec::new();
    for record in &log.records {
        match &record.body {
            RecordBody::Read(memory) => numbers.extend(memory.id().and_then(events::ordinal)),
            RecordBody::Torn(_) | RecordBody::Broken => {
                let raw = log.raw(record);
                for at in memmem::find_iter(&raw, b"\"id\":\"evt-") {
                    let digits = raw.get(at + 10..).unwrap_or_default();
                    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
                    let digits = digits.get(..end).and_then(|digits| std::str::from_utf8(digits).ok());
                    numbers.extend(digits.and_then(|digits| digits.parse::<u64>().ok()));
                }
            }
        }
    }
    numbers
}

pub fn no_state(why: String) -> Refusal {
    Refusal::corrupt(format!("The store has no `state.json` that can be read: {why}"))
}

pub fn lacks(name: &str) -> Refusal {
    Refusal::corrupt(format!("The state has no object `{name}`."))
}

pub fn too_deep() -> Refusal {
    Refusal::invalid("The state is nested too deep to be written.")
}

/// The text of a state during a rewrite.
pub struct StateText {
    /// The text without its byte order mark.
    bytes: Vec<u8>,
    marked: bool,
    canonical: bool,
}

impl StateText {
    /// Reads a state file. Refuses another version, and a state without `bundle` or `maintenance`.
    pub fn of(document: &Document) -> Result<Self> {
        let bytes = without_mark(&document.bytes);
        let mut tape = Tape::default();
        let object = object_of(&mut tape, bytes).map_err(no_state)?;
        let version = object.get("schemaVersion").and_then(|own| own.number());
        if version != Some(state::VERSION) {
            return Err(Refusal::unfit("The state's `schemaVersion` is not the one that this format has."));
        }
        for name in ["bundle", "maintenance"] {
            if object.get(name).is_none_or(|own| own.kind() != JsonKind::Object) {
                return Err(lacks(name));
            }
        }
        let canonical = indented(object).is_some_and(|own| (own + "\n").as_bytes() == bytes);
        let marked = bytes.len() < document.bytes.len();
        Ok(StateText { bytes: bytes.to_vec(), marked, canonical })
    }

    pub fn object<'b>(&'b self, tape: &'b mut Tape) -> Result<Json<'b>> {
        scan(tape, &self.bytes).map_err(|_| too_deep())
    }

    /// Applies the splices that `edit` returns for the object.
    pub fn edit<'s>(&mut self, edit: impl FnOnce(Json<'_>) -> Result<Vec<JsonSplice<'s>>>) -> Result<()> {
        let mut tape = Tape::default();
        let splices = edit(self.object(&mut tape)?)?;
        self.bytes = apply(&self.bytes, splices);
        Ok(())
    }

    /// Sets a member of the object at a path of names.
    pub fn set(&mut self, path: &[&'static str], name: &str, value: String) -> Result<()> {
        self.edit(|object| {
            let parent = object.path(path).ok_or_else(|| lacks("maintenance"))?;
            Ok(vec![put_sorted(parent, name, value)])
        })
    }

    /// Returns the bytes of the file: canonical if the old bytes were, else with only the edits changed.
    pub fn into_bytes(self) -> Result<Vec<u8>> {
        if self.canonical {
            return canonical_text(&self.bytes);
        }
        let mark = if self.marked { BOM } else { &[] };
        let end: &[u8] = if self.bytes.ends_with(b"\n") { b"" } else { b"\n" };
        Ok([mark, &self.bytes, end].concat())
    }
}

/// Returns a JSON text in the canonical form of documents: sorted, indented, with a line end.
pub fn canonical_text(text: &[u8]) -> Result<Vec<u8>> {
    let value = scan(&mut Tape::default(), text).ok().and_then(indented).ok_or_else(too_deep)?;
    Ok((value + "\n").into_bytes())
}

pub fn checkpoint_path(id: &str) -> PathBuf {
    Path::new(layout::CHECKPOINTS).join(format!("{id}.json"))
}
