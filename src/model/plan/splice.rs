//! Stretches of whole lines that are replaced, and edits of a file as such stretches.

use std::ops::Range;

use crate::model::bytes::{Bytes, Ranges};

/// A stretch of whole lines that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// Where the stretch starts in the file that the plan was made of.
    pub start: u64,
    /// Its bytes, line ends included; empty where lines are put in between.
    pub was: Bytes,
    /// What is there afterwards.
    pub becomes: Bytes,
    /// The line before it: where lines are put in between, they go behind this one. Empty
    /// at the start of the file.
    pub line_before: Vec<u8>,
}

impl Splice {
    /// Where it is in the file that the plan was made of.
    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end() as usize
    }

    /// Where it ends there.
    pub fn end(&self) -> u64 {
        self.start + self.was.len() as u64
    }
}

/// A line end, for a file whose last line has none: what is added must not be glued to it.
pub fn line_end_for<B: Ranges + ?Sized>(base: &B) -> &'static [u8] {
    let len = base.len();
    match *base.at(len.saturating_sub(1)..len) {
        [] | [b'\n'] => b"",
        _ => b"\n",
    }
}

/// The file with its stretches replaced.
pub fn apply(base: &[u8], splices: &[Splice]) -> Vec<u8> {
    let grown: usize = splices.iter().map(|splice| splice.becomes.len()).sum();
    let mut out = Vec::with_capacity(base.len() + grown);
    pieces(base, splices).for_each(|piece| out.extend_from_slice(piece));
    out
}

/// The same piece by piece: what stays, and what comes.
pub fn pieces<'b>(base: &'b [u8], splices: &'b [Splice]) -> impl Iterator<Item = &'b [u8]> {
    spliced_parts(base.len(), splices).map(|own| match own {
        SplicedPart::Unchanged(range) => &base[range],
        SplicedPart::Inserted(bytes) => bytes,
    })
}

/// A part of a file with stretches replaced.
pub enum SplicedPart<'s> {
    /// That range of the file before.
    Unchanged(Range<usize>),
    /// What is new.
    Inserted(&'s Bytes),
}

impl SplicedPart<'_> {
    /// How many bytes it has.
    pub fn size(&self) -> usize {
        match self {
            SplicedPart::Unchanged(range) => range.len(),
            SplicedPart::Inserted(bytes) => bytes.len(),
        }
    }
}

/// The stretch of that number among [`spliced_parts`]: what stays before a splice, and what comes by it, in turn.
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

/// The same for a file of so many bytes, whose bytes are not at hand.
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

/// What undoes the splices, in the file as they left it.
pub fn inverse(splices: &[Splice]) -> Vec<Splice> {
    let mut moved = 0_i64;
    // Where the splice before ends, and the line before that place as the splice leaves it.
    let mut before: Option<(u64, Vec<u8>)> = None;
    let turn = |splice: &Splice| {
        let start = (splice.start as i64 + moved) as u64;
        moved += splice.becomes.len() as i64 - splice.was.len() as i64;
        let behind = match before.take() {
            Some((end, line)) if end == splice.start => line,
            _ => splice.line_before.clone(),
        };
        let line = if splice.becomes.is_empty() { &behind[..] } else { last_line(&splice.becomes) };
        before = Some((splice.start + splice.was.len() as u64, line.to_vec()));
        Splice { start, was: splice.becomes.clone(), becomes: splice.was.clone(), line_before: behind }
    };
    splices.iter().map(turn).collect()
}

/// Edits of a file as replacements of whole lines, ascending; those on one line become one.
pub fn whole_lines<B: Ranges + ?Sized>(base: &B, mut edits: Vec<(Range<usize>, Vec<u8>)>) -> Vec<Splice> {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut splices: Vec<Splice> = Vec::new();
    let mut open: Option<(usize, usize, Vec<u8>)> = None;
    for (range, with) in edits {
        let (start, end) = lines_around(base, &range);
        match &mut open {
            // Behind what is no whole line is no other.
            Some((_, until, bytes)) if start < *until || start == *until && is_open(bytes) => {
                // The stretch goes on: what was taken over behind its last edit is given back.
                let taken = *until - range.start.min(*until);
                bytes.truncate(bytes.len() - taken);
                bytes.extend_from_slice(&base.at(range.start.min(*until)..range.start));
                bytes.extend_from_slice(&with);
                let end = end.max(*until);
                bytes.extend_from_slice(&base.at(range.end..end));
                *until = end;
                join_next(base, until, bytes);
            }
            // Lines that go together come back together: none of them is there to put the next behind.
            Some((_, until, bytes))
                if start == *until && bytes.is_empty() && with.is_empty() && range == (start..end) =>
            {
                *until = end;
            }
            _ => {
                splices.extend(open.take().map(|own| closed(base, own)));
                let mut bytes = [&base.at(start..range.start), &with[..], &base.at(range.end..end)].concat();
                let mut until = end;
                join_next(base, &mut until, &mut bytes);
                open = Some((start, until, bytes));
            }
        }
    }
    splices.extend(open.map(|own| closed(base, own)));
    splices
}

/// What makes one of two files of the other.
pub(super) fn diff_lines(base: &Bytes, bytes: &Bytes) -> Vec<Splice> {
    // What is not held is replaced as a whole: to see where it differs would take all of it.
    if (base.is_file_backed() || bytes.is_file_backed()) && !base.is_empty() {
        let whole = Splice { start: 0, was: base.clone(), becomes: bytes.clone(), line_before: Vec::new() };
        return if base == bytes { Vec::new() } else { vec![whole] };
    }
    let (start, end, with) = difference(base, bytes);
    if start == end && with.is_empty() {
        return Vec::new();
    }
    // What is one line is replaced as a whole: both are held already.
    if !base.is_empty() && lines_around(base, &(start..end)) == (0, base.len()) {
        return vec![Splice { start: 0, was: base.clone(), becomes: bytes.clone(), line_before: Vec::new() }];
    }
    whole_lines(base, vec![(start..end, with.to_vec())])
}

/// What lost its line end is one line with the next.
fn join_next<B: Ranges + ?Sized>(base: &B, until: &mut usize, bytes: &mut Vec<u8>) {
    if is_open(bytes) && *until < base.len() {
        let end = base.line_end(*until);
        bytes.extend_from_slice(&base.at(*until..end));
        *until = end;
    }
}

fn is_open(bytes: &[u8]) -> bool {
    !bytes.is_empty() && !bytes.ends_with(b"\n")
}

fn closed<B: Ranges + ?Sized>(base: &B, (start, end, becomes): (usize, usize, Vec<u8>)) -> Splice {
    let behind = base.at(base.line_before(start)..start).into_owned();
    let was = base.at(start..end).into_owned();
    Splice { start: start as u64, was: was.into(), becomes: becomes.into(), line_before: behind }
}

/// The last line, with its end.
pub fn last_line(bytes: &[u8]) -> &[u8] {
    let from = bytes.len().checked_sub(1).and_then(|last| memchr::memrchr(b'\n', &bytes[..last]));
    &bytes[from.map_or(0, |feed| feed + 1)..]
}

/// The lines that a range touches; a range of nothing between two lines touches none.
fn lines_around<B: Ranges + ?Sized>(base: &B, range: &Range<usize>) -> (usize, usize) {
    let start = base.line_start(range.start);
    if base.line_start(range.end) == range.end && start == range.start {
        return (start, range.end);
    }
    (start, base.line_end(range.end))
}

/// So many bytes are compared at once.
const BLOCK: usize = 4096;

/// Where two files differ: the range of the first, and what is there in the second.
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
