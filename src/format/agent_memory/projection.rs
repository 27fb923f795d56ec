//! Projection files and the entry block (§ Projection Files, § Entry Block): Markdown in the
//! repository around the store, made from the bundle, each with the bundle's hash.

use std::path::{Path, PathBuf};

use super::bundle::abridged;
use super::projection_text::{ProjectionSource, is_page};
use crate::format::record_reader::feeds;
use crate::model::{Bytes, Code, Problem, Severity};

/// The version in both kinds of marker.
pub const VERSION: &str = "3";

/// The projections: the word in the marker, and the path relative to the repository.
pub const PROJECTIONS: [(&str, &str); 5] = [
    ("readme", "docs/agent-memory/README.md"),
    ("project-map", "docs/agent-memory/project-map.md"),
    ("current-focus", "docs/agent-memory/current-focus.md"),
    ("gotchas", "docs/agent-memory/gotchas.md"),
    ("next-steps", "docs/agent-memory/next-steps.md"),
];

/// All files beside the store that palimp reads, relative to the repository.
pub const BESIDE: &[&str] = &[
    PROJECTIONS[0].1,
    PROJECTIONS[1].1,
    PROJECTIONS[2].1,
    PROJECTIONS[3].1,
    PROJECTIONS[4].1,
    "AGENTS.md",
    "README.md",
];

#[derive(Debug, PartialEq, Eq)]
pub struct Marker<'a> {
    /// The word of the projection; empty in an entry block.
    pub file: &'a str,
    pub version: &'a str,
    pub hash: &'a str,
}

/// The beginning of a projection's marker, after `<!--`.
pub const PROJECTION_MARK: &str = "agent-memory:projection ";
/// The beginning of an entry block's marker, after `<!--`.
pub const ENTRY_MARK: &str = "agent-memory:entry ";
/// The beginning of an entry block.
pub const ENTRY_START: &str = "<!-- agent-memory:entry version=";
pub const ENTRY_END: &str = "<!-- agent-memory:entry end -->";

/// Reads the marker in one line: `<!-- WHAT name=value … -->`.
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

/// The files beside a store, and the values of the state that they must agree with.
pub struct ProjectionFiles<'a> {
    /// The existing files, relative to the repository.
    pub files: &'a [(PathBuf, Bytes)],
    /// The state's `bundleHash`.
    pub hash: &'a str,
    /// The state's `bundle.project.recommendedEntryFile`.
    pub entry: Option<&'a str>,
    /// What the pages are rendered from, if the state has a bundle.
    pub source: Option<ProjectionSource<'a>>,
}

impl ProjectionFiles<'_> {
    /// Returns a problem for each file that is missing, was made from another bundle, or has another text.
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
        let body = text.trim_start_matches('\u{feff}');
        let first = body.lines().next().unwrap_or_default();
        let Some(marker) = marker(first, PROJECTION_MARK) else {
            return Some(problem("The projection does not start with its marker.".into()).at_line(1));
        };
        let wrong = match () {
            () if marker.file != word => {
                format!("The marker names {:?}; this file is {word:?}.", marker.file)
            }
            () => {
                let rest = body.get(first.len()..).unwrap_or_default();
                self.disagreement(&marker).or_else(|| self.other_text(word, rest))?
            }
        };
        Some(problem(wrong).at_line(1))
    }

    /// Says that a page is not what the format renders.
    fn other_text(&self, word: &str, rest: &str) -> Option<String> {
        let is_own = self.source.as_ref().is_none_or(|source| is_page(rest, &source.page(word)));
        (!is_own).then(|| "Its text is not what the format renders from this state.".into())
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

    /// Says why a marker does not belong to the current bundle.
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

/// Makes a warning about a file beside the store. It is only a warning because the file can be rebuilt.
fn problem(code: Code, path: &str, message: String) -> Problem {
    Problem::of_file(code, Severity::Warning, Path::new("..").join(path), message)
}
