//! Reads only one session, if a verb is about nothing else.

use std::path::Path;

use super::Result;
use crate::disk::{RealDisk, is_absent};
use crate::model::key::{Key, file_digest};
use crate::model::{PathText, Snapshot, is_file_name};
use crate::store::{self, Place};
use crate::{format, usecase};

/// What a verb is about.
#[derive(Clone, Copy)]
pub enum ReadScope<'a> {
    /// Everything in the stores.
    All,
    Session(&'a str),
    /// The records that these ids and keys name.
    Names(&'a [String]),
    /// A step to undo or redo.
    Step(StepSelector<'a>),
}

/// A step to undo or redo: the one with the number, otherwise the last one.
#[derive(Clone, Copy)]
pub struct StepSelector<'a> {
    /// The folder of palimp's own data.
    pub data: &'a Path,
    pub is_redo: bool,
    pub step: Option<u64>,
}

impl StepSelector<'_> {
    /// Returns the store, limited to what the step changed.
    pub fn place(self, place: Place) -> Place {
        let files = usecase::files_of_step(self.data, &place.root, self.step, self.is_redo);
        files.map_or(place.clone(), |files| place.with_files(&files))
    }
}

impl ReadScope<'_> {
    /// Returns the store, limited to what has to be read. All of it has to be read if a bare id may
    /// be in any session, or if the format does not keep its sessions apart.
    pub fn of(self, place: Place) -> Place {
        let session = match self {
            ReadScope::All => None,
            ReadScope::Step(turned) => return turned.place(place),
            ReadScope::Session(name) => Some(name.to_owned()).filter(|name| has_session(&place, name)),
            ReadScope::Names(names) => session_of_all(&place, names),
        };
        Place { scope: session, ..place }
    }
}

/// Reads only what names need, and finds their records. If that fails, reads everything.
pub fn read_for<T>(
    names: &[String],
    read: impl Fn(ReadScope<'_>) -> Result<Snapshot>,
    find: impl Fn(&Snapshot) -> Result<T>,
) -> Result<(Snapshot, T)> {
    if names.iter().any(|name| name.contains(['/', '@'])) {
        let snapshot = read(ReadScope::Names(names))?;
        let found = find(&snapshot);
        if found.is_ok() || snapshot.stores.iter().all(|store| store.scope.is_none()) {
            return Ok((snapshot, found?));
        }
    }
    let snapshot = read(ReadScope::All)?;
    let found = find(&snapshot)?;
    Ok((snapshot, found))
}

fn has_session(place: &Place, name: &str) -> bool {
    let Some(format) = format::by_name(place.format).filter(|_| is_file_name(name)) else { return false };
    format.session_paths(name).iter().any(|path| !is_absent(&RealDisk, &place.root.join(path)))
}

/// Returns the session that all names say they are in, if it is only one.
fn session_of_all(place: &Place, names: &[String]) -> Option<String> {
    let (first, others) = names.split_first()?;
    let session = session_of(place, first)?;
    others.iter().all(|own| session_of(place, own).as_ref() == Some(&session)).then_some(session)
}

fn session_of(place: &Place, name: &str) -> Option<String> {
    match Key::read(name) {
        Some(key) => session_of_key(place, &key),
        None => session_before_id(place, name),
    }
}

/// Returns the session in `SESSION/ID` or `STORE/SESSION/ID`. Only an id may have slashes.
fn session_before_id(place: &Place, name: &str) -> Option<String> {
    let root = place.root.to_text();
    let is_store = |named: &str| named.is_empty() || root == named || root.ends_with(&format!("/{named}"));
    let session = |(at, _): (usize, &str)| {
        let before = &name[..at];
        let (store, session) = before.rsplit_once('/').unwrap_or(("", before));
        (is_store(store) && has_session(place, session)).then(|| session.to_owned())
    };
    name.match_indices('/').find_map(session)
}

fn session_of_key(place: &Place, key: &Key) -> Option<String> {
    let format = format::by_name(place.format)?;
    let files = store::session_files(&RealDisk, &place.root, format);
    let file = files.into_iter().find(|path| file_digest(&place.root, path) == key.file)?;
    format.session_of(&file)
}
