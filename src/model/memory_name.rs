//! What a memory is called in its store, so that it is found in later states of it.

use serde::{Deserialize, Serialize};

/// The session and the id of a memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MemoryName {
    /// Its session, if it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// Its id. Of an unsaved draft: the memory's key if it has no id.
    pub id: String,
}

impl MemoryName {
    /// Returns its id, and its session if it has one.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.id).chain(self.session.as_deref())
    }
}

/// A memory that a step gave another session or another id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renaming {
    /// Its name before the step.
    pub before: MemoryName,
    /// Its name after the step.
    pub after: MemoryName,
}
