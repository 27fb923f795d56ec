//! The lines of an index that lead to files.

use std::path::Path;

use super::end_of;
use crate::format::markdown::index_file;
use crate::format::markdown::references::{file_links, joined};
use crate::format::notes::edit::text_of;
use crate::format::writing::{Result, document};
use crate::model::{Change, PathText, Span, Store};
use crate::text::lines::lines;

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

/// Returns the change that adds a line to an index, after the last one that leads to a file.
pub fn with_line(store: &Store, index: &str, file: &Path, title: &str) -> Result<Change> {
    let stem = file.with_extension("");
    // Another link on the line would keep it when the file goes.
    let title = title.replace("](", "] (");
    let line = format!("- [{}]({}) — {title}", stem.to_text(), file.to_text());
    let Some(own) = document(&store.documents, Path::new(index)) else {
        return Ok(Change::create(index, format!("# Memory\n\n{line}\n").into_bytes()));
    };
    let text = text_of(own)?;
    let end = end_of(text);
    let last = index_file::lines(text).last().map(|own| own.line);
    let at = match last {
        Some(number) => lines(text.as_bytes()).nth(number as usize - 1).map_or(text.len(), |own| own.next),
        None => text.len(),
    };
    let is_open = at > 0 && !text[..at].ends_with('\n');
    let new = if is_open { format!("{end}{line}") } else { format!("{line}{end}") };
    Ok(Change::edits(&own.path, own.bytes.clone(), vec![(at..at, new.into_bytes())]))
}
