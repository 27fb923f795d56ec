//! What a look at something gave: what can't be read is not absent.

use std::io;

/// What a look at something gave.
#[derive(Debug)]
pub enum Lookup<T> {
    /// Nothing is there.
    Absent,
    /// Something is there, or may be, and can't be read.
    Unreadable(io::Error),
    /// It was read.
    Read(T),
}

impl<T> Lookup<T> {
    /// What is there, if anything is; an error where that can't be told.
    pub fn optional(self) -> io::Result<Option<T>> {
        match self {
            Lookup::Absent => Ok(None),
            Lookup::Unreadable(error) => Err(error),
            Lookup::Read(read) => Ok(Some(read)),
        }
    }

    /// The same of what is made of what was read.
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
