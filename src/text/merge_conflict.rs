//! The conflicts that a merge left in a file: both sides of each, and the markers between them.

use std::ops::Range;

use super::lines::{lines, text_in_place};
use super::markdown_blocks::{block_at, code};

/// A conflict, as ranges of complete lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeConflict {
    /// All of it, with the markers.
    pub range: Range<usize>,
    /// The lines of the side from before the merge.
    pub ours: Range<usize>,
    /// The lines of the side that was merged in.
    pub theirs: Range<usize>,
    /// True for a marker without the other side: it has no lines.
    pub is_stray: bool,
}

/// The lines of a conflict that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictSide {
    /// Those from before the merge.
    Ours,
    /// Those that were merged in.
    Theirs,
    /// All of them, without the markers.
    Both,
}

impl MergeConflict {
    /// Returns what is removed if those lines stay.
    pub fn goes(&self, side: ConflictSide) -> Vec<Range<usize>> {
        let (start, end) = (self.range.start, self.range.end);
        let (ours, theirs) = (&self.ours, &self.theirs);
        let gaps = match side {
            ConflictSide::Ours => vec![start..ours.start, ours.end..end],
            ConflictSide::Theirs => vec![start..theirs.start, theirs.end..end],
            ConflictSide::Both => vec![start..ours.start, ours.end..theirs.start, theirs.end..end],
        };
        gaps.into_iter().filter(|own| !own.is_empty()).collect()
    }
}

/// Returns every conflict that has all its markers.
pub fn conflicts(bytes: &[u8]) -> Vec<MergeConflict> {
    merge_places(bytes).into_iter().filter(|place| !place.is_stray).collect()
}

/// Returns every conflict, and each marker without the other side. Quoted code is only an example.
pub fn merge_places(bytes: &[u8]) -> Vec<MergeConflict> {
    let mut found = Vec::new();
    if [b"<<<<<<<", b">>>>>>>"].iter().all(|mark| memchr::memmem::find(bytes, *mark).is_none()) {
        return found;
    }
    // The first marker of a conflict, that of its base, and the one between the sides.
    let mut begun: [Option<Range<usize>>; 3] = Default::default();
    let code = code(&text_in_place(bytes));
    let is_labelled = |line: &Range<usize>| !bytes[line.start + 7..line.end].trim_ascii().is_empty();
    let stray = |range: Range<usize>| {
        let none = range.end..range.end;
        MergeConflict { range, ours: none.clone(), theirs: none, is_stray: true }
    };
    let strays = |begun: [Option<Range<usize>>; 3]| {
        let is_sure = begun[0].as_ref().is_some_and(is_labelled);
        begun.into_iter().flatten().filter(move |_| is_sure).map(stray)
    };
    for line in lines(bytes) {
        let range = line.start..line.next;
        let is_example = || begun[0].is_none() && block_at(&code, line.start).is_some();
        match marker(&bytes[line.start..line.end]) {
            Some(_) if is_example() => {}
            Some(b'<') => found.extend(strays(std::mem::replace(&mut begun, [Some(range), None, None]))),
            Some(b'|') if begun[0].is_some() && begun[1..] == [None, None] => begun[1] = Some(range),
            Some(b'=') if begun[0].is_some() && begun[2].is_none() => begun[2] = Some(range),
            Some(b'>') => match std::mem::take(&mut begun) {
                [Some(first), base, Some(middle)] => found.push(MergeConflict {
                    range: first.start..line.next,
                    ours: first.end..base.as_ref().unwrap_or(&middle).start,
                    theirs: middle.end..line.start,
                    is_stray: false,
                }),
                left => {
                    found.extend(strays(left));
                    found.extend(is_labelled(&range).then(|| stray(range)));
                }
            },
            _ => {}
        }
    }
    found.extend(strays(begun));
    found
}

/// True for a line that a merge writes.
pub fn is_marker(line: &str) -> bool {
    marker(line.as_bytes()).is_some()
}

/// Returns the sign of a line that a merge writes.
pub(super) fn marker(line: &[u8]) -> Option<u8> {
    let sign = *line.first()?;
    let is_run = line.len() >= 7 && line[..7].iter().all(|byte| *byte == sign);
    (b"<=>|".contains(&sign) && is_run && line.get(7).is_none_or(|byte| *byte == b' ')).then_some(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_side_or_both_stay_and_the_markers_go() {
        let text = "a\n<<<<<<< HEAD\nb\n||||||| base\nx\n=======\nc\nd\n>>>>>>> topic\ne\n";
        let found = conflicts(text.as_bytes());
        assert_eq!(found.len(), 1);
        let left = |side| {
            let mut own = text.as_bytes().to_vec();
            found[0].goes(side).into_iter().rev().for_each(|range| drop(own.drain(range)));
            String::from_utf8(own).unwrap()
        };
        assert_eq!(
            [left(ConflictSide::Ours), left(ConflictSide::Theirs), left(ConflictSide::Both)],
            ["a\nb\ne\n", "a\nc\nd\ne\n", "a\nb\nc\nd\ne\n"]
        );
        assert_eq!(conflicts(b"=======\n>>>>>>> x\n<<<<<<< y\n"), []);
    }

    #[test]
    fn a_marker_without_the_other_side_is_found_and_headings_quotes_and_code_are_not() {
        let strays = |text: &str| {
            let found = merge_places(text.as_bytes()).into_iter().filter(|place| place.is_stray);
            found.map(|place| text[place.range].trim_end().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(strays("a\n<<<<<<< HEAD\nb\n"), ["<<<<<<< HEAD"]);
        assert_eq!(strays("<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n"), ["<<<<<<< HEAD", "======="]);
        assert_eq!(strays("<<<<<<< a\nb\n<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n"), ["<<<<<<< a"]);
        for text in
            ["Heading\n=======\n", "<<<<<<<\n", "```\n<<<<<<< a\n```\n", "<<<<<<< a\n=======\n>>>>>>> b\n"]
        {
            assert_eq!(strays(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn conflicts_outside_code_are_found_and_many_are_read_in_time() {
        let one = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n";
        let text = format!("```x``` and\n{one}````\n```\n{one}````\n{one}");
        assert_eq!(conflicts(text.as_bytes()).len(), 2);
        assert_eq!(conflicts(one.repeat(20_000).as_bytes()).len(), 20_000);
    }
}
