//! A file that was replaced.

use crate::model::Bytes;
use std::path::PathBuf;

/// A replaced file, by its second name.
pub struct ReplacedFile {
    pub path: PathBuf,
    /// What was taken over of it, if this process still has that.
    pub content: Option<Bytes>,
}

impl From<PathBuf> for ReplacedFile {
    fn from(path: PathBuf) -> ReplacedFile {
        ReplacedFile { path, content: None }
    }
}
