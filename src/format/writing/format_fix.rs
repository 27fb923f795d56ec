//! Fixes of problems that only one format has.

use std::path::PathBuf;

use crate::model::{Document, Problem, Store};

/// A range of bytes, and its new bytes.
pub type RangeEdit = (std::ops::Range<usize>, Vec<u8>);

/// A fix of one file.
pub struct FormatFix {
    /// What it does, in a few words.
    pub title: String,
    /// Why it is probably right, in a sentence. May quote the store: untrusted text.
    pub reason: String,
    /// How sure it is, in per cent.
    pub confidence: u8,
    /// True if it can lose nothing.
    pub is_safe: bool,
    /// The file.
    pub file: PathBuf,
    /// The ranges of its bytes that get other bytes.
    pub edits: Vec<RangeEdit>,
    /// The new file that it makes, if it makes one: it has what the edits take out.
    pub new_file: Option<(PathBuf, Vec<u8>)>,
}

impl FormatFix {
    /// Makes a fix of a file that the user chooses, with its title and how sure it is.
    pub fn choice(
        file: &Document,
        (title, confidence): (&str, u8),
        reason: &str,
        edits: Vec<RangeEdit>,
    ) -> FormatFix {
        let (title, reason, file) = (title.into(), reason.into(), file.path.clone());
        FormatFix { title, reason, confidence, is_safe: false, file, edits, new_file: None }
    }

    /// Makes a fix that can lose nothing.
    pub fn safe(file: &Document, title: &str, reason: &str, edits: Vec<RangeEdit>) -> FormatFix {
        FormatFix { is_safe: true, ..FormatFix::choice(file, (title, 100), reason, edits) }
    }
}

/// The kind of fix that a problem has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatEase {
    /// The format has no fix of it.
    Unknown,
    /// The user chooses.
    Choice,
    /// The fix with this title loses nothing.
    Safe(&'static str),
}

/// The fixes of a format.
#[derive(Clone, Copy)]
pub struct FormatFixes {
    /// Returns what kind of fix a problem has. Reads no bytes.
    pub ease: fn(&Store, &Problem) -> FormatEase,
    /// Returns the fixes of a problem.
    pub fixes: fn(&Store, &Problem) -> Vec<FormatFix>,
    /// Returns the fix of a problem that moves these lines of its file, counted from 1, if it has one.
    pub with_lines: fn(&Store, &Problem, &[u32]) -> Option<FormatFix>,
}
