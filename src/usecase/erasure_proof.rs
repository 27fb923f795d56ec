//! What was proven by an erasure, in plain words: the result first, then each store, then what was not reached.

use super::erasure_report::ErasureReport;
use super::surroundings::not_reached_lines;
use crate::model::plan::count_with_noun;
use crate::model::{NotReached, PathText};
use crate::usecase::planned_change::{PlannedErasure, memory_count};

/// Returns the lines. Untrusted text.
pub fn erasure_proof(erased: &[(&PlannedErasure, ErasureReport)], not_reached: &NotReached) -> Vec<String> {
    let mut lines: Vec<String> = head(erased).into_iter().collect();
    for (own, report) in erased {
        lines.push(format!("{}: {}", own.store.root.to_text(), memory_count(own.targets.len())));
        lines.extend(report.told_of_store());
    }
    lines.extend(not_reached_lines(not_reached));
    let mut reach: Vec<String> = Vec::new();
    for line in erased.iter().flat_map(|(_, report)| report.cannot_reach()) {
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
    let memories = memory_count(erased.iter().map(|(own, _)| own.targets.len()).sum());
    let stores = count_with_noun(erased.len() as u64, "store");
    let files = count_with_noun(erased.iter().map(|(_, own)| own.searched_files()).sum(), "file");
    let left = erased.iter().filter(|(_, own)| own.is_left()).count();
    let is_alike = erased.iter().any(|(_, own)| own.is_alike());
    let is_partly = erased.iter().any(|(_, own)| own.is_partly_searched());
    let found = match (is_alike, is_partly) {
        _ if left > 0 => {
            return Some(format!(
                "{memories} erased from {stores}. In {left} of these stores something is left, as is said below."
            ));
        }
        (false, false) => "none has it.",
        (true, false) => "only memories that stay have it, as is said below.",
        (false, true) => "none has what was searched for. Not everything was, as is said below.",
        (true, true) => {
            "only memories that stay have what was searched for. Not everything was, as is said below."
        }
    };
    Some(format!("{memories} erased from {stores}. {files} were searched afterwards: {found}"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::model::{Extent, Moment, Plan};
    use crate::store::commit::scrub::ErasureReceipt;
    use crate::store::{Place, load};

    fn planned() -> PlannedErasure {
        let place = Place::whole(Path::new("/no/such/store").into(), "session-log");
        let store = Arc::new(load(&place, Extent::All, None, Moment(0)));
        let plan = Plan::of_unread_store("erase", &store.root, store.format);
        PlannedErasure::of_nothing(store, plan)
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
