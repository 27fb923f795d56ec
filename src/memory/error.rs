//! Errors with the codes of specification 4 §12.1, and codes for shared ids and for read-only stores.

use crate::model::{NotWhole, UnreadPath};
use crate::ops::Refusal;
use crate::query::QueryError;
use crate::store::{CommitError, FilesState};
use crate::usecase::ChangeFailure;

/// Why an operation failed, and in what state the files are.
#[derive(Debug, thiserror::Error)]
#[error("{message} ({code})")]
pub struct MemoryError {
    /// `E_STORAGE_IO`, `E_LOCK_TIMEOUT`, `E_SIZE_LIMIT`, `E_SESSION_NOT_FOUND`, `E_AMBIGUOUS_ID`,
    /// `E_READ_ONLY`, …
    pub code: &'static str,
    /// What happened and what to do, in sentences. May quote the store: untrusted text.
    pub message: String,
    /// The state of the user's files.
    pub files: FilesState,
    /// The files that could not be read, if that is the reason.
    pub unread: Vec<UnreadPath>,
}

/// The result of an operation.
pub type Result<T = (), E = MemoryError> = std::result::Result<T, E>;

impl MemoryError {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> MemoryError {
        MemoryError { code, message: message.into(), files: FilesState::Untouched, unread: Vec::new() }
    }

    /// Refuses an id that several sessions have.
    pub(super) fn ambiguous(id: &str, sessions: &[&str]) -> MemoryError {
        let message = format!(
            "{id:?} is in several sessions: {}. Name the session. Nothing was changed.",
            sessions.join(", ")
        );
        MemoryError::new("E_AMBIGUOUS_ID", message)
    }

    /// Refuses to change an id that several records of one session have.
    pub(super) fn shared(id: &str, keys: &[String]) -> MemoryError {
        let message = format!(
            "{} memories have the id {id:?}. Name one by its key: {}. Nothing was changed.",
            keys.len(),
            keys.join(", ")
        );
        MemoryError::new("E_AMBIGUOUS_ID", message)
    }
}

impl From<Refusal> for MemoryError {
    fn from(refusal: Refusal) -> Self {
        MemoryError::new(refusal.code, refusal.message)
    }
}

impl From<NotWhole> for MemoryError {
    fn from(not: NotWhole) -> Self {
        let refusal = Refusal::from(not.clone());
        let unread = match not {
            NotWhole::Unread { unread, .. } => unread,
            NotWhole::Newest => Vec::new(),
        };
        MemoryError { unread, ..MemoryError::from(refusal) }
    }
}

impl From<CommitError> for MemoryError {
    fn from(error: CommitError) -> Self {
        let (code, message, files) = (error.code(), error.to_string(), error.files());
        MemoryError { code, message, files, unread: Vec::new() }
    }
}

impl From<ChangeFailure> for MemoryError {
    fn from(failed: ChangeFailure) -> Self {
        match *failed.cause {
            CommitError::Refused(refusal) => refusal.into(),
            error => error.into(),
        }
    }
}

impl From<QueryError> for MemoryError {
    fn from(error: QueryError) -> Self {
        MemoryError::new("E_INVALID_QUERY", format!("The query can't be understood: {error}"))
    }
}
