//! A file of entries between lines of `§`.

use std::ops::Range;
use std::path::Path;

use super::part_reader::PartReader;
use crate::format::notes::note_file::{not_text, stem};
use crate::format::record_reader::{Reading, byte_order_mark};
use crate::model::{Code, Problem, Severity, StoredMemory};

/// What is between two entries that Hermes writes. It reads any line end.
pub const DELIMITER: &str = "\n§\n";
const CRLF_DELIMITER: &str = "\r\n§\r\n";

/// Reads the entries of a file. An entry's id is its file and its place, from 0.
pub fn read(path: &Path, bytes: &[u8]) -> Reading {
    let Ok(text) = std::str::from_utf8(bytes) else { return not_text(path, bytes) };
    let (stem, mut found) = (stem(path), PartReader::of(text));
    for (number, entry) in entries(text).into_iter().enumerate() {
        let memory = StoredMemory { kind: "entry".into(), ..StoredMemory::default() };
        found.take(format!("{stem}.{number}"), memory, (entry.start, entry.end));
    }
    let problems = byte_order_mark(path, bytes).into_iter().chain(problem(path, text));
    Reading { problems: problems.collect(), records: found.records }
}

/// Returns the length of the byte order marks at the start of a text. Hermes reads them as a part of the first entry.
pub fn mark(text: &str) -> usize {
    text.len() - text.trim_start_matches('\u{feff}').len()
}

/// Returns where the entries are, without white space around them.
pub fn entries(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = mark(text);
    while start <= text.len() {
        let rest = &text[start..];
        let next = delimiter(rest);
        let part = &rest[..next.as_ref().map_or(rest.len(), |own| own.start)];
        let lead = part.len() - part.trim_start().len();
        let own = start + lead..start + lead + part.trim().len();
        if !own.is_empty() {
            found.push(own);
        }
        start += next.map_or(rest.len() + 1, |own| own.end);
    }
    found
}

/// Returns where the first delimiter is, with its line ends.
fn delimiter(text: &str) -> Option<Range<usize>> {
    let line_ends = ["\r\n", "\n", "\r"];
    text.match_indices('§').find_map(|(at, mark)| {
        let start = line_ends.iter().find_map(|own| text[..at].strip_suffix(own))?.len();
        let after = &text[at + mark.len()..];
        let end = line_ends.iter().find(|own| after.starts_with(**own))?;
        Some(start..at + mark.len() + end.len())
    })
}

/// Returns a text as Hermes reads it: with one kind of line end.
fn as_read(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// True for a delimiter with any line ends, and nothing around it.
pub fn is_delimiter(text: &str) -> bool {
    text.len() <= CRLF_DELIMITER.len() && as_read(text) == DELIMITER
}

pub fn texts(text: &str) -> impl Iterator<Item = &str> {
    entries(text).into_iter().map(|own| &text[own])
}

/// Returns the delimiter of a text, with its line ends.
pub fn delimiter_of(text: &str) -> &'static str {
    if text.contains(CRLF_DELIMITER) { CRLF_DELIMITER } else { DELIMITER }
}

pub fn has_delimiter(text: &str) -> bool {
    delimiter(text).is_some()
}

/// Returns the number of a line that looks like a delimiter, and is none for Hermes: what is one memory is unknown.
pub fn odd_delimiter(text: &str) -> Option<usize> {
    text.lines().position(|line| line.trim() == "§" && line != "§")
}

/// Returns the bytes that Hermes writes for entries, with this delimiter.
pub fn joined<'a>(entries: impl Iterator<Item = &'a str>, delimiter: &str) -> String {
    entries.map(str::trim).filter(|own| !own.is_empty()).collect::<Vec<_>>().join(delimiter)
}

/// True if a text is as Hermes would write it, but for its line ends. The white space around it may belong to a
/// delimiter.
pub fn is_as_written(text: &str) -> bool {
    let plain = as_read(&text[mark(text)..]);
    joined(texts(&plain), DELIMITER) == plain.trim()
}

/// Returns a text with more entries at its end. What it has stays as it is, if Hermes would write it so.
pub fn with_entries<'a>(text: &'a str, added: impl Iterator<Item = &'a str>) -> String {
    let delimiter = delimiter_of(text);
    let (mark, rest) = text.split_at(mark(text));
    let new = match is_as_written(rest) && !rest.trim().is_empty() {
        true => joined([rest].into_iter().chain(added), delimiter),
        false => joined(texts(rest).chain(added), delimiter),
    };
    format!("{mark}{new}")
}

const SENTENCE_ENDS: [&str; 6] = [". ", "! ", "? ", "。", "！", "？"];

/// Returns the parts of an entry that fit, as long as they can be: cut at empty lines, and where that is not enough at
/// line ends, or after sentences. `None` if a sentence does not fit, or if Hermes would read other entries than these.
pub fn split<'a>(entry: &'a str, fits: &dyn Fn(&str) -> bool) -> Option<Vec<&'a str>> {
    let is_before_gap = |at: &usize| entry[*at..].lines().next().is_none_or(|line| line.trim().is_empty());
    let part = |start: usize, end: usize| {
        let part = entry[start..end].strip_suffix('\n').unwrap_or(&entry[start..end]);
        part.strip_suffix('\r').unwrap_or(part)
    };
    let ends = |signs: &[&str]| -> Vec<usize> {
        let found =
            signs.iter().flat_map(|sign| entry.match_indices(*sign)).map(|(at, sign)| at + sign.len());
        let mut ends: Vec<usize> = found.chain([entry.len()]).collect();
        ends.sort_unstable();
        ends
    };
    let all = [ends(&["\n"]), ends(&SENTENCE_ENDS)];
    let (mut parts, mut start) = (Vec::new(), 0);
    while start < entry.len() {
        let mut fitting = all.iter().map(|ends| {
            let more = ends[ends.partition_point(|end| *end <= start)..].iter().copied();
            more.take_while(|end| fits(part(start, *end))).collect::<Vec<usize>>()
        });
        let fitting = fitting.find(|fitting| !fitting.is_empty())?;
        let last = fitting.last().copied()?;
        let at_gap = fitting.into_iter().rev().find(is_before_gap).unwrap_or(last);
        let end = if last == entry.len() { last } else { at_gap };
        parts.push(part(start, end));
        start = end;
    }
    parts.iter().all(|part| part.lines().all(|line| line.trim() != "§")).then_some(parts)
}

fn problem(path: &Path, text: &str) -> Option<Problem> {
    let (line, message) = match odd_delimiter(text) {
        Some(at) => {
            (at + 1, "The line of `§` has other characters around it: Hermes does not end a memory here.")
        }
        None if is_as_written(text) => return None,
        None => {
            (1, "Hermes would write these memories in another way, and refuses to replace or remove one.")
        }
    };
    Some(Problem::of_file(Code::RoundTrip, Severity::Warning, path, message).at_line(line as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_between_lines_of_the_delimiter() {
        let text = "one\n§\ntwo\nlines § here\n§\nthree";
        let own: Vec<&str> = entries(text).into_iter().map(|own| &text[own]).collect();
        assert_eq!(own, ["one", "two\nlines § here", "three"]);
        assert_eq!(joined(own.into_iter(), DELIMITER), text);
        assert!(problem(Path::new("MEMORY.md"), text).is_none());
        assert!(entries("").is_empty() && entries("\n§\n \n§\n").is_empty());
    }

    #[test]
    fn windows_line_ends_are_read_as_hermes_reads_them() {
        let text = "one\r\n§\r\ntwo\r\nlines\r\n§\r\nthree\r\n";
        assert_eq!(texts(text).collect::<Vec<_>>(), ["one", "two\r\nlines", "three"]);
        assert!(problem(Path::new("MEMORY.md"), text).is_none());
        assert_eq!(texts("a\n§\n§\nb").collect::<Vec<_>>(), ["a", "§\nb"]);
    }

    #[test]
    fn a_new_entry_follows_the_last_one_and_no_delimiter_that_ends_nothing() {
        let with = |text| with_entries(text, ["new fact"].into_iter());
        for text in ["one\n§\ntwo\n§\n", "\n§\none\n§\ntwo", "one\n§\ntwo\n", "one\r§\rtwo\n§\n\n"] {
            assert_eq!(with(text), "one\n§\ntwo\n§\nnew fact", "{text:?}");
        }
        assert_eq!(with("\n§\n"), "new fact");
        assert_eq!(with("one\r\n§\r\ntwo\r\n§\r\n"), "one\r\n§\r\ntwo\r\n§\r\nnew fact");
    }

    #[test]
    fn byte_order_marks_are_no_part_of_the_first_entry_and_stay() {
        let text = "\u{feff}\u{feff}one\n§\ntwo";
        assert_eq!(texts(text).collect::<Vec<_>>(), ["one", "two"]);
        assert!(is_as_written(text));
        assert_eq!(with_entries(text, ["three"].into_iter()), format!("{text}\n§\nthree"));
    }

    #[test]
    fn a_delimiter_with_blanks_is_a_problem_of_its_line() {
        let found = problem(Path::new("MEMORY.md"), "one\n§ \ntwo").unwrap();
        assert_eq!((found.code, found.line), (Code::RoundTrip, Some(2)));
    }

    #[test]
    fn an_entry_is_split_at_empty_lines_and_where_that_is_not_enough_at_line_ends_or_after_sentences() {
        let parts = |text| split(text, &|part: &str| part.len() <= 9);
        assert_eq!(parts("a\nb\n\nc\nd\n\ne").unwrap(), ["a\nb\n\nc\nd", "\ne"]);
        assert_eq!(parts("a\nb\n\n1234567\n89").unwrap(), ["a\nb", "\n1234567", "89"]);
        assert_eq!(parts("1234\r\n5678\r\n9").unwrap(), ["1234", "5678\r\n9"]);
        assert_eq!(parts("1\n2. 3. 4! 56? 7").unwrap(), ["1", "2. 3. 4! ", "56? 7"]);
        assert_eq!(parts("1234567890\na"), None);
        assert_eq!(parts("1234567\n§\nb"), None);
    }

    #[test]
    fn what_hermes_would_write_in_another_way_is_a_problem() {
        for text in
            ["one\n§\n\n§\ntwo", "one \n§\ntwo", "one\n§\ntwo\n§\n", "\n§\none", "one\r\n§\r\n", "\n§\n"]
        {
            let own = problem(Path::new("MEMORY.md"), text).map(|own| own.code);
            assert_eq!(own, Some(Code::RoundTrip), "{text:?}");
        }
    }
}
