//! The lines of an index that lead to files.

use std::path::{Path, PathBuf};

use super::text_form::end_of;
use crate::format::markdown::index_file::{self, IndexLine};
use crate::format::markdown::references::{file_links, joined};
use crate::format::notes::edit::text_of;
use crate::format::writing::{Result, document};
use crate::model::{Change, PathText, Span, Store};
use crate::text::lines::lines;
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
    let Some(own) = document(&store.documents, Path::new(index)) else {
        return Ok(Change::create(index, format!("# Memory\n\n{}\n", added.join("\n")).into_bytes()));
    };
    let text = text_of(own)?;
    let end = end_of(text);
    let last = index_file::lines(text).last().map(|own| own.line);
    let at = match last {
        Some(number) => lines(text.as_bytes()).nth(number as usize - 1).map_or(text.len(), |own| own.next),
        None => text.len(),
    };
    let line = added.join(end);
    let is_open = at > 0 && !text[..at].ends_with('\n');
    let new = if is_open { format!("{end}{line}") } else { format!("{line}{end}") };
    Ok(Change::edits(&own.path, own.bytes.clone(), vec![(at..at, new.into_bytes())]))
}
