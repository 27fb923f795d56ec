//! Files outside a store that its records name: whether they are there. They are looked at, never
//! opened.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::derived_files;
use super::incremental_read::is_log;
use crate::disk::Disk;
use crate::format::{self, Format, ReferencedFile};
use crate::model::{Change, Document, Moment, Plan, Problem, Store};

/// A store may name more files than anybody wants to wait for.
const LOOKED_AT: usize = 2_000;

/// A problem for each file that the documents name and that is not there. `root` is the store's.
pub fn missing(
    disk: &dyn Disk,
    root: &Path,
    format: &dyn Format,
    documents: &[Arc<Document>],
) -> Vec<Problem> {
    let Some(around) = around(root, format) else { return Vec::new() };
    let mut known: BTreeMap<PathBuf, bool> = BTreeMap::new();
    let mut is_missing = |referred: &ReferencedFile| {
        if known.len() >= LOOKED_AT && !known.contains_key(&referred.path) {
            return false;
        }
        *known.entry(referred.path.clone()).or_insert_with(|| is_absent(disk, &around.join(&referred.path)))
    };
    let referred = format.referenced_files(documents);
    referred.into_iter().filter(|own| is_missing(own)).map(|own| own.problem).collect()
}

/// What a plan would make a store name that is not there, as sentences.
pub fn newly_missing(disk: &dyn Disk, store: &Store, plan: &Plan, now: Moment) -> Vec<String> {
    let Some(format) = format::by_name(store.format) else { return Vec::new() };
    let Some(around) = around(&store.root, format) else { return Vec::new() };
    // Logs, which are large, name no files outside a store.
    let changes: Vec<Change> = plan.changes.iter().filter(|own| !is_log(&own.path)).cloned().collect();
    if changes.is_empty() && !plan.changes.is_empty() {
        return Vec::new();
    }
    let before: Vec<PathBuf> =
        format.referenced_files(&store.documents).into_iter().map(|own| own.path).collect();
    let after = derived_files::documents_after(store, &changes, now);
    let new = format.referenced_files(&after).into_iter().filter(|own| !before.contains(&own.path));
    let missing = new.filter(|own| is_absent(disk, &around.join(&own.path)));
    missing.map(|own| own.problem.message).collect()
}

/// The folder that a store at its format's default place is in.
fn around(root: &Path, format: &dyn Format) -> Option<PathBuf> {
    let place = Path::new(format.about().place);
    root.ancestors().nth(place.iter().count()).filter(|_| root.ends_with(place)).map(Path::to_owned)
}

/// Whether nothing is there. What can't be looked at may be there.
fn is_absent(disk: &dyn Disk, path: &Path) -> bool {
    let absent = |kind| matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory);
    disk.look(path).is_err_and(|error| absent(error.kind()))
}
