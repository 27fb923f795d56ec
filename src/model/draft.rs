//! What a user typed into a form and did not save.

use serde::{Deserialize, Serialize};

use super::MemoryName;

/// What a user typed into a memory's form and did not save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormDraft {
    #[serde(flatten)]
    pub of: MemoryName,
    /// When the draft was written.
    pub at: String,
    /// The changed fields.
    pub fields: Vec<DraftField>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftField {
    /// Its name in the format.
    pub name: String,
    /// Its value when the form was opened.
    pub before: String,
    /// The typed text.
    pub text: String,
}
