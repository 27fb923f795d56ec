//! What was done to a store, step by step, and what others did meanwhile: the journal, as a
//! person reads it. It quotes no content.

use std::path::PathBuf;

use super::undo_redo::StepHistory;
use crate::model::{Moment, Role, Store};
use crate::store::commit::scrub::PendingErasure;
use crate::store::commit::vault::retention::undo_until;
use crate::store::commit::{CommitError, JournalLine, UndoRedo, Vault};

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    /// In force.
    Applied,
    /// That step took it back.
    UndoneBy(u64),
    /// It is what took another back, or did it again.
    Reverses(UndoRedo),
    /// An erasure that was cut short: the next change of the store finishes it.
    Erasing,
}

/// What others did: known by the times in their records, so that what they wrote without one,
/// or removed, is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForeignChanges {
    /// Records that were written.
    pub written: usize,
    /// Records that were used last then.
    pub used: usize,
}

impl ForeignChanges {
    /// Whether no change of theirs is known.
    pub fn is_none(&self) -> bool {
        *self == ForeignChanges::default()
    }
}

/// A step, as it is shown.
#[derive(Clone, Debug)]
pub struct JournalRow {
    /// What the journal says of it.
    pub line: JournalLine,
    /// When it was done, where that can be read.
    pub at: Option<Moment>,
    /// What became of it.
    pub outcome: StepOutcome,
    /// Until when it can be taken back, or done again.
    pub until: Option<Moment>,
    /// Why it can't be.
    pub why_not: Option<&'static str>,
    /// What others did after it and before the next step.
    pub foreign: ForeignChanges,
}

impl JournalRow {
    /// Whether it was taken back and not done again.
    pub fn is_undone(&self) -> bool {
        matches!(self.outcome, StepOutcome::UndoneBy(_))
    }

    /// Whether turning it round does something again: it was taken back, or took another back.
    pub fn comes_again(&self) -> bool {
        self.is_undone() || matches!(self.outcome, StepOutcome::Reverses(UndoRedo::Undo(_)))
    }
}

/// The steps of a store.
#[derive(Clone, Debug, Default)]
pub struct JournalView {
    /// The oldest first.
    pub rows: Vec<JournalRow>,
    /// Files that are not as long as the last step that changed them left them: what others
    /// did since. Relative to the root, with both lengths; `None` where it is gone.
    pub changed_files: Vec<(PathBuf, u64, Option<u64>)>,
    /// What of our own data can't be read, or is damaged.
    pub faults: Vec<String>,
    /// Whether all of it could be read.
    pub is_read: bool,
}

impl JournalView {
    /// Reads the journal of a store, and compares it with the store as it was read.
    pub fn of(store: &Store, vault: &Vault<'_>, now: Moment) -> JournalView {
        let mut faults = Vec::new();
        let mut journal = told_of(vault.journal(), &mut faults);
        let kept = told_of(vault.steps(), &mut faults);
        let begun = told_of(vault.erasing(), &mut faults);
        // It has a line before it is over.
        journal.retain(|line| begun.as_ref().is_none_or(|own| own.step != line.step));
        let damaged = told_of(vault.damaged(), &mut faults);
        let is_read = faults.is_empty();
        faults.extend(damaged);
        let history = StepHistory::of(&journal);
        let moved = moved(store, &journal);
        let mut rows: Vec<JournalRow> = journal.into_iter().map(|line| row(line, &history, &kept)).collect();
        rows.extend(begun.map(erasing));
        tell_others(store, &mut rows, now);
        JournalView { rows, changed_files: moved, faults, is_read }
    }
}

/// What could be read; why not, where it could not, is a fault.
fn told_of<T: Default>(read: Result<T, CommitError>, faults: &mut Vec<String>) -> T {
    read.unwrap_or_else(|error| {
        let fault = error.to_string();
        if !faults.contains(&fault) {
            faults.push(fault);
        }
        T::default()
    })
}

fn row(line: JournalLine, history: &StepHistory, kept: &[u64]) -> JournalRow {
    let at = Moment::parse(&line.at).map(|(when, _)| when);
    let undone = history.undone.iter().chain(&history.left).find(|(step, _)| *step == line.step);
    let outcome = match (line.turn, undone) {
        (Some(turn), _) => StepOutcome::Reverses(turn),
        (None, Some((_, by))) => StepOutcome::UndoneBy(*by),
        (None, None) => StepOutcome::Applied,
    };
    // What undoes or redoes it is shown at the step that did so last.
    let by = match outcome {
        StepOutcome::UndoneBy(by) => by,
        _ => history.done.iter().find(|(step, _)| *step == line.step).map_or(line.step, |(_, by)| *by),
    };
    let why_not = if line.verb == "erase" {
        Some("an erasure can't be undone")
    } else if !kept.contains(&by) {
        Some("what it replaced is not kept any more")
    } else if !history.has(line.step) && !history.undone.iter().any(|(step, _)| *step == line.step) {
        Some("another change was made since")
    } else {
        None
    };
    let until = at.filter(|_| why_not.is_none()).map(undo_until);
    JournalRow { line, at, outcome, until, why_not, foreign: ForeignChanges::default() }
}

fn erasing(entry: PendingErasure) -> JournalRow {
    let at = Moment::parse(&entry.at).map(|(when, _)| when);
    let line = JournalLine {
        step: entry.step,
        at: entry.at,
        verb: "erasing".into(),
        records: entry.records.len() as u64,
        files: entry.files,
        ids: entry.records.into_iter().filter_map(|own| own.id).collect(),
        ..JournalLine::default()
    };
    let why_not = Some("it is not finished; the next change of the store finishes it");
    JournalRow {
        line,
        at,
        outcome: StepOutcome::Erasing,
        until: None,
        why_not,
        foreign: ForeignChanges::default(),
    }
}

/// Times that are no further from a step than this are the step's own.
const OWN: i64 = 1_000_000;

/// Counts what is in the store with a time between two steps, or since the last of them.
fn tell_others(store: &Store, rows: &mut [JournalRow], now: Moment) {
    let starts: Vec<Option<Moment>> = rows.iter().map(|row| row.at).collect();
    let place = |when: Moment| {
        let after = starts.iter().rposition(|at| at.is_some_and(|at| at.0 + OWN < when.0))?;
        let is_own = starts.iter().flatten().any(|at| (at.0 - when.0).abs() <= OWN);
        (!is_own && when <= now).then_some(after)
    };
    for entry in &store.entries {
        let Some(view) = store.view(entry) else { continue };
        if let Some(row) = view.created.and_then(place).and_then(|at| rows.get_mut(at)) {
            row.foreign.written += 1;
        }
        let used = view.accessed.filter(|used| Some(*used) != view.created);
        if let Some(row) = used.and_then(place).and_then(|at| rows.get_mut(at)) {
            row.foreign.used += 1;
        }
    }
}

/// The files that hold memories and are not as their last step left them.
fn moved(store: &Store, journal: &[JournalLine]) -> Vec<(PathBuf, u64, Option<u64>)> {
    let mut left: Vec<(PathBuf, u64)> = Vec::new();
    for file in journal.iter().flat_map(|line| &line.files) {
        let path = PathBuf::from(&file.path);
        left.retain(|(own, _)| *own != path);
        left.push((path, file.bytes_after));
    }
    let mut moved = Vec::new();
    for (path, len) in left {
        let own = store.documents.iter().find(|own| own.path == path);
        let counts = |role| matches!(role, Role::Records | Role::Archive | Role::Tombstones);
        // What is beside the store is no document of it.
        let beside = path.strip_prefix("..").ok();
        if beside.is_some_and(|path| {
            store.outside_files.iter().any(|(own, bytes)| own == path && bytes.len() as u64 == len)
        }) {
            continue;
        }
        match own {
            Some(own) if counts(own.role) && own.generation.len != len => {
                moved.push((path, len, Some(own.generation.len)));
            }
            None if len > 0 && path.extension().is_some_and(|end| end == "jsonl" || end == "md") => {
                let is_log = !path.components().any(|part| part.as_os_str() == ".backup");
                moved.extend(is_log.then_some((path, len, None)));
            }
            _ => {}
        }
    }
    moved
}
