//! One operation after another, compared with the expected results.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use palimp::model::{Act, Plan};
use palimp::store::CommitError;

use super::chance::Chance;
use super::deeds::{DEEDS, Deed, planned};
use super::expected::{assert_effects, assert_same, parted, text};
use super::site::{Site, assert_agreeing, is_data};
use super::stores;
use super::stores::Files;
use crate::support::tries::seed;

/// How much of the files the undo or redo of a step must restore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Whole {
    All,
    /// Every byte of the files with memories.
    Data,
    /// What the step changed; others may have changed the rest since.
    Lines,
}

/// A step that is applied or undone: the files before it and after it.
#[derive(Clone, Debug)]
struct Step {
    number: u64,
    before: Files,
    after: Files,
    whole: Whole,
    /// True if it split a line, or added lines behind an unfinished one. Undo needs these to be adjacent.
    parts: bool,
}

struct Run {
    site: Site,
    chance: Chance,
    done: Vec<Step>,
    undone: Vec<Step>,
    counts: BTreeMap<String, usize>,
}

impl Run {
    fn step(&mut self) {
        self.site.clock.pass([0, 1, 7, 90][self.chance.below(4)]);
        match self.chance.below(20) {
            0..=3 => self.undo_last(),
            4 | 5 => self.redo(),
            6 | 7 => self.undo_any(),
            _ => self.deed(),
        }
    }

    fn deed(&mut self) {
        let deed = *self.chance.one_of(&DEEDS);
        let store = self.site.store();
        let (before, everything) = (self.site.files(), self.site.everything());
        let write_context = self.site.context(&store, &mut self.chance);
        let Ok((plan, check)) = planned(deed, &write_context, &mut self.chance) else {
            assert_eq!(everything, self.site.everything(), "a refusal changed something");
            return self.count(format!("{deed:?} refused"));
        };
        if plan.is_empty() {
            return self.count(format!("{deed:?} empty"));
        }
        let context = Told(format!("{deed:?}: {}", shown(&plan)));
        let receipt = self.site.commit(&plan).unwrap();
        assert!(receipt.notes.is_empty(), "{:?}", receipt.notes);
        let after = self.site.files();
        assert_as_planned(&plan, &self.site.everything());
        let now = self.site.store();
        assert_effects(&plan, &store, &now);
        check(&only_data(&before), &self.site.data(), &now);
        assert_agreeing(&store, &now);
        drop(context);
        self.undone.clear();
        let open = |base: &[u8]| base.last().is_some_and(|byte| *byte != b'\n');
        let parts =
            deed == Deed::Repair || plan.changes.iter().any(|own| own.base.as_deref().is_some_and(open));
        self.done.push(Step { number: receipt.step, before, after, whole: Whole::All, parts });
        self.count(format!("{deed:?}"));
    }

    fn undo_last(&mut self) {
        let before = self.site.everything();
        match (self.site.undo(), self.done.pop()) {
            (Ok(_), Some(step)) => self.turned_back(step, &before),
            (Err(_), None) => assert_eq!(before, self.site.everything()),
            (Err(error), Some(step)) => {
                self.assert_may_refuse(&step, (&step.before, &step.after), &before, &error);
                self.done.push(step);
            }
            (Ok(_), None) => panic!("there was nothing to undo"),
        }
    }

    /// Undoes a step in the middle.
    fn undo_any(&mut self) {
        if self.done.len() < 2 {
            return;
        }
        let at = self.chance.below(self.done.len() - 1);
        let before = self.site.everything();
        let number = self.done[at].number;
        let own = Step { whole: Whole::Lines, ..self.done[at].clone() };
        match self.site.turn(|writer| writer.undo(Some(number))) {
            Ok(_) => {
                self.done.remove(at);
                self.turned_back(own, &before);
                self.count("Undo in the middle".into());
            }
            Err(error) => {
                self.assert_may_refuse(&own, (&own.before, &own.after), &before, &error);
                self.count("Undo in the middle refused".into());
            }
        }
    }

    fn turned_back(&mut self, step: Step, before: &Files) {
        let after = self.site.files();
        self.assert_turned(&step, &step.after, &step.before, before);
        self.weaken(step.whole);
        let (before, whole) = match step.whole {
            Whole::Lines => (without_copies(before), Whole::Data),
            whole => (step.after, whole),
        };
        self.undone.push(Step {
            number: step.number,
            before: after,
            after: before,
            whole,
            parts: step.parts,
        });
        self.count("Undo".into());
    }

    fn redo(&mut self) {
        let before = self.site.everything();
        match (self.site.redo(), self.undone.pop()) {
            (Ok(_), Some(step)) => {
                self.assert_turned(&step, &step.before, &step.after, &before);
                let (after, before) = (self.site.files(), without_copies(&before));
                self.weaken(step.whole);
                let whole = if step.whole == Whole::Lines { Whole::Data } else { step.whole };
                self.done.push(Step { number: step.number, before, after, whole, parts: step.parts });
                self.count("Redo".into());
            }
            (Err(_), None) => assert_eq!(before, self.site.everything()),
            (Err(error), Some(step)) => {
                self.assert_may_refuse(&step, (&step.after, &step.before), &before, &error);
                self.undone.push(step);
            }
            (Ok(_), None) => panic!("there was nothing to redo"),
        }
    }

    /// Asserts that a step whose turn from one state to another was refused may be, and changed nothing.
    fn assert_may_refuse(&self, own: &Step, (to, from): (&Files, &Files), before: &Files, why: &CommitError) {
        assert_eq!(*before, self.site.everything(), "a refusal changed something");
        let may = own.parts || may_refuse(to, from, before, own.whole);
        assert!(may, "{why}: {}", turned(own));
    }

    /// Asserts that the files, which were `before`, have the reverse of the change of `from` into `to`.
    fn assert_turned(&self, step: &Step, from: &Files, to: &Files, before: &Files) {
        let now = self.site.files();
        match step.whole {
            Whole::All => assert_same(to, &now),
            Whole::Data => assert_same(&only_data(to), &only_data(&now)),
            Whole::Lines => assert_lines_turned(from, to, before, &now),
        }
    }

    /// If one undo or redo can't restore everything, no other step can.
    fn weaken(&mut self, whole: Whole) {
        let steps = self.done.iter_mut().chain(&mut self.undone);
        steps.for_each(|step| step.whole = step.whole.max(whole));
    }

    fn count(&mut self, what: String) {
        if std::env::var_os("PALIMP_SEED").is_some() {
            let (done, undone): (Vec<_>, Vec<_>) = (numbers(&self.done), numbers(&self.undone));
            eprintln!("{what}: {done:?} {undone:?}");
        }
        *self.counts.entry(what).or_default() += 1;
    }
}

fn numbers(steps: &[Step]) -> Vec<(u64, Whole)> {
    steps.iter().map(|step| (step.number, step.whole)).collect()
}

/// Prints what was done if a check fails.
struct Told(String);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.0);
        }
    }
}

fn shown(plan: &Plan) -> String {
    let change = |change: &palimp::model::Change| match &change.act {
        Act::Splice(splices) => {
            let splices = splices
                .iter()
                .map(|own| format!("  {} {}\n  -> {}\n", own.start, text(&own.was), text(&own.becomes)));
            format!("{}:\n{}", change.path.display(), splices.collect::<String>())
        }
        act => format!("{}: {}\n", change.path.display(), &format!("{act:?}")[..6]),
    };
    plan.changes.iter().map(change).collect()
}

pub fn only_data(files: &Files) -> Files {
    files.iter().filter(|(path, _)| is_data(path)).map(|(path, own)| (path.clone(), own.clone())).collect()
}

fn without_copies(files: &Files) -> Files {
    let own = files.iter().filter(|(path, _)| !path.starts_with(".backup"));
    own.map(|(path, own)| (path.clone(), own.clone())).collect()
}

/// The preview of a change is its result.
#[track_caller]
pub fn assert_as_planned(plan: &Plan, now: &Files) {
    for change in plan.all().filter(|change| change.act != Act::MakeFolder) {
        let wanted = change.after().map(|own| own.to_vec());
        let found = now.get(&change.path);
        let path = change.path.display();
        assert!(wanted.as_ref() == found, "{path}: {}", parted(wanted.as_ref(), found));
    }
}

pub type Lines = BTreeMap<(PathBuf, Vec<u8>), i64>;

fn lines(files: &Files) -> Lines {
    let mut lines = Lines::new();
    for (path, bytes) in files.iter().filter(|(path, _)| is_data(path)) {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            *lines.entry((path.clone(), line.to_vec())).or_default() += 1;
        }
    }
    lines
}

/// Returns how often each line is in `a` more than in `b`; negative if less often.
pub fn difference(a: &Files, b: &Files) -> Lines {
    let mut found = lines(a);
    for (line, count) in lines(b) {
        *found.entry(line).or_default() -= count;
    }
    found.retain(|_, count| *count != 0);
    found
}

fn turned(step: &Step) -> String {
    let lines = difference(&step.after, &step.before);
    let show = |((path, line), count): (&(PathBuf, Vec<u8>), &i64)| {
        format!("{count} {} {}\n", path.display(), text(line))
    };
    format!("step {} {:?}:\n{}", step.number, step.whole, lines.iter().map(show).collect::<String>())
}

/// True if every line that a step added still exists.
fn stands(from: &Files, to: &Files, now: &Files) -> bool {
    let now = lines(now);
    difference(from, to).iter().all(|(line, count)| now.get(line).copied().unwrap_or(0) >= *count)
}

fn may_refuse(to: &Files, from: &Files, now: &Files, whole: Whole) -> bool {
    let same_files = to.keys().eq(from.keys())
        && now.keys().filter(|own| is_data(own)).eq(to.keys().filter(|own| is_data(own)));
    // A byte order mark is part of whichever line comes first, and that may have changed.
    let marked =
        [to, from, now].iter().any(|files| files.values().any(|own| own.starts_with(b"\xef\xbb\xbf")));
    whole == Whole::Lines && (marked || !(stands(from, to, now) && same_files))
}

#[track_caller]
fn assert_lines_turned(from: &Files, to: &Files, before: &Files, now: &Files) {
    let turned = difference(now, before);
    if stands(from, to, before) {
        // A line that exists may not be restored a second time.
        let there = lines(before);
        let [wanted, turned] = [difference(to, from), turned].map(|mut all| {
            all.retain(|line, count| *count < 0 || !there.contains_key(line));
            all
        });
        let show = |lines: &Lines| -> Vec<String> {
            lines
                .iter()
                .map(|((path, line), count)| format!("{count} {} {}", path.display(), text(line)))
                .collect()
        };
        assert_eq!(show(&wanted), show(&turned));
    }
}

/// Runs `steps` operations, with a new random store from time to time.
fn run(seed: u64, steps: usize) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut left = steps;
    for number in 0.. {
        if left == 0 {
            break;
        }
        let seed = seed + number;
        let format = if seed.is_multiple_of(2) { "session-log" } else { "memory-server" };
        let of_run = super::told(seed, || {
            let mut chance = Chance::new(seed);
            let site = Site::new(format, &stores::random(&mut chance, format));
            let long = if chance.once_in(5) { 120 } else { 25 };
            let (done, undone) = (Vec::new(), Vec::new());
            let mut run = Run { site, chance, done, undone, counts: BTreeMap::new() };
            for _ in 0..long.min(left) {
                run.step();
                left -= 1;
            }
            run.counts
        });
        for (what, count) in of_run {
            *counts.entry(what).or_default() += count;
        }
    }
    counts
}

#[test]
fn any_operations_in_any_order_leave_what_a_simple_model_says() {
    let began = Instant::now();
    let steps = crate::support::tries::count(400, 40_000);
    let counts = run(seed(), steps);
    if crate::support::tries::is_long() {
        eprintln!("{steps} steps took {:?}: {counts:#?}", began.elapsed());
    }
    for deed in DEEDS {
        assert!(counts.contains_key(&format!("{deed:?}")), "{deed:?} was never done: {counts:#?}");
    }
}
