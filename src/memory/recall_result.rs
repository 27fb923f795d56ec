//! What was read, and what could not be read.

use std::ops::Deref;

use crate::model::{Problem, Severity, Store, UnreadPath};

/// The largest number of problems in a result; `Memory::problems` has all.
const PROBLEMS: usize = 100;

/// What was read from a store, and what could not be read. A memory that is missing here may exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recalled<T> {
    /// What was read.
    pub read: T,
    /// The files that could not be read.
    pub unread: Vec<UnreadPath>,
    /// Errors in what was loaded, the first hundred. A broken line is a memory that is missing here.
    /// [`Memory::problems`](super::Memory::problems) has all problems, warnings and notes, too.
    pub problems: Vec<Problem>,
}

impl<T> Recalled<T> {
    /// Adds the store's errors and unread files to what was read.
    pub(super) fn of(read: T, store: &Store) -> Recalled<T> {
        let errors = store.problems.iter().filter(|own| own.severity == Severity::Error);
        Recalled { read, unread: store.unread.clone(), problems: errors.take(PROBLEMS).cloned().collect() }
    }
}

impl<T> Deref for Recalled<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.read
    }
}

impl<T: IntoIterator> IntoIterator for Recalled<T> {
    type Item = T::Item;
    type IntoIter = T::IntoIter;

    fn into_iter(self) -> T::IntoIter {
        self.read.into_iter()
    }
}
