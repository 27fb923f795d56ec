//! Sessions that are gone, but have records in undo data or backups.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::DELETED_ROOT;
use crate::format::{AssemblyInput, Format, Placement};
use crate::model::{Document, Moment, Role, Session, Store, is_log};
use crate::store::derived_files::folders_of;
use crate::store::steps::deleted_records::{KeptBytes, document};

/// Sessions that are gone, and the files that come back with them.
#[derive(Default)]
pub struct GoneSessions {
    /// The sessions, each with its folder below [`DELETED_ROOT`].
    pub sessions: Vec<Session>,
    /// The files of these sessions. Logs are empty.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

impl GoneSessions {
    /// Assembles the sessions in `held` that the store does not have in any form. `held` is sorted,
    /// the newest first.
    pub fn of(format: &'static dyn Format, store: &Store, held: &[KeptBytes], now: Moment) -> GoneSessions {
        let is_there =
            |own: &KeptBytes| store.documents.binary_search_by(|other| other.path.cmp(&own.path)).is_ok();
        let mut files: BTreeMap<&Path, (Role, &[u8])> = BTreeMap::new();
        for own in held.iter().filter(|own| !is_there(own)) {
            if let Placement::File(role @ (Role::Records | Role::Metadata)) = format.place(&own.path, false) {
                files.entry(&own.path).or_insert((role, &own.bytes));
            }
        }
        let documents = files.iter().map(|(path, (role, bytes))| read(format, *role, path, bytes, now));
        let config = store.documents.iter().filter(|own| own.role == Role::Config).cloned();
        let documents: Vec<Arc<Document>> = documents.map(Arc::new).chain(config).collect();
        let mut gone = GoneSessions::default();
        for session in assembled(format, documents, now) {
            let own = || files.iter().filter(|(path, _)| path.starts_with(&session.path));
            let is_known = store.sessions.iter().any(|other| other.name == session.name);
            if is_known || own().all(|(_, (role, _))| *role != Role::Records) {
                continue;
            }
            let left = |role: Role, path: &Path, bytes: &[u8]| match role {
                Role::Records if is_log(path) => Vec::new(),
                _ => bytes.to_vec(),
            };
            gone.files
                .extend(own().map(|(path, (role, bytes))| (path.to_path_buf(), left(*role, path, bytes))));
            gone.sessions.push(Session { path: Path::new(DELETED_ROOT).join(&session.path), ..session });
        }
        gone
    }
}

pub fn is_in_session(format: &'static dyn Format, path: &Path, now: Moment) -> bool {
    !assembled(format, vec![Arc::new(read(format, Role::Records, path, b"", now))], now).is_empty()
}

fn assembled(format: &'static dyn Format, mut documents: Vec<Arc<Document>>, now: Moment) -> Vec<Session> {
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    let folders = folders_of(&documents);
    let parts = AssemblyInput::of(&documents, &folders);
    format.assemble(&parts, now).sessions
}

fn read(format: &'static dyn Format, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Document {
    let reading = format.read(role, path, bytes, now);
    Document { path: path.to_owned(), role, ..document(PathBuf::new(), bytes.to_vec(), reading) }
}
