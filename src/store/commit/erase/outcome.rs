//! What an erasure came to, as the receipt has it and as it is told.

use std::path::PathBuf;

use serde::Serialize;

use super::{History, Searched};
use crate::model::Tell;
use crate::model::plan::counted;
use crate::store::erase::Target;

/// What an erasure came to.
#[derive(Clone, Debug, Serialize)]
pub struct Erased {
    /// The step's number.
    pub step: u64,
    /// When it began.
    pub at: String,
    /// `erased`, or `left` where something was found.
    pub state: &'static str,
    /// Why, as a code.
    pub reason: String,
    /// What was erased.
    pub records: Vec<Target>,
    /// What was searched, and what was found.
    pub searched: Vec<Searched>,
    /// Where something is left, and why.
    pub left: Vec<String>,
    /// Other records that hold the same text, and stay.
    pub alike: Vec<String>,
    /// Where something went with the torn record before it, as it may have been a part of that.
    pub with_torn: Vec<String>,
    /// Values that were too short to be searched for.
    pub too_short: usize,
    /// Values that other records have as well.
    pub also_elsewhere: usize,
    /// Whether it had been cut short: what was gone by then could not be searched for.
    pub resumed: bool,
    /// What no program can promise.
    pub cannot_reach: Vec<String>,
    /// Which commits still hold it, where the store is in a git work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<History>,
    /// Where the receipt is.
    #[serde(skip)]
    pub receipt: PathBuf,
    /// What was found when the store was taken and is to be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Erased {
    /// All that is said of it, a line each. May quote the store.
    pub fn told(&self) -> Vec<String> {
        [self.found(), self.besides(), self.out_of_reach()].concat()
    }

    /// What the search found.
    pub fn found(&self) -> Vec<String> {
        if self.left.is_empty() {
            let files: u64 = self.searched.iter().map(|own| own.files).sum();
            let found =
                if self.alike.is_empty() { "none holds it" } else { "only records that stay hold it" };
            return vec![format!("erased; {files} files were searched, and {found}")];
        }
        let head =
            "not erased everywhere. What is left is here; remove it by hand, unless it says to keep it:";
        let left = self.left.iter().map(|own| format!("  {own}"));
        std::iter::once(head.to_owned()).chain(left).collect()
    }

    /// What was not searched for, what stays or went besides, and where the receipt is.
    pub fn besides(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.resumed {
            lines.push("it had been cut short: what was gone by then could not be searched for".to_owned());
        }
        if self.too_short > 0 {
            let were = if self.too_short == 1 { "was" } else { "were" };
            let values = counted(self.too_short as u64, "value");
            lines.push(format!("{values} {were} too short to be searched for"));
        }
        let alike = |own: &String| format!("another record holds the same text and stays: {own}");
        lines.extend(self.alike.iter().map(alike));
        let torn =
            |own: &String| format!("went too, as it may have been part of the torn record before it: {own}");
        lines.extend(self.with_torn.iter().map(torn));
        lines.push(format!("receipt: {}", self.receipt.told()));
        lines
    }

    /// What no program can promise.
    pub fn out_of_reach(&self) -> Vec<String> {
        let head = "What no program can reach:".to_owned();
        std::iter::once(head).chain(self.cannot_reach.iter().map(|own| format!("  {own}"))).collect()
    }
}

/// What no program can promise of a store.
pub fn cannot_reach(git: Option<&History>) -> Vec<String> {
    let mut texts: Vec<String> = [
        "blocks of an SSD or a copying file system that are no longer any file's",
        "snapshots and backups of the system, and what was copied elsewhere",
        "copies in a cloud that the folder is synced to",
        "agents that run, or have run, and read it before",
    ]
    .map(str::to_owned)
    .into();
    texts.extend(git.map(History::told));
    texts
}
