//! Reads only the newest entries, for the first screen: the ends of the files that changed last.

use std::cmp::Reverse;
use std::io;
use std::sync::Arc;

use super::{Loader, UnreadFiles};
use crate::disk::{Disk, RealDisk};
use crate::model::{Document, Role, Span, is_log};
use crate::store::compressed_files::FileCompression;
use crate::store::discovery::Place;
use crate::store::parallel;
use crate::store::store_walk::StoreFile;
use crate::text::json_scanner::{Newlines, Tape};

/// How many bytes of a file's end the first screen reads: about 36 entries, more than most screens show.
pub const TAIL: u64 = 40 * 1024;
/// Several stores share [`TAIL`]. The newest entries may all be in one of them, so each gets this much.
pub const SHORTEST_TAIL: u64 = 12 * 1024;
/// At least this many of the newest files are read for the first screen; of short ones, as many as fill it.
const TAIL_FILES: usize = 4;
/// The most stores whose ends are read.
const STORES: usize = 8;
/// This many files fill any screen.
const SCREEN: usize = 48;
/// Files of up to this many bytes are read completely for the first screen.
const SMALL: u64 = 256 * 1024;
/// The most bytes read of one file, even if it grows during the read.
const MOST: u64 = 16 << 20;

/// Returns which stores wait for the complete read: of many, only those that changed last do not.
pub fn waiting(places: &[Place]) -> Vec<bool> {
    let mut waits = vec![places.len() > STORES; places.len()];
    if places.len() > STORES {
        let changed = parallel::map_parallel(places, |place| {
            let items = RealDisk.list(&place.root).unwrap_or_default();
            items.iter().map(|item| item.generation.modified).max()
        });
        let mut numbers: Vec<usize> = (0..places.len()).collect();
        numbers.sort_by_key(|number| Reverse(changed[*number]));
        numbers.iter().take(STORES).for_each(|number| waits[*number] = false);
    }
    waits
}

impl Loader<'_> {
    /// Reads the ends of the logs that changed last, and the small files beside them.
    pub(super) fn tails(&self, files: &[StoreFile], unread: &mut UnreadFiles) -> Vec<Arc<Document>> {
        let mut logs: Vec<&StoreFile> = files.iter().filter(|found| found.role == Role::Records).collect();
        logs.sort_by_key(|found| Reverse((found.item.generation.modified, &found.path)));
        let mut bytes = 0;
        let is_wanted = |(at, log): &(usize, &&StoreFile)| {
            bytes += log.item.generation.len.min(self.given.tail);
            *at < TAIL_FILES || bytes <= self.given.tail && *at < SCREEN
        };
        let wanted = logs.iter().enumerate().take_while(is_wanted).count();
        logs.truncate(wanted);
        let beside = |found: &&StoreFile| {
            let small = found.item.generation.len <= SMALL;
            let log = logs.iter().any(|log| log.path.parent() == found.path.parent());
            small
                && (log || found.role == Role::Config)
                && found.role.is_content()
                && found.role != Role::Index
        };
        let mut chosen: Vec<&StoreFile> =
            files.iter().filter(|found| found.role != Role::Records).filter(beside).collect();
        chosen.extend(&logs);
        chosen.sort_by(|a, b| a.path.cmp(&b.path));
        let mut documents = Vec::new();
        for found in chosen {
            match self.tail(found) {
                Ok(own) => documents.extend(own.map(Arc::new)),
                Err(error) => unread.push((found.path.clone(), error)),
            }
        }
        documents
    }

    /// Returns `None` also if the file waits for the complete read.
    fn tail(&self, found: &StoreFile) -> io::Result<Option<Document>> {
        let len = found.item.generation.len;
        // A file that can't be read from its end, and is not small, waits for the complete read.
        let is_long = !is_log(&found.path) && len > SMALL;
        if is_long || FileCompression::of(&found.path).is_some() {
            return Ok(None);
        }
        if len <= self.given.tail || found.role != Role::Records || !is_log(&found.path) {
            let read = self.bytes(found, 0, Some(MOST))?;
            return Ok(read.map(|(bytes, own)| self.read(found, bytes, 0, own)));
        }
        let read = self.bytes(found, len - self.given.tail, Some(MOST))?;
        Ok(read.map(|(bytes, generation)| {
            let start = tail_start(&bytes);
            self.read(found, bytes[start..].to_vec(), len - self.given.tail + start as u64, generation)
        }))
    }
}

/// Returns the first line start from which a record can be read. Earlier bytes belong to another line.
fn tail_start(bytes: &[u8]) -> usize {
    let mut tape = Tape::default();
    let starts = memchr::memchr_iter(b'\n', bytes).map(|feed| feed + 1);
    let whole = |&start: &usize| {
        use crate::text::json_scanner::ScanResult;
        matches!(tape.scan(&bytes[start..], Newlines::Refused), ScanResult::Whole { .. })
    };
    starts.into_iter().find(whole).unwrap_or(0)
}

/// Moves the records of a tail to their places in the file. Their line numbers are unknown.
pub fn shift(document: &mut Document) {
    for record in &mut document.records {
        let Span { start, end } = record.span;
        record.span = Span { start: start + document.offset, end: end + document.offset };
        record.line = 0;
    }
    document.problems.clear();
}
