//! What of a store could not be read. It is not absent: nothing is planned as if the rest were all.

use std::fmt;
use std::path::{Path, PathBuf};

use super::problem::{Code, Problem};
use super::snapshot::{Extent, Store};
use crate::model::PathText;

/// So many are named in one message.
const NAMED: usize = 3;

/// Something that is there, or may be there, and could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnreadPath {
    /// Relative to the store's root, which is empty; what lies beside the store begins with `..`.
    pub path: PathBuf,
    /// What the system said, or what is there instead.
    pub why: String,
}

impl fmt::Display for UnreadPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_text();
        let name: &dyn fmt::Display = if self.path.as_os_str().is_empty() { &"its folder" } else { &path };
        write!(f, "{name} can't be read: {}", self.why)
    }
}

/// What compares files, or says that something is nowhere.
const COMPARING: [Code; 6] = [
    Code::CountMismatch,
    Code::DanglingReference,
    Code::EntryBlockStale,
    Code::HashMismatch,
    Code::IndexStale,
    Code::ProjectionStale,
];

/// Whether a problem supposes that what was not read is not there: one of a derived file, where a
/// file that it may be made of could not be read.
pub fn supposes_unread(problem: &Problem, unread: &[UnreadPath]) -> bool {
    let folder = problem.file.parent().unwrap_or(Path::new(""));
    // What is referred to can be anywhere, and what is beside the store is about all of it.
    let is_anywhere = problem.code == Code::DanglingReference || problem.file.starts_with("..");
    let is_below =
        |own: &UnreadPath| is_anywhere || own.path.starts_with(folder) || own.path.as_os_str().is_empty();
    COMPARING.contains(&problem.code) && unread.iter().any(is_below)
}

/// The proof that everything in a store was read. A plan needs it; only [`Store::whole`] gives it.
#[derive(Clone, Copy, Debug)]
pub struct WholeStore<'a>(&'a Store);

impl<'a> WholeStore<'a> {
    /// The store that was read.
    pub fn store(self) -> &'a Store {
        self.0
    }
}

/// A store that was not read whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWhole {
    /// Some of it could not be read.
    #[error("{}", told(root, unread))]
    Unread {
        /// The store's root.
        root: PathBuf,
        /// What could not be read; never empty.
        unread: Vec<UnreadPath>,
    },
    /// A file was written to in place while it was read.
    #[error("another program wrote to {} while it was read. Try again.", file.to_text())]
    Changed {
        /// The whole path.
        file: PathBuf,
    },
    /// Only its newest entries were read so far, or not all bytes are held.
    #[error("the store has not been read completely yet.")]
    Tail,
}

fn told(root: &std::path::Path, unread: &[UnreadPath]) -> String {
    let named: Vec<String> = unread.iter().take(NAMED).map(UnreadPath::to_string).collect();
    let more = match unread.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    format!(
        "In {}, {}{more}. It may matter for this change. Make it readable first.",
        root.to_text(),
        named.join("; ")
    )
}

impl Store {
    /// The proof that everything in it was read, or what could not be.
    ///
    /// # Errors
    ///
    /// If something could not be read, or was not read yet, or was gone when it was asked for.
    pub fn whole(&self) -> Result<WholeStore<'_>, NotWhole> {
        if let Some(own) = self.documents.iter().find(|own| own.bytes.has_changed()) {
            return Err(NotWhole::Changed { file: self.root.join(&own.path) });
        }
        match (self.unread.as_slice(), self.extent) {
            ([], Extent::Whole) => Ok(WholeStore(self)),
            ([], Extent::Tail | Extent::Listed | Extent::Judged) => Err(NotWhole::Tail),
            (unread, _) => Err(NotWhole::Unread { root: self.root.clone(), unread: unread.to_vec() }),
        }
    }
}
