//! Rebuilds the files beside the store after a write: projections and the entry block.

use std::path::{Path, PathBuf};

use super::super::projection::{
    ENTRY_END, ENTRY_MARK, ENTRY_START, PROJECTION_MARK, PROJECTIONS, VERSION, marker,
};
use super::super::projection_text::{ProjectionSource, is_piece, marker_line};
use super::path_edits::{BundleFileWrite, beside_path};
use crate::model::Bytes;

const PROJECTION_START: &str = "<!-- agent-memory:projection ";

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

    /// Renders a projection; `None` if the file is not what was rendered from a known state, or a piece of that.
    fn projection(&self, word: &str, path: &str, known: &[ProjectionSource<'_>]) -> Option<String> {
        let text = self.page(path)?;
        let (mark, body) = text.split_at(text.len() - text.trim_start_matches('\u{feff}').len());
        let first = body.lines().next().unwrap_or_default();
        // A marker that was cut at its start still has its end. Beside a text of another author it is none.
        let hash = first.split_once("bundleHash=").and_then(|(_, own)| own.trim_end().strip_suffix("-->"));
        let is_end = |hash: &str| marker_line(word, hash.trim()).trim_end().ends_with(first.trim_end());
        let is_marker = marker(first, PROJECTION_MARK).is_some() || hash.is_some_and(is_end);
        let rest = if is_marker { body.get(first.len()..).unwrap_or_default() } else { body };
        let is_cut_marker = !body.contains('\n')
            && (PROJECTION_START.starts_with(body)
                || body.starts_with(PROJECTION_START) && !body.contains("-->"));
        // The time of a state is lost with it.
        let timeless = |text: &str| -> String {
            text.split_inclusive('\n').filter(|line| !line.starts_with("- Last generated: ")).collect()
        };
        let is_page =
            |source: &ProjectionSource<'_>| is_piece(&timeless(rest), &timeless(&source.page(word)));
        let is_own = is_cut_marker || known.iter().chain([self.new]).any(is_page);
        let new = with_feeds(rest, |_| self.new.page(word));
        is_own.then(|| format!("{mark}{}{new}", marker_line(word, self.hash)))
    }

    /// Returns the bytes of a file; `None` if it is missing, which it stays.
    fn bytes(&self, path: &str) -> Option<&[u8]> {
        self.files.iter().find(|(own, _)| own == Path::new(path)).map(|(_, bytes)| &**bytes)
    }

    /// Returns the text of the page. If the file ends within a character, that character is left out.
    fn page(&self, path: &str) -> Option<&str> {
        let bytes = self.bytes(path)?;
        match std::str::from_utf8(bytes) {
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(bytes.get(..error.valid_up_to())?).ok()
            }
            text => text.ok(),
        }
    }

    /// Rebuilds the entry file; `None` if the marker of its block can't be read.
    pub fn entry(&self, path: &str) -> Option<BundleFileWrite> {
        let text = std::str::from_utf8(self.bytes(path)?).ok()?;
        let new = format!("<!-- {ENTRY_MARK}version={VERSION} bundleHash={} start -->", self.hash);
        let Some(start) = text.find(ENTRY_START) else {
            let block = format!("{new}\n{BLOCK}{ENTRY_END}");
            return Some(beside(path, with_feeds(text, |text| with_block(text, &block))));
        };
        let (before, rest) = text.split_at(start);
        let first = rest.lines().next().unwrap_or_default();
        let Some(end) = first.find("-->") else {
            // The file was cut within the marker.
            let is_cut = !rest.contains('\n');
            return is_cut.then(|| beside(path, format!("{before}{new}\n{BLOCK}{ENTRY_END}\n")));
        };
        let end = end + "-->".len();
        marker(first.get(..end)?, ENTRY_MARK)?;
        let after = with_feeds(rest.get(end..).unwrap_or_default(), with_end);
        Some(beside(path, format!("{before}{new}{after}")))
    }
}

/// Returns the text after the start of an entry block. A lost end is added before unrelated text.
fn with_end(after: &str) -> String {
    if after.contains(ENTRY_END) {
        return after.to_owned();
    }
    let block = format!("\n{BLOCK}");
    let same = after.chars().zip(block.chars()).take_while(|(own, other)| own == other);
    let same = same.map(|(own, _)| own.len_utf8()).sum::<usize>();
    // A line that only begins the same way does not belong to the block.
    let same = match after.get(same..) {
        Some("") | None => after.len(),
        Some(_) if same == block.len() => same,
        Some(_) => after.get(..same).and_then(|own| own.rfind('\n')).unwrap_or_default(),
    };
    let rest = after.get(same..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    let is_torn_end = !line.trim_end().is_empty() && ENTRY_END.starts_with(line.trim_end());
    let rest = if is_torn_end { rest.get(line.len()..).unwrap_or_default() } else { rest };
    let gap = if rest.starts_with('\n') { "" } else { "\n" };
    format!("{block}{ENTRY_END}{gap}{rest}")
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
