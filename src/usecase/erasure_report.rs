//! What an erasure searched and left, and what it can't reach.

use std::path::Path;

use serde::Serialize;

use crate::disk::RealDisk;
use crate::model::{Change, NotReached, ProviderKeys, SurroundingFinding};
use crate::store::commit::scrub::{ErasureReceipt, GitHistory, SearchReport, cannot_reach};
use crate::usecase::planned_change::PlannedErasure;

/// What an erasure searched and left, and what it can't reach, before the erasure or after it.
#[derive(Serialize)]
pub struct ErasureReport {
    searched: Vec<SearchReport>,
    left: Vec<String>,
    cannot_reach: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<GitHistory>,
    /// The places beside the stores that have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<Vec<SurroundingFinding>>,
    /// What could not be searched there.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside_unread: Option<Vec<String>>,
    /// The keys that their providers must replace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rotate: Vec<ProviderKeys>,
    #[serde(skip)]
    receipt: Option<ErasureReceipt>,
}

impl ErasureReport {
    /// Reports an erasure that was carried out.
    pub(super) fn of(receipt: ErasureReceipt) -> ErasureReport {
        ErasureReport {
            searched: receipt.searched.clone(),
            left: receipt.left.clone(),
            cannot_reach: receipt.cannot_reach.clone(),
            git: receipt.git.clone(),
            beside: receipt.not_reached.beside.as_ref().map(|own| own.found.clone()),
            beside_unread: receipt.not_reached.beside.as_ref().map(|own| own.unread.clone()),
            rotate: receipt.not_reached.rotate.clone(),
            receipt: Some(receipt),
        }
    }

    /// Says what an erasure won't reach.
    pub fn before(planned: &PlannedErasure, not_reached: &NotReached) -> ErasureReport {
        let git = GitHistory::before(&RealDisk, &planned.store.root);
        let replaces = |own: &Change, path: &Path| own.path == path && own.replaces();
        let is_replaced = |path: &Path| planned.plan.all().any(|own| replaces(own, path));
        ErasureReport {
            searched: Vec::new(),
            left: Vec::new(),
            cannot_reach: cannot_reach(git.as_ref(), &planned.store, &is_replaced),
            git: None,
            beside: not_reached.beside.as_ref().map(|own| own.found.clone()),
            beside_unread: not_reached.beside.as_ref().map(|own| own.unread.clone()),
            rotate: not_reached.rotate.clone(),
            receipt: None,
        }
    }

    /// Returns the path of the receipt of an erasure that was carried out.
    pub fn receipt(&self) -> Option<&Path> {
        self.receipt.as_ref().map(|own| &*own.receipt)
    }

    /// True if something was left somewhere.
    pub fn is_left(&self) -> bool {
        !self.left.is_empty()
    }

    /// True if memories that stay have the same text.
    pub fn is_alike(&self) -> bool {
        self.receipt.as_ref().is_some_and(|own| !own.alike.is_empty())
    }

    /// True if something of it was not searched for.
    pub fn is_partly_searched(&self) -> bool {
        self.receipt.as_ref().is_some_and(|own| own.resumed || own.too_short > 0 || own.also_elsewhere > 0)
    }

    /// Returns the number of files that were searched afterwards.
    pub fn searched_files(&self) -> u64 {
        self.searched.iter().map(|own| own.files).sum()
    }

    /// Returns what no program can reach.
    pub fn cannot_reach(&self) -> &[String] {
        &self.cannot_reach
    }

    /// Says what was found in this store afterwards, and where the receipt is. May quote the store.
    pub fn told_of_store(&self) -> Vec<String> {
        let Some(receipt) = &self.receipt else { return Vec::new() };
        [receipt.notes.clone(), receipt.found(), receipt.besides()].concat()
    }

    /// Describes what was done, one finding per line. May quote the store. Without `is_whole`, the lines
    /// that say what is always so are left out.
    pub fn told(&self, is_whole: bool) -> Vec<String> {
        let Some(receipt) = &self.receipt else { return Vec::new() };
        let found = if is_whole || self.is_left() { receipt.found() } else { Vec::new() };
        let reach = if is_whole { receipt.out_of_reach() } else { Vec::new() };
        [receipt.notes.clone(), found, receipt.besides(), reach].concat()
    }
}
