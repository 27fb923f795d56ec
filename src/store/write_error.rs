//! Why a change was not made, and the state of the files.

use std::io;
use std::path::{Path, PathBuf};

use crate::format::writing::Refusal;
use crate::model::{NotWhole, PathText};
use crate::store::lock::LockError;

/// The state of the user's files after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilesState {
    /// Nothing was changed.
    Untouched,
    /// A part of the change was made and undone.
    Restored,
    /// A part of the change was made; the next start finishes or undoes it, unless others change the same first.
    Halfway,
    /// A part was erased; the next start continues, and nothing undoes it.
    Erasing,
}

impl FilesState {
    fn sentence(self) -> &'static str {
        match self {
            FilesState::Untouched => "Nothing was changed.",
            FilesState::Restored => "What was changed already is undone.",
            FilesState::Halfway => {
                "It was interrupted; the next change of this store finishes or undoes it, or says why it can't."
            }
            FilesState::Erasing => {
                "It is not erased everywhere yet; the next change of this store continues it."
            }
        }
    }
}

/// The reason why a change was not made.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Another process holds the format's lock.
    #[error("{0}")]
    Lock(#[from] LockError),
    /// Another palimp is changing the same store.
    #[error("{} is being changed by another palimp. Nothing was changed. Try again when it is done.", .0.to_text())]
    Busy(PathBuf),
    /// The file changed in the same place since it was read.
    #[error("another program changed the same part of {}. {}", file.to_text(), files.sentence())]
    Conflict {
        file: PathBuf,
        /// The lines as the plan knew them.
        planned: Vec<u8>,
        /// What the file has there, if known.
        found: Option<Vec<u8>>,
        files: FilesState,
    },
    /// A file exists where one should be created, or is missing or different where one should be changed.
    #[error("{}: {what}. {}", file.to_text(), files.sentence())]
    Moved {
        file: PathBuf,
        /// A description of what was found.
        what: &'static str,
        files: FilesState,
    },
    /// palimp never writes to this item: it is a link, or not a regular file.
    #[error("{}: {}. Nothing was changed.", .0.to_text(), .1)]
    NotWritten(PathBuf, &'static str),
    /// The system failed.
    #[error("{} could not be {stage}: {source}. {}", file.to_text(), files.sentence())]
    Io {
        /// The file or folder.
        file: PathBuf,
        /// The action that failed.
        stage: &'static str,
        /// The system's error.
        source: io::Error,
        files: FilesState,
    },
    /// Our own data can't be written: without it nothing could be undone.
    #[error("{} can't be written: {}. A change needs it. Nothing was changed.", .0.to_text(), .1)]
    OwnData(PathBuf, io::Error),
    /// A lock or our own data failed after a part of the change was made.
    #[error("The change was interrupted: {}. {}", .0.in_short(), .1.sentence())]
    Stopped(Box<CommitError>, FilesState),
    /// An erasure of the store with this root began and can't continue, because of this obstacle.
    #[error("{}: {} It is not erased everywhere yet; the next change of this store continues it.", .0.to_text(), .1)]
    NotErased(PathBuf, String),
    /// The operation is refused in the store's current state.
    #[error("{} Nothing was changed.", .0.message)]
    Refused(#[from] Refusal),
    /// There is no such step to undo or redo, or its undo data is gone.
    #[error("{0}")]
    NoStep(String),
}

impl From<NotWhole> for CommitError {
    fn from(not: NotWhole) -> Self {
        CommitError::Refused(not.into())
    }
}

impl CommitError {
    /// Returns the error that our own data can't be written.
    pub fn own_data(path: &Path, source: io::Error) -> CommitError {
        CommitError::OwnData(path.to_owned(), source)
    }

    /// Returns the error that a file can't be read. Without our own data, interrupted steps are unknown.
    pub fn unread(path: &Path, source: io::Error) -> CommitError {
        CommitError::io(path, "read", source)
    }

    /// Returns the error of a system call at a file of the store, before anything was changed.
    pub fn io(file: &Path, stage: &'static str, source: io::Error) -> CommitError {
        CommitError::Io { file: file.to_owned(), stage, source, files: FilesState::Untouched }
    }

    /// Returns the error that another program changed the same part of a file, before anything was changed.
    pub(super) fn conflict(file: &Path, planned: Vec<u8>, found: Option<Vec<u8>>) -> CommitError {
        CommitError::Conflict { file: file.to_owned(), planned, found, files: FilesState::Untouched }
    }

    /// Returns the error that a file is not as the plan knows it, before anything was changed.
    pub fn moved(file: &Path, what: &'static str) -> CommitError {
        CommitError::Moved { file: file.to_owned(), what, files: FilesState::Untouched }
    }

    /// Returns the same error with another state of the files.
    pub fn with(mut self, now: FilesState) -> CommitError {
        match &mut self {
            CommitError::Conflict { files, .. }
            | CommitError::Moved { files, .. }
            | CommitError::Io { files, .. }
            | CommitError::Stopped(_, files) => *files = now,
            // The messages of the other variants say that nothing was changed.
            _ if now != FilesState::Untouched => {
                return CommitError::Stopped(Box::new(self), now);
            }
            _ => {}
        }
        self
    }

    /// Returns what failed, without the state of the files.
    pub fn in_short(&self) -> String {
        match self {
            CommitError::Lock(error) => match error {
                LockError::Io(path, source) => format!("{} can't be locked: {source}", path.to_text()),
                LockError::Busy { path, .. } => format!("{} is locked by another", path.to_text()),
                LockError::NotALock(path, what) => {
                    format!("{} should be a lock file and is {what}", path.to_text())
                }
            },
            CommitError::OwnData(path, source) => format!("{} can't be written: {source}", path.to_text()),
            CommitError::Busy(root) => format!("{} is being changed by another palimp", root.to_text()),
            CommitError::Conflict { file, .. } => {
                format!("another program changed the same part of {}", file.to_text())
            }
            CommitError::NotWritten(file, what) | CommitError::Moved { file, what, .. } => {
                format!("{}: {what}", file.to_text())
            }
            CommitError::Io { file, stage, source, .. } => {
                format!("{} could not be {stage}: {source}", file.to_text())
            }
            CommitError::NotErased(root, why) => {
                format!("{}: {}", root.to_text(), why.strip_suffix('.').unwrap_or(why))
            }
            CommitError::Stopped(error, _) => error.in_short(),
            CommitError::Refused(why) => why.message.strip_suffix('.').unwrap_or(&why.message).to_owned(),
            CommitError::NoStep(why) => why.clone(),
        }
    }

    /// Returns what was found as a sentence, without the state of the files.
    pub(super) fn what(&self) -> String {
        match self {
            CommitError::Conflict { file, .. } => {
                format!("{} changed in the place that would be changed back.", file.to_text())
            }
            other => format!("{}.", other.in_short()),
        }
    }

    pub fn files(&self) -> FilesState {
        match self {
            CommitError::Conflict { files, .. }
            | CommitError::Moved { files, .. }
            | CommitError::Io { files, .. }
            | CommitError::Stopped(_, files) => *files,
            CommitError::NotErased(..) => FilesState::Erasing,
            _ => FilesState::Untouched,
        }
    }

    /// True if the files differ from the plan and are as they were found.
    pub fn is_moved(&self) -> bool {
        let moved = matches!(self, CommitError::Conflict { .. } | CommitError::Moved { .. });
        moved && matches!(self.files(), FilesState::Untouched | FilesState::Restored)
    }

    /// True if the system failed, false if the change was refused.
    pub fn is_failure(&self) -> bool {
        match self {
            CommitError::Stopped(cause, _) => cause.is_failure(),
            CommitError::Io { .. } | CommitError::OwnData(..) | CommitError::NotErased(..) => true,
            CommitError::Lock(error) => matches!(error, LockError::Io(..)),
            _ => false,
        }
    }

    /// Returns the error code of specification 4 §12.1.
    pub fn code(&self) -> &'static str {
        let full = |source: &io::Error| {
            matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        };
        match self {
            CommitError::Stopped(cause, _) => cause.code(),
            CommitError::Lock(LockError::Busy { .. }) | CommitError::Busy(_) => "E_LOCK_TIMEOUT",
            CommitError::Conflict { .. } | CommitError::Moved { .. } => "E_CONCURRENT_MOD",
            CommitError::Io { source, .. } | CommitError::OwnData(_, source) if full(source) => {
                "E_STORAGE_FULL"
            }
            CommitError::NoStep(_) => "E_INVALID_QUERY",
            CommitError::Refused(refusal) => refusal.code,
            _ => "E_STORAGE_IO",
        }
    }
}
