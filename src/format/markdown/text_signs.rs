//! What the text of any file of these folders can show: orders to a model, a sync program's second version, and blocks
//! without an end.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::path::Path;

use crate::model::{Code, Problem, Record, Severity};
use crate::text::second_version::set_aside;
use crate::text::{placeholder_text, prompt_injection};

/// Returns the problems of a file's text. `records` are its memories.
pub fn problems(path: &Path, bytes: &[u8], records: &[Record]) -> Vec<Problem> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    let mut found = Vec::new();
    // A text may have many signs: its lines are counted once.
    let feeds = LazyCell::new(|| memchr::memchr_iter(b'\n', bytes).collect::<Vec<usize>>());
    let mut add = |code, severity, at: usize, message: String| {
        let line = 1 + feeds.partition_point(|feed| *feed < at) as u32;
        let problem = Problem::of_file(code, severity, path, message).at_line(line);
        let next = records.partition_point(|record| record.span.start <= at as u64);
        let record = next.checked_sub(1).filter(|number| records[*number].span.range().contains(&at));
        found.push(match record {
            Some(number) => problem.of_record(number as u32, records[number].id()),
            None => problem,
        });
    };
    for (at, what) in prompt_injection::signs(text) {
        add(Code::UntrustedText, Severity::Warning, at, what.to_owned());
    }
    for at in placeholder_text::places(text) {
        let message = "A model may have written this in place of text that it meant to keep.";
        add(Code::PlaceholderText, Severity::Warning, at, message.into());
    }
    if set_aside(path).is_some() {
        let message = "A sync program set this version aside. Compare it with the other file, and keep one.";
        add(Code::SyncConflict, Severity::Warning, 0, message.into());
    }
    if let Some((at, name)) = open_block(text) {
        let message =
            format!("The block {name:?} has no end: its program may take what follows for its own.");
        add(Code::UnclosedBlock, Severity::Note, at, message);
    }
    found
}

/// Returns the first block between `<!-- NAME:start -->` and `<!-- NAME:end -->` that has no end, and its name.
fn open_block(text: &str) -> Option<(usize, &str)> {
    // A text may have many blocks: the ends are searched once.
    let ends: HashMap<&str, usize> = marks(text, "<!-- ", ":end -->").map(|(at, name)| (name, at)).collect();
    let mut starts = marks(text, "<!--", ":start -->").map(|(at, name)| (at, name.trim()));
    starts.find(|(at, name)| {
        let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
        is_name && ends.get(name).is_none_or(|end| end < at)
    })
}

/// Returns what is between each `close` and the last `open` before it, and where that is.
fn marks<'t>(text: &'t str, open: &'t str, close: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    let mut opens = text.match_indices(open).map(|(at, _)| at).peekable();
    text.match_indices(close).filter_map(move |(end, _)| {
        let mut last = None;
        while let Some(at) = opens.next_if(|at| at + open.len() <= end) {
            last = Some(at);
        }
        // One that another `close` follows first has no name.
        last.map(|at| (at, &text[at + open.len()..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_without_an_end_after_its_start_is_found() {
        let block = |name: &str| format!("<!-- {name}:start -->\nx\n<!-- {name}:end -->\n");
        assert_eq!(open_block(&(block("a") + &block("b"))), None);
        assert_eq!(open_block("<!-- a:end -->\n<!--  a:start -->"), Some((15, "a")));
        assert_eq!(open_block(&(block("a") + "<!-- b:start --> <!-- c:start -->")), Some((34, "b")));
        assert_eq!(open_block("<!-- a:start --> <!-- c d:end --> <!-- a:end -->"), None);
        assert_eq!(open_block("<!-- a b:start --> :start -->"), None);
    }

    #[test]
    fn many_blocks_are_read_in_time() {
        let starts: String = (0..40_000).map(|own| format!("<!-- {own}:start -->")).collect();
        let ends: String = (0..40_000).map(|own| format!("<!-- {own}:end -->")).collect();
        assert_eq!(open_block(&(starts + &ends)), None);
        assert_eq!(open_block(&":start -->".repeat(100_000)), None);
        assert_eq!(open_block(&(" ".repeat(100_000) + &":start -->".repeat(100_000))), None);
    }
}
