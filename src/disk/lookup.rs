//! The result of a read that distinguishes missing from unreadable items.

use std::io;

/// The result of a read.
#[derive(Debug)]
pub enum Lookup<T> {
    /// The item does not exist.
    Absent,
    /// The item exists or may exist, and can't be read.
    Unreadable(io::Error),
    /// The item was read.
    Read(T),
}

impl<T> Lookup<T> {
    /// Returns the value, `None` if the item does not exist, or an error if it can't be read.
    pub fn optional(self) -> io::Result<Option<T>> {
        match self {
            Lookup::Absent => Ok(None),
            Lookup::Unreadable(error) => Err(error),
            Lookup::Read(read) => Ok(Some(read)),
        }
    }

    /// Converts the value.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Lookup<U> {
        match self {
            Lookup::Absent => Lookup::Absent,
            Lookup::Unreadable(error) => Lookup::Unreadable(error),
            Lookup::Read(read) => Lookup::Read(make(read)),
        }
    }
}

impl<T> From<io::Result<T>> for Lookup<T> {
    fn from(outcome: io::Result<T>) -> Self {
        match outcome {
            Ok(read) => Lookup::Read(read),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Lookup::Absent
            }
            Err(error) => Lookup::Unreadable(error),
        }
    }
}
