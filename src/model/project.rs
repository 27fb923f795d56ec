//! The project that memories are about.

use std::path::PathBuf;

/// The folder of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its path. Untrusted text: a file of the agent may say it.
    pub path: PathBuf,
    /// False if no folder is there: the project was moved, renamed or removed.
    pub is_there: bool,
}
