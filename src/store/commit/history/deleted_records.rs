//! Deleted records that undo data or backups still hold. palimp reads them only on request and adds
//! them to a copy of the store.

mod deleted_counts;
mod deletions;
mod gone_sessions;
mod kept_bytes;
mod known_records;

use crate::store::commit::history::deleted_records::kept_bytes::{
    KeptBytes, KeptFrom, before, document, session_of,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::deleted_counts::DeletedCounts;
pub use self::deletions::{Deletions, DeletionsCache};
use self::gone_sessions::GoneSessions;
use self::known_records::KnownRecords;
use crate::disk::{Disk, Lookup};
use crate::format::{self, Format, Placement, main_text};
use crate::model::path_text::{ARCHIVED_ROOT, DELETED_ROOT, deleted_from};
use crate::model::{
    Act, Change, Document, Entry, JournalLine, Moment, Record, Role, State, Store, UndoRedo, UnreadPath,
    is_log,
};
use crate::store::commit::vault::backups::list_backups;
use crate::store::commit::{CommitError, Vault};
use crate::store::compressed_files::FileCompression;
use crate::store::erase::{ErasureMatcher, ErasureTarget};
use crate::text::digest::digest;
use crate::text::json_edit::on_one_line;

/// The verbs that remove a file and keep what it says in another.
const MOVING_VERBS: [&str; 2] = ["edit", "merge"];

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
        ..store.clone()
    }
}

/// True if palimp's own data has, or had, archived records of the store.
pub fn has_own_archive(disk: &dyn Disk, data: &Path, store: &Store) -> bool {
    let vault = Vault::open_read_only(disk, data, &store.root);
    vault.journal().is_ok_and(|journal| journal.iter().any(JournalLine::archives))
}

/// Returns the number of bytes in undo data and backups; `None` if they can't be read.
pub fn held_bytes(disk: &dyn Disk, data: &Path, store: &Store) -> Option<u64> {
    let vault = Vault::open_read_only(disk, data, &store.root);
    let steps: u64 = vault.numbered().ok()?.iter().map(|own| own.len).sum();
    let copies: u64 = list_backups(store, &vault).ok()?.iter().map(|own| own.bytes).sum();
    Some(steps + copies)
}

/// Returns the store with its deleted records that can be restored, each in the version that was
/// kept last. Equal records without an id appear as often as they were deleted. Sessions that are
/// gone follow those that exist.
///
/// # Errors
///
/// If the erasure list can't be read: erased records could be among the deleted ones.
pub fn with_deleted(disk: &dyn Disk, data: &Path, store: &Store, now: Moment) -> Result<Store, CommitError> {
    let Some(format) = format::by_name(store.format) else { return Ok(store.clone()) };
    let plain = without_deleted(store);
    let vault = Vault::open_read_only(disk, data, &store.root);
    let erased: Vec<ErasureTarget> = vault.erasure_list()?.into_iter().map(|line| line.record).collect();
    let wanted = ErasureMatcher::before(format, &plain, &erased, now);
    let mut unread = Vec::new();
    let mut taken = DeletedCounts::new(format, now);
    let mut held = held(disk, &vault, &plain, (&mut taken, &mut unread));
    held.sort_by_key(|own| std::cmp::Reverse(own.at));
    let gone = GoneSessions::of(format, &plain, &held, now);
    let mut store = plain;
    store.sessions.extend(gone.sessions);
    let known = KnownRecords::of(&store);
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
    if let Some(parts) = format.own().deleted_parts {
        for is_archive in [true, false] {
            let found = parts(&search.store, &undo_data_of(&vault, is_archive));
            search.parts.extend(found.into_iter().map(|(path, bytes)| (is_archive, path, bytes)));
        }
    }
    let mut with = search.beside(gone.files);
    with.unread.extend(unread);
    Ok(with)
}

/// Reads what undo data and backups hold. Adds what can't be read to `unread`, for a message.
fn held(
    disk: &dyn Disk,
    vault: &Vault<'_>,
    store: &Store,
    (taken, unread): (&mut DeletedCounts, &mut Vec<UnreadPath>),
) -> Vec<KeptBytes> {
    let mut all = Vec::new();
    let mut miss = |path: PathBuf, why: String| unread.push(UnreadPath { path, why });
    let steps = vault.steps().unwrap_or_else(|error| {
        miss(vault.path("undo"), error.to_string());
        Vec::new()
    });
    for number in steps.into_iter().rev() {
        let step = match vault.step(number) {
            Ok(Some(step)) => step,
            Ok(None) => continue,
            Err(error) => {
                miss(vault.step_path(number), error.to_string());
                continue;
            }
        };
        let is_deletion = taken.see(number, &step);
        let is_redone_archive = |number| matches!(vault.step(number), Ok(Some(own)) if own.line.archives());
        match step.line.turn {
            // An undo removes what its step had added. That is not a deletion.
            Some(UndoRedo::Undo(_)) => continue,
            // The step itself has what it archived.
            Some(UndoRedo::Redo(other)) if is_redone_archive(other) => continue,
            _ => {}
        }
        // What got another name, or became a part of another, is not deleted.
        let is_moved = |change: &Change| {
            matches!(change.act, Act::Create(_)) && MOVING_VERBS.contains(&&*step.line.verb)
        };
        let at = Moment::of(&step.line.at);
        let kept = if is_deletion { KeptFrom::Deletion(number) } else { KeptFrom::Change };
        let is_archived = is_deletion && step.line.archives();
        let own = step.changes.iter().filter(|change| !is_moved(change));
        let own = own.filter_map(|change| Some((before(change)?, change.path.clone())));
        all.extend(own.map(|(bytes, path)| KeptBytes { at, path, bytes, kept, is_archived }));
    }
    let copies = list_backups(store, vault).unwrap_or_else(|error| {
        miss(vault.path("backups"), error.to_string());
        Vec::new()
    });
    for copy in copies {
        match Lookup::from(disk.read(&store.root.join(&copy.path), 0, None)) {
            Lookup::Read((bytes, _)) => {
                let (at, path, kept) = (copy.at, copy.file, KeptFrom::Backup);
                all.push(KeptBytes { at, path, bytes, kept, is_archived: false })
            }
            Lookup::Unreadable(error) => miss(copy.path, error.to_string()),
            Lookup::Absent => {}
        }
    }
    all
}

/// Returns the undo data of deletions, or of steps that archived, the newest first. [`held`] reports what can't be
/// read.
fn undo_data_of(vault: &Vault<'_>, is_archive: bool) -> Vec<Vec<Change>> {
    let step = |number| vault.step(number).ok().flatten();
    let steps = vault.steps().unwrap_or_default().into_iter().rev().filter_map(step);
    let is_it = |own: &JournalLine| if is_archive { own.archives() } else { own.verb == "delete" };
    let steps = steps.filter(|step| step.line.turn.is_none() && is_it(&step.line));
    steps.map(|step| step.changes).collect()
}

struct DeletedSearch<'a> {
    /// The store without the records found.
    store: Store,
    format: &'static dyn Format,
    now: Moment,
    wanted: &'a ErasureMatcher<'a>,
    known: KnownRecords,
    taken: DeletedCounts,
    /// Whole files, true for those that were archived.
    found: HashMap<(bool, PathBuf), Vec<u8>>,
    /// Documents that have only deleted or archived parts, and nulls between them.
    parts: Vec<(bool, PathBuf, Vec<u8>)>,
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
        // What was archived is listed even if an agent made a file of that name since.
        let is_there =
            !is_lines && !held.is_archived && self.store.documents.iter().any(|own| own.path == held.path);
        let name = session.map(|at| self.store.sessions[at as usize].name.clone());
        for record in self.format.read(Role::Records, &held.path, &held.bytes, self.now).records {
            let Some(view) = record.view() else { continue };
            let span = record.span.range();
            let raw = if is_lines { held.bytes.get(span).unwrap_or_default() } else { &held.bytes[..] };
            let is_erased = || self.wanted.is_erased(&held.path, raw, Some(view), None);
            let step = if let KeptFrom::Deletion(step) = held.kept { Some(step) } else { None };
            let said = step.map_or(0, |_| digest(main_text(self.format, &held.path, raw).as_bytes()));
            let is_back = step.is_some() && !self.taken.next(&held.path, raw);
            let is_known = || self.known.has(name.as_deref(), view, raw, held.kept, said);
            if is_there || is_back || is_known() || is_erased() {
                continue;
            }
            // A file of several records is kept once, with all of them.
            let place = (held.is_archived, held.path.clone());
            if !is_lines && self.found.contains_key(&place) {
                continue;
            }
            self.known.add(name.as_deref(), view, raw, step.map(|step| (step, said)));
            let own = self.found.entry(place).or_default();
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
        let found = self.found.into_iter().map(|((is_archived, path), bytes)| (is_archived, path, bytes));
        let mut found: Vec<(bool, PathBuf, Vec<u8>)> = found.collect();
        let more = files.into_iter().filter(|(path, _)| found.iter().all(|(_, own, _)| own != path));
        let more: Vec<_> = more.map(|(path, bytes)| (false, path, bytes)).collect();
        found.extend(more);
        found.sort();
        found.extend(self.parts);
        for (is_archived, path, bytes) in found {
            let is_record =
                matches!(self.format.place(&path, false), Placement::File(Role::Records | Role::Archive));
            let reading = match is_record {
                true => self.format.read(Role::Records, &path, &bytes, self.now),
                false => Default::default(),
            };
            let (at, session) = (store.documents.len() as u32, session_of(&store, &path));
            let is_null = |own: &Record| bytes.get(own.span.range()) == Some(b"null");
            let listed = (0..).zip(&reading.records).filter(|(_, own)| own.view().is_some() && !is_null(own));
            let (root, state) = match is_archived {
                true => (ARCHIVED_ROOT, State::Archived),
                false => (DELETED_ROOT, State::Deleted),
            };
            store.entries.extend(listed.map(|(record, _)| Entry { document: at, record, session, state }));
            store.documents.push(Arc::new(document(root, path, bytes, reading)));
        }
        store
    }
}
