//! What a look at something gave: what can't be read is not absent.

use std::io;

/// What a look at something gave.
#[derive(Debug)]
pub enum Seen<T> {
    /// Nothing is there.
    Absent,
    /// Something is there, or may be, and can't be read.
    Unreadable(io::Error),
    /// It was read.
    Read(T),
}

impl<T> Seen<T> {
    /// What is there, if anything is; an error where that can't be told.
    pub fn there(self) -> io::Result<Option<T>> {
        match self {
            Seen::Absent => Ok(None),
            Seen::Unreadable(error) => Err(error),
            Seen::Read(read) => Ok(Some(read)),
        }
    }

    /// The same of what is made of what was read.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Seen<U> {
        match self {
            Seen::Absent => Seen::Absent,
            Seen::Unreadable(error) => Seen::Unreadable(error),
            Seen::Read(read) => Seen::Read(make(read)),
        }
    }
}

impl<T> From<io::Result<T>> for Seen<T> {
    fn from(outcome: io::Result<T>) -> Self {
        match outcome {
            Ok(read) => Seen::Read(read),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Seen::Absent
            }
            Err(error) => Seen::Unreadable(error),
        }
    }
}
