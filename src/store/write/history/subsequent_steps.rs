//! Counts the records that palimp's own later steps added to a file or removed from it, so that
//! they are not taken for changes by other programs.

use std::collections::HashSet;

use crate::model::{Act, Change, JournalLine};
use crate::store::steps::{StepHistory, UndoStep};
use crate::store::write::apply::record_digests::{DigestCounts, count};
use crate::store::write::{CommitContext, CommitError};

/// The effects of the steps after one, as far as their undo data is kept.
#[derive(Default)]
pub struct SubsequentSteps {
    /// The sum of all effects.
    pub net: DigestCounts,
    /// The effect of each applied step, in order.
    pub in_force: Vec<(u64, DigestCounts)>,
}

impl SubsequentSteps {
    /// Returns how many of the `gone` records that a step removed are still missing. Records that
    /// later steps added count as restored.
    pub fn still_gone(&self, name: u64, gone: i64) -> i64 {
        let by = |(_, counts): &(u64, DigestCounts)| counts.get(&name).copied().unwrap_or(0);
        self.in_force.iter().fold(gone, |gone, own| (gone - by(own)).max(0))
    }

    /// Returns the last applied step that added such a record.
    pub fn brought_by(&self, name: u64) -> Option<u64> {
        let brought = |(_, counts): &&(u64, DigestCounts)| counts.get(&name).is_some_and(|count| *count > 0);
        self.in_force.iter().rev().find(brought).map(|(step, _)| *step)
    }
}

/// Reads what the steps after `by` did with the `wanted` records of a file.
pub fn subsequent_steps(
    context: &CommitContext<'_>,
    (journal, by): (&[JournalLine], u64),
    change: &Change,
    wanted: &HashSet<u64>,
) -> Result<SubsequentSteps, CommitError> {
    let history = StepHistory::of(journal);
    let mut later = SubsequentSteps::default();
    // A damaged journal line lists no files.
    let has =
        |own: &JournalLine| own.files.is_empty() || own.files.iter().any(|file| file.path == change.path);
    for line in journal.iter().filter(|own| own.step > by && has(own)) {
        let Some(step) = context.vault.step(line.step)? else { continue };
        let counts = effect(&step, change, wanted);
        counts.iter().for_each(|(name, count)| *later.net.entry(*name).or_default() += count);
        let done = history.done.iter().find(|(_, by)| *by == line.step);
        later.in_force.extend(done.filter(|_| !counts.is_empty()).map(|(step, _)| (*step, counts)));
    }
    Ok(later)
}

/// Counts the `wanted` records that a step added to a file, by its undo data.
fn effect(step: &UndoStep, change: &Change, wanted: &HashSet<u64>) -> DigestCounts {
    let mut counts = DigestCounts::new();
    for back in step.changes.iter().filter(|own| own.path == change.path) {
        match &back.act {
            Act::Create(bytes) => count(back, bytes, wanted, -1, &mut counts),
            Act::Remove(bytes) => count(back, bytes, wanted, 1, &mut counts),
            Act::Splice(splices) => {
                for own in splices {
                    count(back, &own.becomes, wanted, -1, &mut counts);
                    count(back, &own.was, wanted, 1, &mut counts);
                }
            }
            _ => {}
        }
    }
    counts.retain(|_, count| *count != 0);
    counts
}
