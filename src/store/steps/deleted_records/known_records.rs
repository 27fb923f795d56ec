//! Recognizes records that exist or that the search has found: they are not listed as deleted.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::model::path_text::deleted_from;
use crate::model::{Moment, Role, Store, StoredMemory};
use crate::text::digest::digest;

#[derive(Clone, Copy, PartialEq)]
pub enum KeptFrom {
    /// Undo data of this step, which deleted records.
    Deletion(u64),
    /// Undo data of another change.
    Change,
    Backup,
}

/// Returns the index of the session that a file is or was in.
pub fn session_of(store: &Store, path: &Path) -> Option<u32> {
    let folder = |path: &'_ Path| deleted_from(path).unwrap_or(path).to_owned();
    let at = store.sessions.iter().position(|session| path.starts_with(folder(&session.path)))?;
    u32::try_from(at).ok()
}

#[derive(PartialEq, Eq, Hash)]
enum RecordIdentity {
    Id(String),
    /// The id that a tombstone names.
    Tombstone(String),
    /// Its id and creation time: records may share an id.
    Timed(String, Option<Moment>),
    Bytes(u128),
    /// The type and creation time of a record without an id: its text may have changed since.
    Made(String, Moment),
}

type SessionIdentity = (Option<String>, RecordIdentity);

/// Records by their identity and session.
#[derive(Default)]
pub struct KnownRecords {
    names: HashSet<SessionIdentity>,
    /// The last step that deleted a record, by its id, its time and a digest of its main text.
    found: HashMap<(SessionIdentity, u128), u64>,
}

impl KnownRecords {
    /// Returns the records of the store and those that a tombstone marks as deleted.
    pub fn of(store: &Store) -> KnownRecords {
        let mut known = KnownRecords::default();
        for entry in &store.entries {
            let session = store.session(entry).map(|own| own.name.as_str());
            if let Some(memory) = store.memory(entry) {
                known.add(session, memory, &store.raw(entry), None);
            }
        }
        for own in store.documents.iter().filter(|own| own.role == Role::Tombstones) {
            let session = session_of(store, &own.path).map(|at| store.sessions[at as usize].name.clone());
            let ids = own.records.iter().filter_map(|record| record.named_id());
            let both =
                |id: &str| [RecordIdentity::Id(id.to_owned()), RecordIdentity::Tombstone(id.to_owned())];
            known.names.extend(ids.flat_map(both).map(|name| (session.clone(), name)));
        }
        known
    }

    /// Adds a record. `deleted` is the step that deleted it and a digest of its main text.
    pub fn add(
        &mut self,
        session: Option<&str>,
        memory: &StoredMemory,
        raw: &[u8],
        deleted: Option<(u64, u128)>,
    ) {
        let placed = |name: RecordIdentity| (session.map(str::to_owned), name);
        self.names.insert(placed(RecordIdentity::Bytes(digest(raw))));
        match id_of(memory) {
            Some(id) => {
                self.names.insert(placed(RecordIdentity::Id(id.to_owned())));
                let timed = placed(RecordIdentity::Timed(id.to_owned(), memory.created));
                if let Some((step, said)) = deleted {
                    self.found.entry((timed, said)).or_insert(step);
                }
            }
            None => self.names.extend(made(memory).map(placed)),
        }
    }

    /// True if a kept record is known. If a deletion removed it, the same id and time are not enough: a
    /// record with other text is a different one. If another step deleted the same text, id and time, it is
    /// an earlier version. A record without an id that no deletion removed may exist with other text.
    pub fn has(
        &self,
        session: Option<&str>,
        memory: &StoredMemory,
        raw: &[u8],
        kept: KeptFrom,
        said: u128,
    ) -> bool {
        let placed = |name: RecordIdentity| (session.map(str::to_owned), name);
        let has = |name: RecordIdentity| self.names.contains(&placed(name));
        match (id_of(memory), kept) {
            (Some(id), KeptFrom::Deletion(step)) => {
                let newer =
                    self.found.get(&(placed(RecordIdentity::Timed(id.to_owned(), memory.created)), said));
                has(RecordIdentity::Tombstone(id.to_owned()))
                    || has(RecordIdentity::Bytes(digest(raw)))
                    || newer.is_some_and(|newer| *newer != step)
            }
            (Some(id), _) => has(RecordIdentity::Id(id.to_owned())),
            // `DeletedCounts` counts equal ones.
            (None, KeptFrom::Deletion(_)) => false,
            (None, KeptFrom::Change) => true,
            (None, KeptFrom::Backup) => {
                made(memory).is_none_or(has) || has(RecordIdentity::Bytes(digest(raw)))
            }
        }
    }
}

fn id_of(memory: &StoredMemory) -> Option<&str> {
    memory.id().filter(|id| !id.is_empty())
}

fn made(memory: &StoredMemory) -> Option<RecordIdentity> {
    Some(RecordIdentity::Made(memory.kind().to_string(), memory.created?))
}
