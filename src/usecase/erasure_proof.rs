//! What was proven by an erasure, in plain words: the result first, then each store, then what was not reached.

use super::erasure_report::ErasureReport;
use super::not_reached::not_reached_lines;
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
    Some(match left {
        0 => format!("{memories} erased from {stores}. {files} were searched afterwards: nothing is left."),
        left => format!(
            "{memories} erased from {stores}. In {left} of these stores something is left, as is said below."
        ),
    })
}
