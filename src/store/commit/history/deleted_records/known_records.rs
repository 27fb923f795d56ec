//! What is in a store, or was found already: nothing is listed as deleted that is there.

use std::collections::{HashMap, HashSet};

use crate::model::{Moment, Role, Store, View};
use crate::store::commit::history::deleted_records::kept_bytes::{KeptFrom, session_of};
use crate::text::digest::digest;

/// What a record is recognized by.
#[derive(PartialEq, Eq, Hash)]
enum RecordIdentity {
    /// Its id.
    Id(String),
    /// The id that a tombstone names.
    Tombstone(String),
    /// Its id and when it was made: others may share the id.
    Timed(String, Option<Moment>),
    /// Its bytes.
    Bytes(u128),
    /// Its type and when it was made: where it has no id, and may have been changed since.
    Made(String, Moment),
}

type SessionIdentity = (Option<String>, RecordIdentity);

/// Records by what they are recognized by, each in its session.
#[derive(Default)]
pub struct KnownRecords {
    names: HashSet<SessionIdentity>,
    /// Of those that deletions took out, by id, time and what they say: the step that took the last one.
    found: HashMap<(SessionIdentity, u128), u64>,
}

impl KnownRecords {
    /// What is in the store, or was deleted there in the format's own way.
    pub fn of(store: &Store) -> KnownRecords {
        let mut known = KnownRecords::default();
        for entry in &store.entries {
            let session = store.session(entry).map(|own| own.name.as_str());
            if let Some(view) = store.view(entry) {
                known.add(session, view, &store.raw(entry), None);
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

    /// Takes a record in, and the step that deleted it and a digest of its main text.
    pub fn add(&mut self, session: Option<&str>, view: View<'_>, raw: &[u8], deleted: Option<(u64, u128)>) {
        let placed = |name: RecordIdentity| (session.map(str::to_owned), name);
        self.names.insert(placed(RecordIdentity::Bytes(digest(raw))));
        match id_of(view) {
            Some(id) => {
                self.names.insert(placed(RecordIdentity::Id(id.to_owned())));
                let timed = placed(RecordIdentity::Timed(id.to_owned(), view.created));
                if let Some((step, said)) = deleted {
                    self.found.entry((timed, said)).or_insert(step);
                }
            }
            None => self.names.extend(made(view).map(placed)),
        }
    }

    /// Whether a record is known that was kept so. One that a deletion took out is another than one
    /// that is there and says something else, though they share id and time; of one that was found and
    /// says the same it is an earlier version. What has no id is known by what it says: where it was not deleted it
    /// may have been changed since, and says something else by now.
    pub fn has(&self, session: Option<&str>, view: View<'_>, raw: &[u8], kept: KeptFrom, said: u128) -> bool {
        let placed = |name: RecordIdentity| (session.map(str::to_owned), name);
        let has = |name: RecordIdentity| self.names.contains(&placed(name));
        match (id_of(view), kept) {
            (Some(id), KeptFrom::Deletion(step)) => {
                let newer =
                    self.found.get(&(placed(RecordIdentity::Timed(id.to_owned(), view.created)), said));
                has(RecordIdentity::Tombstone(id.to_owned()))
                    || has(RecordIdentity::Bytes(digest(raw)))
                    || newer.is_some_and(|newer| *newer != step)
            }
            (Some(id), _) => has(RecordIdentity::Id(id.to_owned())),
            // Equal ones are counted.
            (None, KeptFrom::Deletion(_)) => false,
            (None, KeptFrom::Change) => true,
            (None, KeptFrom::Backup) => made(view).is_none_or(has) || has(RecordIdentity::Bytes(digest(raw))),
        }
    }
}

fn id_of(view: View<'_>) -> Option<&str> {
    view.id.filter(|id| !id.is_empty())
}

fn made(view: View<'_>) -> Option<RecordIdentity> {
    Some(RecordIdentity::Made(view.kind.to_string(), view.created?))
}
