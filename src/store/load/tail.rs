//! The newest entries alone, for the first screen: the ends of the files that changed last.

use std::path::PathBuf;
use std::sync::Arc;

use super::Loader;
use crate::disk::Seen;
use crate::model::{Document, Role, Span};
use crate::store::files::{Found, Listing};
use crate::store::packed::Packing;
use crate::store::reread::is_log;
use crate::text::scan::{Newlines, Tape};

/// How much of a file's end is read for the first screen, in bytes: some 36 entries of
/// usual length, more than most screens have lines.
pub(super) const TAIL: u64 = 40 * 1024;
/// Several stores share that, and the newest entries may all be of one of them: each is
/// read so far at least.
pub(super) const SHORTEST_TAIL: u64 = 12 * 1024;
/// How many of the files that changed last are read for the first screen.
const TAIL_FILES: usize = 4;
/// Small files are read whole for the first screen, up to this many bytes.
const SMALL: u64 = 256 * 1024;

impl Loader<'_> {
    /// The ends of the logs that changed last, and the small files beside them.
    pub(super) fn tails(&self, listing: &mut Listing) -> Vec<Arc<Document>> {
        let mut logs: Vec<&Found> =
            listing.files.iter().filter(|found| found.role == Role::Records).collect();
        logs.sort_by_key(|found| std::cmp::Reverse(found.item.generation.modified));
        logs.truncate(TAIL_FILES);
        let beside = |found: &&Found| {
            let small = found.item.generation.len <= SMALL;
            let log = logs.iter().any(|log| log.path.parent() == found.path.parent());
            small
                && (log || found.role == Role::Config)
                && found.role.is_content()
                && found.role != Role::Index
        };
        let mut chosen: Vec<&Found> =
            listing.files.iter().filter(|found| found.role != Role::Records).filter(beside).collect();
        chosen.extend(&logs);
        chosen.sort_by(|a, b| a.path.cmp(&b.path));
        let mut unread: Vec<(PathBuf, std::io::Error)> = Vec::new();
        let mut documents = Vec::new();
        for found in chosen {
            match self.tail(found) {
                Seen::Read(own) => documents.push(Arc::new(own)),
                Seen::Absent => {}
                Seen::Unreadable(error) => unread.push((found.path.clone(), error)),
            }
        }
        unread.iter().for_each(|(path, error)| listing.unreadable(path, &error.to_string()));
        documents
    }

    /// Absent is also what waits until all is read.
    fn tail(&self, found: &Found) -> Seen<Document> {
        let len = found.item.generation.len;
        // What can't be read from its end, and is no small file, waits for the whole.
        let is_long = !is_log(&found.path) && len > SMALL;
        if is_long || Packing::of(&found.path).is_some() {
            return Seen::Absent;
        }
        if len <= self.given.tail || found.role != Role::Records || !is_log(&found.path) {
            return self.bytes(found, 0, None).map(|(bytes, own)| self.read(found, bytes, 0, own));
        }
        self.bytes(found, len - self.given.tail, None).map(|(bytes, generation)| {
            let start = tail_start(&bytes);
            self.read(found, bytes[start..].to_vec(), len - self.given.tail + start as u64, generation)
        })
    }
}

/// The first line start in a tail from which a record can be read: what is before
/// it belongs to a line that starts further up.
fn tail_start(bytes: &[u8]) -> usize {
    let mut tape = Tape::default();
    let starts = memchr::memchr_iter(b'\n', bytes).map(|feed| feed + 1);
    let whole = |&start: &usize| {
        use crate::text::scan::Scan;
        matches!(tape.scan(&bytes[start..], Newlines::Refused), Scan::Whole { .. })
    };
    starts.into_iter().find(whole).unwrap_or(0)
}

/// Records of a tail are where they are in the file, on lines that nobody counted.
pub(super) fn shift(document: &mut Document) {
    for record in &mut document.records {
        let Span { start, end } = record.span;
        record.span = Span { start: start + document.offset, end: end + document.offset };
        record.line = 0;
    }
    document.problems.clear();
}
