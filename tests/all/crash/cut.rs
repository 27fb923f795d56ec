//! A crash or a power cut at any step.

use super::bench::Bench;
use super::cases::CASES;
use super::sweep::{Share, Sweep};

/// A short report of what was wrong.
pub fn told(wrong: Vec<String>) -> String {
    let count = wrong.len();
    let first: Vec<String> = wrong.into_iter().take(12).collect();
    format!("{count} states are wrong:\n{}", first.join("\n"))
}

#[test]
fn a_cut_at_any_step_leaves_the_state_before_or_the_state_after() {
    let mut wrong = Vec::new();
    for (number, case) in CASES.iter().enumerate() {
        let sweep = Sweep::of(Bench::of(case), &[]);
        wrong.extend(sweep.cut(&[], Share::of(67, 2, number)));
    }
    assert!(wrong.is_empty(), "{}", told(wrong));
}
