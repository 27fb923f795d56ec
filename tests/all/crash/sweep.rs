//! Runs an operation many times, with a different failure each time.

use crate::faulty::{Errno, Fault, Faulty, Lie, Op};
use palimp::model::CommitReceipt;
use palimp::store::FilesState;

use super::bench::{Bench, run};
use super::careless::{Careless, Slip};
use super::judge::{Judge, When, Which, ours};
use super::machine::Still;
use crate::support::tries::is_long;

/// How many of the steps and states are tried.
#[derive(Clone, Copy)]
pub struct Share {
    /// One of this many steps.
    pub steps: usize,
    /// The most states after a power cut.
    pub states: usize,
    /// The first step: each case begins with another.
    pub from: usize,
}

impl Share {
    /// All with `PALIMP_LONG`, otherwise a sample.
    pub fn of(steps: usize, states: usize, from: usize) -> Share {
        match is_long() {
            true => Share { steps: 1, states: usize::MAX, from: 0 },
            false => Share { steps, states, from },
        }
    }

    pub fn whole() -> Share {
        Share { steps: 1, states: usize::MAX, from: 0 }
    }

    /// Returns which of `count` steps are tried.
    pub fn picks(self, count: usize) -> impl Iterator<Item = usize> {
        (self.from % self.steps..count).step_by(self.steps)
    }

    /// Returns some of the states, spread over all.
    pub fn some(self, states: Vec<(String, Faulty)>, step: usize) -> impl Iterator<Item = (String, Faulty)> {
        let every = states.len().div_ceil(self.states.max(1)).max(1);
        states.into_iter().skip(step % every).step_by(every)
    }
}

pub struct Sweep {
    pub bench: Bench,
    pub judge: Judge,
    /// What the program leaves out.
    pub slip: Option<Slip>,
    ops: Vec<Op>,
}

impl Sweep {
    /// Runs the case once to learn its steps, on a disk with these lies.
    pub fn of(bench: Bench, lies: &[Lie]) -> Sweep {
        let judge = Judge::of(&bench);
        let disk = bench.disk_with(lies);
        let _ = run(&disk, &Still::first(), &bench.prepare(&disk));
        Sweep { bench, judge, slip: None, ops: disk.ops() }
    }

    /// Interrupts the operation at every step. Returns what was wrong.
    pub fn cut(&self, lies: &[Lie], share: Share) -> Vec<String> {
        let mut wrong = Vec::new();
        for step in share.picks(self.ops.len()).chain([self.ops.len()]) {
            self.cut_at(step, lies, share, &mut wrong);
        }
        wrong
    }

    /// True if anything is wrong anywhere.
    pub fn finds(&self, lies: &[Lie]) -> bool {
        let found = |step, share| {
            let mut wrong = Vec::new();
            self.cut_at(step, lies, share, &mut wrong);
            !wrong.is_empty()
        };
        // A few states of each step find most faults sooner than all states of one step.
        let few = Share { states: 2, ..Share::whole() };
        [few, Share::whole()]
            .into_iter()
            .any(|share| (0..=self.ops.len()).rev().any(|step| found(step, share)))
    }

    pub fn cut_states(&self, share: Share) -> Vec<(usize, Faulty)> {
        let cut = |step| (step, self.cut_run(step, Fault::Crash, &[]).0.restart());
        share.picks(self.ops.len()).map(cut).collect()
    }

    /// Returns the disk after a crash at a step, and what the operation would have reported. The
    /// report of the dead process does not matter, but what it took for done must be done.
    fn cut_run(&self, step: usize, fault: Fault, lies: &[Lie]) -> (Faulty, Option<When>) {
        let disk = self.bench.disk_with(lies);
        let prepared = self.bench.prepare(&disk);
        disk.fail_at(step, fault);
        let machine = Still::first();
        let outcome = match self.slip {
            Some(slip) => run(&Careless { disk: &disk, slip }, &machine, &prepared),
            None => run(&disk, &machine, &prepared),
        };
        (disk, outcome.ok().map(|receipt| when_told(&receipt)))
    }

    fn cut_at(&self, step: usize, lies: &[Lie], share: Share, wrong: &mut Vec<String>) {
        let half = match self.ops.get(step) {
            Some(Op::Write { bytes, .. }) if bytes.len() > 1 => Some(Fault::CrashInWrite(bytes.len() / 2)),
            _ => None,
        };
        for fault in [Some(Fault::Crash), half].into_iter().flatten() {
            let (disk, told) = self.cut_run(step, fault, lies);
            let killed = std::iter::once(("killed".to_owned(), disk.restart()));
            for (label, state) in killed.chain(share.some(disk.after_power_cut(), step)) {
                let when = match label.as_str() {
                    "killed" => told.unwrap_or(When::Killed),
                    _ => told.unwrap_or(When::PowerCut),
                };
                let is_over = step == self.ops.len() && label == "killed";
                let temps = if is_over { ours(&state, ".palimp-tmp") } else { Vec::new() };
                let left = if temps.is_empty() { Ok(()) } else { Err(format!("left: {temps:?}")) };
                if let Err(what) = left.and_then(|()| self.state(&state, when)) {
                    let at = self.ops.get(step).map_or("the end".to_owned(), Op::to_string);
                    wrong.push(format!("{}, cut at {step} ({at}), {label}: {what}", self.bench.title));
                }
            }
        }
    }

    /// Checks a state before and after the next start, and after undo.
    pub fn state(&self, disk: &Faulty, when: When) -> Result<(), String> {
        self.judge.raw(disk, when)?;
        let which = self.judge.settled(disk)?;
        match (when, which) {
            (When::Told | When::ToldStale, Which::Before) => Err("it was done, and is undone".into()),
            (_, Which::After) => self.judge.turned_back(disk),
            _ => Ok(()),
        }
    }

    /// Lets each step fail. Returns what was wrong.
    pub fn fail(&self, faults: &[Fault], share: Share) -> Vec<String> {
        let mut wrong = Vec::new();
        for (number, fault) in faults.iter().enumerate() {
            let own = Share { from: share.from + number, ..share };
            for step in own.picks(self.ops.len()) {
                let at = format!("{fault:?} at {step} ({})", self.ops[step]);
                self.fails(&at, share, &mut wrong, |disk| disk.fail_at(step, *fault));
            }
        }
        wrong
    }

    /// Lets each read call fail. Returns what was wrong.
    pub fn fail_reads(&self, faults: &[Fault], share: Share) -> Vec<String> {
        let disk = self.bench.disk();
        let prepared = self.bench.prepare(&disk);
        let first = disk.reads().len();
        let _ = run(&disk, &Still::first(), &prepared);
        let reads = disk.reads();
        let mut wrong = Vec::new();
        for (number, fault) in faults.iter().enumerate() {
            let own = Share { from: share.from + number, ..share };
            for read in own.picks(reads.len() - first) {
                let read = read + first;
                let at = format!("{fault:?} at read {read} ({})", reads[read]);
                self.fails(&at, share, &mut wrong, |disk| disk.fail_reads(read, *fault));
            }
        }
        wrong
    }

    fn fails(&self, at: &str, share: Share, wrong: &mut Vec<String>, plant: impl Fn(&Faulty)) {
        let disk = self.bench.disk();
        let prepared = self.bench.prepare(&disk);
        plant(&disk);
        let outcome = run(&disk, &Still::first(), &prepared);
        let files = outcome.as_ref().err().map(|error| error.files());
        let stale = outcome.as_ref().is_ok_and(|receipt| when_told(receipt) == When::ToldStale);
        let killed = std::iter::once(("the next start".to_owned(), disk.restart()));
        let states = Share { states: share.states.min(3), ..share };
        let cuts = if is_long() || share.steps == 1 { disk.after_power_cut() } else { Vec::new() };
        for (label, state) in killed.chain(states.some(cuts, 0)) {
            let cut = label != "the next start";
            let judged = match stale {
                true => self.state(&state, When::ToldStale),
                false => self.failed(&state, files, cut),
            };
            if let Err(what) = judged {
                let said = outcome.as_ref().err().map(ToString::to_string);
                wrong.push(format!("{}, {at}, {said:?}, {label}: {what}", self.bench.title));
            }
        }
    }

    /// Checks a state after an error, which says how the files are, or after success.
    fn failed(&self, disk: &Faulty, files: Option<FilesState>, cut: bool) -> Result<(), String> {
        let Some(files) = files else { return self.state(disk, When::Told) };
        if cut || files == FilesState::Halfway {
            return self.state(disk, When::PowerCut);
        }
        self.judge.untouched(disk, matches!(files, FilesState::Untouched | FilesState::Restored))?;
        match self.judge.settled(disk)? {
            Which::After => Err(format!("{files:?}, yet it was done")),
            _ => Ok(()),
        }
    }
}

/// A success may report that an index is stale until the next start.
fn when_told(receipt: &CommitReceipt) -> When {
    let says_stale = |note: &String| note.contains("index is stale");
    if receipt.notes.iter().any(says_stale) { When::ToldStale } else { When::Told }
}

/// Errors that go away.
pub const ONCE: [Fault; 5] = [
    Fault::Error(Errno::IO),
    Fault::Error(Errno::NOSPC),
    Fault::Error(Errno::ACCESS),
    Fault::Error(Errno::INTR),
    Fault::ErrorAfter(Errno::IO),
];

/// Errors that stay, and a write that stops halfway.
pub const STICKY: [Fault; 4] = [
    Fault::ErrorFromHere(Errno::IO),
    Fault::ErrorFromHere(Errno::NOSPC),
    Fault::ErrorFromHere(Errno::ACCESS),
    Fault::ShortWrite(3),
];
