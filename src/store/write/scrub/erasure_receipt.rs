//! The result of an erasure, for its receipt and in words.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{GitHistory, SearchReport};
use crate::model::plan::count_with_noun;
use crate::model::{ErasureState, NotReached, PathText, Store};
use crate::store::erase::ErasureTarget;
use crate::text::keyed_search::ValueDigest;

/// Result of an erasure.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ErasureReceipt {
    /// The step's number.
    pub step: u64,
    /// When it began.
    pub at: String,
    /// How it ended.
    pub state: ErasureState,
    /// The reason, as a code.
    pub reason: String,
    /// The erased records.
    pub records: Vec<ErasureTarget>,
    /// The number of memories that are erased, or that lost a value.
    #[serde(default)]
    pub memories: u64,
    /// True if memories with a value stayed, without it.
    #[serde(default)]
    pub keeps_memories: bool,
    /// The searched places, and what was found.
    pub searched: Vec<SearchReport>,
    /// The places where something is left, with the reasons.
    pub left: Vec<String>,
    /// The number of values that were erased wherever they were.
    pub erased_values: usize,
    /// The digests of what was searched for, so that it can be searched for again.
    pub values: Vec<ValueDigest>,
    /// The digests of the values among them: not of the texts of memories.
    pub asked_values: Vec<ValueDigest>,
    /// The id of the key of these digests.
    pub value_key: String,
    /// Other records that have the same text and stay.
    pub alike: Vec<String>,
    /// Memories that came to live files while it ran, under the names of erased ones: `file:line id`. They stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrivals: Vec<String>,
    /// Places where more was erased, because it may be part of the torn record before it.
    pub with_torn: Vec<String>,
    /// The number of values that are too short to search for.
    pub too_short: usize,
    /// The number of values that other records have too. The search leaves them out.
    pub also_elsewhere: usize,
    /// True if it was interrupted. What was gone before could not be searched for.
    pub resumed: bool,
    /// The places that no program can reach.
    pub cannot_reach: Vec<String>,
    /// The commits that still have it, if the store is in a git work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<GitHistory>,
    /// The digests of what was searched for beside the stores, of all stores of the erasure, if something was found
    /// there. They show whether it is still there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside_values: Vec<ValueDigest>,
    /// What it did not reach, as it was when the erasure began.
    #[serde(flatten)]
    pub not_reached: NotReached,
    #[serde(skip)]
    pub receipt: PathBuf,
    /// Findings for the user.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl ErasureReceipt {
    /// Returns the sessions and the names of the erased records that have one.
    pub fn names(&self) -> impl Iterator<Item = (Option<String>, String)> {
        self.records.iter().filter_map(|record| Some((record.session.clone(), record.name()?.to_owned())))
    }

    /// Describes what the search found. May quote the store.
    pub fn found(&self) -> Vec<String> {
        if self.left.is_empty() {
            let files: u64 = self.searched.iter().map(|own| own.files).sum();
            let found = match self.erased_values {
                0 if !self.alike.is_empty() => "only memories that stay have it",
                _ if !self.alike.is_empty() => "none has the value; memories that stay have the same text",
                0 | 1 => "none has it",
                _ => "none has one of them",
            };
            let files = count_with_noun(files, "file");
            let done = if self.keeps_memories { "taken out" } else { "erased" };
            return vec![format!("{done}. {files} of this store searched: {found}")];
        }
        let head = "not erased everywhere. It is still in these places. Remove it by hand, unless the line says to keep it:";
        let left = self.left.iter().map(|own| format!("  {own}"));
        std::iter::once(head.to_owned()).chain(left).collect()
    }

    /// Describes what was not searched for, what stays, what was also erased, and where the receipt is.
    pub fn besides(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.resumed {
            lines.push(
                "it was interrupted before: what was already gone by then could not be searched for"
                    .to_owned(),
            );
        }
        if self.too_short > 0 {
            let were = if self.too_short == 1 { "was" } else { "were" };
            let values = count_with_noun(self.too_short as u64, "value");
            lines.push(format!("{values} {were} too short to be searched for"));
        }
        if self.also_elsewhere > 0 {
            let values = count_with_noun(self.also_elsewhere as u64, "value");
            lines.push(format!("not searched for, as other memories of this store have it too: {values}"));
        }
        let alike = |own: &String| format!("another memory has the same text and stays: {own}");
        lines.extend(self.alike.iter().map(alike));
        let arrival =
            |own: &String| format!("written meanwhile under the name of an erased memory, and stays: {own}");
        lines.extend(self.arrivals.iter().map(arrival));
        let torn =
            |own: &String| format!("also erased, as it may have been part of the torn line before it: {own}");
        lines.extend(self.with_torn.iter().map(torn));
        lines.push(format!("receipt: {}", self.receipt.to_text()));
        lines
    }

    /// Lists the places that no program can reach.
    pub fn out_of_reach(&self) -> Vec<String> {
        let head = "What no program can reach:".to_owned();
        std::iter::once(head).chain(self.cannot_reach.iter().map(|own| format!("  {own}"))).collect()
    }
}

/// Returns the places that no program can reach. `is_replaced` is true for files that lose old content.
pub fn cannot_reach(
    git: Option<&GitHistory>,
    store: &Store,
    is_replaced: &dyn Fn(&Path) -> bool,
) -> Vec<String> {
    let mut texts: Vec<String> = [
        "old blocks of an SSD or of a copy-on-write file system",
        "snapshots and backups of the system, and what was copied elsewhere",
        "copies in a cloud that the folder is synced to",
        "agents that have read it before",
    ]
    .map(str::to_owned)
    .into();
    let second = |file: &Path| {
        format!("the second name of {} (a hard link), which keeps what was in it", file.to_text())
    };
    texts.extend(store.with_other_names().filter(|own| is_replaced(own)).map(second));
    texts.extend(git.map(GitHistory::told));
    texts
}
