//! A memory in palimp's own archive.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A memory that was taken out of a store and is kept in palimp's own data, because its format has no archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedItem {
    /// Its name in the archive: the number of its step, and its own; empty before it has one.
    #[serde(skip)]
    pub name: String,
    /// The file that it was, or was in, relative to the store's root.
    #[serde(with = "crate::model::path_text::serde_path")]
    pub path: PathBuf,
    /// True if it is a part of that file.
    pub is_part: bool,
    /// The lines of an index that went with it.
    pub lines: Vec<RemovedLine>,
    /// Its bytes.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// A line that was taken out of a file, and where it was. Lines around it are known by their digests alone: they may
/// be about other memories.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedLine {
    /// The line, without its end. Untrusted text.
    pub text: String,
    /// Its number in the file, from 0.
    pub number: u64,
    /// Digests of the lines before it, the nearest first.
    pub before: Vec<String>,
    /// Digests of the lines after it, the nearest first.
    pub after: Vec<String>,
    /// True if it was the last line, and had no line end.
    pub is_open: bool,
}
