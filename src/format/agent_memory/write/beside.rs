//! The files beside the store after a write: projections and the entry block.

use std::path::{Path, PathBuf};

use super::super::projection::{
    ENTRY_END, ENTRY_MARK, ENTRY_START, PROJECTION_MARK, PROJECTIONS, VERSION, marker,
};
use super::canonical::FileAnew;
use super::project::{StateSaid, parts};
use super::{beside_path, markdown};

/// What is between the markers of an entry block: nothing of it is a value.
const BLOCK: &str = "## Project Memory

This repository keeps canonical project memory in `.agent-memory/state.json`.

History and checkpoints live in `.agent-memory/history/`.

Readable projections live in `docs/agent-memory/`.

Recommended reading order:
1. `docs/agent-memory/README.md`
2. `docs/agent-memory/project-map.md`
3. `docs/agent-memory/current-focus.md`
4. `docs/agent-memory/gotchas.md` when debugging gets noisy or surprising
5. `docs/agent-memory/next-steps.md` when you need a clean starting point

Use `npx agent-memory sync`, `npx agent-memory recall`, and `npx agent-memory query` to maintain and retrieve project memory.
";

/// The files beside the store as they are, and what the new state says.
pub struct PagesAnew<'a> {
    /// Those that are there, relative to the folder around the store.
    pub files: &'a [(PathBuf, Vec<u8>)],
    /// What the new state says.
    pub new: &'a StateSaid<'a>,
    /// The hash of its bundle.
    pub hash: &'a str,
}

impl PagesAnew<'_> {
    /// The text of a file; `None` where it is missing, which stays so, or is not UTF-8.
    fn text(&self, path: &str) -> Option<&str> {
        let (_, bytes) = self.files.iter().find(|(own, _)| own == Path::new(path))?;
        std::str::from_utf8(bytes).ok()
    }

    /// The projections anew. `old` gives what the bundle of a hash said, if it is known.
    pub fn projections<'b>(&self, old: &dyn Fn(&str) -> Option<&'b StateSaid<'b>>) -> Vec<FileAnew> {
        let anew = |(word, path): (&str, &str)| Some(beside(path, self.projection(word, path, old)?));
        PROJECTIONS.into_iter().filter_map(anew).collect()
    }

    /// `None` of a file that does not start with its marker.
    fn projection<'b>(
        &self,
        word: &str,
        path: &str,
        old: &dyn Fn(&str) -> Option<&'b StateSaid<'b>>,
    ) -> Option<String> {
        let text = self.text(path)?;
        let (mark, body) = text.split_at(text.len() - text.trim_start_matches('\u{feff}').len());
        let first = body.lines().next().unwrap_or_default();
        let before = marker(first, PROJECTION_MARK)?;
        let old = old(before.hash).map(|old| parts(word, old));
        let rest = body.get(first.len()..).unwrap_or_default();
        let rest = with_feeds(rest, |rest| markdown::renew(rest, old.as_deref(), &parts(word, self.new)));
        let hash = self.hash;
        Some(format!("{mark}<!-- {PROJECTION_MARK}file={word} version={VERSION} bundleHash={hash} -->{rest}"))
    }

    /// The entry file anew; `None` where the marker of its block can't be read.
    pub fn entry(&self, path: &str) -> Option<FileAnew> {
        let text = self.text(path)?;
        let new = format!("<!-- {ENTRY_MARK}version={VERSION} bundleHash={} start -->", self.hash);
        let Some(start) = text.find(ENTRY_START) else {
            let block = format!("{new}\n{BLOCK}{ENTRY_END}");
            return Some(beside(path, with_feeds(text, |text| with_block(text, &block))));
        };
        let (before, rest) = text.split_at(start);
        let first = rest.lines().next().unwrap_or_default();
        let end = first.find("-->")? + 3;
        marker(first.get(..end)?, ENTRY_MARK)?;
        let after = rest.get(end..).unwrap_or_default();
        Some(beside(path, format!("{before}{new}{after}")))
    }
}

fn beside(path: &str, text: String) -> FileAnew {
    FileAnew { path: beside_path(Path::new(path)), bytes: text.into_bytes(), append: false }
}

/// Works on a text of bare line feeds, and gives it the line ends back that it had.
fn with_feeds(text: &str, work: impl FnOnce(&str) -> String) -> String {
    let count = |what: &str| text.matches(what).count();
    if count("\r\n") == 0 || count("\r\n") < count("\n") {
        return work(text);
    }
    work(&text.replace("\r\n", "\n")).replace('\n', "\r\n")
}

/// The page with the block behind its first heading, or at its start.
fn with_block(text: &str, block: &str) -> String {
    let heading = text.lines().find(|line| line.starts_with("# ") && line.len() > 2);
    let end = heading.and_then(|line| text.find(line).map(|at| at + line.len()));
    match end.and_then(|end| text.split_at_checked(end)) {
        Some((before, after)) => format!("{before}\n\n{block}\n\n{}", after.trim_start_matches('\n')),
        None => format!("{block}\n\n{text}").trim_end().to_owned() + "\n",
    }
}
