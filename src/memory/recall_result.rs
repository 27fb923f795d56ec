//! What was read, and what could not be.

use std::ops::Deref;

use crate::model::{Problem, Severity, Store, UnreadPath};

/// The number of problems that come with what was read; `Memory::problems` has all.
const PROBLEMS: usize = 100;

/// What was read of a store, and what in it could not be read: what is missing here may be there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recalled<T> {
    /// What was read.
    pub read: T,
    /// Files that could not be; nothing where all of them were.
    pub unread: Vec<UnreadPath>,
    /// Errors in what was loaded, the first hundred of them: a damaged line is a memory that is missing here.
    /// [`Memory::problems`](super::Memory::problems) has all problems, warnings and notes too.
    pub problems: Vec<Problem>,
}

impl<T> Recalled<T> {
    /// What was read of a store, with what is wrong in that.
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
