//! What is wrong with a store, all of it: the verbs and the screens tell the same.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::check::derived;
use crate::disk::Real;
use crate::model::{Change, Code, Moment, Problem, Snapshot, Store};
use crate::ops::erase::Gone;
use crate::store::commit::Vault;

/// A store with its problems.
pub struct Checked {
    /// The store with those that only this looks for, too.
    pub store: Arc<Store>,
    /// What makes the derived files anew that say otherwise than the records.
    pub anew: Vec<Change>,
    /// Why what was erased could not be looked for.
    pub unread: Option<String>,
}

/// Compares the derived files of a store with what its records say, and looks for what was erased and
/// has been written anew. `data` is the folder of our own data.
pub fn checked(data: Option<&Path>, store: &Arc<Store>, now: Moment) -> Checked {
    let anew = derived::disagreeing(store, now);
    let mut more = derived::problems(store, &anew);
    let erased = data.map(|data| Vault::look(&Real, data, &store.root).erased()).transpose();
    let unread = erased.as_ref().err().map(|error| format!("{error} ({})", error.code()));
    let gone = Gone::of_lines(erased.ok().flatten().unwrap_or_default());
    more.extend(gone.written_anew(store, now));
    let store = match more.is_empty() {
        true => Arc::clone(store),
        false => Arc::new(Store::clone(store).with_problems(more)),
    };
    Checked { store, anew, unread }
}

/// What the stores were found to have besides, by their files: one whose files are the same is not
/// looked at again.
#[derive(Default)]
pub struct Known(Vec<(Arc<Store>, Arc<Store>)>);

/// Stores that were checked.
pub struct AllChecked {
    /// The stores as they were read.
    pub of: Arc<Snapshot>,
    /// The same with all their problems.
    pub with: Arc<Snapshot>,
    /// What could not be looked at.
    pub unread: Vec<String>,
}

impl Known {
    /// Checks the stores; `None` where nothing more is to be told of them.
    pub fn all(&mut self, of: Arc<Snapshot>, data: Option<&Path>, now: Moment) -> Option<AllChecked> {
        let mut unread = Vec::new();
        let mut one = |own: &Arc<Store>| {
            let known =
                self.0.iter().find(|(was, _)| is_same(was, own)).map(|(was, with)| {
                    match Arc::ptr_eq(was, with) {
                        true => Arc::clone(own),
                        false => Arc::new(Store::clone(own).with_problems(besides(was, with))),
                    }
                });
            known.unwrap_or_else(|| {
                let checked = checked(data, own, now);
                unread.extend(checked.unread);
                checked.store
            })
        };
        let with: Vec<Arc<Store>> = of.stores.iter().map(&mut one).collect();
        self.0 = of.stores.iter().cloned().zip(with.iter().cloned()).collect();
        let is_new = self.0.iter().any(|(was, with)| !Arc::ptr_eq(was, with));
        if !is_new && unread.is_empty() {
            return None;
        }
        let with = Arc::new(Snapshot::of(with));
        with.references();
        Some(AllChecked { of, with, unread })
    }
}

/// The problems that a store has besides those of the other.
fn besides(of: &Store, with: &Store) -> Vec<Problem> {
    type Name<'p> = (&'p Path, Option<u32>, Code, &'p str);
    fn name(own: &Problem) -> Name<'_> {
        (&own.file, own.line, own.code, &own.message)
    }
    let known: HashSet<Name<'_>> = of.problems.iter().map(name).collect();
    with.problems.iter().filter(|own| !known.contains(&name(own))).cloned().collect()
}

fn is_same(was: &Store, is: &Store) -> bool {
    let both = || was.documents.iter().zip(&is.documents);
    was.root == is.root
        && was.beside == is.beside
        && was.documents.len() == is.documents.len()
        && both().all(|(was, is)| Arc::ptr_eq(was, is))
}
