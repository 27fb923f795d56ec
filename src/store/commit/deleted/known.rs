//! What is in a store, or was found already: nothing is listed as deleted that is there.

use std::collections::HashSet;

use super::super::step::digest;
use super::{Kept, session_of};
use crate::model::{Moment, Role, Store, View};

/// What tells a record.
#[derive(PartialEq, Eq, Hash)]
enum Name {
    /// Its id.
    Id(String),
    /// Its bytes, where it has none.
    Bytes(String),
    /// Its type and when it was made: where it has no id, and may have been changed since.
    Made(String, Moment),
    /// Its id and when it was made: others may share the id.
    Timed(String, Option<Moment>),
}

/// Records by what tells them, each in its session.
#[derive(Default)]
pub struct Known(HashSet<(Option<String>, Name)>);

impl Known {
    /// What is in the store, or was deleted there in the format's own way.
    pub fn of(store: &Store) -> Known {
        let mut known = Known::default();
        for entry in &store.entries {
            let session = store.session(entry).map(|own| own.name.as_str());
            if let Some(view) = store.view(entry) {
                known.add(session, view, store.raw(entry));
            }
        }
        for own in store.documents.iter().filter(|own| own.role == Role::Tombstones) {
            let session = session_of(store, &own.path).map(|at| store.sessions[at as usize].name.clone());
            let ids = own.records.iter().filter_map(|record| record.view()?.id.as_deref());
            let both = |id: &str| [Name::Id(id.to_owned()), Name::Timed(id.to_owned(), None)];
            known.0.extend(ids.flat_map(both).map(|name| (session.clone(), name)));
        }
        known
    }

    /// Takes a record in.
    pub fn add(&mut self, session: Option<&str>, view: &View, raw: &[u8]) {
        let session = session.map(str::to_owned);
        match id_of(view) {
            Some(id) => {
                self.0.insert((session.clone(), Name::Id(id.to_owned())));
                self.0.insert((session, Name::Timed(id.to_owned(), view.created)));
            }
            None => {
                self.0.extend(made(view).map(|name| (session.clone(), name)));
                self.0.insert((session, Name::Bytes(digest(raw))));
            }
        }
    }

    /// Whether a record is known that was kept so. What has no id is known by what it says: where
    /// it was not deleted it may have been changed since, and says something else by now.
    pub fn has(&self, session: Option<&str>, view: &View, raw: &[u8], kept: Kept) -> bool {
        let has = |name: Name| self.0.contains(&(session.map(str::to_owned), name));
        if let Some(id) = id_of(view) {
            let timed = |created| has(Name::Timed(id.to_owned(), created));
            // One of several records with an id was deleted, where none of that time is left.
            let is_another =
                kept == Kept::Deletion && view.created.is_some() && !timed(view.created) && !timed(None);
            return has(Name::Id(id.to_owned())) && !is_another;
        }
        let is_changed = || match kept {
            Kept::Deletion => false,
            Kept::Change => true,
            Kept::Copy => made(view).is_none_or(has),
        };
        is_changed() || has(Name::Bytes(digest(raw)))
    }
}

fn id_of(view: &View) -> Option<&str> {
    view.id.as_deref().filter(|id| !id.is_empty())
}

fn made(view: &View) -> Option<Name> {
    Some(Name::Made(view.kind.to_string(), view.created?))
}
