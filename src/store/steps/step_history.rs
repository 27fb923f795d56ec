//! Which steps of the journal are applied and which are undone.

use crate::model::{JournalLine, UndoRedo};

/// Applied and undone steps, the latest last, each with the step whose undo data reverses it.
#[derive(Debug, Default, PartialEq)]
pub struct StepHistory {
    /// Applied steps, each with the step that applied it last.
    pub done: Vec<(u64, u64)>,
    /// Undone steps, each with the step that undid it.
    pub undone: Vec<(u64, u64)>,
    /// Undone steps that can't be redone because another change was made since.
    pub left: Vec<(u64, u64)>,
}

impl StepHistory {
    /// True if undo accepts this number: an applied step, its redo, or an undo that can be reversed.
    pub fn has(&self, number: u64) -> bool {
        self.done.iter().any(|(step, by)| *step == number || *by == number)
            || self.undone.iter().any(|(_, by)| *by == number)
    }

    /// The newest step that can be undone, or the newest applied one if there is none.
    pub fn newest(&self, journal: &[JournalLine], kept: &[u64]) -> Option<(u64, u64)> {
        self.newest_undoable(journal, kept).or(self.done.last().copied())
    }

    /// The newest step that can be undone. Skips erasures and steps whose undo data is gone.
    pub fn newest_undoable(&self, journal: &[JournalLine], kept: &[u64]) -> Option<(u64, u64)> {
        let can = |own: &&(u64, u64)| why_passed_over(journal, kept, **own).is_none();
        self.done.iter().rev().find(can).copied()
    }

    /// Reads the history from the journal.
    pub fn of(journal: &[JournalLine]) -> StepHistory {
        let mut history = StepHistory::default();
        for line in journal {
            match line.turn {
                None => {
                    history.done.push((line.step, line.step));
                    history.left.append(&mut history.undone);
                }
                Some(UndoRedo::Undo(step)) => {
                    history.done.retain(|(own, _)| *own != step);
                    history.undone.push((step, line.step));
                }
                Some(UndoRedo::Redo(step)) => {
                    history.undone.retain(|(own, _)| *own != step);
                    history.done.push((step, line.step));
                }
            }
        }
        history
    }
}

/// Returns why undo skips an applied step.
pub(super) fn why_passed_over(
    journal: &[JournalLine],
    kept: &[u64],
    (step, by): (u64, u64),
) -> Option<&'static str> {
    let is_erasure = journal.iter().any(|line| line.step == step && line.verb.is_erasure());
    match is_erasure {
        true => Some("it erased memories or values, and an erasure can't be undone"),
        false => (!kept.contains(&by)).then_some("what it replaced is not kept any more"),
    }
}

/// Returns a line for each later step that undo skips.
pub fn passed_over(history: &StepHistory, journal: &[JournalLine], kept: &[u64], step: u64) -> Vec<String> {
    let later = history.done.iter().rev().take_while(|(own, _)| *own != step);
    let row = |own: &(u64, u64)| {
        let why = why_passed_over(journal, kept, *own)?;
        Some(format!("step {} is skipped: {why}", own.0))
    };
    later.filter_map(row).collect()
}
