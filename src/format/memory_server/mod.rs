//! `memory-server`: three JSON Lines files, an index, backups and archives by quarter
//! (specification 1), and the read-only `<agent>.json` documents of its 1.0 writer.
//!
//! Choices where the specification is silent:
//! - An id that is live and in an archive is a duplicate: an interrupted archiving leaves it behind.
//! - `total_memories` may count the archived records in live files or not. `last_updated` is not checked.
//! - An id that is not a UUID is a note: it is shown and kept as it is.

mod assembly;
mod index_check;
mod layout;
mod record;
mod write;

use std::path::{Path, PathBuf};

use super::record_form::RecordForm;
use super::record_reader::{self, Reading};
use super::{AssemblyInput, DerivedFile, Format, FormatInfo, StorePlace};
use crate::model::{Code, DecayTable, Lock, Moment, Role};
use crate::text::json::Json;

/// The format of specification 1.
pub struct MemoryServer;

static ABOUT: FormatInfo = FormatInfo {
    name: "memory-server",
    places: &[StorePlace::home(".claude/agents/memories", "its agents")],
    has_references: false,
    facets: &["category", "status"],
    unsearched: &["created_at", "updated_at", "accessed_at", "completed_at"],
    reading_order: &["task_metadata.outcome", "task_metadata.blockers", "task_metadata"],
    // Memories belong to no session.
    is_in_session: |_| false,
    evidence: layout::evidence,
    placement: layout::place,
    assemble: assembly::assemble,
    decay: || {
        let half_lives = [("core", None), ("learning", Some(336.0)), ("task", Some(168.0))];
        DecayTable::new(&half_lives, Some(168.0), 0.1)
    },
    main_text,
    ..FormatInfo::USUAL
};

impl Format for MemoryServer {
    fn about(&self) -> &'static FormatInfo {
        &ABOUT
    }

    fn read(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading {
        match role {
            Role::Records | Role::Archive if path.extension().is_some_and(|end| end == "json") => {
                record::read_agent_file(path, bytes, now)
            }
            Role::Records | Role::Archive => record::read(path, role, bytes, now),
            Role::Index => record_reader::object(path, bytes, Code::IndexBroken, &|_| Vec::new()),
            _ => Reading::default(),
        }
    }

    fn lock(&self, _files: &[&Path]) -> Lock {
        Lock::Flock(".lock".into())
    }

    fn form(&self, path: &Path, _kind: &str, record: &[u8], now: Moment) -> RecordForm {
        record::form(path, record, now)
    }

    fn derived(&self, parts: &AssemblyInput<'_>, _touched: &[PathBuf], _now: Moment) -> Vec<DerivedFile> {
        write::derived(parts)
    }
}

fn main_text(object: Json<'_>) -> (String, Vec<&'static str>) {
    let text = object.get("content").map(|content| content.plain()).unwrap_or_default();
    (text, vec!["content"])
}
