//! The four logs of a session, for code that writes files derived from them.

use std::path::{Path, PathBuf};

use crate::format::bmad::layout::LOGS;
use crate::format::writing::{Refusal, Result};
use crate::model::{Document, Moment, Role, Store};
use crate::text::json_lines::{self, RecordPiece};

/// A file to write: path and bytes.
pub type NewFile = (PathBuf, Vec<u8>);

#[derive(Clone, Copy, Debug)]
pub struct LogBytes<'a> {
    /// The index of the log in [`LOGS`].
    pub place: usize,
    pub bytes: &'a [u8],
}

impl<'a> LogBytes<'a> {
    /// Returns the log with that file name; `None` for other files.
    pub fn new(path: &Path, bytes: &'a [u8]) -> Option<LogBytes<'a>> {
        let name = path.file_name()?;
        let place = LOGS.iter().position(|(log, _)| name == *log)?;
        Some(LogBytes { place, bytes })
    }

    /// Returns the log in a document; `None` if it is not a log, or was not read completely.
    pub fn of(document: &'a Document) -> Option<LogBytes<'a>> {
        let whole = document.offset == 0 && document.len == document.bytes.len() as u64;
        whole.then(|| LogBytes::new(&document.path, &document.bytes)).flatten()
    }
}

/// Calls `take` for every piece of the logs, in the order of the specification.
pub fn each_piece(logs: &[LogBytes<'_>], take: &mut dyn FnMut(&LogBytes<'_>, RecordPiece<'_>)) {
    let mut logs = logs.to_vec();
    logs.sort_by_key(|log| log.place);
    for log in &logs {
        json_lines::split(log.bytes, &mut |piece| take(log, piece));
    }
}

/// Returns a time as the format writes it, without microseconds.
pub fn stamp(now: Moment) -> String {
    Moment(now.0.div_euclid(1000).saturating_mul(1000)).to_rfc3339()
}

pub fn logs_in<'a>(store: &'a Store, folder: &Path) -> Result<Vec<LogBytes<'a>>> {
    let logs = store.documents.iter().filter(|own| own.role == Role::Records && own.path.starts_with(folder));
    logs.map(|own| {
        LogBytes::of(own).ok_or_else(|| Refusal::unfit("the store has not been read completely yet."))
    })
    .collect()
}
