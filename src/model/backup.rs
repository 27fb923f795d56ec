//! A backup of a file, why it was made, and the result of a check.

use std::path::PathBuf;

use crate::model::{Moment, Verb};

/// A backup of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupCopy {
    /// Its path: relative to the store's root, or the full path if it is in our data.
    pub path: PathBuf,
    /// The original, relative to the store's root.
    pub file: PathBuf,
    /// When it was made, if its name says so.
    pub at: Option<Moment>,
    /// Its length in bytes.
    pub bytes: u64,
    /// Why it was made.
    pub reason: BackupReason,
    /// The step that made it, and its length in bytes after our last step, both from the journal.
    pub made: Option<(u64, u64)>,
}

/// Why a backup was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackupReason {
    /// A step was about to change the file: its verb and its number.
    Before(Verb, u64),
    /// A user asked for it.
    ByHand,
    /// Another program made it, in the format's way.
    Format,
}

impl std::fmt::Display for BackupReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BackupReason::Before(verb, _) => write!(f, "before {verb}"),
            BackupReason::ByHand => f.write_str("by hand"),
            BackupReason::Format => f.write_str("the format's"),
        }
    }
}

/// The result of a check of all bytes of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupCheck {
    /// True if the backup is intact.
    pub is_whole: bool,
    /// The result in a few words.
    pub found: String,
}
