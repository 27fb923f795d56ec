//! The conflicts that a merge left in a file: both sides of each, and the markers between them.

use std::ops::Range;

use super::lines::lines;

/// A conflict, as ranges of complete lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeConflict {
    /// All of it, with the markers.
    pub range: Range<usize>,
    /// The lines of the side from before the merge.
    pub ours: Range<usize>,
    /// The lines of the side that was merged in.
    pub theirs: Range<usize>,
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
    let mut found = Vec::new();
    // The first marker of a conflict, the start of its base, and the marker between the sides.
    let (mut begun, mut base, mut parted): (Option<Range<usize>>, Option<usize>, Option<Range<usize>>) =
        Default::default();
    for line in lines(bytes) {
        let content = &bytes[line.start..line.end];
        let range = line.start..line.next;
        match marker(content) {
            Some(b'<') => (begun, base, parted) = (Some(range), None, None),
            Some(b'|') if parted.is_none() => base = base.or(begun.is_some().then_some(line.start)),
            Some(b'=') if begun.is_some() && parted.is_none() => parted = Some(range),
            Some(b'>') => {
                if let (Some(own), Some(middle)) = (begun.take(), parted.take()) {
                    found.push(MergeConflict {
                        range: own.start..line.next,
                        ours: own.end..base.take().unwrap_or(middle.start),
                        theirs: middle.end..line.start,
                    });
                }
            }
            _ => {}
        }
    }
    found
}

fn marker(line: &[u8]) -> Option<u8> {
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
}
