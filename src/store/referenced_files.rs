//! Checks that files outside a store exist if its records name them. Never opens them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::derived_files;
use super::own_files::around;
use crate::disk::{Disk, is_absent};
use crate::format::{self, Format, ReferencedFile};
use crate::model::{Change, Document, Moment, Plan, Problem, Store, is_log};

/// The most files that are looked at: a store may name more than the user wants to wait for.
const LOOKED_AT: usize = 2_000;

/// Returns a problem for each missing file that the documents name. `root` is the store's.
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

/// Returns a sentence for each missing file that a plan would make a store name.
pub fn newly_missing(disk: &dyn Disk, store: &Store, plan: &Plan, now: Moment) -> Vec<String> {
    let Some(format) = format::by_name(store.format) else { return Vec::new() };
    let Some(around) = around(&store.root, format) else { return Vec::new() };
    // Logs are large and name no files outside a store.
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
