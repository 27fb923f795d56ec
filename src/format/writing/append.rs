//! Records that only need the ends of logs: what is known of a store then costs the same, however much
//! it remembers.

use std::io;
use std::path::{Path, PathBuf};

use super::RecordDraft;
use crate::format::record_reader::{whole_object, without_mark};
use crate::model::{Bytes, Moment};
use crate::text::json::Json;
use crate::text::json_scanner::Tape;

/// What can be told of a store without reading its logs. Paths are relative to its root.
pub trait AppendLookup {
    /// The bytes of a small file; none where it is absent.
    ///
    /// # Errors
    ///
    /// If it can't be read, or is large.
    fn small(&self, file: &Path) -> io::Result<Option<Vec<u8>>>;

    /// The length of a file; none where it is absent.
    ///
    /// # Errors
    ///
    /// If it can't be looked at, or is no regular file.
    fn len(&self, file: &Path) -> io::Result<Option<u64>>;

    /// How many records a file has, or lines, where it is not large; none where it is absent.
    ///
    /// # Errors
    ///
    /// If it can't be read.
    fn count(&self, file: &Path) -> io::Result<Option<usize>>;

    /// Whether a folder is there.
    fn is_folder(&self, folder: &Path) -> bool;

    /// The id that a memory of that session and type was given last, where nobody has written to its logs
    /// since.
    fn last_id(&self, session: &str, kind: &str) -> Option<String>;

    /// Whether a record of a log has that id, or of any log where none is named; none where that is not
    /// known.
    fn has_id(&self, log: Option<&Path>, id: &str) -> Option<bool>;

    /// The end of a log, as the bytes of the whole; none where it is absent.
    ///
    /// # Errors
    ///
    /// If it can't be read, or its last lines are too long.
    fn end(&self, log: &Path) -> io::Result<Option<Bytes>>;

    /// Takes note of a record that is to be added, with its lines: the next one comes behind it.
    fn added(&self, draft: &RecordDraft<'_>, id: Option<&str>, lines: &[(PathBuf, Vec<u8>)]);
}

/// What lines for the ends of logs are made with.
pub struct AppendContext<'a> {
    /// What is known of the store.
    pub lookup: &'a dyn AppendLookup,
    /// The time that is written down.
    pub now: Moment,
    /// Bytes that nobody can foretell, for ids.
    pub random: [u8; 16],
}

/// Lines, each with the log that it goes to, relative to the root. None where that takes more than the ends
/// of logs: an id that is given has to be searched for, a log that is full is compacted.
pub type AppendLines = Option<Vec<(PathBuf, Vec<u8>)>>;

/// What the config of those bytes says; it is asked also where there is none.
pub fn with_config_of<T>(config: Option<&[u8]>, take: impl FnOnce(Option<Json<'_>>) -> T) -> T {
    let mut tape = Tape::default();
    take(config.and_then(|own| whole_object(&mut tape, without_mark(own)).ok()))
}
