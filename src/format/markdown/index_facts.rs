//! What the lines of an index say about the files that they lead to, what a model does not see because of its limit,
//! and secrets in lines that are no memory.

use std::collections::HashMap;
use std::path::Path;

use super::index_file;
use super::references::TextLink;
use crate::detectors::{mask, secret_spans};
use crate::model::{Code, Document, PathText, Problem, Severity, UNSEEN};
use crate::text::lines::lines;

/// The name of what a line of an index says about a memory.
const INDEX: &str = "index";

/// Returns what the lines say, by the number of the entry of the file. `files` has these numbers. From the line `cut`
/// on nothing is loaded.
pub fn facts(text: &str, files: &HashMap<&Path, u32>, cut: Option<u32>) -> Vec<(u32, &'static str, String)> {
    let fact = |own: TextLink<'_>| {
        let path = own.path(Path::new(""))?;
        let unseen = if cut.is_some_and(|cut| own.line >= cut) { ", which the model never sees" } else { "" };
        let said = mask(own.text.trim());
        Some((*files.get(&*path)?, INDEX, format!("line {}{unseen}: {said}", own.line)))
    };
    index_file::lines(text).filter_map(fact).collect()
}

/// Returns for the entries that a model does not see why: parts of the index after its cut, and files to which only
/// lines after it lead. The index has its cut, `files` has the numbers of the files' entries, `parts` those of the parts with their lines.
pub fn unseen(
    (index, cut): (&Document, u32),
    text: &str,
    files: &HashMap<&Path, u32>,
    parts: impl Iterator<Item = (u32, u32)>,
) -> Vec<(u32, &'static str, String)> {
    let name = index.path.to_text();
    let mut leads: HashMap<u32, bool> = HashMap::new();
    for own in index_file::lines(text) {
        let path = own.path(Path::new(""));
        let Some(number) = path.and_then(|path| files.get(&*path).copied()) else { continue };
        *leads.entry(number).or_default() |= own.line < cut;
    }
    let leads = leads.into_iter().filter(|(_, is_loaded)| !is_loaded).map(|(number, _)| {
        (number, UNSEEN, format!("{name} is cut at line {cut}, before each line that leads here"))
    });
    let parts = parts.filter(|(_, line)| *line >= cut);
    let parts =
        parts.map(|(number, _)| (number, UNSEEN, format!("{name} is cut at line {cut}, before this")));
    leads.chain(parts).collect()
}

/// Returns a warning for each line of an index that has a secret and is a part of no memory.
pub fn secrets(index: &Document, text: &str) -> Vec<Problem> {
    let spans = secret_spans(text);
    let is_within = |at: usize| index.records.iter().any(|own| own.span.range().contains(&at));
    let outside = spans.iter().filter(|own| !is_within(own.start));
    let number =
        |at: usize| lines(text.as_bytes()).position(|own| at < own.next).unwrap_or_default() as u32 + 1;
    let mut found: Vec<u32> = outside.map(|own| number(own.start)).collect();
    found.dedup();
    let problem = |line: u32| {
        let message =
            "The line has what looks like a secret, and is no memory: `erase --value-from -` removes it.";
        Problem::of_file(Code::SecretInIndex, Severity::Warning, &index.path, message).at_line(line)
    };
    found.into_iter().map(problem).collect()
}
