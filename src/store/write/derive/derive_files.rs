//! Rebuilds derived files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::disk::optional;
use crate::model::{Change, Extent, Lock, PathText, Plan, Store, Verb};
use crate::store::steps::undo_steps::PENDING;
use crate::store::write::apply::apply_plan;
use crate::store::write::{CommitContext, CommitError};
use crate::store::{derived_files, load_from};

/// How often derived files are rebuilt if other programs keep changing their sources.
const DERIVE_TRIES: usize = 4;

/// What is said if derived files were not rebuilt.
pub const STALE: &str =
    "an index is stale: its memories kept changing, or can't be read. The next change rebuilds it";

/// Rebuilds what is derived from the files at `touched`, first without the lock, then under it.
/// False if that fails because they keep changing or can't be read.
pub fn derive(context: &CommitContext<'_>, touched: &[PathBuf], verb: Verb) -> bool {
    let Some((store, derived)) =
        (0..DERIVE_TRIES).find_map(|_| derived_changes(context, touched, context.store))
    else {
        return false;
    };
    if derived.is_empty() {
        return true;
    }
    let files: Vec<PathBuf> = derived.iter().map(|change| change.path.clone()).collect();
    let made_of = derived_files::derivation_inputs(&store, &[]);
    let made = store.whole().map(|whole| {
        let plan = Plan { derived, inputs: made_of, ..Plan::of(verb, whole) };
        apply_plan::apply_derived(context, &plan)
    });
    let mut made = made.unwrap_or(Err(CommitError::moved(&context.place.root, apply_plan::CHANGED)));
    // A lock that timed out is not waited for again.
    let waits = !context.patience().wait.is_zero();
    for _ in 0..DERIVE_TRIES {
        if made.is_ok() || waits && matches!(made, Err(CommitError::Lock(_))) {
            break;
        }
        made = derive_locked(context, touched, &files, &store);
    }
    made.is_ok()
}

/// Does the same under the locks of the derived files, one by one. `read` is the store as last read.
fn derive_locked(
    context: &CommitContext<'_>,
    touched: &[PathBuf],
    derived: &[PathBuf],
    read: &Store,
) -> Result<(), CommitError> {
    let mut locks: Vec<(Lock, Vec<&Path>)> = Vec::new();
    for path in derived.iter().map(PathBuf::as_path) {
        let lock = context.format.lock(&[path]);
        match locks.iter_mut().find(|(own, _)| *own == lock) {
            Some((_, files)) => files.push(path),
            None => locks.push((lock, vec![path])),
        }
    }
    locks.iter().try_for_each(|(_, files)| {
        let make = || {
            let now = derived_changes(context, touched, read).map(|(_, derived)| derived).unwrap_or_default();
            now.into_iter().filter(|change| files.contains(&&*change.path)).collect()
        };
        apply_plan::apply_derived_locked(context, files, &make)
    })
}

/// Returns the changes that derived files need at present. `read` is the store as last read. `None`
/// if a part can't be read: it must not count as empty.
fn derived_changes(
    context: &CommitContext<'_>,
    touched: &[PathBuf],
    read: &Store,
) -> Option<(Store, Vec<Change>)> {
    let (disk, place) = (context.host.disk, context.place.with_files(touched));
    let store = load_from(disk, &place, Extent::All, Some(read), context.host.now);
    let is_in_sight = |path: &PathBuf| optional(disk.look(&context.path(path))).is_ok();
    store.whole().ok().filter(|_| touched.iter().all(is_in_sight))?;
    let mut derived = derived_files::derived_changes(&store, &store.documents, touched, context.host.now);
    // Pages beside the store are part of a change. They are rebuilt alone only if `touched` names them.
    let rebuild = context.format.own().rebuild_pages;
    if let Some(rebuild) = rebuild.filter(|_| touched.iter().any(|path| path.starts_with(".."))) {
        let pages = rebuild(&store, &store.documents).ok()?;
        derived.extend(pages.into_iter().filter(|change| touched.contains(&change.path)));
    }
    derived.retain(|change| !change.is_empty());
    // Files may have become unreadable while the derived files were made.
    store.whole().ok()?;
    Some((store, derived))
}

/// Notes durably that files derived from these are stale. False if our own data can't be written:
/// then `check` finds them. A note that can't be read stays and counts as due.
pub fn note_derive_due(context: &CommitContext<'_>, touched: &[PathBuf]) -> bool {
    let Ok(mut all) = context.vault.derive_due_files() else { return false };
    if touched.iter().all(|path| all.contains(path)) {
        return true;
    }
    all.extend(touched.iter().cloned());
    all.sort();
    all.dedup();
    let texts: Vec<_> = all.iter().map(|path| path.to_text()).collect();
    let bytes = serde_json::to_vec(&texts);
    bytes.is_ok_and(|bytes| context.vault.write_own_file(&context.vault.path(PENDING), &bytes).is_ok())
}

/// Rebuilds derived files and removes the note that they are due. False as for [`derive`].
pub fn derive_touched(context: &CommitContext<'_>, touched: &[PathBuf], verb: Verb) -> bool {
    let is_made = derive(context, touched, verb);
    // An empty path means all files of the store.
    let made: HashSet<&PathBuf> = touched.iter().collect();
    let is_all = || context.store.documents.iter().all(|own| made.contains(&own.path));
    let is_over = |all: Vec<PathBuf>| {
        all.iter().all(|path| made.contains(path) || path.as_os_str().is_empty() && is_all())
    };
    if is_made && context.vault.derive_due_files().is_ok_and(is_over) {
        let _ = context.host.disk.remove(&context.vault.path(PENDING));
    }
    is_made
}

/// Rebuilds what an earlier change could not rebuild, or left to this one.
pub fn derive_pending(context: &CommitContext<'_>) -> Result<(), CommitError> {
    let mut touched = context.vault.derive_due_files()?;
    if let Some(only) = &context.store.scope {
        // Derived files of sessions that were not read wait.
        touched.retain(|path| context.format.session_of(path).as_ref() == Some(only));
    }
    if touched.iter().any(|path| path.as_os_str().is_empty()) {
        touched = context.store.documents.iter().map(|own| own.path.clone()).collect();
    }
    if !touched.is_empty() {
        derive_touched(context, &touched, Verb::Recover);
    }
    Ok(())
}
