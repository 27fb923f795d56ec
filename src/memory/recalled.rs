//! What was read, and what could not be.

use std::ops::Deref;

use crate::model::Unread;

/// What was read of a store, and what in it could not be read: what is missing here may be there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recalled<T> {
    /// What was read.
    pub read: T,
    /// What could not be; nothing where it is whole.
    pub unread: Vec<Unread>,
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
