//! `session-log`: sessions with log, metadata, tombstones and index; global indices, config
//! (specification 2).
//!
//! Choices where the specification is silent:
//! - The folder is the session. An entry whose `session_id` is another one is reported.
//! - `content` may be an object, a string or an array.
//! - A reference to a deleted entry is not dangling, because its tombstone is in the store.
//! - `total_size_bytes` is the length of the log, or of log, index and tombstones. Anything else is a note.
//! - The store's config or the session's metadata can turn decay off.
//! - `current_relevance` and `decay_factor` are caches, and are not checked.

mod assembly;
mod config;
mod derived_files;
mod entry;
mod index_check;
mod layout;
mod metadata;
mod write;

use std::path::{Path, PathBuf};

use super::record_form::RecordForm;
use super::record_reader::{self, Reading};
use super::{AssemblyInput, DerivedFile, Format, FormatInfo, StorePlace, tombstone_log};
use crate::model::{Code, Lock, Moment, PathText, Problem, Role, path_from_text};
use crate::text::json::Json;
use crate::text::names;

/// The format of specification 2.
pub struct SessionLog;

static ABOUT: FormatInfo = FormatInfo {
    name: "session-log",
    places: &[StorePlace::project("memory", "its agents")],
    has_checksums: true,
    facets: &["role"],
    unsearched: &names::<7>(
        "timestamp references checksum created_at updated_at last_accessed \
        accessed_at",
    ),
    reading_order: &names::<12>(
        "content.message content.decision content.finding content.preference content.description \
        content.rationale content.reason content.alternatives content.evidence content.recommendation \
        content.impact content",
    ),
    tuning: Some(config::tuning),
    evidence: layout::evidence,
    placement: layout::place,
    assemble: assembly::assemble,
    decay: config::default_decay,
    main_text: entry::main_text,
    ..FormatInfo::USUAL
};

impl Format for SessionLog {
    fn about(&self) -> &'static FormatInfo {
        &ABOUT
    }

    fn session_of(&self, path: &Path) -> Option<String> {
        layout::session_of(path).map(|session| session.to_text().into_owned())
    }

    fn session_paths(&self, name: &str) -> Vec<PathBuf> {
        vec![Path::new("sessions").join(path_from_text(name))]
    }

    fn read(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading {
        let object = |broken, check: &dyn Fn(Json<'_>) -> Vec<Problem>| {
            record_reader::object(path, bytes, broken, check)
        };
        match role {
            Role::Records => entry::read(path, bytes, now),
            Role::Tombstones => tombstone_log::read(path, bytes, now, &entry::tombstone),
            Role::Metadata => object(Code::BadJson, &|own| metadata::check(own, path, now)),
            Role::Config => object(Code::BadJson, &|own| config::check(own, path)),
            Role::Index => object(Code::IndexBroken, &|_| Vec::new()),
            _ => Reading::default(),
        }
    }

    fn lock(&self, files: &[&Path]) -> Lock {
        let session = files.iter().find_map(|file| layout::session_of(file));
        session.map_or(Lock::None, |session| Lock::Lease(Path::new("sessions").join(session).join("lock")))
    }

    fn form(&self, path: &Path, _kind: &str, record: &[u8], now: Moment) -> RecordForm {
        entry::form(path, record, now)
    }

    fn derived(&self, parts: &AssemblyInput<'_>, touched: &[PathBuf], now: Moment) -> Vec<DerivedFile> {
        derived_files::derived(parts, touched, now)
    }
}
