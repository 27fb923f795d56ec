//! Records that are deleted and that undo data or backups still hold: put beside the store as it
//! was read, where somebody asks for them. Nothing is read for anybody else.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::made::is_log;
use super::{CommitError, Vault, copies};
use crate::disk::{Disk, Seen};
use crate::format::{self, Format, Placement};
use crate::model::{Act, Change, Document, Entry, Moment, Record, Role, State, Store, Unread};
use crate::store::erase::{Target, Wanted};
use crate::store::packed::Packing;

/// Below this name the files are listed from which records were deleted. It names no file: it
/// reads as what is within an archive.
const HELD: &str = "~deleted!";

/// The file that a record which only our own data holds was deleted from.
pub fn deleted_from(document: &Path) -> Option<&Path> {
    document.strip_prefix(HELD).ok()
}

/// The store as it was read, without what is held beside it.
pub fn without_deleted(store: &Store) -> Store {
    let is_read = |own: &Arc<Document>| deleted_from(&own.path).is_none();
    let documents = store.documents.iter().take_while(|own| is_read(own)).count();
    let entries = store.entries.iter().filter(|entry| (entry.document as usize) < documents);
    Store {
        documents: store.documents[..documents].to_vec(),
        entries: entries.copied().collect(),
        ..store.clone()
    }
}

/// The store with the records that were deleted from it and can be brought back, the version
/// that was kept last of each.
///
/// # Errors
///
/// If the erasure list can't be read: what was erased could be among them.
pub fn with_deleted(disk: &dyn Disk, data: &Path, store: &Store, now: Moment) -> Result<Store, CommitError> {
    let Some(format) = format::by_name(store.format) else { return Ok(store.clone()) };
    let vault = Vault::look(disk, data, &store.root);
    let erased: Vec<Target> = vault.erased()?.into_iter().map(|line| line.record).collect();
    let wanted = Wanted::of(format, store, &erased, now);
    let mut search = Search {
        store,
        format,
        now,
        wanted: &wanted,
        known: known(store),
        found: HashMap::new(),
        parts: None,
    };
    let mut unread = Vec::new();
    let mut held = held(disk, &vault, store, &mut unread);
    held.sort_by_key(|own| std::cmp::Reverse(own.at));
    held.iter().for_each(|own| search.take(own));
    search.parts = format.writes().and_then(|writes| writes.taken_out(store, &deletions(&vault)));
    let mut with = search.beside();
    with.unread.extend(unread);
    Ok(with)
}

/// Bytes that a file of the store had.
struct Held {
    at: Option<Moment>,
    path: PathBuf,
    bytes: Vec<u8>,
}

/// What undo data and backups hold. What can't be read now is not offered, and is told.
fn held(disk: &dyn Disk, vault: &Vault<'_>, store: &Store, unread: &mut Vec<Unread>) -> Vec<Held> {
    let mut all = Vec::new();
    let mut miss = |path: PathBuf, why: String| unread.push(Unread { path, why });
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
        let at = Moment::parse(&step.at).map(|(when, _)| when);
        let own = step.changes.into_iter().filter_map(|change| Some((before(&change)?, change.path)));
        all.extend(own.map(|(bytes, path)| Held { at, path, bytes }));
    }
    let copies = copies(store, vault).unwrap_or_else(|error| {
        miss(vault.path("backups"), error.to_string());
        Vec::new()
    });
    for copy in copies {
        match Seen::from(disk.read(&store.root.join(&copy.path), 0, None)) {
            Seen::Read((bytes, _)) => all.push(Held { at: copy.at, path: copy.file, bytes }),
            Seen::Unreadable(error) => miss(copy.path, error.to_string()),
            Seen::Absent => {}
        }
    }
    all
}

/// What takes deletions back, the newest first. What can't be read is told by [`held`].
fn deletions(vault: &Vault<'_>) -> Vec<Vec<Change>> {
    let step = |number| vault.step(number).ok().flatten();
    let steps = vault.steps().unwrap_or_default().into_iter().rev().filter_map(step);
    steps.filter(|step| step.verb == "delete").map(|step| step.changes).collect()
}

/// What a file had before the step that this takes back: lines of a log, or all of another file.
fn before(change: &Change) -> Option<Vec<u8>> {
    match &change.act {
        Act::Create(bytes) => Some(bytes.clone()),
        Act::Splice(splices) if is_log(change) => {
            Some(splices.iter().flat_map(|own| own.becomes.iter().copied()).collect())
        }
        _ => None,
    }
}

/// The session of a record, by name, and its id.
type Name = (Option<String>, String);

/// What is in the store, or was deleted there in the format's own way.
fn known(store: &Store) -> HashSet<Name> {
    let entry = |entry: &Entry| {
        let id = store.view(entry)?.id.clone()?;
        Some((store.session(entry).map(|own| own.name.clone()), id.to_string()))
    };
    let mut known: HashSet<Name> = store.entries.iter().filter_map(entry).collect();
    for own in store.documents.iter().filter(|own| own.role == Role::Tombstones) {
        let session = session_of(store, &own.path).map(|at| store.sessions[at as usize].name.clone());
        let ids = own.records.iter().filter_map(|record| record.view()?.id.as_deref());
        known.extend(ids.map(|id| (session.clone(), id.to_owned())));
    }
    known
}

fn session_of(store: &Store, path: &Path) -> Option<u32> {
    let at = store.sessions.iter().position(|session| path.starts_with(&session.path))?;
    u32::try_from(at).ok()
}

struct Search<'a> {
    store: &'a Store,
    format: &'static dyn Format,
    now: Moment,
    wanted: &'a Wanted<'a>,
    known: HashSet<Name>,
    /// The bytes that were found, by file.
    found: HashMap<PathBuf, Vec<u8>>,
    /// A document of parts that were taken out, and nulls.
    parts: Option<(PathBuf, Vec<u8>)>,
}

impl Search<'_> {
    fn take(&mut self, held: &Held) {
        let is_record = self.format.place(&held.path, false) == Placement::File(Role::Records);
        let can_come = is_record && !self.format.is_bound(&held.path) && Packing::of(&held.path).is_none();
        let session = session_of(self.store, &held.path);
        // Of a session that is gone there is more to bring back than its records.
        if !can_come || held.path.starts_with("..") || session.is_none() && !self.store.sessions.is_empty() {
            return;
        }
        let is_lines = held.path.extension().is_some_and(|end| end == "jsonl");
        let name = session.map(|at| self.store.sessions[at as usize].name.clone());
        for record in self.format.read(Role::Records, &held.path, &held.bytes, self.now).records {
            let Some(view) = record.view() else { continue };
            let Some(id) = view.id.as_deref().filter(|id| !id.is_empty()) else { continue };
            let span = record.span.start as usize..record.span.end as usize;
            let raw = if is_lines { held.bytes.get(span).unwrap_or_default() } else { &held.bytes[..] };
            let is_erased = || self.wanted.takes(&held.path, raw, Some(view), None);
            let is_there = !is_lines && self.store.documents.iter().any(|own| own.path == held.path);
            if is_there || self.known.contains(&(name.clone(), id.to_owned())) || is_erased() {
                continue;
            }
            self.known.insert((name.clone(), id.to_owned()));
            let line: Vec<u8> = match is_lines {
                true => {
                    raw.iter().map(|own| if matches!(own, b'\n' | b'\r') { b' ' } else { *own }).collect()
                }
                false => raw.to_vec(),
            };
            let own = self.found.entry(held.path.clone()).or_default();
            own.extend(line);
            if is_lines {
                own.push(b'\n');
            }
        }
    }

    fn beside(self) -> Store {
        let mut store = self.store.clone();
        let mut found: Vec<(PathBuf, Vec<u8>)> = self.found.into_iter().collect();
        found.sort();
        found.extend(self.parts);
        for (path, bytes) in found {
            let records = self.format.read(Role::Records, &path, &bytes, self.now).records;
            let (at, session) = (store.documents.len() as u32, session_of(&store, &path));
            let is_null =
                |own: &Record| bytes.get(own.span.start as usize..own.span.end as usize) == Some(b"null");
            let listed = (0..).zip(&records).filter(|(_, own)| own.view().is_some() && !is_null(own));
            store.entries.extend(listed.map(|(record, _)| Entry {
                document: at,
                record,
                session,
                state: State::Deleted,
            }));
            store.documents.push(Arc::new(Document {
                path: Path::new(HELD).join(path),
                // It is no file of the store: nothing is derived from it, and nothing counts it.
                role: Role::Other,
                offset: 0,
                len: bytes.len() as u64,
                bytes: bytes.into(),
                generation: Default::default(),
                records,
                problems: Vec::new(),
                digests: Default::default(),
            }));
        }
        store
    }
}
