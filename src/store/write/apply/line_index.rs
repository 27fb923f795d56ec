//! Finds lines of a file by text and by record id. Each index is made once, on first use.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::model::bytes::LineBounds;
use crate::model::key::fast_digest;
use crate::text::{json_edit, lines};

/// An index of the lines of a file in its present state.
pub struct LineIndex<'a> {
    pub now: &'a [u8],
    /// Lines by their bytes without the line feed.
    starts: OnceCell<LineTable>,
    ids: OnceCell<LineTable>,
    /// Lines by their bytes without trailing whitespace.
    said: OnceCell<LineTable>,
}

/// The line of a record that was found by its id.
pub struct RecordLine {
    pub start: usize,
    pub line: Vec<u8>,
    /// True if other records have the same id.
    pub has_others: bool,
}

/// Sorted key digests and line starts, so that a file with many lines needs little memory.
struct LineTable(Vec<(u64, usize)>);

impl LineTable {
    fn of(now: &[u8], key: impl Fn(&[u8]) -> Option<u64>) -> LineTable {
        let (mut own, mut start) = (Vec::new(), 0);
        for line in now.split_inclusive(|byte| *byte == b'\n') {
            own.extend(key(line).map(|key| (key, start)));
            start += line.len();
        }
        own.sort_unstable();
        LineTable(own)
    }

    /// Returns the starts of the lines with this digest, ascending.
    fn all(&self, key: u64) -> impl Iterator<Item = usize> {
        let from = self.0.partition_point(|own| own.0 < key);
        self.0[from..].iter().take_while(move |own| own.0 == key).map(|own| own.1)
    }
}

impl<'a> LineIndex<'a> {
    pub fn of(now: &'a [u8]) -> Self {
        let (starts, ids, said) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        LineIndex { now, starts, ids, said }
    }

    fn line(&self, start: usize) -> Vec<u8> {
        self.now[start..self.now.line_end(start)].to_vec()
    }

    /// Returns where these complete lines start first, except for places in `taken`.
    pub fn find(&self, wanted: &[u8], taken: &HashSet<usize>) -> Option<usize> {
        let now = self.now;
        let ends = |at: usize| wanted.ends_with(b"\n") || at >= now.len() || now.is_at(at, b"\n");
        let is_here = |start: usize| now.is_at(start, wanted) && ends(start + wanted.len());
        let starts =
            self.starts.get_or_init(|| LineTable::of(now, |line| Some(fast_digest(without_end(line)))));
        let key = fast_digest(without_end(first_line(wanted)));
        // The first line is found with the byte order mark and without it.
        let marked = Some(lines::BOM.len()).filter(|_| now.is_at(0, lines::BOM));
        starts.all(key).chain(marked).find(|start| !taken.contains(start) && is_here(*start))
    }

    pub fn of_id(&self, id: &str) -> Option<RecordLine> {
        let own =
            |start| Some((start, self.line(start))).filter(|(_, line)| id_of(line).as_deref() == Some(id));
        let mut same = self.ids().all(fast_digest(id.as_bytes())).filter_map(own);
        let (start, line) = same.next()?;
        Some(RecordLine { start, line, has_others: same.next().is_some() })
    }

    fn ids(&self) -> &LineTable {
        self.ids.get_or_init(|| LineTable::of(self.now, |line| Some(fast_digest(id_of(line)?.as_bytes()))))
    }

    /// True if the file has one of the lines, or a record with the same id.
    pub fn has_any(&self, wanted: &[u8]) -> bool {
        let key = |line: &[u8]| Some(fast_digest(said(line)?));
        let there = self.said.get_or_init(|| LineTable::of(self.now, key));
        let has =
            |line: &[u8]| there.all(fast_digest(line)).any(|start| said(&self.line(start)) == Some(line));
        let mut wanted = wanted.split_inclusive(|byte| *byte == b'\n').filter_map(said);
        wanted.any(|line| has(line) || id_of(line).is_some_and(|id| self.of_id(&id).is_some()))
    }
}

pub fn first_line(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memchr(b'\n', bytes).map_or(bytes.len(), |feed| feed + 1)]
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// Returns a line without trailing whitespace, `None` if nothing is left.
fn said(line: &[u8]) -> Option<&[u8]> {
    Some(line.trim_ascii_end()).filter(|line| !line.is_empty())
}

/// Returns the id if the line is exactly one record.
pub fn id_of(line: &[u8]) -> Option<String> {
    json_edit::text_at(line, &["id"])
}
