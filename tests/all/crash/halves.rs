//! An agent writes half a line before each step of a start that adds a late line: neither is cut in two.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::faulty::Faulty;
use palimp::disk::{Disk, Machine};
use palimp::model::Act;
use palimp::store::write::Writer;

use super::bench::{Bench, ROOT, host, load, next_start, run};
use super::cases::named;
use super::machine::Still;
use crate::support::tries;

const HALVES: [&str; 2] = ["{\"id\":\"mem_900\",\"content\":{\"finding\":", "\"Of another.\"}}\n"];

/// What an agent writes to the file that it has open while palimp replaces it.
const LATE: [&str; 2] = ["{\"id\":\"mem_901\",\"content\":{\"finding\":", "\"It came late.\"}}\n"];

/// The disk counts its changes from 1970 on. One second later, all of them are recent.
const TO_1970: i64 = -(19 * 86_400 + 43_200 - 1);

fn adds(disk: &Faulty, log: &Path, text: &str) {
    disk.append(log).unwrap().write(text.as_bytes()).unwrap();
}

/// The agent writes its halves before these steps. If another has `begun` a line, the agent ends
/// that first: with or without palimp, its text is joined to that line.
fn with_halves_before(steps: [usize; 2], begun: bool) -> Option<()> {
    let log: PathBuf = Path::new(ROOT).join("sessions/sess_a/memory.jsonl");
    let bench = Bench::of(named("session-log", "tag"));
    let disk = bench.disk();
    let agent: &'static Faulty = Box::leak(Box::new(disk.another()));
    let mut late = agent.append(&log).unwrap();
    if begun {
        late.write(LATE[0].as_bytes()).unwrap();
    }
    run(&disk, &Still::first(), &bench.prepare(&disk)).unwrap();
    late.write(LATE[usize::from(begun)..].concat().as_bytes()).unwrap();
    let first = disk.steps();
    let (own, mut at) = (log.clone(), 0);
    let text = move |half: usize| [if begun && half == 0 { "\n" } else { "" }, HALVES[half]].concat();
    disk.before(move |_, other| {
        (0..2).filter(|half| steps[*half] == at).for_each(|half| adds(other, &own, &text(half)));
        at += 1;
    });
    let machine = Still::first();
    machine.pass(TO_1970);
    let store = load(&disk, "session-log");
    drop(Writer::open(host(&disk, &machine), &store).unwrap());
    let made = disk.steps() - first;
    disk.before(|_, _| {});
    let left = (0..2).filter(|half| steps[*half] >= made);
    left.for_each(|half| adds(&disk.another(), &log, &text(half)));
    let after = disk.restart();
    for minutes in 1..=3 {
        let machine = Still::next();
        machine.pass(minutes * 600);
        next_start(&after, "session-log", &machine).unwrap();
    }
    let now = String::from_utf8(after.files()[&log].clone()).unwrap();
    for line in [HALVES.concat(), LATE.concat()] {
        let count = now.split_inclusive('\n').filter(|own| *own == line).count();
        assert_eq!(count, 1, "{line} before {steps:?}, begun {begun}:\n{now}\n{:#?}", disk.log());
    }
    (steps[0] < made).then_some(())
}

#[test]
fn half_a_line_of_an_agent_is_not_cut_in_two_by_a_line_that_came_late() {
    for begun in [false, true] {
        let every = tries::count(3, 1);
        let steps = (usize::from(begun)..).step_by(every);
        let together: Vec<usize> =
            steps.take_while(|at| with_halves_before([*at, at + 1], begun).is_some()).collect();
        assert!(together.len() > 3, "{together:?}");
        for at in together {
            with_halves_before([at, usize::MAX], begun);
        }
    }
}

/// The agent writes its halves before these steps of an `add`. Returns the number of steps.
fn with_halves_while_adding(steps: [usize; 2]) -> usize {
    let log: PathBuf = Path::new(ROOT).join("sessions/sess_a/memory.jsonl");
    let bench = Bench::of(named("session-log", "add"));
    let disk = bench.disk();
    let machine = Still::first();
    // The line stays fresh for longer than palimp waits.
    machine.pass(TO_1970 - 1);
    machine.sleep(Duration::from_millis(500));
    let prepared = bench.prepare(&disk);
    let first = disk.steps();
    let (own, mut at) = (log.clone(), 0);
    disk.before(move |_, other| {
        (0..2).filter(|half| steps[*half] == at).for_each(|half| adds(other, &own, HALVES[half]));
        at += 1;
    });
    let receipt = run(&disk, &machine, &prepared).unwrap();
    let made = disk.steps() - first;
    disk.before(|_, _| {});
    let left = (0..2).filter(|half| steps[*half] >= made);
    left.for_each(|half| adds(&disk.another(), &log, HALVES[half]));
    let now = String::from_utf8(disk.files()[&log].clone()).unwrap();
    let ours = receipt.plan.changes.iter().find_map(|change| match &change.act {
        Act::Append(lines) => Some(String::from_utf8(lines.clone()).unwrap()),
        _ => None,
    });
    for line in [HALVES.concat(), ours.unwrap()] {
        let count = now.split_inclusive('\n').filter(|own| *own == line).count();
        assert_eq!(count, 1, "{line} before {steps:?}:\n{now}\n{:#?}", disk.log());
    }
    made
}

#[test]
fn half_a_line_of_an_agent_is_not_cut_in_two_by_a_line_that_is_added() {
    let made = with_halves_while_adding([usize::MAX; 2]);
    assert!(made > 5, "{made}");
    for first in 0..made {
        for later in tries::some(1..6, &[first % 5]) {
            with_halves_while_adding([first, first + later]);
        }
    }
}

/// Otherwise others would wait for the lock.
#[test]
fn an_agent_in_the_middle_of_a_line_is_waited_for_before_the_lock_is_taken() {
    let bench = Bench::of(named("session-log", "add to an unfinished line"));
    let disk = bench.disk();
    let machine: &'static Still = Box::leak(Box::new(Still::first()));
    // The line stays fresh for longer than palimp waits.
    machine.pass(TO_1970 - 1);
    machine.sleep(Duration::from_millis(500));
    let (began, prepared) = (machine.monotonic(), bench.prepare(&disk));
    let times = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&times);
    disk.before(move |op, _| own.lock().unwrap().push((format!("{op:?}"), machine.monotonic())));
    run(&disk, machine, &prepared).unwrap();
    disk.before(|_, _| {});
    let times = times.lock().unwrap();
    let is = |own: &(String, Duration), op: &str, file: &str| own.0.starts_with(op) && own.0.contains(file);
    let write = times.iter().position(|own| is(own, "Write", "sess_a/memory.jsonl")).unwrap();
    let written = times[write].1;
    let locked = times[..write].iter().rfind(|own| is(own, "", "sess_a/lock")).unwrap().1;
    assert!(locked > began, "nobody was waited for");
    assert_eq!(written, locked);
}
