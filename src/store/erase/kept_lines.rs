//! Lines of a log that stay. palimp does not read them again in copies of the log.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::matcher::{ErasureMatcher, is_whole};
use crate::model::{Document, Record, Role, Span};
use crate::store::erase::original_path::{is_log_or_copy, original};
use crate::store::parallel_read::is_record;
use crate::text::json_scanner::Tape;
use crate::text::lines::{BOM, lines};
use crate::text::needle::Needles;

/// Kept lines by hash, each with the kind of file that has it, or `None` if it does not stay
/// everywhere. The key of the hash is secret, so nobody can forge a line with the hash of another.
#[derive(Default)]
pub(super) struct KeptLines {
    key: RandomState,
    lines: RefCell<HashMap<u64, Option<u64>>>,
}

impl KeptLines {
    /// Marks a line that must be read in every file.
    pub(super) fn forget(&self, line: &[u8]) {
        self.lines.borrow_mut().insert(self.hash(line), None);
    }

    pub(super) fn hash(&self, line: &[u8]) -> u64 {
        self.key.hash_one(line)
    }
}

impl ErasureMatcher<'_> {
    /// Notes the lines of these documents that stay. Drops earlier notes: those lines may be gone.
    pub fn note_kept_lines(&self, documents: &[Arc<Document>]) {
        self.kept_lines.lines.borrow_mut().clear();
        documents.iter().for_each(|own| self.note_lines(own));
    }

    /// Notes the records of a log that stay. Each is a complete line: it is a record of its own
    /// whatever precedes it, and the lines after it can be read without it.
    fn note_lines(&self, own: &Document) {
        let is_sought = matches!(own.role, Role::Records | Role::Archive);
        if !is_log_or_copy(&own.path) || !is_sought || self.erases().is_some() {
            return;
        }
        let kind = self.kind(&own.path);
        let mut tape = Tape::default();
        for record in own.records.iter().filter(|own| own.memory().is_some()) {
            let raw = own.raw(record);
            if !self.takes(own, &raw, record.memory(), None) && is_record(&raw, &mut tape) {
                let mut lines = self.kept_lines.lines.borrow_mut();
                let noted = lines.entry(self.kept_lines.hash(&raw)).or_insert(Some(kind));
                *noted = noted.filter(|own| *own == kind);
            }
        }
    }

    /// How a file's lines are read, and whose they are, may depend on its path.
    fn kind(&self, path: &Path) -> u64 {
        self.kept_lines.key.hash_one((original(path), self.folder(path), format!("{:?}", self.role(path))))
    }

    /// Returns the records of a file. Skips most of those lines of a log that are noted to stay.
    pub(super) fn read_new(&self, path: &Path, bytes: &[u8], contents: Option<&Needles>) -> Vec<Record> {
        let (mut records, mut at, mut lines) = (Vec::new(), 0, 0);
        for new in self.new_in(path, bytes) {
            lines += memchr::memchr_iter(b'\n', &bytes[at..new.start]).count() as u32;
            at = new.start;
            let own = self.format.read(self.role(path), &original(path), &bytes[new], self.now).records;
            // How a torn record is read depends on the lines around it.
            if !is_whole(&own) {
                return self.read(path, bytes, contents);
            }
            let (from, moved) = (at as u64, own.into_iter());
            records.extend(moved.map(|own| Record {
                span: Span { start: own.span.start + from, end: own.span.end + from },
                line: own.line + lines,
                ..own
            }));
        }
        records
    }

    /// Returns the stretches with new lines. Each includes the noted line after it.
    fn new_in(&self, path: &Path, bytes: &[u8]) -> Vec<Range<usize>> {
        let noted = self.kept_lines.lines.borrow();
        let may_pass = is_log_or_copy(path) && !noted.is_empty();
        let (mut new, mut from, kind) = (Vec::new(), 0, self.kind(path));
        for line in lines(bytes).take_while(|_| may_pass) {
            let stays = noted.get(&self.kept_lines.hash(&bytes[line.start..line.end])) == Some(&Some(kind));
            // A byte order mark has another meaning at the start than inside a file.
            if stays && !bytes[line.next..].starts_with(BOM) {
                if from < line.start {
                    new.push(from..line.next);
                }
                from = line.next;
            }
        }
        if from < bytes.len() {
            new.push(from..bytes.len());
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::disk::write_new;
    use crate::format;
    use crate::model::{Extent, Moment};
    use crate::store::erase::ErasureTarget;
    use crate::store::{Place, load};

    const NOW: Moment = Moment(1_770_000_000_000_000);
    const FILE: &str = "sessions/s/memory.jsonl";

    fn line(number: usize) -> String {
        let record = format!(
            "{{\"id\":\"mem_{}\",\"session_id\":\"s\",\"content\":{{\"message\":\"Said {number}.\"}}}}",
            number % 4
        );
        match number {
            0..6 => record,
            6 => record[..record.len() / 2].to_owned(),
            7 => record[record.len() / 2..].to_owned(),
            8 => format!("\u{feff}{record}"),
            9 => format!("  {record}"),
            10 => record.replace(",\"c", ",\r\n\"c"),
            11 => "{".into(),
            12 => format!("{record}{record}"),
            _ => String::new(),
        }
    }

    fn text(numbers: &[usize]) -> String {
        numbers.iter().map(|number| line(*number) + if number % 5 == 4 { "\r\n" } else { "\n" }).collect()
    }

    proptest! {
        #![proptest_config(crate::tries::config(128, 4_096))]

        #[test]
        fn of_a_copy_the_same_records_go_however_much_of_it_is_passed_by(
            there in proptest::collection::vec(0..6_usize, 1..8),
            copy in proptest::collection::vec(0..14_usize, 0..14),
            which in any::<prop::sample::Index>(),
        ) {
            let folder = crate::folder::new();
            write_new(&folder.path().join(FILE), text(&there).as_bytes()).unwrap();
            let place = Place::whole(folder.path().to_owned(), "session-log");
            let store = load(&place, Extent::All, None, NOW);
            let entry = &store.entries[which.index(store.entries.len())];
            let targets = [ErasureTarget::of(&store, entry, b"salt", None)];
            let wanted = ErasureMatcher::of(format::by_name("session-log").unwrap(), &store, &targets, NOW);
            wanted.note_kept_lines(&store.documents);
            for path in [FILE, "sessions/s/memory.jsonl.backup.20260101_100000", "sessions/t/memory.jsonl"] {
                let (path, copy) = (Path::new(path), text(&copy));
                let bytes = copy.as_bytes();
                let taken = |records: Vec<Record>| -> Vec<_> {
                    let raw = |own: &Record| &bytes[own.span.range()];
                    let goes = |own: &Record| wanted.is_erased(path, raw(own), own.memory(), None);
                    let places = records.into_iter().filter(goes).map(|own| (own.span, own.line));
                    places.collect()
                };
                prop_assert_eq!(
                    taken(wanted.read_new(path, bytes, None)),
                    taken(wanted.read(path, bytes, None))
                );
            }
        }
    }
}
