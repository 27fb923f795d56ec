//! Projection files and the entry block (§ Projection Files, § Entry Block): Markdown in
//! the repository around the store, made from the bundle, each with its hash.

use std::path::{Path, PathBuf};

use super::bundle::abridged;
use crate::format::record_reader::feeds;
use crate::model::{Code, Problem, Severity};

/// The version that both kinds of marker name.
pub const VERSION: &str = "3";

/// The projections: the word in the marker, and the file relative to the repository.
pub const PROJECTIONS: [(&str, &str); 5] = [
    ("readme", "docs/agent-memory/README.md"),
    ("project-map", "docs/agent-memory/project-map.md"),
    ("current-focus", "docs/agent-memory/current-focus.md"),
    ("gotchas", "docs/agent-memory/gotchas.md"),
    ("next-steps", "docs/agent-memory/next-steps.md"),
];

/// Every file beside the store that is looked at, relative to the repository.
pub const BESIDE: &[&str] = &[
    PROJECTIONS[0].1,
    PROJECTIONS[1].1,
    PROJECTIONS[2].1,
    PROJECTIONS[3].1,
    PROJECTIONS[4].1,
    "AGENTS.md",
    "README.md",
];

/// What a marker says.
#[derive(Debug, PartialEq, Eq)]
pub struct Marker<'a> {
    /// The projection's word; empty in the marker of an entry block.
    pub file: &'a str,
    /// Of the rendering.
    pub version: &'a str,
    /// Of the bundle.
    pub hash: &'a str,
}

/// What the marker of a projection starts with.
pub const PROJECTION_MARK: &str = "agent-memory:projection ";
/// What the marker of an entry block starts with.
pub const ENTRY_MARK: &str = "agent-memory:entry ";
/// What starts an entry block.
pub const ENTRY_START: &str = "<!-- agent-memory:entry version=";
/// What ends an entry block.
pub const ENTRY_END: &str = "<!-- agent-memory:entry end -->";

/// The marker within one line: `<!-- WHAT name=value … -->`.
pub fn marker<'a>(line: &'a str, what: &str) -> Option<Marker<'a>> {
    let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim().strip_prefix(what)?;
    let value =
        |name: &str| inner.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    Some(Marker {
        file: value("file").unwrap_or_default(),
        version: value("version")?,
        hash: value("bundleHash")?,
    })
}

/// The files beside a store as they were read, and what the state says of itself.
pub struct ProjectionFiles<'a> {
    /// Those that are there, relative to the repository.
    pub files: &'a [(PathBuf, Vec<u8>)],
    /// The state's `bundleHash`.
    pub hash: &'a str,
    /// The state's `bundle.project.recommendedEntryFile`.
    pub entry: Option<&'a str>,
}

impl ProjectionFiles<'_> {
    /// What is missing or was made from another bundle.
    pub fn check(&self) -> Vec<Problem> {
        let projections = PROJECTIONS.iter().filter_map(|(word, path)| self.projection(word, path));
        let entry = self.entry.filter(|entry| BESIDE.contains(entry));
        projections.chain(entry.and_then(|entry| self.entry_block(entry))).collect()
    }

    fn text(&self, path: &str) -> Option<String> {
        let (_, bytes) = self.files.iter().find(|(own, _)| own == Path::new(path))?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    fn projection(&self, word: &str, path: &str) -> Option<Problem> {
        let problem = |message: String| problem(Code::ProjectionStale, path, message);
        let Some(text) = self.text(path) else {
            return Some(problem("The projection is missing; it is made from the bundle.".into()));
        };
        let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
        let Some(marker) = marker(first, PROJECTION_MARK) else {
            return Some(problem("The projection does not start with its marker.".into()).at_line(1));
        };
        let wrong = match () {
            () if marker.file != word => {
                format!("The marker names {:?}; this file is {word:?}.", marker.file)
            }
            () => self.disagreement(&marker)?,
        };
        Some(problem(wrong).at_line(1))
    }

    fn entry_block(&self, path: &str) -> Option<Problem> {
        let problem = |message: String| problem(Code::EntryBlockStale, path, message);
        let Some(text) = self.text(path) else {
            return Some(problem("The entry file that the project names is missing.".into()));
        };
        let Some(start) = text.find(ENTRY_START) else {
            return Some(problem("The entry file holds no project-memory block.".into()));
        };
        let rest = &text[start..];
        let line = 1 + feeds(&text.as_bytes()[..start]);
        let first = rest.lines().next().unwrap_or_default();
        let first = first.find("-->").map_or(first, |end| &first[..end + 3]);
        let wrong = match marker(first, ENTRY_MARK) {
            None => "The marker of the project-memory block can't be read.".into(),
            Some(_) if !rest.contains(ENTRY_END) => "The project-memory block has no end.".into(),
            Some(marker) => self.disagreement(&marker)?,
        };
        Some(problem(wrong).at_line(line))
    }

    /// Why a marker is not one of the current bundle.
    fn disagreement(&self, marker: &Marker<'_>) -> Option<String> {
        if marker.version != VERSION {
            return Some(format!("It names version {:?}; this format has {VERSION}.", marker.version));
        }
        (marker.hash != self.hash).then(|| {
            let (made, now) = (abridged(marker.hash), abridged(self.hash));
            format!("It was made from the bundle {made}, and the state's is {now}.")
        })
    }
}

/// A problem of a file beside the store: both are derived, and can be made anew.
fn problem(code: Code, path: &str, message: String) -> Problem {
    Problem::of_file(code, Severity::Warning, Path::new("..").join(path), message)
}
