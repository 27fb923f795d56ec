//! What is derived and could not be made anew yet: the files that it is made of, named in our
//! own data before the journal says that their change is over.

use std::path::PathBuf;

use super::step::{path_of, path_text};
use super::{Vault, Writer, carry};
use crate::model::{Code, Plan, Problem};
use crate::store::derive;

/// So often derived files are made anew where others keep changing what they are made of.
const DERIVE_TRIES: usize = 8;

const PENDING: &str = "derive.json";

impl Vault<'_> {
    /// The files of which derived ones are to be made anew.
    pub(super) fn pending(&self) -> Vec<PathBuf> {
        let read = || {
            let (bytes, _) = self.disk().read(&self.path(PENDING), 0, None).ok()?;
            let texts: Vec<(String, bool)> = serde_json::from_slice(&bytes).ok()?;
            texts.iter().map(|(text, hex)| path_of(text, *hex)).collect::<Option<Vec<PathBuf>>>()
        };
        read().unwrap_or_default()
    }
}

impl Writer<'_> {
    /// Makes what is derived from the files at `touched` anew, from the disk. False where
    /// others kept changing them.
    pub(super) fn derive(&self, touched: &[PathBuf], plan: &Plan) -> bool {
        for _ in 0..DERIVE_TRIES {
            let store = self.load();
            // What can't be read now is not empty.
            let is_out_of_sight = touched.iter().any(|path| {
                let looked = self.host.disk.look(&self.path(path));
                looked.is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound)
            });
            if is_out_of_sight || store.problems.iter().any(|problem| is_unread(problem, touched)) {
                continue;
            }
            let mut derived = derive::derived(&store, &store.documents, touched, self.host.now);
            derived.retain(|change| !change.is_empty());
            let all = derived.len();
            derived.retain(|change| !derive::is_blind(&store, &change.path));
            let is_all = derived.len() == all;
            if derived.is_empty() {
                return is_all;
            }
            let none = Plan::new(plan.verb, &store.root, store.format);
            let plan = Plan { derived, made_of: derive::made_of(&store, &[]), ..none };
            if carry::carry_out_derived(self, &plan).is_ok() {
                return is_all;
            }
        }
        false
    }

    /// Writes down, durably, that what is derived from those files is to be made anew. Where
    /// our data can't be written `check` finds what is stale.
    pub(super) fn pend(&self, touched: &[PathBuf]) {
        let mut all = self.vault.pending();
        all.extend(touched.iter().cloned());
        all.sort();
        all.dedup();
        let texts: Vec<(String, bool)> = all.iter().map(|path| path_text(path)).collect();
        if let Ok(bytes) = serde_json::to_vec(&texts) {
            let _ = self.vault.put_whole(&self.vault.path(PENDING), &bytes);
        }
    }

    /// Makes it anew, and forgets that it was to be. False where others kept changing it.
    pub(super) fn derive_touched(&self, touched: &[PathBuf], plan: &Plan) -> bool {
        let is_made = self.derive(touched, plan);
        if is_made {
            let left: Vec<PathBuf> =
                self.vault.pending().into_iter().filter(|path| !touched.contains(path)).collect();
            if left.is_empty() {
                let _ = self.host.disk.remove(&self.vault.path(PENDING));
            }
        }
        is_made
    }

    /// Makes anew what an earlier change could not.
    pub(super) fn derive_pending(&self) {
        let touched = self.vault.pending();
        if !touched.is_empty() {
            self.derive_touched(&touched, &Plan::new("recover", &self.place.root, self.place.format));
        }
    }
}

/// Whether a file could not be read that what is derived for the `touched` is made of.
fn is_unread(problem: &Problem, touched: &[PathBuf]) -> bool {
    let beside = |path: &PathBuf| path.parent().is_some_and(|folder| problem.file.starts_with(folder));
    // One that names a record is about what the record says could not be read.
    let is_file = problem.code == Code::UnreadableFile && problem.record.is_none();
    is_file && touched.iter().any(beside)
}
