//! A crash in the recovery from a crash.

use crate::faulty::{Fault, Faulty};

use super::bench::{Bench, next_start};
use super::cases::CASES;
use super::cut::told;
use super::judge::When;
use super::machine::Still;
use super::sweep::{Share, Sweep};
use crate::support::tries;

#[test]
fn recovery_that_is_cut_short_itself_ends_well() {
    let mut wrong = Vec::new();
    for (number, case) in CASES.iter().enumerate().filter(|(at, _)| tries::is_long() || at % 3 == 0) {
        let sweep = Sweep::of(Bench::of(case), &[]);
        let (steps, states) = tries::count((41, 2), (3, 6));
        let share = Share { steps, states, from: number };
        for (step, state) in sweep.cut_states(share) {
            let label = format!("{}, cut at {step}", sweep.bench.title);
            again(&sweep, &state, Share { steps: tries::count(11, 5), ..share }, &label, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", told(wrong));
}

/// Interrupts the recovery of a state at its steps.
fn again(sweep: &Sweep, state: &Faulty, share: Share, label: &str, wrong: &mut Vec<String>) {
    let learned = state.restart();
    next_start(&learned, sweep.bench.format, &Still::between()).unwrap();
    for step in share.picks(learned.steps()) {
        let disk = state.restart();
        disk.fail_at(step, Fault::Crash);
        let _ = next_start(&disk, sweep.bench.format, &Still::between());
        let killed = std::iter::once(("killed".to_owned(), disk.restart()));
        for (how, state) in killed.chain(share.some(disk.after_power_cut(), step)) {
            if let Err(what) = sweep.state(&state, When::Recovering) {
                let at = learned.ops()[step].to_string();
                wrong.push(format!("{label}, its recovery at {step} ({at}), {how}: {what}"));
            }
        }
    }
}
