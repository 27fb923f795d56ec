//! Calls that fail, once or from then on.

use super::bench::Bench;
use super::cases::CASES;
use super::cut::told;
use super::sweep::{ONCE, STICKY, Share, Sweep};
use crate::support::tries;

/// The short form tries a third of the operations, which differs by the test.
fn each(run: impl Fn(&Sweep, Share) -> Vec<String>, short: usize) {
    let mut wrong = Vec::new();
    for (number, case) in CASES.iter().enumerate().filter(|(at, _)| tries::is_long() || at % 3 == short % 3) {
        wrong.extend(run(&Sweep::of(Bench::of(case), &[]), Share::of(short, 2, number)));
    }
    assert!(wrong.is_empty(), "{}", told(wrong));
}

#[test]
fn an_error_at_any_step_says_what_became_of_the_files() {
    each(|sweep, share| sweep.fail(&ONCE, share), 48);
}

#[test]
fn errors_that_stay_do_too() {
    each(|sweep, share| sweep.fail(&STICKY, share), 49);
}

#[test]
fn what_cannot_be_read_is_never_taken_for_empty() {
    each(|sweep, share| sweep.fail_reads(&[ONCE[0], ONCE[2], STICKY[0]], share), 98);
}
