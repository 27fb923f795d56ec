//! Rebuilds the files beside the store after a write: projections and the entry block.

use std::path::{Path, PathBuf};

use super::super::projection::{
    ENTRY_END, ENTRY_MARK, ENTRY_START, PROJECTION_MARK, PROJECTIONS, VERSION, marker,
};
use super::super::projection_text::{ProjectionSource, is_page, marker_line};
use super::path_edits::{BundleFileWrite, beside_path};
use crate::model::Bytes;

/// The text between the markers of an entry block. It holds no values.
const BLOCK: &str = include_str!("../../../../assets/agent_memory/entry_block.md");

/// The files beside the store, and what the new state says.
pub struct PageRebuild<'a> {
    /// The existing files, relative to the folder around the store.
    pub files: &'a [(PathBuf, Bytes)],
    pub new: &'a ProjectionSource<'a>,
    /// The hash of the new bundle.
    pub hash: &'a str,
}

impl PageRebuild<'_> {
    /// Rebuilds the projections. `known` has the sources that they may be made from.
    pub fn projections(&self, known: &[ProjectionSource<'_>]) -> Vec<BundleFileWrite> {
        let page = |(word, path): (&str, &str)| Some(beside(path, self.projection(word, path, known)?));
        PROJECTIONS.into_iter().filter_map(page).collect()
    }

    /// Renders a projection; `None` if the file is not what was rendered from a known state.
    fn projection(&self, word: &str, path: &str, known: &[ProjectionSource<'_>]) -> Option<String> {
        let text = std::str::from_utf8(self.bytes(path)?).ok()?;
        let (mark, body) = text.split_at(text.len() - text.trim_start_matches('\u{feff}').len());
        let first = body.lines().next().unwrap_or_default();
        marker(first, PROJECTION_MARK)?;
        let rest = body.get(first.len()..).unwrap_or_default();
        // The time of a state is lost with it.
        let timeless = |text: &str| -> String {
            text.split_inclusive('\n').filter(|line| !line.starts_with("- Last generated: ")).collect()
        };
        let is_of = |source: &ProjectionSource<'_>| is_page(&timeless(rest), &timeless(&source.page(word)));
        let is_own = rest.trim().is_empty() || known.iter().chain([self.new]).any(is_of);
        let new = with_feeds(rest, |_| self.new.page(word));
        is_own.then(|| format!("{mark}{}{new}", marker_line(word, self.hash)))
    }

    /// Returns the bytes of a file; `None` if it is missing, which it stays.
    fn bytes(&self, path: &str) -> Option<&[u8]> {
        self.files.iter().find(|(own, _)| own == Path::new(path)).map(|(_, bytes)| &**bytes)
    }

    /// Rebuilds the entry file; `None` if its block has no marker that can be read, or no end.
    pub fn entry(&self, path: &str) -> Option<BundleFileWrite> {
        let text = std::str::from_utf8(self.bytes(path)?).ok()?;
        let new = format!("<!-- {ENTRY_MARK}version={VERSION} bundleHash={} start -->", self.hash);
        let Some(start) = text.find(ENTRY_START) else {
            let block = format!("{new}\n{BLOCK}{ENTRY_END}");
            return Some(beside(path, with_feeds(text, |text| with_block(text, &block))));
        };
        let (before, rest) = text.split_at(start);
        let first = rest.lines().next().unwrap_or_default();
        let (first, after) = rest.split_at_checked(first.find("-->")? + "-->".len())?;
        marker(first, ENTRY_MARK)?;
        after.contains(ENTRY_END).then(|| beside(path, format!("{before}{new}{after}")))
    }
}

fn beside(path: &str, text: String) -> BundleFileWrite {
    BundleFileWrite { path: beside_path(Path::new(path)), bytes: text.into_bytes(), append: false }
}

/// Runs `work` on text with bare line feeds. If all line ends were CRLF, they are CRLF again afterwards.
fn with_feeds(text: &str, work: impl FnOnce(&str) -> String) -> String {
    let count = |what: &str| text.matches(what).count();
    if count("\r\n") == 0 || count("\r\n") < count("\n") {
        return work(text);
    }
    work(&text.replace("\r\n", "\n")).replace('\n', "\r\n")
}

/// Inserts the block after the first heading, or at the start.
fn with_block(text: &str, block: &str) -> String {
    let heading = text.lines().find(|line| line.starts_with("# ") && line.len() > 2);
    let end = heading.and_then(|line| text.find(line).map(|at| at + line.len()));
    match end.and_then(|end| text.split_at_checked(end)) {
        Some((before, after)) => format!("{before}\n\n{block}\n\n{}", after.trim_start_matches('\n')),
        None => format!("{block}\n\n{text}").trim_end().to_owned() + "\n",
    }
}
