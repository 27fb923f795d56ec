//! Compares derived files with the records.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::format;
use crate::model::{Change, Code, Document, Moment, PathText, Problem, Role, Severity, Store};
use crate::store::derived_files;

/// The codes that already report a wrong derived file.
const STALE_CODES: [Code; 7] = [
    Code::IndexStale,
    Code::IndexBroken,
    Code::CountMismatch,
    Code::HashMismatch,
    Code::ProjectionStale,
    Code::EntryBlockStale,
    Code::BadJson,
];

/// Returns the changes of `reindex` to derived files that are wrong; none if the store was read in part.
pub fn stale_files(store: &Store, now: Moment) -> Vec<Change> {
    stale_files_with(store, &store.documents, now)
}

/// Does the same with the records of `documents`.
pub fn stale_files_with(store: &Store, documents: &[Arc<Document>], now: Moment) -> Vec<Change> {
    if store.whole().is_err() {
        return Vec::new();
    }
    let makes = |role| matches!(role, Role::Records | Role::Archive | Role::Metadata | Role::Index);
    let data = documents.iter().filter(|own| makes(own.role));
    let touched: Vec<PathBuf> = data.map(|own| own.path.clone()).collect();
    let mut changes = derived_files::derived_changes(store, documents, &touched, now);
    let rebuild = format::by_name(store.format).and_then(|format| format.own().rebuild_pages);
    // If the state can't be read, its pages can't be made. The state has a problem for that.
    changes.extend(rebuild.and_then(|rebuild| rebuild(store, documents).ok()).unwrap_or_default());
    changes.retain(|change| !change.is_empty());
    changes
}

/// Returns problems of the wrong indexes and pages that have none yet. A missing file is no
/// problem, and counts are compared when they are read.
pub fn problems(store: &Store, disagreeing: &[Change]) -> Vec<Problem> {
    let told = store.problems.iter().filter(|problem| STALE_CODES.contains(&problem.code));
    let told: HashSet<&Path> = told.map(|problem| &*problem.file).collect();
    let is_index = |path: &Path| {
        let place = store.documents.binary_search_by(|own| own.path.as_path().cmp(path));
        place.is_ok_and(|place| store.documents[place].role == Role::Index)
    };
    let is_page = |path: &Path| path.starts_with("..");
    let code = |path: &Path| match () {
        () if is_index(path) => Some(Code::IndexStale),
        () if is_page(path) => Some(Code::ProjectionStale),
        () => None,
    };
    let silent = disagreeing.iter().filter(|own| !told.contains(&*own.path));
    let message = "It disagrees with the memories that it is made from. `palimp reindex` rebuilds it.";
    silent
        .filter_map(|own| Some(Problem::of_file(code(&own.path)?, Severity::Warning, &own.path, message)))
        .collect()
}

/// Returns lines about the wrong derived files that no rebuild changes, with why they are wrong.
pub fn not_rebuilt(store: &Store, rebuilds: &[Change], folder: &Path) -> Vec<String> {
    let rebuilt: HashSet<&Path> = rebuilds.iter().map(|change| &*change.path).collect();
    let is_stale = |own: &&Problem| own.code != Code::BadJson && STALE_CODES.contains(&own.code);
    let stays = |own: &&Problem| own.file.starts_with(folder) && !rebuilt.contains(&*own.file);
    let line = |own: &Problem| {
        let file = own.file.strip_prefix("..").unwrap_or(&own.file).to_text();
        format!("not rebuilt: {file}: {}", own.message)
    };
    store.problems.iter().filter(is_stale).filter(stays).map(line).collect()
}

/// True if a rebuild of its file solves this problem.
pub fn is_repaired(problem: &Problem, disagreeing: &HashSet<&Path>) -> bool {
    STALE_CODES.contains(&problem.code) && disagreeing.contains(&*problem.file)
}
