//! What the lines of an index say about the files that they lead to, what a model does not see because of its limit,
//! and secrets in lines that are no memory.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::index_file;
use crate::detectors::{mask, secret_spans};
use crate::model::{Code, Document, PathText, Problem, Severity, UNSEEN};
use crate::text::lines::{LineSpan, lines};

/// The name of what a line of an index says about a memory.
const INDEX: &str = "index";

/// Returns what the lines say, by the number of the entry of the file, and why a model does not see a file. From the line
/// `cut` on nothing is loaded. `files` has the numbers of the entries.
pub fn facts(
    (index, cut): (&Document, Option<u32>),
    text: &str,
    files: &HashMap<&Path, u32>,
) -> Vec<(u32, &'static str, String)> {
    let name = index.path.to_text();
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    for link in index_file::lines(text) {
        let path = link.path(Path::new(""));
        let Some(number) = path.and_then(|path| files.get(&*path).copied()) else { continue };
        let cut = cut.filter(|cut| link.line >= *cut);
        let unseen = if cut.is_some() { ", which the model never sees" } else { "" };
        found.push((number, INDEX, format!("line {}{unseen}: {}", link.line, mask(link.text.trim()))));
        // If the first line is not loaded, none is.
        if let (true, Some(cut)) = (known.insert(number), cut) {
            let why = format!("{name} is cut at line {cut}, before each line that leads here");
            found.push((number, UNSEEN, why));
        }
    }
    found
}

/// Returns a warning for each line of an index that has a secret and is a part of no memory.
pub fn secrets(index: &Document, text: &str) -> Vec<Problem> {
    let is_outside = |at: &usize| {
        let next = index.records.partition_point(|record| record.span.start <= *at as u64);
        next.checked_sub(1).is_none_or(|number| !index.records[number].span.range().contains(at))
    };
    let spans = secret_spans(text);
    let mut starts: Vec<usize> = spans.iter().map(|span| span.start).filter(is_outside).collect();
    starts.sort_unstable();
    let has_secret = |(_, line): &(u32, LineSpan)| {
        let first = starts.partition_point(|at| *at < line.start);
        starts.get(first).is_some_and(|at| *at < line.next)
    };
    let problem = |(line, _): (u32, LineSpan)| {
        let message =
            "The line has what looks like a secret, and is no memory: `erase --value-from -` removes it.";
        Problem::of_file(Code::SecretInIndex, Severity::Warning, &index.path, message).at_line(line)
    };
    (1..).zip(lines(text.as_bytes())).filter(has_secret).map(problem).collect()
}
