//! What could not be read of a store. It is not absent: no plan is made as if the rest were all.

use std::fmt;
use std::path::{Path, PathBuf};

use super::{Code, Extent, PathText, Problem, Store};

/// The maximum number of paths in one message.
const NAMED: usize = 3;

/// Something that exists, or may exist, and could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnreadPath {
    /// Relative to the store's root, which is empty. A path beside the store begins with `..`.
    pub path: PathBuf,
    /// The error of the system, or what is there instead.
    pub why: String,
}

impl fmt::Display for UnreadPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_text();
        let name: &dyn fmt::Display = if self.path.as_os_str().is_empty() { &"its folder" } else { &path };
        write!(f, "{name} can't be read: {}", self.why)
    }
}

/// Codes of problems that compare files, or that say that something does not exist.
const COMPARING: [Code; 6] = [
    Code::CountMismatch,
    Code::DanglingReference,
    Code::EntryBlockStale,
    Code::HashMismatch,
    Code::IndexStale,
    Code::ProjectionStale,
];

/// True if a problem of a derived file assumes that unread files, of which it may be made, do not exist.
pub fn supposes_unread(problem: &Problem, unread: &[UnreadPath]) -> bool {
    let folder = problem.file.parent().unwrap_or(Path::new(""));
    // A referenced memory can be anywhere, and a file beside the store is made of all of it.
    let is_anywhere = problem.code == Code::DanglingReference || problem.file.starts_with("..");
    let is_below =
        |own: &UnreadPath| is_anywhere || own.path.starts_with(folder) || own.path.as_os_str().is_empty();
    COMPARING.contains(&problem.code) && unread.iter().any(is_below)
}

/// The proof that everything in a store was read. A plan needs it, and only [`Store::whole`] returns it.
#[derive(Clone, Copy, Debug)]
pub struct WholeStore<'a>(&'a Store);

impl<'a> WholeStore<'a> {
    pub fn store(self) -> &'a Store {
        self.0
    }
}

/// The reason why a store is not read completely.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWhole {
    /// A part of it could not be read.
    #[error("{}", told(root, unread))]
    Unread {
        /// The store's root.
        root: PathBuf,
        /// What could not be read; never empty.
        unread: Vec<UnreadPath>,
    },
    /// Only its newest entries were read so far.
    #[error("the store has not been read completely yet.")]
    Newest,
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
    /// Returns the proof that everything in it was read.
    /// Fails if something could not be read, or was not read yet.
    pub fn whole(&self) -> Result<WholeStore<'_>, NotWhole> {
        match (self.unread.as_slice(), self.extent) {
            ([], Extent::All) => Ok(WholeStore(self)),
            ([], Extent::Newest | Extent::Memories | Extent::Texts) => Err(NotWhole::Newest),
            (unread, _) => Err(NotWhole::Unread { root: self.root.clone(), unread: unread.to_vec() }),
        }
    }
}
