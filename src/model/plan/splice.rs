//! Stretches of whole lines that are replaced, and edits of a file as such stretches.

use crate::model::bytes::Bytes;

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
    pub behind: Vec<u8>,
}

impl Splice {
    /// Where it is in the file that the plan was made of.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end() as usize
    }

    /// Where it ends there.
    pub fn end(&self) -> u64 {
        self.start + self.was.len() as u64
    }
}

/// A line end, for a file whose last line has none: what is added must not be glued to it.
pub fn line_end_for(base: &[u8]) -> &'static [u8] {
    match base.last() {
        None | Some(b'\n') => b"",
        Some(_) => b"\n",
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
    let mut from = 0;
    let ends = splices.iter().map(Some).chain([None]);
    ends.flat_map(move |splice| {
        let start = splice.map_or(base.len(), |own| (own.start as usize).clamp(from, base.len()));
        let stays = &base[from..start];
        from = splice.map_or(start, |own| (start + own.was.len()).min(base.len()));
        [stays, splice.map_or(&[][..], |own| &own.becomes)]
    })
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
            _ => splice.behind.clone(),
        };
        let line = if splice.becomes.is_empty() { &behind[..] } else { last_line(&splice.becomes) };
        before = Some((splice.start + splice.was.len() as u64, line.to_vec()));
        Splice { start, was: splice.becomes.clone(), becomes: splice.was.clone(), behind }
    };
    splices.iter().map(turn).collect()
}

/// Edits of a file as replacements of whole lines, ascending; those on one line become one.
pub fn whole_lines(base: &[u8], mut edits: Vec<(std::ops::Range<usize>, Vec<u8>)>) -> Vec<Splice> {
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
                bytes.extend_from_slice(&base[range.start.min(*until)..range.start]);
                bytes.extend_from_slice(&with);
                let end = end.max(*until);
                bytes.extend_from_slice(&base[range.end..end]);
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
                let mut bytes = [&base[start..range.start], &with, &base[range.end..end]].concat();
                let mut until = end;
                join_next(base, &mut until, &mut bytes);
                open = Some((start, until, bytes));
            }
        }
    }
    splices.extend(open.map(|own| closed(base, own)));
    splices
}

/// What lost its line end is one line with the next.
fn join_next(base: &[u8], until: &mut usize, bytes: &mut Vec<u8>) {
    if is_open(bytes) && *until < base.len() {
        let end = memchr::memchr(b'\n', &base[*until..]).map_or(base.len(), |feed| *until + feed + 1);
        bytes.extend_from_slice(&base[*until..end]);
        *until = end;
    }
}

fn is_open(bytes: &[u8]) -> bool {
    !bytes.is_empty() && !bytes.ends_with(b"\n")
}

fn closed(base: &[u8], (start, end, becomes): (usize, usize, Vec<u8>)) -> Splice {
    let behind = last_line(&base[..start]).to_vec();
    Splice { start: start as u64, was: base[start..end].into(), becomes: becomes.into(), behind }
}

/// The last line, with its end.
pub fn last_line(bytes: &[u8]) -> &[u8] {
    let from = bytes.len().checked_sub(1).and_then(|last| memchr::memrchr(b'\n', &bytes[..last]));
    &bytes[from.map_or(0, |feed| feed + 1)..]
}

/// The lines that a range touches; a range of nothing between two lines touches none.
fn lines_around(base: &[u8], range: &std::ops::Range<usize>) -> (usize, usize) {
    let start = memchr::memrchr(b'\n', &base[..range.start]).map_or(0, |feed| feed + 1);
    let at_start = |at: usize| at == 0 || base[at - 1] == b'\n';
    if at_start(range.end) && start == range.start {
        return (start, range.end);
    }
    let end = memchr::memchr(b'\n', &base[range.end..]).map_or(base.len(), |feed| range.end + feed + 1);
    (start, end)
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
