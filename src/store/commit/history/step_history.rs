//! Which steps of the journal are applied and which are undone.

use crate::store::commit::vault::{JournalLine, UndoRedo};

/// Which steps are in force, and which were taken back, the last one last; each with the
/// step whose file turns it round.
#[derive(Debug, Default, PartialEq)]
pub struct StepHistory {
    /// In force: a step, and the step that did it last.
    pub done: Vec<(u64, u64)>,
    /// Taken back: a step, and the step that took it back.
    pub undone: Vec<(u64, u64)>,
    /// Taken back, and not to be done again: something new was done since.
    pub left: Vec<(u64, u64)>,
}

impl StepHistory {
    /// Whether a step of that number can be taken back: one in force, or one that took
    /// another back.
    pub fn has(&self, number: u64) -> bool {
        self.done.iter().any(|(step, by)| *step == number || *by == number)
            || self.undone.iter().any(|(_, by)| *by == number)
    }

    /// The newest step that can be taken back; where there is none, the newest in force. What
    /// erased, and what is kept no longer, is passed over.
    pub fn newest(&self, journal: &[JournalLine], kept: &[u64]) -> Option<(u64, u64)> {
        let can = |own: &&(u64, u64)| why_passed_over(journal, kept, **own).is_none();
        self.done.iter().rev().find(can).or(self.done.last()).copied()
    }

    /// Reads it from the journal.
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

/// Why a step in force is passed over by undo.
pub(super) fn why_passed_over(
    journal: &[JournalLine],
    kept: &[u64],
    (step, by): (u64, u64),
) -> Option<&'static str> {
    let is_erasure = journal.iter().any(|line| line.step == step && line.verb == "erase");
    match is_erasure {
        true => Some("it erased memories, and an erasure can't be undone"),
        false => (!kept.contains(&by)).then_some("what it replaced is not kept any more"),
    }
}

/// Steps after the one that is taken back that can't be: a line each.
pub(super) fn passed_over(
    history: &StepHistory,
    journal: &[JournalLine],
    kept: &[u64],
    step: u64,
) -> Vec<String> {
    let later = history.done.iter().rev().take_while(|(own, _)| *own != step);
    let row = |own: &(u64, u64)| {
        let why = why_passed_over(journal, kept, *own)?;
        Some(format!("step {} is skipped: {why}", own.0))
    };
    later.filter_map(row).collect()
}
