//! What an erasure searched and left, and what it can't reach.

use std::path::Path;

use serde::Serialize;

use super::surroundings::not_reached_lines;
use crate::disk::RealDisk;
use crate::model::plan::count_with_noun;
use crate::model::{Change, NotReached, PathText, ProviderKeys, SurroundingFinding};
use crate::store::write::scrub::{ErasureReceipt, GitHistory, SearchReport, cannot_reach};
use crate::usecase::planned_change::{PlannedErasure, memory_count};

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
        let own = ErasureReport::of_reach(receipt.cannot_reach.clone(), &receipt.not_reached);
        let (searched, left, git) = (receipt.searched.clone(), receipt.left.clone(), receipt.git.clone());
        ErasureReport { searched, left, git, receipt: Some(receipt), ..own }
    }

    /// Says what an erasure won't reach.
    pub fn before(planned: &PlannedErasure, not_reached: &NotReached) -> ErasureReport {
        let git = GitHistory::before(&RealDisk, &planned.store.root);
        let replaces = |own: &Change, path: &Path| own.path == path && own.replaces();
        let is_replaced = |path: &Path| planned.plan.all().any(|own| replaces(own, path));
        ErasureReport::of_reach(cannot_reach(git.as_ref(), &planned.store, &is_replaced), not_reached)
    }

    fn of_reach(cannot_reach: Vec<String>, not_reached: &NotReached) -> ErasureReport {
        let (searched, left, git, receipt) = Default::default();
        let beside = not_reached.beside.as_ref().map(|own| own.found.clone());
        let beside_unread = not_reached.beside.as_ref().map(|own| own.unread.clone());
        let rotate = not_reached.rotate.clone();
        ErasureReport { searched, left, cannot_reach, git, beside, beside_unread, rotate, receipt }
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

/// Returns what was proven by an erasure, in plain words: the result first, then each store, then what was not reached.
/// Untrusted text.
pub fn erasure_proof(erased: &[(&PlannedErasure, ErasureReport)], not_reached: &NotReached) -> Vec<String> {
    let mut lines: Vec<String> = head(erased).into_iter().collect();
    for (own, report) in erased {
        lines.push(format!("{}: {}", own.store.root.to_text(), memory_count(own.records())));
        lines.extend(report.told_of_store());
    }
    lines.extend(not_reached_lines(not_reached));
    let mut reach: Vec<String> = Vec::new();
    for line in erased.iter().flat_map(|(_, report)| &report.cannot_reach) {
        if !reach.contains(line) {
            reach.push(line.clone());
        }
    }
    lines.push("What no program can reach:".into());
    lines.extend(reach.into_iter().map(|line| format!("  {line}")));
    lines.push("To search for it again later: `palimp verify-erased --all`".into());
    lines
}

/// Sums up an erasure of several stores.
fn head(erased: &[(&PlannedErasure, ErasureReport)]) -> Option<String> {
    if erased.len() < 2 {
        return None;
    }
    let memories = memory_count(erased.iter().map(|(own, _)| own.records()).sum());
    let stores = count_with_noun(erased.len() as u64, "store");
    let done = match erased.iter().any(|(own, _)| own.keeps_memories) {
        true => format!("A value was taken out of {memories} in {stores}."),
        false => format!("{memories} erased from {stores}."),
    };
    let files =
        count_with_noun(erased.iter().flat_map(|(_, own)| &own.searched).map(|own| own.files).sum(), "file");
    let left = erased.iter().filter(|(_, own)| own.is_left()).count();
    let is_alike = erased.iter().any(|(_, own)| own.is_alike());
    let is_partly = erased.iter().any(|(_, own)| own.is_partly_searched());
    let found = match (is_alike, is_partly) {
        _ if left > 0 => {
            return Some(format!("{done} In {left} of these stores something is left, as is said below."));
        }
        (false, false) => "none has it.",
        (true, false) => "only memories that stay have it, as is said below.",
        (false, true) => "none has what was searched for. Not everything was, as is said below.",
        (true, true) => {
            "only memories that stay have what was searched for. Not everything was, as is said below."
        }
    };
    Some(format!("{done} {files} were searched afterwards: {found}"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::model::{Extent, Moment, Plan, Verb};
    use crate::store::write::scrub::ErasureReceipt;
    use crate::store::{Place, load};

    fn planned() -> PlannedErasure {
        let place = Place::whole(Path::new("/no/such/store").into(), "session-log");
        let store = Arc::new(load(&place, Extent::All, None, Moment(0)));
        let plan = Plan::of_unread_store(Verb::Erase, &store.root, store.format);
        PlannedErasure { store, plan, ..PlannedErasure::default() }
    }

    #[test]
    fn the_sum_says_nothing_better_than_the_worst_store() {
        let (one, two) = (planned(), planned());
        let head = |receipt: ErasureReceipt| {
            let clean = ErasureReport::of(ErasureReceipt::default());
            head(&[(&one, clean), (&two, ErasureReport::of(receipt))]).unwrap()
        };
        let alike = vec!["mem_2".to_owned()];
        assert!(head(ErasureReceipt::default()).ends_with("none has it."));
        let told = head(ErasureReceipt { alike: alike.clone(), ..ErasureReceipt::default() });
        assert!(told.ends_with("only memories that stay have it, as is said below."), "{told}");
        for receipt in [
            ErasureReceipt { resumed: true, ..ErasureReceipt::default() },
            ErasureReceipt { too_short: 1, ..ErasureReceipt::default() },
            ErasureReceipt { also_elsewhere: 1, ..ErasureReceipt::default() },
        ] {
            let told = head(receipt);
            assert!(told.ends_with("none has what was searched for. Not everything was, as is said below."));
        }
        let told = head(ErasureReceipt { alike, resumed: true, ..ErasureReceipt::default() });
        assert!(told.contains("only memories that stay have what was searched for."), "{told}");
        let told = head(ErasureReceipt { left: vec!["/x".into()], ..ErasureReceipt::default() });
        assert!(told.contains("In 1 of these stores something is left"), "{told}");
    }
}
