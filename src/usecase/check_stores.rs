//! Finds all problems of a store, in the same way for verbs and screens.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::triage::Triage;
use super::{project_standing, stale_claims, undone_changes};
use crate::check::stale_files;
use crate::disk::host::Host;
use crate::disk::{Disk, ItemKind, RealDisk};
use crate::format::by_name;
use crate::model::plan::count_with_noun;
use crate::model::{Change, Code, Moment, PathText, Problem, Severity, Snapshot, Store};
use crate::ops::erase::ErasedRecords;
use crate::store::{Vault, derived_files, has_misread};

/// A store with its problems.
pub struct CheckedStore {
    /// The store, also with the problems that only this check finds.
    pub store: Arc<Store>,
    /// The changes that rebuild the derived files that disagree with the records.
    pub rebuilds: Vec<Change>,
    /// Why palimp could not look for erased memories.
    pub unread: Option<String>,
}

impl CheckedStore {
    /// Returns the files that `reindex` would rebuild.
    pub fn rebuilt(&self) -> HashSet<&Path> {
        self.rebuilds.iter().map(|change| &*change.path).collect()
    }
}

/// Compares the derived files of a store with its records, and looks for erased memories that were
/// written again. `data` is the folder of palimp's own data.
pub fn check_store(disk: &dyn Disk, data: Option<&Path>, store: &Arc<Store>, now: Moment) -> CheckedStore {
    let rebuilt = stale_files::stale_files(store, now);
    let mut more = stale_files::problems(store, &rebuilt);
    let vault = data.map(|data| Vault::open_read_only(disk, data, &store.root));
    more.extend(vault.iter().flat_map(|vault| undone_changes::problems(vault, store)));
    let erased = vault.map(|vault| vault.erasure_list()).transpose();
    let unread = erased.as_ref().err().map(ToString::to_string);
    let gone = ErasedRecords::of_lines(erased.ok().flatten().unwrap_or_default());
    more.extend(gone.written_again(store, now));
    more.extend(gone.hidden(store, now));
    more.extend(stale_claims::problems(disk, store));
    more.extend(project_standing::problems(disk, store));
    more.extend(waiting(disk, store));
    let due = data.map(|data| due(disk, data, store, now)).unwrap_or_default();
    let store = match more.is_empty() && due.is_empty() {
        true => Arc::clone(store),
        false => Arc::new(told(store, more, &due)),
    };
    CheckedStore { store, rebuilds: rebuilt, unread }
}

fn waiting(disk: &dyn Disk, store: &Store) -> Option<Problem> {
    let folder = store.root.parent()?.join(by_name(store.format)?.about().waiting?);
    let names = disk.names(&folder, usize::MAX).ok()?;
    let count = names.iter().filter(|item| item.kind == ItemKind::File).count() as u64;
    let file = store.documents.first().map(|document| document.path.clone()).unwrap_or_default();
    let (writes, folder) = (count_with_noun(count, "write"), folder.to_text().into_owned());
    let message = format!("{writes} in {folder:?} wait for approval: approve or reject them in the agent.");
    (count > 0).then(|| Problem::of_file(Code::WaitingForApproval, Severity::Note, &file, message))
}

/// Returns the store. An index that waits to be rebuilt is reported as due, not as stale.
pub fn mark_due_indexes(host: Host<'_>, store: Store) -> Store {
    let due = due(host.disk, host.data, &store, host.now);
    if due.is_empty() { store } else { told(&store, Vec::new(), &due) }
}

fn due(disk: &dyn Disk, data: &Path, store: &Store, now: Moment) -> HashSet<PathBuf> {
    let touched = Vault::open_read_only(disk, data, &store.root).derive_due_files().unwrap_or_default();
    if touched.is_empty() {
        return HashSet::new();
    }
    let derived = derived_files::derived_changes(store, &store.documents, &touched, now);
    derived.into_iter().map(|change| change.path).collect()
}

/// Returns the store with more problems. If a derived file is due, it is not reported as stale.
fn told(store: &Store, more: Vec<Problem>, due: &HashSet<PathBuf>) -> Store {
    let is_due =
        |own: &Problem| due.contains(&own.file) && matches!(own.code, Code::IndexStale | Code::CountMismatch);
    let message = "It is brought up to date at palimp's next start.";
    let note = |file: &PathBuf| Problem::of_file(Code::IndexDue, Severity::Note, file, message);
    let mut own = store.clone();
    let mut problems = std::mem::take(&mut own.problems);
    problems.extend(more);
    let found: HashSet<PathBuf> =
        problems.iter().filter(|own| is_due(own)).map(|own| own.file.clone()).collect();
    problems.retain(|own| !is_due(own));
    problems.extend(found.iter().map(note));
    own.with_problems(problems)
}

/// The results of the last check, used again for stores with the same files and readable erasures.
#[derive(Default)]
pub struct CheckCache(Vec<(Arc<Store>, Arc<Store>)>);

/// The result of a check of stores.
pub struct CheckedSnapshot {
    /// The stores as they were read.
    pub of: Arc<Snapshot>,
    /// The same stores with all their problems.
    pub with: Arc<Snapshot>,
    /// True if one of them changed since it was read. Then it has to be read again.
    pub has_changed: bool,
    /// What could not be read.
    pub unread: Vec<String>,
    /// The user's verdicts on findings.
    pub triage: Triage,
}

impl CheckCache {
    /// Checks the stores, or reuses the results of the last check.
    pub fn check_all(&mut self, of: Arc<Snapshot>, data: Option<&Path>, now: Moment) -> CheckedSnapshot {
        let mut unread = Vec::new();
        let mut unsure = HashSet::new();
        let mut has_changed = false;
        let mut one = |own: &Arc<Store>| {
            let known =
                self.0.iter().find(|(was, _)| is_same(was, own)).map(|(was, with)| {
                    match Arc::ptr_eq(was, with) {
                        true => Arc::clone(own),
                        false => Arc::new(Store::clone(own).with_problems(besides(was, with))),
                    }
                });
            known.unwrap_or_else(|| {
                if has_misread(&RealDisk, own) {
                    has_changed = true;
                    return Arc::clone(own);
                }
                let checked = check_store(&RealDisk, data, own, now);
                unsure.extend(checked.unread.is_some().then(|| own.root.clone()));
                unread.extend(checked.unread);
                checked.store
            })
        };
        let with: Vec<Arc<Store>> = of.stores.iter().map(&mut one).collect();
        // Read last: the user goes on while it checks.
        let triage = data.and_then(|data| Triage::kept_in(data).ok()).unwrap_or_default();
        self.0 = of.stores.iter().cloned().zip(with.iter().cloned()).collect();
        let is_new = self.0.iter().any(|(was, with)| !Arc::ptr_eq(was, with));
        self.0.retain(|(was, _)| !unsure.contains(&was.root));
        if !is_new && unread.is_empty() && !has_changed {
            return CheckedSnapshot { with: Arc::clone(&of), of, has_changed, unread, triage };
        }
        let with = Arc::new(Snapshot::of(with));
        with.references();
        CheckedSnapshot { of, with, has_changed, unread, triage }
    }
}

/// Returns the problems that `with` has and `of` does not have.
fn besides(of: &Store, with: &Store) -> Vec<Problem> {
    type ProblemName<'p> = (&'p Path, Option<u32>, Code, &'p str);
    fn name(own: &Problem) -> ProblemName<'_> {
        (&own.file, own.line, own.code, &own.message)
    }
    let known: HashSet<ProblemName<'_>> = of.problems.iter().map(name).collect();
    with.problems.iter().filter(|own| !known.contains(&name(own))).cloned().collect()
}

fn is_same(was: &Store, is: &Store) -> bool {
    let both = || was.documents.iter().zip(&is.documents);
    was.root == is.root
        && was.outside_files == is.outside_files
        && was.load_settings == is.load_settings
        && was.documents.len() == is.documents.len()
        && both().all(|(was, is)| Arc::ptr_eq(was, is))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Extent;
    use crate::store::{Place, load};

    #[test]
    fn a_store_whose_erasures_could_not_be_read_is_looked_at_again() {
        let folder = crate::folder::new();
        let (root, data) = (folder.path().join("store"), folder.path().join("data"));
        let line = "{\"id\":\"mem_1\",\"session_id\":\"s\",\"type\":\"decision\",\
                    \"timestamp\":\"2026-01-01T00:00:00Z\",\"content\":{\"message\":\"again\"}}\n";
        crate::disk::write_new(&root.join("sessions/s/memory.jsonl"), line.as_bytes()).unwrap();
        crate::disk::write_new(&root.join("config.json"), b"{\"version\":\"1.0\"}").unwrap();
        let now = Moment(1_800_000_000_000_000);
        let place = Place::whole(root.clone(), "session-log");
        let store = Arc::new(load(&place, Extent::All, None, now));
        let list = Vault::open_read_only(&RealDisk, &data, &root).path("erased.jsonl");
        crate::disk::write_new(&list, b"no list\n").unwrap();
        let (mut known, snapshot) = (CheckCache::default(), Arc::new(Snapshot::of(vec![store])));
        let mut look = || known.check_all(Arc::clone(&snapshot), Some(&data), now);
        assert_eq!(look().unread.len(), 1);
        assert_eq!(look().unread.len(), 1, "it is told as long as it is so");
        let erased = "{\"step\":1,\"at\":\"2026-01-02T00:00:00Z\",\"id\":\"mem_1\",\"session\":\"s\",\
                      \"file\":\"sessions/s/memory.jsonl\"}\n";
        std::fs::write(&list, erased).unwrap();
        let found = look();
        assert_eq!(found.unread, Vec::<String>::new());
        let codes: Vec<Code> = found.with.stores[0].problems.iter().map(|own| own.code).collect();
        assert!(codes.contains(&Code::ErasedAnew), "{codes:?}");
    }
}
