//! The lines of an index that lead to files.

use std::path::{Path, PathBuf};

use super::text_form::end_of;
use crate::format::markdown::index_file::{self, IndexLine};
use crate::format::markdown::references::{file_links, joined};
use crate::format::notes::edit::text_of;
use crate::format::writing::Result;
use crate::model::{Change, PathText, Span, Store};
use crate::text::lines::{LineSpan, lines};
use crate::text::part_range::part_range;

/// Returns the lines that lead to these files and to no other.
pub fn lines_to(text: &str, files: &[&Path]) -> Vec<Span> {
    let leads = |target: &str| {
        let path = joined(Path::new(""), target).map(|own| format!("{own}.md"));
        path.is_some_and(|path| files.iter().any(|own| *own == Path::new(&path)))
    };
    let is_it = |line: &str| {
        let mut links = file_links(line).peekable();
        links.peek().is_some() && links.all(leads)
    };
    let own = lines(text.as_bytes()).filter(|line| text.get(line.start..line.end).is_some_and(is_it));
    own.map(|line| Span { start: line.start as u64, end: line.next as u64 }).collect()
}

/// Returns the lines that lead to a file, among others.
pub fn lines_with(text: &str, file: &Path) -> Vec<Span> {
    let leads = |own: &IndexLine<'_>| joined(Path::new(""), own.target).map(|own| format!("{own}.md").into());
    let is_it = |own: &IndexLine<'_>| leads(own).is_some_and(|path: PathBuf| path == file);
    let start = |own: &IndexLine<'_>| part_range(text, own.text).start as u64;
    let found = index_file::lines(text).filter(is_it).map(|own| (start(&own), own.text.len() as u64));
    found.map(|(start, len)| Span { start, end: start + len }).collect()
}

/// True if a line leads to a file.
pub fn leads(line: &str) -> bool {
    file_links(line).next().is_some()
}

/// Returns a line that leads to a file.
pub fn line(file: &Path, title: &str) -> String {
    let stem = file.with_extension("");
    // Another link on the line would keep it when the file goes.
    let title = title.replace("](", "] (");
    format!("- [{}]({}) — {title}", stem.to_text(), file.to_text())
}

/// Returns the change that adds a line to an index that leads to a file.
pub fn with_line(store: &Store, index: &str, file: &Path, title: &str) -> Result<Change> {
    with_lines(store, index, &[line(file, title)])
}

/// Returns the change that adds lines to an index, after the last one that leads to a file.
pub fn with_lines(store: &Store, index: &str, added: &[String]) -> Result<Change> {
    let Some(own) = store.document_at(Path::new(index)) else {
        return Ok(Change::create(index, format!("# Memory\n\n{}\n", added.join("\n")).into_bytes()));
    };
    let text = text_of(own)?;
    let at = end_of_lines(text);
    let new = as_line(text, at, &added.join(end_of(text)));
    Ok(Change::edits(&own.path, own.bytes.clone(), vec![(at..at, new.into_bytes())]))
}

/// Returns where the last line ends that leads to a file; the end of the text if none does.
pub fn end_of_lines(text: &str) -> usize {
    let all: Vec<_> = lines(text.as_bytes()).collect();
    // It is found from the end: a check asks this once for each file without a line.
    let last = all.iter().rfind(|own| text.get(own.start..own.end).is_some_and(leads));
    last.map_or(text.len(), |own| own.next)
}

/// Returns the text with a line at an offset where a line starts, or at its end.
pub fn inserted(text: &str, at: usize, line: &str) -> String {
    format!("{}{}{}", &text[..at], as_line(text, at, line), &text[at..])
}

fn as_line(text: &str, at: usize, line: &str) -> String {
    let end = end_of(text);
    let is_open = at > 0 && !text[..at].ends_with('\n');
    if is_open { format!("{end}{line}") } else { format!("{line}{end}") }
}

/// Puts the line of an older text that starts at `start` back into the text: after the line that was before it, or
/// before the one that was after it, if that is there once. Else after the last one that leads to a file.
pub fn with_line_again(text: &str, old: &str, start: usize) -> String {
    let Some((before, rest)) = old.split_at_checked(start) else { return text.to_owned() };
    let line = rest.lines().next().unwrap_or_default();
    let after = rest.split_once('\n').map_or("", |(_, after)| after);
    let all: Vec<LineSpan> = lines(text.as_bytes()).collect();
    let says = |own: &LineSpan| text.get(own.start..own.end).unwrap_or_default();
    let only = |wanted: &str| {
        let mut found = (0..all.len()).filter(|at| says(&all[*at]) == wanted);
        found.next().filter(|_| found.next().is_none())
    };
    let is_empty = |at: usize| all.get(at).is_some_and(|own| says(own).trim().is_empty());
    let mut empty = 0;
    for own in before.lines().rev() {
        if own.trim().is_empty() {
            empty += 1;
        } else if let Some(at) = only(own) {
            let skipped = (at + 1..).take(empty).take_while(|at| is_empty(*at)).count();
            return inserted(text, all[at + skipped].next, line);
        }
    }
    empty = 0;
    for own in after.lines() {
        if own.trim().is_empty() {
            empty += 1;
        } else if let Some(at) = only(own) {
            let skipped = (0..at).rev().take(empty).take_while(|at| is_empty(*at)).count();
            return inserted(text, all[at - skipped].start, line);
        }
    }
    inserted(text, end_of_lines(text), line)
}
