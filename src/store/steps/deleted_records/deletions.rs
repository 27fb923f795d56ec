//! What applied deletions removed from a store. Repair and quarantine don't restore it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use super::deleted_counts::{DELETING_VERBS, DeletedCounts, RESTORING_VERBS, before};
use super::known_records::session_of;
use crate::format::{self, Format};
use crate::model::{Change, JournalLine, Moment, Role, Span, Store, StoredMemory, is_log};
use crate::store::steps::StepHistory;
use crate::store::{CommitError, Vault};
use crate::text::digest::digest;

/// The applied deletions, as far as their undo data is kept.
#[derive(Debug, Default)]
pub struct Deletions {
    /// Ids, each with its session and the step that deleted it.
    ids: HashMap<String, Vec<(Option<String>, u64)>>,
    /// Documents with deleted memories, and the last step that deleted some.
    files: HashMap<PathBuf, u64>,
    /// Digests of deleted bytes, by file, and the step that deleted them.
    bytes: HashMap<(PathBuf, u128), u64>,
    /// Deleted records without an id, by session, type and time. Their text may have changed before the
    /// deletion.
    made: HashMap<(Option<String>, String, Moment), u64>,
    /// What identifies deleted parts of documents, and the step that deleted them.
    parts: HashMap<Vec<u8>, u64>,
    times: HashMap<u64, Moment>,
    /// Files and steps of deletions whose undo data is gone: what they deleted is unknown.
    forgotten: Vec<(PathBuf, u64)>,
}

/// The deletions of stores, as they were read last.
#[derive(Default)]
pub struct DeletionsCache(Vec<CachedDeletions>);

struct CachedDeletions {
    store: Weak<Store>,
    journal: Vec<JournalLine>,
    deletions: Arc<Deletions>,
}

impl DeletionsCache {
    /// Returns the deletions of a store whose bytes are `held`. Reads them again only if the store
    /// or its journal has changed.
    pub fn of(
        &mut self,
        vault: &Vault<'_>,
        (store, held): (&Arc<Store>, &Store),
        now: Moment,
    ) -> Result<Arc<Deletions>, CommitError> {
        let journal = vault.journal()?;
        let is_it =
            |own: &&CachedDeletions| own.store.as_ptr() == Arc::as_ptr(store) && own.journal == journal;
        if let Some(own) = self.0.iter().find(is_it) {
            return Ok(Arc::clone(&own.deletions));
        }
        let deletions = Arc::new(Deletions::of(vault, held, now)?);
        self.0.retain(|own| own.store.upgrade().is_some_and(|other| other.root != store.root));
        let own =
            CachedDeletions { store: Arc::downgrade(store), journal, deletions: Arc::clone(&deletions) };
        self.0.push(own);
        Ok(deletions)
    }
}

impl Deletions {
    /// Reads the deletions of a store. If undo data is gone or damaged, only the files and the time of its step are
    /// known. Fails if it can't be read.
    pub fn of(vault: &Vault<'_>, store: &Store, now: Moment) -> Result<Deletions, CommitError> {
        let mut own = Deletions::default();
        let Some(format) = format::by_name(store.format) else { return Ok(own) };
        let journal = vault.journal()?;
        let verbs: HashMap<u64, &JournalLine> = journal.iter().map(|line| (line.step, line)).collect();
        let counts = |step: &u64| {
            let verb = verbs.get(step).map(|line| &line.verb);
            verb.is_some_and(|verb| DELETING_VERBS.contains(verb) || RESTORING_VERBS.contains(verb))
        };
        let (mut taken, mut all) = (DeletedCounts::new(format, now), Vec::new());
        let mut brought: HashSet<PathBuf> = HashSet::new();
        let done = StepHistory::of(&journal).done.into_iter().rev().map(|(step, _)| step);
        for number in done.filter(counts) {
            let Some(step) = vault.step(number)? else {
                own.forget(verbs.get(&number).copied());
                continue;
            };
            let documents = step.changes.iter().map(|own| &own.path).filter(|path| !is_log(path));
            if !taken.see(number, &step) {
                brought.extend(documents.cloned());
                continue;
            }
            documents.filter(|path| !brought.contains(*path)).for_each(|path| {
                own.files.entry(path.clone()).or_insert(number);
            });
            own.times.extend(Moment::parse(&step.line.at).map(|(at, _)| (number, at)));
            own.take_parts(format, store, number, &step.changes);
            all.extend(step.changes.into_iter().filter_map(|own| Some((number, before(&own)?, own.path))));
        }
        for (step, bytes, path) in all {
            own.take(format, &mut taken, (store, now), (step, &bytes, path));
        }
        Ok(own)
    }

    /// Adds the files of a deletion whose undo data is gone.
    fn forget(&mut self, line: Option<&JournalLine>) {
        let Some(line) = line.filter(|line| DELETING_VERBS.contains(&line.verb)) else { return };
        self.times.extend(Moment::parse(&line.at).map(|(at, _)| (line.step, at)));
        self.forgotten.extend(line.files.iter().map(|file| (file.path.clone(), line.step)));
    }

    /// Adds what a deletion removed from a file.
    fn take(
        &mut self,
        format: &'static dyn Format,
        taken: &mut DeletedCounts,
        (store, now): (&Store, Moment),
        (step, bytes, path): (u64, &[u8], PathBuf),
    ) {
        let session = session_of(store, &path).map(|at| store.sessions[at as usize].name.clone());
        for record in format.read(Role::Records, &path, bytes, now).records {
            let span = record.span.range();
            let raw = if is_log(&path) { bytes.get(span).unwrap_or_default() } else { bytes };
            let Some(memory) = record.memory().filter(|_| taken.next(&path, raw)) else { continue };
            self.bytes.entry((path.clone(), digest(raw))).or_insert(step);
            match (memory.id().filter(|id| !id.is_empty()), memory.created) {
                (Some(id), _) => {
                    self.ids.entry(id.to_owned()).or_default().push((session.clone(), step));
                }
                (None, Some(at)) => {
                    self.made.entry((session.clone(), memory.kind().to_string(), at)).or_insert(step);
                }
                (None, None) => {}
            }
        }
    }

    /// Adds the parts that a deletion removed from a document.
    fn take_parts(&mut self, format: &'static dyn Format, store: &Store, step: u64, changes: &[Change]) {
        let Some(deleted) = format.own().deleted_parts else { return };
        for (path, bytes) in deleted(store, &[changes.to_vec()]) {
            let parts = format.own().eraser.map(|erases| erases.parts(&path, &bytes)).unwrap_or_default();
            for name in parts.into_iter().flat_map(|part| part.names) {
                self.parts.entry(name).or_insert(step);
            }
        }
    }

    /// Returns the step that deleted memories of a document, if it came after step `after`.
    pub fn step_of_file(&self, file: &Path, after: u64) -> Option<u64> {
        self.files.get(file).copied().filter(|step| *step > after)
    }

    /// Returns the step that deleted the memory with this id in the file's session.
    pub fn step(&self, store: &Store, file: &Path, id: &str) -> Option<u64> {
        let all = self.ids.get(id)?;
        let session = session_of(store, file).map(|at| &*store.sessions[at as usize].name);
        all.iter().find(|(own, _)| own.as_deref() == session).map(|(_, step)| *step)
    }

    /// Returns all deleted ids.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.keys().map(String::as_str)
    }

    /// Returns the deleted ids of a session.
    pub fn ids_of(&self, session: &str) -> impl Iterator<Item = &str> {
        let is_own = move |(own, _): &(Option<String>, u64)| own.as_deref() == Some(session);
        self.ids.iter().filter(move |(_, all)| all.iter().any(is_own)).map(|(id, _)| id.as_str())
    }

    /// Returns the step that deleted a record of a file. If records share its id, only equal bytes count.
    pub fn step_of(
        &self,
        store: &Store,
        file: &Path,
        (raw, memory): (&[u8], &StoredMemory),
        is_shared: bool,
    ) -> Option<u64> {
        let same = self.bytes.get(&(file.to_owned(), digest(raw))).copied();
        if same.is_some() || is_shared {
            return same;
        }
        if let Some(id) = memory.id().filter(|id| !id.is_empty()) {
            return self.step(store, file, id);
        }
        let session = session_of(store, file).map(|at| store.sessions[at as usize].name.clone());
        self.made.get(&(session, memory.kind().to_string(), memory.created?)).copied()
    }

    /// Returns the deleted parts of a document, each with the step that deleted it.
    pub fn parts_of(&self, format: &'static dyn Format, file: &Path, bytes: &[u8]) -> HashMap<Span, u64> {
        let Some(erases) = format.own().eraser.filter(|_| !self.parts.is_empty()) else {
            return HashMap::new();
        };
        let step = |names: &[Vec<u8>]| names.iter().find_map(|name| self.parts.get(name)).copied();
        let parts = erases.parts(file, bytes).into_iter();
        parts.filter_map(|part| Some((part.span, step(&part.names)?))).collect()
    }

    /// Returns the time of a step.
    pub fn at(&self, step: u64) -> Option<Moment> {
        self.times.get(&step).copied()
    }

    /// Returns the steps that deleted unknown memories of a file.
    pub fn forgotten(&self, file: &Path) -> impl Iterator<Item = u64> {
        self.forgotten.iter().filter(move |(own, _)| own == file).map(|(_, step)| *step)
    }
}
