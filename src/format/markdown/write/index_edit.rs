//! The lines of an index that lead to files.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::text_form::end_of;
use crate::format::markdown::index_file;
use crate::format::markdown::references::{TextLink, file_links};
use crate::format::notes::edit::text_of;
use crate::format::writing::Result;
use crate::model::{Change, PathText, RemovedLine, Span, Store};
use crate::text::digest::digest;
use crate::text::lines::{LineSpan, lines};
use crate::text::markdown_blocks::{hidden, shown_parts};

/// Returns the lines that lead to these files and to no other.
pub fn lines_to(text: &str, files: &[&Path]) -> Vec<Span> {
    let files: BTreeSet<&Path> = files.iter().copied().collect();
    let leads = |link: &TextLink<'_>| link.path(Path::new("")).is_some_and(|path| files.contains(&*path));
    let links: Vec<_> = index_file::lines(text).collect();
    let lines = links.chunk_by(|one, other| one.line == other.line);
    lines.filter(|line| line.iter().all(leads)).filter_map(<[_]>::first).map(|link| link.span).collect()
}

/// Returns the lines that lead to a file, among others.
pub fn lines_with(text: &str, file: &Path) -> Vec<Span> {
    let found =
        index_file::lines(text).filter(|link| link.path(Path::new("")).is_some_and(|path| path == file));
    found.map(|link| Span { end: link.span.start + link.text.len() as u64, ..link.span }).collect()
}

/// Returns a line that leads to a file.
pub fn line(file: &Path, title: &str) -> String {
    let stem = file.with_extension("");
    // Another link on the line would keep it when the file goes, and a comment would hide what follows.
    let title = title.replace("](", "] (").replace("<!--", "< !--").replace("-->", "-- >");
    format!("- [{}]({}) — {title}", stem.to_text(), file.to_text())
}

/// Returns the change that adds a line to an index, after the last one that leads to a file.
pub fn with_line(store: &Store, index: &str, file: &Path, title: &str) -> Result<Change> {
    let at = end_of_lines(index_text(store, index)?);
    with_lines(store, index, vec![(at, line(file, title))])
}

/// Returns the text of an index: that of a new one if there is none.
pub fn index_text<'a>(store: &'a Store, index: &str) -> Result<&'a str> {
    store.document_at(Path::new(index)).map_or(Ok("# Memory\n\n"), |document| text_of(document))
}

/// Returns the change that adds lines to an index, each at an offset where a line starts, or at its end.
pub fn with_lines(store: &Store, index: &str, new: Vec<(usize, String)>) -> Result<Change> {
    let text = index_text(store, index)?;
    let mut lines: BTreeMap<usize, String> = BTreeMap::new();
    for (at, line) in new {
        lines.entry(at).or_default().push_str(&as_line(text, at, &line));
    }
    Ok(match store.document_at(Path::new(index)) {
        Some(document) => {
            let edits = lines.into_iter().map(|(at, lines)| (at..at, lines.into_bytes()));
            Change::edits(&document.path, document.bytes.clone(), edits.collect())
        }
        None => Change::create(index, [text, &*lines.into_values().collect::<String>()].concat()),
    })
}

/// Returns where the last line ends that leads to a file; the end of the text if none does.
pub fn end_of_lines(text: &str) -> usize {
    let (all, hidden): (Vec<_>, _) = (lines(text.as_bytes()).collect(), hidden(text));
    let leads = |part| file_links(part).next().is_some();
    // It is found from the end: a check asks this once for each file without a line.
    let last = all.iter().rfind(|line| shown_parts(text, line.start..line.end, &hidden).any(leads));
    last.map_or(text.len(), |line| line.next)
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

/// How many lines before and after a removed one are remembered.
const AROUND: usize = 8;

/// Returns the lines that lead to these files and to no other, by the file that each leads to first.
pub fn removed_lines(text: &str, files: &[&Path]) -> BTreeMap<PathBuf, Vec<RemovedLine>> {
    let known: BTreeSet<&Path> = files.iter().copied().collect();
    let all: Vec<LineSpan> = lines(text.as_bytes()).collect();
    let links: Vec<_> = index_file::lines(text).collect();
    let mut found: BTreeMap<PathBuf, Vec<RemovedLine>> = BTreeMap::new();
    for line in links.chunk_by(|one, other| one.line == other.line) {
        let targets: Option<BTreeSet<PathBuf>> = line.iter().map(|link| link.path(Path::new(""))).collect();
        let targets = targets.filter(|paths| paths.iter().all(|path| known.contains(path.as_path())));
        let number = line.first().map_or(0, |link| link.line as usize - 1);
        for target in targets.into_iter().flatten() {
            found.entry(target).or_default().push(removed_of(text, &all, number));
        }
    }
    found
}

/// Returns the line that starts at an offset, with where it is.
pub fn removed_line(text: &str, start: usize) -> RemovedLine {
    let all: Vec<LineSpan> = lines(text.as_bytes()).collect();
    let number = all.iter().position(|own| own.start == start).unwrap_or_default();
    removed_of(text, &all, number)
}

fn removed_of(text: &str, all: &[LineSpan], number: usize) -> RemovedLine {
    let says = |own: &LineSpan| text.get(own.start..own.end).unwrap_or_default();
    let Some(own) = all.get(number) else { return RemovedLine::default() };
    RemovedLine {
        text: says(own).to_owned(),
        number: number as u64,
        before: all[..number].iter().rev().take(AROUND).map(|own| mark(says(own))).collect(),
        after: all[number + 1..].iter().take(AROUND).map(|own| mark(says(own))).collect(),
        is_open: own.next == own.end,
    }
}

fn mark(line: &str) -> String {
    format!("{:016x}", digest(line.as_bytes()) as u64)
}

/// Puts a removed line back: where the most lines around it are as they were, and if none is, after the last line that
/// leads to a file. Of several such places the one nearest to its old number counts.
pub fn with_removed_line(text: &str, own: &RemovedLine) -> String {
    let all: Vec<LineSpan> = lines(text.as_bytes()).collect();
    let marks: Vec<String> =
        all.iter().map(|own| mark(text.get(own.start..own.end).unwrap_or_default())).collect();
    let equal = |mine: &mut dyn Iterator<Item = &String>, wanted: &[String]| {
        mine.zip(wanted).take_while(|(one, other)| one == other).count()
    };
    let score = |at: &usize| {
        let (before, after) = (&marks[..*at], &marks[*at..]);
        let near = (*at as u64).abs_diff(own.number);
        (equal(&mut before.iter().rev(), &own.before) + equal(&mut after.iter(), &own.after), Reverse(near))
    };
    let best = (0..=all.len()).max_by_key(score).filter(|at| score(at).0 > 0);
    let start = |number: usize| all.get(number).map_or(text.len(), |line| line.start);
    let at = best.map_or_else(|| end_of_lines(text), start);
    if own.is_open && at == text.len() && (text.is_empty() || text.ends_with('\n')) {
        return format!("{text}{}", own.text);
    }
    inserted(text, at, &own.text)
}
