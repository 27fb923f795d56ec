//! Assembles the files of a store: sessions, states, references, counts, limits.

use std::collections::BTreeMap;
use std::path::Path;

use super::index_check::EntryLog;
use super::metadata::EntryCounts;
use super::{config, index_check, layout, metadata};
use crate::format::id_index::DanglingNames;
use crate::format::record_reader::{whole_object, with_object, without_mark};
use crate::format::writing::{document, with_config_of};
use crate::format::{Assembly, AssemblyInput, LockFact, entries};
use crate::model::{
    Code, DecayTable, Document, Entry, Moment, PathText, Problem, Role, Session, Severity, State,
};
use crate::text::json_scanner::Tape;

/// A lease is stale this long after its end, in microseconds, because clocks differ.
const LEASE_GRACE: i64 = 2_000_000;
/// An empty or incomplete lock is stale after this time in microseconds. Its writer needs a moment.
const UNFILLED: i64 = 60_000_000;

pub fn assemble(parts: &AssemblyInput<'_>, now: Moment) -> Assembly {
    let missing = DanglingNames::in_files(parts.documents, std::iter::empty());
    let mut tape = Tape::default();
    let config = document(parts.documents, Path::new("config.json"));
    let config = config.map(|config| without_mark(&config.bytes));
    let store_config = config.and_then(|config| whole_object(&mut tape, config).ok());
    let mut decay = config::default_decay();
    if let Some(config) = store_config {
        config::apply_config(&mut decay, config);
    }
    let limit = config::size_limit(store_config);
    let mut assembly = Assembly { decay: Some(decay.clone()), ..Assembly::default() };
    for (name, own) in &sessions(parts) {
        let number = assembly.sessions.len() as u32;
        let log = EntryLog::of(file(own, Role::Records), file(own, Role::Tombstones));
        let session = SessionFiles { name, own, missing: &missing, log };
        assembly.sessions.push(session.session(&decay, limit.0));
        assembly.entries.extend(session.entries(number));
        assembly.problems.extend(session.problems(limit));
    }
    assembly.entries.sort_by_key(|entry| (entry.document, entry.record));
    assembly.problems.extend(parts.locks.iter().filter_map(|lock| stale_lock(lock, now)));
    assembly
}

fn sessions<'a>(parts: &AssemblyInput<'a>) -> BTreeMap<&'a Path, Vec<(u32, &'a Document)>> {
    let names = parts.folders.iter().filter_map(|folder| layout::session_of(folder));
    let mut sessions: BTreeMap<&Path, Vec<_>> = names.map(|name| (name, Vec::new())).collect();
    for (number, document) in parts.numbered() {
        let own = layout::session_of(&document.path).and_then(|name| sessions.get_mut(name));
        own.into_iter().for_each(|files| files.push((number, document)));
    }
    sessions
}

struct SessionFiles<'a> {
    name: &'a Path,
    own: &'a [(u32, &'a Document)],
    missing: &'a DanglingNames<'a>,
    log: EntryLog<'a>,
}

impl<'a> SessionFiles<'a> {
    fn file(&self, role: Role) -> Option<&'a Document> {
        file(self.own, role)
    }

    /// Returns the bytes that count toward the session's limit (§5.1).
    fn size(&self) -> u64 {
        let counted = |role| matches!(role, Role::Records | Role::Index | Role::Tombstones);
        self.own.iter().filter(|(_, document)| counted(document.role)).map(|(_, document)| document.len).sum()
    }

    fn session(&self, decay: &DecayTable, limit: u64) -> Session {
        let mut decay = decay.clone();
        let mut created = None;
        if let Some(own) = self.file(Role::Metadata) {
            with_object(&own.bytes, |metadata| {
                config::apply_session(&mut decay, metadata);
                created = metadata.get("created_at").and_then(|created| created.moment());
            });
        }
        Session {
            name: self.name.to_text().into_owned(),
            path: Path::new("sessions").join(self.name),
            decay,
            created,
            size: self.size(),
            limit: Some(limit),
            lifecycle: None,
        }
    }

    /// Returns the log's records. A tombstone is no memory, so a broken one is only a problem.
    fn entries(&self, session: u32) -> Vec<Entry> {
        let logs = self.own.iter().copied().filter(|(_, file)| file.role == Role::Records);
        entries::entries(logs, Some(session), |_, own| {
            if self.log.is_deleted(own) { State::Deleted } else { State::Live }
        })
    }

    fn problems(&self, limit: (u64, f64)) -> Vec<Problem> {
        let mut problems = self.references_and_duplicates();
        problems.extend(self.size_limit(limit));
        if let Some(own) = self.file(Role::Index) {
            problems.extend(index_check::check(&own.bytes, &own.path, &self.log));
        }
        if let Some(own) = self.file(Role::Metadata) {
            let counts = EntryCounts::of(self.file(Role::Records), &self.log, self.size());
            let wrong = with_object(&own.bytes, |object| metadata::check_counts(object, &own.path, &counts));
            problems.extend(wrong.unwrap_or_default());
        }
        problems
    }

    fn references_and_duplicates(&self) -> Vec<Problem> {
        let Some(log) = self.file(Role::Records) else { return Vec::new() };
        let mut again = self.log.again.iter().peekable();
        let mut problems = Vec::new();
        for (number, record) in (0..).zip(&log.records) {
            let Some(memory) = record.memory() else { continue };
            let mut add = |code, message| {
                problems.push(entries::problem_of(log, number, (code, Severity::Warning, message)));
            };
            for reference in memory.references().filter(|own| self.missing.has(own)) {
                let id = &reference.to.text;
                add(Code::DanglingReference, format!("It refers to {id:?}, which is not in the store."));
            }
            if let Some(since) = self.log.hidden_since(memory) {
                let since = since.to_minute();
                let message = format!("It was written after its id was deleted on {since}, which hides it.");
                add(Code::HiddenMemory, message);
            }
            if let Some((_, line)) = again.next_if(|(own, _)| *own == number) {
                add(Code::DuplicateId, format!("Same id as line {line}."));
            }
        }
        problems
    }

    fn size_limit(&self, limit: (u64, f64)) -> Option<Problem> {
        let (size, path) = (self.size(), Path::new("sessions").join(self.name));
        let metadata = self.file(Role::Metadata);
        let of_session = with_config_of(metadata.map(|file| &*file.bytes), config::of_session);
        entries::size_problem(path, size, limit.0, config::is_full(size, limit, of_session.1))
    }
}

fn file<'a>(files: &[(u32, &'a Document)], role: Role) -> Option<&'a Document> {
    files.iter().find(|(_, document)| document.role == role).map(|(_, document)| *document)
}

/// Returns a problem if the lease is over (§4.2), or nothing was written to the lock.
fn stale_lock(lock: &LockFact, now: Moment) -> Option<Problem> {
    let mut tape = Tape::default();
    let object = whole_object(&mut tape, &lock.bytes).ok();
    let expires = object.and_then(|object| object.get("expires_at")?.moment());
    let why = match expires {
        Some(expires) if now > expires.plus(LEASE_GRACE) => {
            format!("Its lease ended {}, but it was not released.", expires.to_rfc3339())
        }
        Some(_) => return None,
        None if now > lock.modified.plus(UNFILLED) => "It is empty and was not released.".into(),
        None => return None,
    };
    Some(Problem::of_file(Code::StaleLock, Severity::Warning, &lock.path, why))
}
