//! Deleted records that undo data or backups still hold. palimp reads them only on request and adds
//! them to a copy of the store.

mod deleted_counts;
mod deletions;
mod gone_sessions;
mod known_records;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::deleted_counts::{DeletedCounts, before};
pub use self::deletions::{Deletions, DeletionsCache};
use self::gone_sessions::GoneSessions;
use self::known_records::{KeptFrom, KnownRecords, session_of};
use crate::disk::host::Host;
use crate::disk::{Disk, optional};
use crate::format::record_reader::Reading;
use crate::format::{self, Format, Placement, main_text};
use crate::model::path_text::{ARCHIVED_ROOT, DELETED_ROOT, deleted_from};
use crate::model::{
    Act, ArchivedItem, Change, Document, Entry, Moment, Record, Role, State, Store, UndoRedo, UnreadPath,
    Verb, is_log,
};
use crate::store::compressed_files::FileCompression;
use crate::store::erase::{ErasureMatcher, ErasureTarget};
use crate::store::steps::step_segments::UNDO;
use crate::store::steps::{StepHistory, list_backups};
use crate::store::{CommitError, Vault};
use crate::text::digest::digest;
use crate::text::json_edit::on_one_line;

/// Former bytes of a file of the store.
pub struct KeptBytes {
    at: Option<Moment>,
    path: PathBuf,
    bytes: Vec<u8>,
    kept: KeptFrom,
}

/// Returns a document of found records. Nothing is derived from it, and it is not counted.
pub fn document(path: PathBuf, bytes: Vec<u8>, reading: Reading) -> Document {
    let own = Document::of_bytes(Path::new(DELETED_ROOT).join(path), Role::Other, bytes);
    Document { records: reading.records, problems: reading.problems, ..own }
}

/// The verbs that remove a file and keep what it says in another.
const MOVING_VERBS: [Verb; 3] = [Verb::Edit, Verb::Rename, Verb::Merge];

/// Returns the store without the records that [`with_deleted`] added.
pub fn without_deleted(store: &Store) -> Store {
    let is_read = |own: &Arc<Document>| deleted_from(&own.path).is_none();
    let documents = store.documents.iter().take_while(|own| is_read(own)).count();
    let entries = store.entries.iter().filter(|entry| (entry.document as usize) < documents);
    let sessions = store.sessions.iter().filter(|own| deleted_from(&own.path).is_none());
    Store {
        documents: store.documents[..documents].to_vec(),
        entries: entries.copied().collect(),
        sessions: sessions.cloned().collect(),
        archived: Vec::new(),
        ..store.clone()
    }
}

/// Returns the number of bytes in undo data and backups; `None` if they can't be read.
pub fn held_bytes(disk: &dyn Disk, data: &Path, store: &Store) -> Option<u64> {
    let vault = Vault::open_read_only(disk, data, &store.root);
    let steps = vault.undo_bytes().ok()?;
    let copies: u64 = list_backups(store, &vault).ok()?.iter().map(|own| own.bytes).sum();
    Some(steps + copies)
}

/// Returns the store with its deleted records that can be restored, each in the version that was kept last. Equal
/// records without an id appear as often as they were deleted. Sessions that are gone follow those that exist. The undo
/// data of the steps `without` is not read. Fails if the erasure list can't be read: erased records could be among the
/// deleted ones.
pub fn with_deleted(host: Host<'_>, store: &Store, without: &BTreeSet<u64>) -> Result<Store, CommitError> {
    let Host { disk, data, now, .. } = host;
    let Some(format) = format::by_name(store.format) else { return Ok(store.clone()) };
    let plain = without_deleted(store);
    let vault = Vault::open_read_only(disk, data, &store.root);
    let erased: Vec<ErasureTarget> = vault.erasure_list()?.into_iter().map(|line| line.record).collect();
    let wanted = ErasureMatcher::before(format, &plain, &erased, now);
    let mut unread = Vec::new();
    let mut taken = DeletedCounts::new(format, now);
    let (mut held, deletions) = held(disk, &vault, (&plain, without), (&mut taken, &mut unread));
    held.sort_by_key(|own| std::cmp::Reverse(own.at));
    let gone = GoneSessions::of(format, &plain, &held, now);
    let mut store = plain;
    store.sessions.extend(gone.sessions);
    let archived = vault.archived()?;
    let mut known = KnownRecords::of(&store);
    for own in &archived {
        for memory in
            format.read(Role::Records, &own.path, &own.bytes, now).records.iter().filter_map(Record::memory)
        {
            known.add(None, memory, &own.bytes, None);
        }
    }
    let mut search = DeletedSearch {
        store,
        format,
        now,
        wanted: &wanted,
        known,
        taken,
        found: HashMap::new(),
        parts: Vec::new(),
    };
    held.iter().for_each(|own| search.take(own));
    search.parts = format.own().deleted_parts.map(|own| own(&search.store, &deletions)).unwrap_or_default();
    let mut with = search.beside(gone.files);
    with.unread.extend(unread);
    add_archived(&mut with, format, archived, now);
    Ok(with)
}

/// Returns the store with the memories of palimp's own archive. Fails if palimp's own data can't be read.
pub fn with_archived(disk: &dyn Disk, data: &Path, store: &Store, now: Moment) -> Result<Store, CommitError> {
    let archived = Vault::open_read_only(disk, data, &store.root).archived()?;
    let mut with = without_deleted(store);
    if let Some(format) = format::by_name(store.format) {
        add_archived(&mut with, format, archived, now);
    }
    Ok(with)
}

/// Adds the memories of palimp's own archive to a store, each as a document.
fn add_archived(store: &mut Store, format: &dyn Format, archived: Vec<ArchivedItem>, now: Moment) {
    for own in archived {
        let reading = format.read(Role::Records, &own.path, &own.bytes, now);
        let document_number = store.documents.len() as u32;
        let listed = (0..).zip(&reading.records).filter(|(_, own)| own.memory().is_some());
        store.entries.extend(listed.map(|(record, _)| Entry {
            document: document_number,
            record,
            session: None,
            state: State::Archived,
        }));
        let path = Path::new(ARCHIVED_ROOT).join(&own.name).join(&own.path);
        let document = Document::of_bytes(path, Role::Other, own.bytes.clone());
        let document = Document { records: reading.records, problems: reading.problems, ..document };
        store.documents.push(Arc::new(document));
        store.archived.push(Arc::new(own));
    }
}

/// Reads what undo data, but for some steps, and backups hold, and the undo data of deletions, both the newest first. Adds
/// what can't be read to `unread`, for a message.
fn held(
    disk: &dyn Disk,
    vault: &Vault<'_>,
    (store, without): (&Store, &BTreeSet<u64>),
    (taken, unread): (&mut DeletedCounts, &mut Vec<UnreadPath>),
) -> (Vec<KeptBytes>, Vec<Vec<Change>>) {
    let has_own_archive = format::by_name(store.format).is_some_and(|own| own.own().own_archive.is_some());
    let (mut all, mut deletions) = (Vec::new(), Vec::new());
    let mut miss = |path: PathBuf, why: String| unread.push(UnreadPath { path, why });
    let steps = vault.steps().unwrap_or_else(|error| {
        miss(vault.path("undo"), error.in_short());
        Vec::new()
    });
    let journal = vault.journal().unwrap_or_default();
    let done: HashSet<u64> = StepHistory::of(&journal).done.into_iter().map(|(step, _)| step).collect();
    for number in steps.into_iter().rev().filter(|own| !without.contains(own)) {
        let step = match vault.step(number) {
            Ok(Some(step)) => step,
            Ok(None) => continue,
            Err(error) => {
                miss(vault.path(UNDO), error.in_short());
                continue;
            }
        };
        let is_deletion = taken.see(number, &step);
        if step.line.verb == Verb::Delete && done.contains(&number) {
            deletions.push(step.changes.clone());
        }
        // An undo removes what its step had added. That is not a deletion.
        if matches!(step.line.turn, Some(UndoRedo::Undo(_))) {
            continue;
        }
        // What got another name, or became a part of another, is not deleted.
        let first = journal.iter().find(|line| line.step == step.line.subject_step());
        let verb = first.map_or(&step.line.verb, |line| &line.verb);
        let is_archive = *verb == Verb::Archive && has_own_archive;
        let is_moved = |change: &Change| {
            let is_moving = is_archive || MOVING_VERBS.contains(verb);
            *verb == Verb::Move || matches!(change.act, Act::Create(_)) && is_moving
        };
        let at = Moment::of(&step.line.at);
        let kept = if is_deletion { KeptFrom::Deletion(number) } else { KeptFrom::Change };
        let own = step.changes.iter().filter(|change| !is_moved(change));
        let own = own.filter_map(|change| Some((before(change)?, change.path.clone())));
        all.extend(own.map(|(bytes, path)| KeptBytes { at, path, bytes, kept }));
    }
    let copies = list_backups(store, vault).unwrap_or_else(|error| {
        miss(vault.path("backups"), error.in_short());
        Vec::new()
    });
    for copy in copies {
        match optional(disk.read(&store.root.join(&copy.path), 0, None)) {
            Ok(Some((bytes, _))) => {
                all.push(KeptBytes { at: copy.at, path: copy.file, bytes, kept: KeptFrom::Backup })
            }
            Err(error) => miss(copy.path, error.to_string()),
            Ok(None) => {}
        }
    }
    (all, deletions)
}

struct DeletedSearch<'a> {
    /// The store without the records found.
    store: Store,
    format: &'static dyn Format,
    now: Moment,
    wanted: &'a ErasureMatcher<'a>,
    known: KnownRecords,
    taken: DeletedCounts,
    found: HashMap<PathBuf, Vec<u8>>,
    /// Documents that have only deleted parts, and nulls between them.
    parts: Vec<(PathBuf, Vec<u8>)>,
}

impl DeletedSearch<'_> {
    fn take(&mut self, held: &KeptBytes) {
        let place = self.format.place(&held.path, false);
        let is_record = matches!(place, Placement::File(Role::Records | Role::Archive));
        let can_come =
            is_record && !self.format.forbids_rebase(&held.path) && FileCompression::of(&held.path).is_none();
        let session = session_of(&self.store, &held.path);
        let is_lost = session.is_none() && gone_sessions::is_in_session(self.format, &held.path, self.now);
        if !can_come || held.path.starts_with("..") || is_lost {
            return;
        }
        let is_lines = is_log(&held.path);
        let is_there = !is_lines && self.store.documents.iter().any(|own| own.path == held.path);
        let name = session.map(|at| self.store.sessions[at as usize].name.clone());
        for record in self.format.read(Role::Records, &held.path, &held.bytes, self.now).records {
            let Some(memory) = record.memory() else { continue };
            let span = record.span.range();
            let raw = if is_lines { held.bytes.get(span).unwrap_or_default() } else { &held.bytes[..] };
            let is_erased = || self.wanted.is_erased(&held.path, raw, Some(memory), None);
            let step = if let KeptFrom::Deletion(step) = held.kept { Some(step) } else { None };
            let said = step.map_or(0, |_| digest(main_text(self.format, &held.path, raw).as_bytes()));
            let is_back = step.is_some() && !self.taken.next(&held.path, raw);
            let is_known = || self.known.has(name.as_deref(), memory, raw, held.kept, said);
            if is_there || is_back || is_known() || is_erased() {
                continue;
            }
            // A file of several records is kept once, with all of them.
            if !is_lines && self.found.contains_key(&held.path) {
                continue;
            }
            self.known.add(name.as_deref(), memory, raw, step.map(|step| (step, said)));
            let own = self.found.entry(held.path.clone()).or_default();
            match is_lines {
                true => own.extend(on_one_line(raw)),
                false => own.extend(raw),
            }
            if is_lines {
                own.push(b'\n');
            }
        }
    }

    /// Returns the store with the records found. `files` belong to sessions that are gone.
    fn beside(self, files: Vec<(PathBuf, Vec<u8>)>) -> Store {
        let mut store = self.store;
        let mut found: Vec<(PathBuf, Vec<u8>)> = self.found.into_iter().collect();
        let more = files.into_iter().filter(|(path, _)| found.iter().all(|(own, _)| own != path));
        let more: Vec<_> = more.collect();
        found.extend(more);
        found.sort();
        found.extend(self.parts);
        for (path, bytes) in found {
            let is_record =
                matches!(self.format.place(&path, false), Placement::File(Role::Records | Role::Archive));
            let reading = match is_record {
                true => self.format.read(Role::Records, &path, &bytes, self.now),
                false => Default::default(),
            };
            let (at, session) = (store.documents.len() as u32, session_of(&store, &path));
            let is_null = |own: &Record| bytes.get(own.span.range()) == Some(b"null");
            let listed =
                (0..).zip(&reading.records).filter(|(_, own)| own.memory().is_some() && !is_null(own));
            store.entries.extend(listed.map(|(record, _)| Entry {
                document: at,
                record,
                session,
                state: State::Deleted,
            }));
            store.documents.push(Arc::new(document(path, bytes, reading)));
        }
        store
    }
}
