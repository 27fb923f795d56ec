//! The journal as people read it, with the changes by other programs. It quotes no content.

use std::path::{Path, PathBuf};

use crate::disk::RealDisk;
use crate::model::plan::change::undo_until;
use crate::model::{Change, JournalLine, Moment, Role, Store, UndoRedo, Verb};
use crate::store::steps::StepHistory;
use crate::store::write::scrub::PendingErasure;
use crate::store::{CommitError, Vault};

/// The state of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    Applied,
    /// It was undone by the step with this number.
    UndoneBy(u64),
    /// It undid or redid another step.
    Reverses(UndoRedo),
    /// It is an interrupted erasure. The next change of the store finishes it.
    Erasing,
}

/// What other programs did, by the times in records. Removals are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForeignChanges {
    /// The number of records that were written.
    pub written: usize,
    /// The number of records whose last use is in this period.
    pub used: usize,
}

impl ForeignChanges {
    /// True if no change by other programs is known.
    pub fn is_none(&self) -> bool {
        *self == ForeignChanges::default()
    }
}

/// A step as it is shown.
#[derive(Clone, Debug)]
pub struct JournalRow {
    pub line: JournalLine,
    /// The time of the step, if it can be read.
    pub at: Option<Moment>,
    /// The state of the step.
    pub outcome: StepOutcome,
    /// The time until which it can be undone or redone.
    pub until: Option<Moment>,
    /// The reason why it can't be undone or redone.
    pub why_not: Option<&'static str>,
    /// What other programs did between this step and the next.
    pub foreign: ForeignChanges,
}

impl JournalRow {
    /// True if the step is undone.
    pub fn is_undone(&self) -> bool {
        matches!(self.outcome, StepOutcome::UndoneBy(_))
    }

    /// True if reversing it is a redo: it is undone, or it undid another step.
    pub fn comes_again(&self) -> bool {
        self.is_undone() || matches!(self.outcome, StepOutcome::Reverses(UndoRedo::Undo(_)))
    }
}

/// The steps of a store.
#[derive(Clone, Debug, Default)]
pub struct JournalView {
    /// The steps, the oldest first.
    pub rows: Vec<JournalRow>,
    /// Files whose length differs from what their last step left, because another program changed
    /// them. Relative to the root, with the old and the new length; `None` if the file is gone.
    pub changed_files: Vec<(PathBuf, u64, Option<u64>)>,
    /// Messages about palimp's own data that is damaged or can't be read.
    pub faults: Vec<String>,
    /// True if palimp could read all of its own data.
    pub is_read: bool,
}

impl JournalView {
    /// Reads the journal of a store and compares it with the store as it was read.
    pub fn of(store: &Store, data: &Path, now: Moment) -> JournalView {
        let vault = Vault::open_read_only(&RealDisk, data, &store.root);
        let mut faults = Vec::new();
        let mut journal = told_of(vault.journal(), &mut faults);
        let kept = told_of(vault.steps(), &mut faults);
        let begun = told_of(vault.erasing(), &mut faults);
        // An erasure has a journal line before it is finished.
        journal.retain(|line| begun.as_ref().is_none_or(|erasure| erasure.step != line.step));
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

/// Returns the changes that undo a step of the store at `root`, or why they are unknown.
pub fn inverse_of_step(data: &Path, root: &Path, step: u64) -> Result<Vec<Change>, String> {
    match Vault::open_read_only(&RealDisk, data, root).step(step) {
        Ok(Some(kept)) => Ok(kept.changes),
        Ok(None) => Err("what it replaced is not kept any more: the journal has lengths alone".to_owned()),
        Err(error) => Err(error.in_short()),
    }
}

/// Returns what was read. Adds an error to `faults`, once.
fn told_of<T: Default>(read: Result<T, CommitError>, faults: &mut Vec<String>) -> T {
    read.unwrap_or_else(|error| {
        let fault = error.in_short();
        if !faults.contains(&fault) {
            faults.push(fault);
        }
        T::default()
    })
}

fn row(line: JournalLine, history: &StepHistory, kept: &[u64]) -> JournalRow {
    let at = Moment::of(&line.at);
    let undone = history.undone.iter().chain(&history.left).find(|(step, _)| *step == line.step);
    let outcome = match (line.turn, undone) {
        (Some(turn), _) => StepOutcome::Reverses(turn),
        (None, Some((_, by))) => StepOutcome::UndoneBy(*by),
        (None, None) => StepOutcome::Applied,
    };
    // The undo data is that of the last step that undid or redid this one.
    let by = match outcome {
        StepOutcome::UndoneBy(by) => by,
        _ => history.done.iter().find(|(step, _)| *step == line.step).map_or(line.step, |(_, by)| *by),
    };
    let why_not = if line.verb.is_erasure() {
        Some("an erasure keeps nothing")
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
    let at = Moment::of(&entry.at);
    let line = JournalLine {
        step: entry.step,
        at: entry.at,
        verb: Verb::Erasing,
        records: entry.count,
        files: entry.files,
        ids: entry.records.into_iter().filter_map(|record| record.id).collect(),
        ..JournalLine::default()
    };
    let why_not = Some("it is not finished; the next change of the store finishes it");
    let outcome = StepOutcome::Erasing;
    JournalRow { line, at, outcome, until: None, why_not, foreign: ForeignChanges::default() }
}

/// A record time this close to a step, in microseconds, belongs to the step.
const OWN: i64 = 1_000_000;

/// Counts the records with a time between two steps or after the last one.
fn tell_others(store: &Store, rows: &mut [JournalRow], now: Moment) {
    let starts: Vec<Option<Moment>> = rows.iter().map(|row| row.at).collect();
    let place = |when: Moment| {
        let after = starts.iter().rposition(|at| at.is_some_and(|at| at.0 + OWN < when.0))?;
        let is_own = starts.iter().flatten().any(|at| (at.0 - when.0).abs() <= OWN);
        (!is_own && when <= now).then_some(after)
    };
    for entry in &store.entries {
        let Some(memory) = store.memory(entry) else { continue };
        if let Some(row) = memory.created.and_then(place).and_then(|at| rows.get_mut(at)) {
            row.foreign.written += 1;
        }
        let used = memory.accessed.filter(|used| Some(*used) != memory.created);
        if let Some(row) = used.and_then(place).and_then(|at| rows.get_mut(at)) {
            row.foreign.used += 1;
        }
    }
}

/// Returns the files with memories whose length is not what their last step left.
fn moved(store: &Store, journal: &[JournalLine]) -> Vec<(PathBuf, u64, Option<u64>)> {
    let mut left: Vec<(PathBuf, u64)> = Vec::new();
    for file in journal.iter().flat_map(|line| &line.files) {
        let path = PathBuf::from(&file.path);
        left.retain(|(known, _)| *known != path);
        left.push((path, file.bytes_after));
    }
    let mut moved = Vec::new();
    for (path, len) in left {
        let file = store.documents.iter().find(|file| file.path == path);
        let counts = |role| matches!(role, Role::Records | Role::Archive | Role::Tombstones);
        // A file outside the store's folder is not one of its documents.
        let beside = path.strip_prefix("..").ok();
        if beside.is_some_and(|path| {
            store.outside_files.iter().any(|(outside, bytes)| outside == path && bytes.len() as u64 == len)
        }) {
            continue;
        }
        match file {
            Some(file) if counts(file.role) && file.generation.len != len => {
                moved.push((path, len, Some(file.generation.len)));
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
