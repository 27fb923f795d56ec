//! Why something is not done.

use super::RefusedEntries;
use crate::model::{Change, NotWhole};
use crate::text::json_edit::JsonEditError;

/// Why something is not done. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The error code of specification 4 §12.1.
    pub code: &'static str,
    /// What is the matter and what to do, in sentences. May quote the store.
    pub message: String,
    /// The records that it is about, each with its reason, where others could be done without them.
    pub refused: Vec<RefusedEntries>,
    /// Whether the user stopped it, and nothing more is to be tried.
    pub stops: bool,
}

/// What was made, or why it was not.
pub type Result<T, E = Refusal> = std::result::Result<T, E>;

/// Changes, or why there are none.
pub type ChangesResult = Result<Vec<Change>>;

impl Refusal {
    /// A refusal with its code, of all that was asked for.
    pub fn new(code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into(), refused: Vec::new(), stops: false }
    }

    /// The format does not have that, or it makes no sense there.
    pub fn unfit(message: impl Into<String>) -> Refusal {
        Refusal::new("E_INVALID_FORMAT", message)
    }

    /// What is to be written breaks the schema.
    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal::new("E_SCHEMA_INVALID", message)
    }

    /// It would exceed a limit.
    pub fn too_large(message: impl Into<String>) -> Refusal {
        Refusal::new("E_SIZE_LIMIT", message)
    }

    /// The store is damaged where this would write.
    pub fn corrupt(message: impl Into<String>) -> Refusal {
        Refusal::new("E_STORAGE_CORRUPT", message)
    }

    /// The record can't be read, and what is asked for needs one that can.
    pub fn broken() -> Refusal {
        Refusal::corrupt(
            "it is broken: `palimp check` says why. `palimp repair --all-safe` repairs what it can; correct the rest in an editor, or delete it.",
        )
    }

    /// No such session.
    pub fn no_session(name: &str) -> Refusal {
        Refusal::new("E_SESSION_NOT_FOUND", format!("there is no session {name:?}."))
    }
}

impl From<NotWhole> for Refusal {
    fn from(not: NotWhole) -> Self {
        let code = if matches!(not, NotWhole::Changed { .. }) { "E_CONCURRENT_MOD" } else { "E_STORAGE_IO" };
        Refusal::new(code, not.to_string())
    }
}

impl From<JsonEditError> for Refusal {
    fn from(error: JsonEditError) -> Self {
        Refusal::invalid(format!("{error}."))
    }
}
