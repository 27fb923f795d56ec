//! `agent-memory`: a canonical bundle, an event history, checkpoints, archives, sources
//! (specification 3, and what its own tool writes).
//!
//! Choices where the specification is silent:
//! - Each section of the bundle is a record, and of the sections that are lists each item.
//!   Its type is the section's own name (`gotchas`, `nextSteps`, …), and its time is the
//!   state's `generatedAt`. It has no id.
//! - A checkpoint, a source and the manifest of an archived batch are records too.
//! - A hash over values nested deeper than 64 is not checked.
//! - What the tool only warns of (sources that failed, missing paths, an old validation) is
//!   no problem of the store; `status:failed` finds such sources.

mod bundle;
mod difference;
mod event;
mod layout;
mod rules;

use std::path::Path;

use super::glance::Glance;
use super::reading::{self, Reading};
use super::{Assembly, Format, Parts, Placement};
use crate::model::{Code, DecayTable, Moment, Role};
use crate::text::json::Json;

/// Specification 3.
pub struct AgentMemory;

impl Format for AgentMemory {
    fn name(&self) -> &'static str {
        "agent-memory"
    }

    fn default_place(&self) -> &'static str {
        ".agent-memory"
    }

    fn recognise(&self, root: &Path, glance: &dyn Glance) -> Result<(), String> {
        layout::recognise(root, glance)
    }

    fn place(&self, path: &Path, is_folder: bool) -> Placement {
        layout::place(path, is_folder)
    }

    fn read(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading {
        match (role, layout::kind_of(path)) {
            (Role::Config, _) => {
                let problems = reading::read_object(path, bytes, Code::BadJson, &mut |_, _| {});
                Reading { records: Vec::new(), problems }
            }
            (_, "state") => bundle::read(path, bytes, now),
            (_, "source") => event::read_sources(path, bytes, now),
            (_, "checkpoint") => bundle::read_checkpoint(path, bytes, now),
            (_, "manifest") => event::read_manifest(path, bytes, now),
            _ => event::read(path, bytes, now),
        }
    }

    fn assemble(&self, parts: &Parts<'_>, now: Moment) -> Assembly {
        rules::assemble(parts, now)
    }

    fn beside(&self) -> &'static [&'static str] {
        &layout::BESIDE
    }

    fn in_checkout(&self) -> bool {
        true
    }

    fn decay(&self) -> DecayTable {
        let fades = Some(168.0);
        let kinds = bundle::SECTIONS.map(|(section, _)| (section, None));
        let others = [("checkpoint", None), ("source", None), ("manifest", None)];
        DecayTable::new(&[&kinds[..], &others].concat(), fades, 0.1)
    }

    fn main_text(&self, value: Json<'_>) -> (String, Vec<&'static str>) {
        bundle::main_text(value)
    }

    fn facets(&self) -> &'static [&'static str] {
        &["source", "status", "provider", "path"]
    }

    fn unsearched(&self) -> &'static [&'static str] {
        &[
            "createdAt",
            "updatedAt",
            "lastSyncedAt",
            "generatedAt",
            "contentHash",
            "bundleHash",
            "sourceId",
            "eventId",
            "externalItemId",
        ]
    }
}
