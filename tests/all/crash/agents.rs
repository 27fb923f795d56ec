//! An agent that takes no lock and adds a line during an operation.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use crate::faulty::{Faulty, Lie};
use palimp::disk::{Disk, WritableFile};

use super::bench::{Bench, ROOT, next_start, run};
use super::careless::{Careless, Slip};
use super::cases::{CASES, named};
use super::cut::told;
use super::judge::{Judge, Which};
use super::machine::Still;
use super::sweep::Share;
use crate::support::tries;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opened {
    /// Right before it writes.
    Then,
    /// Before the operation began: it writes to the file that it knows.
    Before,
}

thread_local! {
    /// The agent's open file. The operation runs on the same thread as the agent.
    static OPEN: RefCell<Option<Box<dyn WritableFile>>> = const { RefCell::new(None) };
}

fn open(disk: &'static Faulty, log: &Path, makes: bool) -> Option<Box<dyn WritableFile>> {
    disk.append(log).or_else(|error| if makes { disk.create(log, 0o600) } else { Err(error) }).ok()
}

/// Returns the log that the agent adds to, and its line.
fn writes(format: &str) -> (PathBuf, &'static [u8]) {
    match format {
        "session-log" => (
            Path::new(ROOT).join("sessions/sess_a/memory.jsonl"),
            b"{\"id\":\"mem_900\",\"session_id\":\"sess_a\",\"timestamp\":\"1970-01-15T12:00:00.000Z\",\
              \"type\":\"finding\",\"content\":{\"finding\":\"Late.\"},\"importance\":0.5,\
              \"decay_factor\":1.0,\"tags\":[\"late\"],\"references\":[]}\n",
        ),
        _ => (
            Path::new(ROOT).join("learnings.jsonl"),
            b"{\"id\":\"00000000-0000-4000-8000-0000000000f0\",\"type\":\"learning\",\"content\":\"Late.\",\
              \"created_at\":\"1970-01-15T12:00:00.000Z\",\"updated_at\":\"1970-01-15T12:00:00.000Z\",\
              \"accessed_at\":\"1970-01-15T12:00:00.000Z\",\"access_count\":0,\"tags\":[\"late\"],\
              \"importance\":\"low\",\"archived\":false}\n",
        ),
    }
}

struct Try<'a> {
    bench: &'a Bench,
    judge: &'a Judge,
    lies: &'a [Lie],
    slip: Option<Slip>,
}

impl Try<'_> {
    /// Runs the operation; the agent writes before step `step`, or afterwards. Returns what was wrong.
    fn with_line_before(&self, step: usize, opened: Opened) -> Result<(), String> {
        let disk = self.bench.disk_with(self.lies);
        let prepared = self.bench.prepare(&disk);
        let (log, line) = writes(self.bench.format);
        // The agent's handle lives as long as its hook, which lives as long as the disk.
        let agent: &'static Faulty = Box::leak(Box::new(disk.another()));
        let before = if opened == Opened::Before { open(agent, &log, false) } else { None };
        OPEN.with_borrow_mut(|own| *own = before);
        let act = move || {
            let own = match opened {
                Opened::Then => {
                    open(agent, &log, log.parent().is_some_and(|folder| agent.look(folder).is_ok()))
                }
                Opened::Before => OPEN.take(),
            };
            own.is_some_and(|mut own| own.write(line).is_ok())
        };
        let wrote = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (told, mut at) = (std::sync::Arc::clone(&wrote), 0);
        let in_hook = act.clone();
        disk.before(move |_, _| {
            if at == step && in_hook() {
                told.store(true, std::sync::atomic::Ordering::SeqCst);
            }
            at += 1;
        });
        let machine = Still::first();
        let outcome = match self.slip {
            Some(slip) => run(&Careless { disk: &disk, slip }, &machine, &prepared),
            None => run(&disk, &machine, &prepared),
        };
        let in_time = wrote.load(std::sync::atomic::Ordering::SeqCst);
        let wrote = in_time || (disk.steps() <= step && act());
        OPEN.take();
        let after = disk.restart();
        self.minutes_later(&after)?;
        let said = outcome.as_ref().map(|receipt| receipt.step).map_err(ToString::to_string);
        let which = self.judge.with_line(&after, if wrote { line } else { b"" });
        match (which.map_err(|what| format!("{said:?}: {what}"))?, outcome.is_ok()) {
            (Which::Before, true) => Err("it was done, and is not there".into()),
            (Which::After, false) => Err(format!("it was refused, and is there: {said:?}")),
            _ => Ok(()),
        }
    }

    fn minutes_later(&self, disk: &Faulty) -> Result<(), String> {
        let machine = Still::next();
        for _ in 0..3 {
            next_start(disk, self.bench.format, &machine).map_err(|error| error.to_string())?;
            machine.pass(120);
        }
        Ok(())
    }
}

fn sweep(number: usize, share: Share) -> Vec<String> {
    let bench = Bench::of(&CASES[number]);
    let judge = Judge::of(&bench);
    let disk = bench.disk();
    let _ = run(&disk, &Still::first(), &bench.prepare(&disk));
    let own = Try { bench: &bench, judge: &judge, lies: &[], slip: None };
    let mut wrong = Vec::new();
    for opened in [Opened::Then, Opened::Before] {
        for step in share.picks(disk.steps() + 1) {
            if let Err(what) = own.with_line_before(step, opened) {
                let at = disk.log().get(step).cloned().unwrap_or("the end".into());
                wrong.push(format!("{}, opened {opened:?}, written at {step} ({at}): {what}", bench.title));
            }
        }
    }
    wrong
}

#[test]
fn a_line_that_an_agent_adds_at_any_step_is_never_lost_and_is_there_once() {
    let mut wrong = Vec::new();
    for (number, case) in CASES.iter().enumerate() {
        // An agent that adds to an unfinished line breaks it. One that adds to a new store has created it.
        if !["add to an unfinished line", "init"].contains(&case.name) {
            wrong.extend(sweep(number, Share::of(37, 0, number)));
        }
    }
    assert!(wrong.is_empty(), "{}", told(wrong));
}

#[test]
fn a_program_or_a_disk_that_loses_an_agents_line_is_found() {
    let all = [
        (None, Some(Slip::OldsDropped), "edit"),
        (Some(Lie::ExchangeDropsOld), None, "edit"),
        (Some(Lie::CreateReplaces), None, "add where no log is"),
    ];
    for (lie, slip, name) in tries::some(all, &[0, 2]) {
        let bench = Bench::of(named("session-log", name));
        let judge = Judge::of(&bench);
        let own = Try { bench: &bench, judge: &judge, lies: lie.as_slice(), slip };
        let wrong = |step| {
            [Opened::Then, Opened::Before].iter().any(|opened| own.with_line_before(step, *opened).is_err())
        };
        assert!((0..80).any(wrong), "{lie:?} {slip:?}");
    }
}
