//! Which lines and words of two texts differ.

use std::ops::{Range, RangeInclusive};

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// With more lines, or more words in a line, there is no diff: lines are paired by their position.
const MOST: usize = 4_000;
/// Of a differing line with more characters, only what differs is shown, with this many around it.
const LONG: usize = 300;
const AROUND: usize = 60;
const IDEOGRAPHS: [RangeInclusive<char>; 3] =
    ['\u{3040}'..='\u{30ff}', '\u{3400}'..='\u{9fff}', '\u{f900}'..='\u{faff}'];

/// A pair of lines of two texts, and the bytes of each that differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinePair {
    pub sides: [Option<String>; 2],
    pub differing: [Vec<Range<usize>>; 2],
    /// The number of words on both sides, and how many of them are equal.
    pub words: (usize, usize),
}

impl LinePair {
    pub fn differs(&self) -> bool {
        self.sides[0] != self.sides[1]
    }

    /// Returns the pair with `…` for long equal parts of a long line that differs.
    pub fn shortened(mut self) -> LinePair {
        let is_alone = self.sides.iter().any(Option::is_none);
        for (side, differing) in self.sides.iter_mut().flatten().zip(&mut self.differing) {
            if !is_alone && !differing.is_empty() && side.chars().count() > LONG {
                (*side, *differing) = around_differing(side, differing);
            }
        }
        self
    }

    pub fn of(one: Option<&str>, other: Option<&str>) -> LinePair {
        let sides = [one, other];
        let split = sides.map(|side| words(side.unwrap_or_default()));
        let ([left, right], same) = differing(&split[0], &split[1]);
        let [one, other] = sides.map(Option::unwrap_or_default);
        let differing = [joined(one, left), joined(other, right)];
        let count =
            |words: &[(usize, &str)]| words.iter().filter(|(_, word)| !word.trim().is_empty()).count();
        LinePair {
            sides: sides.map(|side| side.map(str::to_owned)),
            differing,
            words: (count(&split[0]) + count(&split[1]), 2 * same),
        }
    }
}

/// Pairs the lines of two texts: equal lines, and lines that replace each other.
pub fn pairs(one: &[String], other: &[String]) -> Vec<LinePair> {
    let mut pairs = Vec::new();
    for (old, new) in places(one, other) {
        let (left, right) = (&one[old], &other[new]);
        for at in 0..left.len().max(right.len()) {
            pairs.push(LinePair::of(left.get(at).map(String::as_str), right.get(at).map(String::as_str)));
        }
    }
    pairs
}

/// Returns the differing parts of a text and what is around them, and the places of these parts in the new text.
fn around_differing(text: &str, differing: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let (mut short, mut places, mut done) = (String::new(), Vec::new(), 0);
    for range in differing {
        push_equal(&mut short, &text[done..range.start], [done > 0, true]);
        let from = short.len();
        short.push_str(&text[range.clone()]);
        places.push(from..short.len());
        done = range.end;
    }
    push_equal(&mut short, &text[done..], [true, false]);
    (short, places)
}

/// Adds an equal part. Of a long one, adds its beginning or its end, or both, where something that differs is beside.
fn push_equal(short: &mut String, part: &str, beside: [bool; 2]) {
    let [head, tail] = beside.map(|is_beside| if is_beside { AROUND } else { 0 });
    let count = part.chars().count();
    if count <= head + tail + 1 {
        return short.push_str(part);
    }
    let byte = |at: usize| part.char_indices().nth(at).map_or(part.len(), |(byte, _)| byte);
    short.push_str(&part[..byte(head)]);
    short.push('…');
    short.push_str(&part[byte(count - tail)..]);
}

/// Returns the ranges of equal or replaced items.
fn places<T: Eq + std::hash::Hash + Ord>(one: &[T], other: &[T]) -> Vec<(Range<usize>, Range<usize>)> {
    if one.len().max(other.len()) > MOST {
        return vec![(0..one.len(), 0..other.len())];
    }
    let stretch = |op: DiffOp| (op.old_range(), op.new_range());
    capture_diff_slices(Algorithm::Myers, one, other).into_iter().map(stretch).collect()
}

/// Returns the bytes of the words that differ, and the number of equal words.
fn differing(one: &[(usize, &str)], other: &[(usize, &str)]) -> ([Vec<Range<usize>>; 2], usize) {
    let [old, new]: [Vec<&str>; 2] = [one, other].map(|words| words.iter().map(|(_, word)| *word).collect());
    // A side that lacks something has an empty range at its place.
    let bytes = |words: &[(usize, &str)], range: Range<usize>| {
        let end = |(at, word): &(usize, &str)| at + word.len();
        let start = words.get(range.start).map(|own| own.0).or_else(|| words.last().map(end)).unwrap_or(0);
        start..words[range].last().map_or(start, end)
    };
    let (mut ranges, mut same) = ([Vec::new(), Vec::new()], 0);
    for (left, right) in places(&old, &new) {
        if old.get(left.clone()) == new.get(right.clone()) {
            same += old[left].iter().filter(|word| !word.trim().is_empty()).count();
            continue;
        }
        ranges[0].push(bytes(one, left));
        ranges[1].push(bytes(other, right));
    }
    (ranges, same)
}

/// Joins ranges with only spaces between them, so that one underline covers them.
fn joined(line: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        let gap =
            |last: &Range<usize>| line.get(last.end..range.start).is_some_and(|own| own.trim().is_empty());
        match joined.last_mut().filter(|last| gap(last)) {
            Some(last) => last.end = range.end,
            None => joined.push(range),
        }
    }
    joined
}

/// Splits a line into words and what is between them, each with its byte offset. Scripts without spaces
/// between words are split into single characters.
fn words(line: &str) -> Vec<(usize, &str)> {
    let kind = |c: char| match c {
        c if c.is_ascii_alphanumeric() || c == '_' => 1,
        c if c.is_alphabetic() && !IDEOGRAPHS.iter().any(|range| range.contains(&c)) => 1,
        c if c.is_whitespace() => 2,
        _ => 3,
    };
    let mut words: Vec<(usize, &str)> = Vec::new();
    let (mut start, mut before) = (0, 0);
    for (at, c) in line.char_indices() {
        if at > 0 && (kind(c) != before || kind(c) == 3) {
            words.push((start, &line[start..at]));
            start = at;
        }
        before = kind(c);
    }
    if start < line.len() {
        words.push((start, &line[start..]));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(one: &str, other: &str) -> [Vec<String>; 2] {
        let pair = LinePair::of(Some(one), Some(other));
        let side = |at: usize| {
            let text = pair.sides[at].clone().unwrap();
            pair.differing[at].iter().map(|own| text[own.clone()].to_owned()).collect()
        };
        [side(0), side(1)]
    }

    #[test]
    fn the_words_that_differ_are_told_and_no_others() {
        let [one, other] = told("The pool of 20 ran out", "The pool of 20 was used up");
        assert_eq!((one, other), (vec!["ran out".to_owned()], vec!["was used up".to_owned()]));
        assert_eq!(told("the same", "the same"), [Vec::<String>::new(), Vec::new()]);
        let [one, other] = told("接続プール", "接続の調査");
        assert!(!one.concat().contains('接') && !other.concat().contains('接'), "{one:?} {other:?}");
    }

    #[test]
    fn of_a_long_line_the_word_that_differs_is_shown_with_what_is_around_it() {
        let line = |word: &str| format!("{} {word} {}", "left ".repeat(400), "right ".repeat(400));
        for (one, other) in [(line("old"), line("new")), (line(""), line("added")), (line("gone"), line(""))]
        {
            let pair = LinePair::of(Some(&one), Some(&other)).shortened();
            for (side, word) in pair.sides.iter().flatten().zip([&one, &other]) {
                assert!(side.chars().count() < 2 * AROUND + 20, "{side}");
                assert!(side.starts_with('…') && side.ends_with('…'), "{side}");
                let word = word.replace("left", "").replace("right", "");
                assert!(
                    side.contains(word.trim()) && side.contains("left") && side.contains("right"),
                    "{side}"
                );
            }
            let told = |at: usize| {
                pair.differing[at]
                    .iter()
                    .map(|own| &pair.sides[at].as_ref().unwrap()[own.clone()])
                    .collect::<String>()
            };
            assert!(told(0).trim().len() < 8 && told(1).trim().len() < 8, "{} {}", told(0), told(1));
        }
    }

    #[test]
    fn a_line_that_one_text_has_alone_is_beside_nothing() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let pairs = pairs(&lines("one\ntwo\nthree"), &lines("one\nthree"));
        let sides: Vec<_> =
            pairs.iter().map(|own| (own.sides[0].is_some(), own.sides[1].is_some())).collect();
        assert_eq!(sides, [(true, true), (true, false), (true, true)]);
    }
}
