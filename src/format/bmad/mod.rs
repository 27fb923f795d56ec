//! `bmad`: sessions with a manifest and four logs, shared memories, archived sessions (specification 4).
//!
//! Choices for cases where the specification is silent:
//! - A session is its folder. The `session_id` of its manifest should be the same.
//! - `role` is user, assistant, system or tool; `impact` and `severity` are low, medium, high or
//!   critical; `status` is open, in_progress, resolved, closed, accepted or wont_fix. The samples
//!   show only some of these, so another word is a note.
//! - A message needs id, timestamp, agent_id, role, content; a decision id, timestamp, made_by,
//!   decision; a finding id, timestamp, discovered_by, severity, description, status; a preference
//!   id, timestamp, category, key, value.
//! - An archived session is read inside its tar.gz. If a session is both a folder and an archive,
//!   the folder counts, and the memories of the archive are shown as archived.
//! - A session is idle a day after its last write.
//! - Shared files have no schema. A shared file must be a JSON object, which is one memory.
//! - The index of another program may lack words. Its hours must have every id, and it must not
//!   have an unknown id, or a word that a record does not have.

mod assembly;
mod auto_redaction;
mod config;
mod index_check;
mod layout;
mod manifest_check;
mod record;
mod write;

pub use layout::Bmad;

use std::path::{Path, PathBuf};

use super::record_form::RecordForm;
use super::record_reader::{self, Reading};
use super::{AssemblyInput, DerivedFile, Format, FormatInfo, StorePlace};
use crate::model::{Code, Lock, Moment, Problem, Role, path_from_text};
use crate::text::json::Json;
use crate::text::names;

static ABOUT: FormatInfo = FormatInfo {
    name: "bmad",
    places: &[StorePlace::project(".bmad/memory", "its agents")],
    ranks_by_sum: true,
    facets: &names::<12>(
        "agent role conversation parent approved impact category severity status \
        key value confidence",
    ),
    unsearched: &names::<10>(
        "timestamp references conversations findings parent_message_id \
        conversation_id learned_from checksum last_accessed last_decay_update",
    ),
    reading_order: &names::<10>(
        "decision description rationale alternatives_considered evidence recommendation impact \
        context.topic metadata context",
    ),
    tuning: Some(config::tuning),
    evidence: layout::evidence,
    placement: layout::place,
    assemble: assembly::assemble,
    decay: config::default_decay,
    main_text: record::main_text,
    ..FormatInfo::USUAL
};

impl Format for Bmad {
    fn about(&self) -> &'static FormatInfo {
        &ABOUT
    }

    fn session_of(&self, path: &Path) -> Option<String> {
        layout::session_of(path).map(|(session, _)| session)
    }

    fn session_paths(&self, name: &str) -> Vec<PathBuf> {
        let [archive, manifest] = layout::archive_files(name);
        vec![Path::new("sessions").join(path_from_text(name)), archive, manifest]
    }

    fn read(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading {
        let object = |broken, check: &dyn Fn(Json<'_>) -> Vec<Problem>| {
            record_reader::object(path, bytes, broken, check)
        };
        match role {
            Role::Records | Role::Archive => record::read(path, bytes, now),
            Role::Metadata => object(Code::BadJson, &|own| manifest_check::check(own, path, now)),
            Role::Config => object(Code::BadJson, &|own| config::check(own, path)),
            Role::Index => object(Code::IndexBroken, &|_| Vec::new()),
            _ => Reading::default(),
        }
    }

    fn lock(&self, files: &[&Path]) -> Lock {
        write::lock(files)
    }

    fn form(&self, path: &Path, _kind: &str, record: &[u8], now: Moment) -> RecordForm {
        record::form(path, record, now)
    }

    fn derived(&self, parts: &AssemblyInput<'_>, touched: &[PathBuf], now: Moment) -> Vec<DerivedFile> {
        write::derived(parts, touched, now)
    }
}
