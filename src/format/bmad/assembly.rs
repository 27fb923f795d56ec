//! Checks across the files of a store: sessions, archives, references, counts, limits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::manifest_check::{RecordCounts, moment};
use super::{config, index_check, layout, manifest_check};
use crate::format::id_index::{DanglingNames, IdIndex};
use crate::format::record_reader::{object_of, with_object};
use crate::format::{Assembly, AssemblyInput, entries};
use crate::model::{
    Code, DecayTable, Document, Entry, Lifecycle, Moment, NameKind, PathText, Problem, Role, Session,
    Severity, State, StoredMemory, path_from_text,
};
use crate::text::json_scanner::Tape;

/// Hours after the last write until a session is idle (§8.1).
const IDLE: f64 = 24.0;

pub fn assemble(parts: &AssemblyInput<'_>, now: Moment) -> Assembly {
    let mut decay = config::default_decay();
    let mut tape = Tape::default();
    let config = parts.documents.iter().find(|document| document.role == Role::Config);
    let config = config.and_then(|document| object_of(&mut tape, &document.bytes).ok());
    if let Some(config) = config {
        config::apply(&mut decay, config);
    }
    let limits = config::size_limits(config);
    let sessions = sessions(parts);
    let names = sessions.keys().map(|(name, _)| (NameKind::Session, name.as_str()));
    let missing = DanglingNames::in_files(parts.documents, names);
    let mut assembly = Assembly { decay: Some(decay.clone()), ..Assembly::default() };
    for ((name, archived), files) in &sessions {
        let own = SessionDocuments { name, archived: *archived, files, missing: &missing };
        let number = assembly.sessions.len() as u32;
        assembly.sessions.push(own.session(&decay, limits.0, now));
        assembly.entries.extend(own.entries(Some(number)));
        assembly.problems.extend(own.problems(limits));
        if *archived && sessions.contains_key(&(name.clone(), false)) {
            let message = "The session also exists as a folder; the folder counts.";
            let [path, _] = layout::archive_files(name);
            assembly.problems.push(Problem::of_file(Code::UnexpectedPlace, Severity::Note, path, message));
        }
    }
    let shared = parts.numbered().filter(|(_, document)| document.path.starts_with("shared"));
    assembly.entries.extend(entries::entries(shared, None, |_, _| State::Live));
    assembly.entries.sort_by_key(|entry| (entry.document, entry.record));
    assembly.problems.extend(parts.locks.iter().filter_map(|lock| entries::stale_lock(lock, now)));
    assembly
}

type SessionMap<'a> = BTreeMap<(String, bool), Vec<(u32, &'a Document)>>;

/// An archived session is separate from a folder of the same name.
fn sessions<'a>(parts: &AssemblyInput<'a>) -> SessionMap<'a> {
    let mut sessions = SessionMap::new();
    for folder in parts.folders {
        if let Some(session) = layout::session_of(folder) {
            sessions.entry(session).or_default();
        }
    }
    for (number, document) in parts.documents.iter().enumerate() {
        if let Some(session) = layout::session_of(&document.path) {
            sessions.entry(session).or_default().push((number as u32, document));
        }
    }
    sessions
}

struct SessionDocuments<'a> {
    name: &'a str,
    archived: bool,
    files: &'a [(u32, &'a Document)],
    missing: &'a DanglingNames<'a>,
}

impl<'a> SessionDocuments<'a> {
    fn of(&self, role: Role) -> impl Iterator<Item = &'a Document> + Clone {
        self.files.iter().map(|(_, document)| *document).filter(move |document| document.role == role)
    }

    fn logs(&self) -> impl Iterator<Item = &'a Document> + Clone {
        let role = if self.archived { Role::Archive } else { Role::Records };
        self.of(role).filter(|document| !is_container(document))
    }

    fn path(&self) -> PathBuf {
        match self.archived {
            true => layout::archive_files(self.name)[0].clone(),
            false => Path::new("sessions").join(path_from_text(self.name)),
        }
    }

    fn size(&self) -> u64 {
        self.logs().map(|log| log.len).sum()
    }

    fn session(&self, decay: &DecayTable, limit: u64, now: Moment) -> Session {
        let manifest = |name: &str| moment(self.of(Role::Metadata).next()?, name);
        let written = self.logs().map(|log| Moment((log.generation.modified / 1000) as i64)).max();
        let updated = manifest("updated_at").max(written);
        let is_active = updated.is_some_and(|updated| now.hours_since(updated) < IDLE);
        Session {
            name: self.name.to_owned(),
            path: self.path(),
            decay: decay.clone(),
            created: manifest("created_at"),
            size: self.size(),
            limit: Some(limit),
            lifecycle: Some(match self.archived {
                true => Lifecycle::Archived,
                false if is_active => Lifecycle::Active,
                false => Lifecycle::Idle,
            }),
        }
    }

    fn entries(&self, session: Option<u32>) -> Vec<Entry> {
        let state = if self.archived { State::Archived } else { State::Live };
        entries::entries(self.files.iter().copied(), session, |_, _| state)
    }

    fn problems(&self, (limit, near): (u64, u64)) -> Vec<Problem> {
        let mut ids = IdIndex::of(self.logs().map(|log| log.records.len()).sum());
        let mut problems = self.references_and_duplicates(&mut ids);
        let size = self.size();
        problems.extend(entries::size_problem(self.path(), size, limit, size >= near));
        let manifest = self.of(Role::Metadata).next();
        if self.archived {
            problems.extend(self.archive(manifest));
        } else if let Some(document) = manifest {
            let size = self.files.iter().map(|(_, document)| document.len).sum();
            let counts = RecordCounts::of(self.logs(), size);
            with_object(&document.bytes, |object| {
                problems.extend(manifest_check::check_counts(object, &document.path, &counts));
            });
        } else {
            let message = "The session has no `manifest.json`.";
            problems.push(Problem::of_file(Code::MissingField, Severity::Warning, self.path(), message));
        }
        for document in self.of(Role::Index) {
            with_object(&document.bytes, |object| {
                problems.extend(index_check::check(object, &document.path, self.name, &ids));
            });
        }
        problems
    }

    fn views(&self) -> impl Iterator<Item = (&'a Document, u32, &'a StoredMemory)> {
        self.logs().flat_map(|log| {
            (0..).zip(&log.records).filter_map(move |(index, record)| Some((log, index, record.memory()?)))
        })
    }

    /// Also collects the ids.
    fn references_and_duplicates(&self, ids: &mut IdIndex<'a>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (log, index, memory) in self.views() {
            let line = log.records[index as usize].line;
            let mut add = |code, severity, message| {
                problems.push(entries::problem_of(log, index, (code, severity, message)));
            };
            for reference in memory.references() {
                if self.missing.has(&reference) {
                    let (relation, to) = (reference.relation, &reference.to.text);
                    // Retention may have deleted the session that a preference was learned from.
                    let gone = reference.to.of == NameKind::Session;
                    let severity = if gone { Severity::Note } else { Severity::Warning };
                    let message = format!("`{relation}` names {to:?}, which is not in the store.");
                    add(Code::DanglingReference, severity, message);
                }
            }
            let Some(id) = memory.id() else { continue };
            if let Some((other, line)) = ids.first(id, log, line) {
                let place = format!("{}:{line}", other.path.to_text());
                add(Code::DuplicateId, Severity::Warning, format!("Same id as {place}."));
            }
        }
        problems
    }

    /// Checks that an archived session has its archive and its manifest (§8.3).
    fn archive(&self, manifest: Option<&Document>) -> Vec<Problem> {
        let container = self.of(Role::Archive).find(|document| is_container(document));
        let broken = |path: &Path, message: String| {
            Problem::of_file(Code::ArchiveBroken, Severity::Warning, path, message)
        };
        let (Some(container), Some(manifest)) = (container, manifest) else {
            let path = container.or(manifest).map_or(self.path(), |own| own.path.clone());
            let missing = if container.is_some() { "its manifest" } else { "its `.tar.gz`" };
            return vec![broken(&path, format!("The archived session has no {missing}."))];
        };
        let mut problems = Vec::new();
        with_object(&manifest.bytes, |object| {
            let size = object.get("compressed_size_bytes").and_then(|size| size.count());
            if let Some(size) = size.filter(|size| *size != container.len) {
                let message =
                    format!("`compressed_size_bytes` is {size}, and the archive has {}.", container.len);
                let path = &manifest.path;
                problems.push(Problem::of_file(Code::CountMismatch, Severity::Warning, path, message));
            }
        });
        problems
    }
}

/// True for the archive itself, false for a file inside it.
fn is_container(document: &Document) -> bool {
    document.role == Role::Archive && document.path.iter().count() == 2
}
