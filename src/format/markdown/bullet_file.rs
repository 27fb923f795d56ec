//! A list of bullets below one heading. The rest of the file is instructions, and no memory.

use std::ops::Range;
use std::path::Path;

use super::entry_file::mark;
use super::part_reader::{PartReader, runs, says_something};
use crate::format::notes::note_file::{not_text, stem};
use crate::format::notes::sections::headings;
use crate::format::record_reader::{Reading, byte_order_mark};
use crate::model::StoredMemory;

/// The heading that Gemini CLI writes its memories below.
pub const HEADING: &str = "## Gemini Added Memories";
const LEVEL: usize = 2;

/// Reads the bullets below the heading. A bullet's id is its file and its place, from 0.
pub fn read(path: &Path, bytes: &[u8]) -> Reading {
    let Ok(text) = std::str::from_utf8(bytes) else { return not_text(path, bytes) };
    let stem = stem(path);
    let mut found = PartReader::of(text);
    let mut count = 0;
    let is_bullet = |line: &str| ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
    for part in lists(text) {
        let goes_on = |line: &str, is_after_gap: bool| !is_after_gap || line.starts_with([' ', '\t']);
        let all = runs(&text[part.clone()], is_bullet, goes_on).into_iter();
        for run in all.filter(|run| says_something(&text[part.clone()][run.start..run.end], false)) {
            let (id, kind) = match run.is_item {
                true => (format!("{stem}.{count}"), "entry"),
                false => (format!("{stem}#note"), "note"),
            };
            count += usize::from(run.is_item);
            let memory = StoredMemory { kind: kind.into(), ..StoredMemory::default() };
            found.take(id, memory, (part.start + run.start, part.start + run.end));
        }
    }
    Reading { problems: byte_order_mark(path, bytes).into_iter().collect(), records: found.records }
}

/// Returns what is below each such heading, up to the next one of its level.
fn lists(text: &str) -> Vec<Range<usize>> {
    let (mark, below) = text.split_at(mark(text));
    let all: Vec<_> = headings(below).filter(|heading| heading.level <= LEVEL).collect();
    let ends = all.iter().skip(1).map(|next| next.start).chain([below.len()]);
    let both = all.iter().zip(ends);
    both.filter(|(heading, _)| below.get(heading.start..heading.end) == Some(HEADING))
        .map(|(heading, end)| mark.len() + heading.next..mark.len() + end)
        .collect()
}
