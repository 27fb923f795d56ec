//! What a plan adds and removes, from its own bytes: the file may get records of other programs.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::format::writing::document;
use crate::model::{Act, Change, Moment, PathText, Plan, Role, Store};
use crate::store::derived_files;

/// A record that was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// Its id, or its key if the format gives it no id.
    pub id: String,
    /// The records that a compaction dropped to make room for it.
    pub dropped: Vec<Dropped>,
}

/// A record that a compaction dropped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dropped {
    /// Its session.
    pub session: Option<String>,
    /// Its id.
    pub id: Option<String>,
    /// Its exact bytes.
    pub raw: Vec<u8>,
}

pub(super) struct NewRecordBytes {
    pub path: PathBuf,
    pub raw: Vec<u8>,
    pub id: Option<String>,
}

/// Returns the record that a plan of `add` adds: the last one of the first changed file with records.
pub(super) fn brought(store: &Store, plan: &Plan, now: Moment) -> Option<NewRecordBytes> {
    let after = derived_files::documents_after(store, &plan.changes, now);
    let is_log = |path: &Path| document(&after, path).filter(|own| own.role == Role::Records);
    let document = plan.changes.iter().find_map(|change| is_log(&change.path))?;
    let record = document.records.last()?;
    let id = record.id().map(str::to_owned);
    Some(NewRecordBytes { path: document.path.clone(), raw: document.raw(record).to_vec(), id })
}

/// Returns the session that a plan makes. Its folder has the same name.
pub(super) fn new_session(plan: &Plan) -> Option<String> {
    let folder = plan.changes.iter().find(|change| matches!(change.act, Act::MakeFolder))?;
    folder.path.file_name().map(|name| name.to_text().into_owned())
}

/// Returns the records that a plan removes from the files that it changes.
pub(super) fn dropped(store: &Store, plan: &Plan, now: Moment) -> Vec<Dropped> {
    let takes = |change: &Change| matches!(change.act, Act::Splice(_) | Act::Remove(_));
    if !plan.changes.iter().any(takes) {
        return Vec::new();
    }
    let after = derived_files::documents_after(store, &plan.changes, now);
    let is_changed = |path: &Path| plan.changes.iter().any(|change| change.path == path);
    let changed = after.iter().filter(|own| own.role == Role::Records && is_changed(&own.path));
    let left: BTreeSet<(&Path, Cow<'_, [u8]>)> = changed
        .flat_map(|own| own.records.iter().map(move |record| (own.path.as_path(), own.raw(record))))
        .collect();
    let gone = store.entries.iter().filter(|entry| {
        let document = store.document(entry);
        let is_log = document.role == Role::Records && is_changed(&document.path);
        is_log && !left.contains(&(document.path.as_path(), store.raw(entry)))
    });
    let told = |entry: &crate::model::Entry| Dropped {
        session: store.session(entry).map(|session| session.name.clone()),
        id: store.id(entry).map(str::to_owned),
        raw: store.raw(entry).to_vec(),
    };
    gone.map(told).collect()
}
