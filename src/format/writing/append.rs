//! Adds records at the ends of logs. The cost does not depend on the size of the store.

use std::io;
use std::path::{Path, PathBuf};

use super::RecordDraft;
use crate::format::record_reader::object_of;
use crate::model::{Bytes, Moment};
use crate::text::json::Json;
use crate::text::json_scanner::Tape;

/// What palimp knows about a store without reading its logs. Paths are relative to the root.
pub trait AppendLookup {
    /// Returns the bytes of a small file; `None` if it is missing. Fails if it can't be read, or is large.
    fn small(&self, file: &Path) -> io::Result<Option<Vec<u8>>>;

    /// Returns the length of a file; `None` if it is missing. Fails if it can't be read, or is not a regular file.
    fn len(&self, file: &Path) -> io::Result<Option<u64>>;

    /// Counts the records of a file, or its lines if it was not read and is small; `None` if it is missing. Fails if
    /// it can't be read, or is large.
    fn count(&self, file: &Path) -> io::Result<Option<usize>>;

    /// True if a folder exists.
    fn is_folder(&self, folder: &Path) -> bool;

    /// Returns the last id of a session and type; `None` if unknown, as after another program's write.
    fn last_id(&self, session: &str, kind: &str) -> Option<String>;

    /// True if a record of this log, or of any log, has this id; `None` if that is unknown.
    fn has_id(&self, log: Option<&Path>, id: &str) -> Option<bool>;

    /// Returns bytes that stand for the whole log and contain its end; `None` if it is missing. Fails if it can't be
    /// read, or its last lines are too long.
    fn end(&self, log: &Path) -> io::Result<Option<Bytes>>;

    /// Notes a record that is going to be added, with its lines. The next one follows it.
    fn added(&self, draft: &RecordDraft<'_>, id: Option<&str>, lines: &[(PathBuf, Vec<u8>)]);
}

/// The context for lines at the ends of logs.
pub struct AppendContext<'a> {
    /// What palimp knows about the store.
    pub lookup: &'a dyn AppendLookup,
    /// The time that is written.
    pub now: Moment,
    /// Unpredictable bytes, for ids.
    pub random: [u8; 16],
}

/// Lines with their logs, relative to the root. `None` if an id must be searched for or a log compacted.
pub type AppendLines = Option<Vec<(PathBuf, Vec<u8>)>>;

/// Calls `take` with the config in these bytes, or `None` if there is none.
pub fn with_config_of<T>(config: Option<&[u8]>, take: impl FnOnce(Option<Json<'_>>) -> T) -> T {
    let mut tape = Tape::default();
    take(config.and_then(|own| object_of(&mut tape, own).ok()))
}
