//! Replacements of whole lines, and edits of a file in that form.

use std::ops::Range;

use crate::model::Bytes;
use crate::model::bytes::LineBounds;

/// A replacement of whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The place where it starts in the file for which the plan was made.
    pub start: u64,
    /// The old bytes with their line ends; empty if lines are inserted.
    pub was: Bytes,
    /// The new bytes.
    pub becomes: Bytes,
    /// The line before it. Inserted lines go after this line. Empty at the start of the file.
    pub line_before: Bytes,
}

impl Splice {
    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end() as usize
    }

    /// Returns its end in that file.
    pub fn end(&self) -> u64 {
        self.start + self.was.len() as u64
    }
}

/// Returns a line end if the last line of a file has none, so that new lines are not glued to it.
pub fn line_end_for(base: &[u8]) -> &'static [u8] {
    let len = base.len();
    match base[len.saturating_sub(1)..len] {
        [] | [b'\n'] => b"",
        _ => b"\n",
    }
}

/// Returns the file with its parts replaced.
pub fn apply(base: &[u8], splices: &[Splice]) -> Vec<u8> {
    let grown: usize = splices.iter().map(|splice| splice.becomes.len()).sum();
    let mut out = Vec::with_capacity(base.len() + grown);
    pieces(base, splices).for_each(|piece| out.extend_from_slice(piece));
    out
}

/// Like [`apply`], but piece by piece.
pub fn pieces<'b>(base: &'b [u8], splices: &'b [Splice]) -> impl Iterator<Item = &'b [u8]> {
    spliced_parts(base.len(), splices).map(|own| match own {
        SplicedPart::Unchanged(range) => &base[range],
        SplicedPart::Inserted(bytes) => bytes,
    })
}

/// A part of a file after splices are applied.
pub enum SplicedPart<'s> {
    /// A range of the old file.
    Unchanged(Range<usize>),
    /// New bytes.
    Inserted(&'s Bytes),
}

impl SplicedPart<'_> {
    /// Returns the number of bytes.
    pub fn size(&self) -> usize {
        match self {
            SplicedPart::Unchanged(range) => range.len(),
            SplicedPart::Inserted(bytes) => bytes.len(),
        }
    }
}

/// Returns the part of that number among [`spliced_parts`], which are unchanged and inserted in turn.
pub fn part_at(len: usize, splices: &[Splice], number: usize) -> Option<SplicedPart<'_>> {
    let at = number / 2;
    if number % 2 == 1 {
        return splices.get(at).map(|own| SplicedPart::Inserted(&own.becomes));
    }
    let end = |own: &Splice| (own.end() as usize).min(len);
    let from = at.checked_sub(1).map_or(Some(0), |before| splices.get(before).map(end))?;
    let start = splices.get(at).map_or(len, |own| (own.start as usize).clamp(from, len));
    Some(SplicedPart::Unchanged(from..start))
}

/// Like [`pieces`], for a file of `len` bytes whose bytes are not available.
pub fn spliced_parts(len: usize, splices: &[Splice]) -> impl Iterator<Item = SplicedPart<'_>> {
    let mut from = 0;
    let ends = splices.iter().map(Some).chain([None]);
    ends.flat_map(move |splice| {
        let start = splice.map_or(len, |own| (own.start as usize).clamp(from, len));
        let stays = SplicedPart::Unchanged(from..start);
        from = splice.map_or(start, |own| (start + own.was.len()).min(len));
        [Some(stays), splice.map(|own| SplicedPart::Inserted(&own.becomes))]
    })
    .flatten()
}

/// Returns the splices that undo these, in the changed file.
pub fn inverse(splices: &[Splice]) -> Vec<Splice> {
    let mut moved = 0_i64;
    // The end of the splice before, and the line before that place in the changed file.
    let mut before: Option<(u64, Bytes)> = None;
    let turn = |splice: &Splice| {
        let start = (splice.start as i64 + moved) as u64;
        moved += splice.becomes.len() as i64 - splice.was.len() as i64;
        let behind = match before.take() {
            Some((end, line)) if end == splice.start => line,
            _ => splice.line_before.clone(),
        };
        let last = if splice.becomes.is_empty() { &behind } else { &splice.becomes };
        let last = last.part(last.len() - last_line(last).len()..last.len());
        before = Some((splice.start + splice.was.len() as u64, last));
        Splice { start, was: splice.becomes.clone(), becomes: splice.was.clone(), line_before: behind }
    };
    splices.iter().map(turn).collect()
}

/// Converts edits to replacements of whole lines, ascending. Edits of the same line become one.
pub fn whole_lines(base: &[u8], edits: Vec<(Range<usize>, Vec<u8>)>) -> Vec<Splice> {
    spliced_lines(base, &|range| base[range].into(), edits)
}

/// Like [`whole_lines`]. The old lines share the memory of the file.
pub fn shared_lines(base: &Bytes, edits: Vec<(Range<usize>, Vec<u8>)>) -> Vec<Splice> {
    spliced_lines(base, &|range| base.part(range), edits)
}

fn spliced_lines(
    base: &[u8],
    part: &dyn Fn(Range<usize>) -> Bytes,
    mut edits: Vec<(Range<usize>, Vec<u8>)>,
) -> Vec<Splice> {
    let closed = |(start, end, becomes): (usize, usize, Vec<u8>)| {
        let line_before = part(base.line_before(start)..start);
        Splice { start: start as u64, was: part(start..end), becomes: becomes.into(), line_before }
    };
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut splices: Vec<Splice> = Vec::new();
    let mut open: Option<(usize, usize, Vec<u8>)> = None;
    for (range, with) in edits {
        let (start, end) = lines_around(base, &range);
        match &mut open {
            // Nothing can start after bytes without a line end.
            Some((_, until, bytes)) if start < *until || start == *until && is_open(bytes) => {
                // The replacement continues: the bytes that were copied after its last edit are removed.
                let taken = *until - range.start.min(*until);
                bytes.truncate(bytes.len() - taken);
                bytes.extend_from_slice(&base[range.start.min(*until)..range.start]);
                bytes.extend_from_slice(&with);
                let end = end.max(*until);
                bytes.extend_from_slice(&base[range.end..end]);
                *until = end;
                join_next(base, until, bytes);
            }
            // Adjacent removed lines are one splice, because undo places each splice after an existing line.
            Some((_, until, bytes))
                if start == *until && bytes.is_empty() && with.is_empty() && range == (start..end) =>
            {
                *until = end;
            }
            _ => {
                splices.extend(open.take().map(closed));
                let mut bytes = [&base[start..range.start], &with[..], &base[range.end..end]].concat();
                let mut until = end;
                join_next(base, &mut until, &mut bytes);
                open = Some((start, until, bytes));
            }
        }
    }
    splices.extend(open.map(closed));
    splices
}

/// Returns the splices that change one file to the other.
pub(super) fn diff_lines(base: &Bytes, bytes: &Bytes) -> Vec<Splice> {
    // Of the end of a file, the differences are unknown.
    if base.known_end().is_some() {
        let whole =
            Splice { start: 0, was: base.clone(), becomes: bytes.clone(), line_before: Bytes::default() };
        return if base == bytes { Vec::new() } else { vec![whole] };
    }
    let (start, end, with) = difference(base, bytes);
    if start == end && with.is_empty() {
        return Vec::new();
    }
    // A single line is replaced completely, because both versions are in memory already.
    if !base.is_empty() && lines_around(base, &(start..end)) == (0, base.len()) {
        return vec![Splice {
            start: 0,
            was: base.clone(),
            becomes: bytes.clone(),
            line_before: Bytes::default(),
        }];
    }
    shared_lines(base, vec![(start..end, with.to_vec())])
}

/// Adds the next line to bytes without a line end.
fn join_next(base: &[u8], until: &mut usize, bytes: &mut Vec<u8>) {
    if is_open(bytes) && *until < base.len() {
        let end = base.line_end(*until);
        bytes.extend_from_slice(&base[*until..end]);
        *until = end;
    }
}

fn is_open(bytes: &[u8]) -> bool {
    !bytes.is_empty() && !bytes.ends_with(b"\n")
}

pub fn last_line(bytes: &[u8]) -> &[u8] {
    let from = bytes.len().checked_sub(1).and_then(|last| memchr::memrchr(b'\n', &bytes[..last]));
    &bytes[from.map_or(0, |feed| feed + 1)..]
}

/// An empty range between two lines touches none.
fn lines_around(base: &[u8], range: &Range<usize>) -> (usize, usize) {
    let start = base.line_start(range.start);
    if base.line_start(range.end) == range.end && start == range.start {
        return (start, range.end);
    }
    (start, base.line_end(range.end))
}

/// The number of bytes that are compared at a time.
const BLOCK: usize = 4096;

/// Returns where two files differ: the range of the first, and the bytes of the second.
pub fn difference<'a>(a: &[u8], b: &'a [u8]) -> (usize, usize, &'a [u8]) {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let from = blocks * BLOCK;
    let start = from + a[from..].iter().zip(&b[from..]).take_while(|(a, b)| a == b).count();
    let rest = a.len().min(b.len()) - start;
    let (a_rest, b_rest) = (&a[a.len() - rest..], &b[b.len() - rest..]);
    let blocks =
        a_rest.rchunks_exact(BLOCK).zip(b_rest.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let from = rest - blocks * BLOCK;
    let ends = a_rest[..from].iter().rev().zip(b_rest[..from].iter().rev());
    let same = blocks * BLOCK + ends.take_while(|(a, b)| a == b).count();
    (start, a.len() - same, &b[start..b.len() - same])
}
