//! `agent-memory`: a state, an event history, checkpoints, import sources and archive batches
//! (specification 3).
//!
//! Choices where the specification is silent:
//! - Each section of the bundle is a type of records. A section that is an object (`project`) is
//!   one record. A section that is a list (`gotchas`) has one record per item. Unknown sections
//!   follow the same rule. The id of a record is its path, counted from 0: `gotchas.2`. An item
//!   with its own `id` keeps that id. All were created when the state was generated.
//! - The fields inside the sections are required as the format's own tool validates them. A text
//!   must hold more than white space. Every setting may be absent. `retention.enabled` is then
//!   true, which is that tool's default. Gaps in the events are problems only if it is false.
//! - `externalItemId`, `summary` and `eventId` of a checkpoint, and the sync fields of a source may
//!   be absent.
//! - `contentHash` covers material that is not in the store, so palimp never checks it.
//! - Reading does not check whether named paths exist: they are outside the store.
//! - Projections are checked by their markers and their text, the entry block by its marker, and only
//!   if the store is at its default place, as `.agent-memory` in its repository.

mod write;

mod archive_batch;
mod assembly;
mod bundle;
mod checkpoint;
mod config;
mod events;
mod history;
mod json_shape;
mod layout;
mod main_text;
mod projection;
mod projection_text;
mod sources;
mod state;

use std::path::Path;
use std::sync::Arc;

use super::record_form::RecordForm;
use super::record_reader::Reading;
use super::{Format, FormatInfo, ReferencedFile, StorePlace};
use crate::model::{DecayTable, Document, Moment, Role};
use crate::text::names;

pub use projection_text::pages;

/// The format of specification 3.
pub struct AgentMemory;

static ABOUT: FormatInfo = FormatInfo {
    name: "agent-memory",
    places: &[StorePlace::project(".agent-memory", "its agents")],
    in_checkout: true,
    outside_files: projection::BESIDE,
    facets: &["source", "provider", "status", "path"],
    unsearched: &names::<14>(
        "sourceId externalItemId eventId latestCheckpointId lastRecalledEventId \
        sessionId createdAt updatedAt generatedAt validatedAt lastSyncedAt \
        lastRecalledAt contentHash bundleHash",
    ),
    reading_order: &names::<23>(
        "title symptom cause correctPath why start done label purpose summary currentState knownRisks \
        validationSnapshot architectureNotes modules entrypoints denseSourceAreas firstFilesToRead \
        signals.decisions signals.gotchas signals.validationObservations signals.nextStepHints signals",
    ),
    evidence: layout::evidence,
    placement: layout::place,
    assemble: assembly::assemble,
    // Events fade as conversations do; what was distilled from them does not.
    decay: || DecayTable::new(&[("tool_run", Some(168.0)), ("imported_session", Some(168.0))], None, 0.1),
    main_text: main_text::main_text,
    ..FormatInfo::USUAL
};

impl Format for AgentMemory {
    fn about(&self) -> &'static FormatInfo {
        &ABOUT
    }

    fn read(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading {
        match role {
            Role::Config => config::read(path, bytes, &config::CONFIG, now),
            Role::Metadata => config::read(path, bytes, &archive_batch::MANIFEST, now),
            Role::Records if path == Path::new(layout::STATE) => state::read(path, bytes, now),
            Role::Records if path == Path::new(layout::SOURCES) => sources::read(path, bytes, now),
            Role::Records | Role::Archive if layout::is_checkpoint(path) => {
                checkpoint::read(path, bytes, now)
            }
            Role::Records | Role::Archive => events::read(path, bytes, now),
            _ => Reading::default(),
        }
    }

    fn referenced_files(&self, documents: &[Arc<Document>]) -> Vec<ReferencedFile> {
        assembly::refers(documents)
    }

    fn form(&self, path: &Path, kind: &str, record: &[u8], _now: Moment) -> RecordForm {
        if path == Path::new(layout::STATE) { bundle::form(kind, record) } else { RecordForm::default() }
    }

    fn is_append_log(&self, path: &Path) -> bool {
        path == Path::new(layout::EVENTS)
    }

    /// Counts, numbers and hashes bind the files of a store to each other.
    fn forbids_rebase(&self, path: &Path) -> bool {
        !path.starts_with("..")
    }
}
