//! The four logs of a session, as what is written is made from them.

use std::path::{Path, PathBuf};

use crate::format::bmad::layout::LOGS;
use crate::format::writing::{Refusal, Result};
use crate::model::{Document, Moment, Role, Store};
use crate::text::json_lines::{self, RecordPiece};

/// A file as it is to be written: its path and its bytes.
pub type NewFile = (PathBuf, Vec<u8>);

/// One of a session's four logs.
#[derive(Clone, Copy, Debug)]
pub struct LogBytes<'a> {
    /// Which of the four, by its place among them.
    pub place: usize,
    /// All of its bytes.
    pub bytes: &'a [u8],
}

impl<'a> LogBytes<'a> {
    /// The log of that file name, with all its bytes; `None` for other files.
    pub fn new(path: &Path, bytes: &'a [u8]) -> Option<LogBytes<'a>> {
        let name = path.file_name()?;
        let place = LOGS.iter().position(|(log, _)| name == *log)?;
        Some(LogBytes { place, bytes })
    }

    /// The log that a document is, if it is one and was read from its start.
    pub fn of(document: &'a Document) -> Option<LogBytes<'a>> {
        let whole = document.offset == 0 && document.len == document.bytes.len() as u64;
        whole.then(|| LogBytes::new(&document.path, &document.bytes)).flatten()
    }
}

/// Hands on every piece of the logs, in the order in which the specification lists them.
pub fn each_piece(logs: &[LogBytes<'_>], take: &mut dyn FnMut(&LogBytes<'_>, RecordPiece<'_>)) {
    let mut logs = logs.to_vec();
    logs.sort_by_key(|log| log.place);
    for log in &logs {
        json_lines::split(log.bytes, &mut |piece| take(log, piece));
    }
}

/// A moment as it is written.
pub fn stamp(now: Moment) -> String {
    Moment(now.0.div_euclid(1000).saturating_mul(1000)).to_rfc3339()
}

/// The logs in a folder of the store.
pub fn logs_in<'a>(store: &'a Store, folder: &Path) -> Result<Vec<LogBytes<'a>>> {
    let logs = store.documents.iter().filter(|own| own.role == Role::Records && own.path.starts_with(folder));
    logs.map(|own| {
        LogBytes::of(own).ok_or_else(|| Refusal::unfit("the store has not been read completely yet."))
    })
    .collect()
}
