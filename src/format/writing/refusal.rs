//! Why a change is not made.

use crate::model::NotWhole;
use crate::text::edit::EditError;

/// Why something is not done. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The error code of specification 4 §12.1.
    pub code: &'static str,
    /// What is the matter and what to do, in sentences. May quote the store.
    pub message: String,
}

impl Refusal {
    /// The format does not have that, or it makes no sense there.
    pub fn unfit(message: impl Into<String>) -> Refusal {
        Refusal { code: "E_INVALID_FORMAT", message: message.into() }
    }

    /// What is to be written breaks the schema.
    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal { code: "E_SCHEMA_INVALID", message: message.into() }
    }

    /// It would exceed a limit.
    pub fn too_large(message: impl Into<String>) -> Refusal {
        Refusal { code: "E_SIZE_LIMIT", message: message.into() }
    }

    /// The store is damaged where this would write.
    pub fn corrupt(message: impl Into<String>) -> Refusal {
        Refusal { code: "E_STORAGE_CORRUPT", message: message.into() }
    }

    /// The record can't be read, and what is asked for needs one that can.
    pub fn broken() -> Refusal {
        Refusal::corrupt(
            "it can't be read as a record: `palimp check` says why. `palimp repair --all-safe` mends what can be mended; \
             the rest is corrected in an editor, or deleted.",
        )
    }

    /// No such session.
    pub fn no_session(name: &str) -> Refusal {
        Refusal { code: "E_SESSION_NOT_FOUND", message: format!("there is no session {name:?}.") }
    }
}

impl From<NotWhole> for Refusal {
    fn from(not: NotWhole) -> Self {
        Refusal { code: "E_STORAGE_IO", message: not.to_string() }
    }
}

impl From<EditError> for Refusal {
    fn from(error: EditError) -> Self {
        Refusal::invalid(format!("{error}."))
    }
}
