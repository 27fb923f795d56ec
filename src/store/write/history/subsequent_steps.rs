//! Counts the records that palimp's own later steps added to a file or removed from it, so that
//! they are not taken for changes by other programs.

use std::collections::{HashMap, HashSet};

use crate::model::{Act, Change, JournalLine, PathText, is_log};
use crate::store::steps::undo_step::EqualRecords;
use crate::store::steps::{StepHistory, UndoStep};
use crate::store::write::apply::record_digests::{DigestCounts, count};
use crate::store::write::{CommitContext, CommitError};

/// The effects of the steps after one, as far as their undo data is kept.
#[derive(Default)]
pub struct SubsequentSteps {
    /// The sum of all effects.
    pub net: DigestCounts,
    /// The last applied step that added or removed such records.
    pub last: Option<u64>,
}

/// Reads what the steps after `by` did with the `wanted` records of a file. A step before the one that is `redone`
/// is not in its way: it was redone first, as it had been done first.
pub fn subsequent_steps(
    context: &CommitContext<'_>,
    (journal, by, redone): (&[JournalLine], u64, Option<u64>),
    change: &Change,
    wanted: &HashSet<u64>,
) -> Result<SubsequentSteps, CommitError> {
    let history = StepHistory::of(journal);
    let mut later = SubsequentSteps::default();
    // An undo or redo lists no file in which another program had already done the same. A damaged
    // journal line lists no files.
    let has =
        |own: &JournalLine| own.files.is_empty() || own.files.iter().any(|file| file.path == change.path);
    let steps: HashMap<u64, &JournalLine> = journal.iter().map(|own| (own.step, own)).collect();
    let turned = |own: &JournalLine| steps.get(&own.subject_step()).is_none_or(|own| has(own));
    let is_about = |own: &&JournalLine| own.step > by && (has(own) || own.turn.is_some() && turned(own));
    for line in journal.iter().filter(is_about) {
        let Some(step) = context.vault.step(line.step)? else { continue };
        let counts = effect(&step, change, wanted);
        counts.iter().for_each(|(name, count)| *later.net.entry(*name).or_default() += count);
        let is_in_the_way = |step: u64| redone.is_none_or(|redone| step > redone);
        let done = history.done.iter().find(|(step, by)| *by == line.step && is_in_the_way(*step));
        // Undo data has only a digest of a file that a step made.
        let is_touched = !counts.is_empty()
            || !is_log(&change.path) && step.changes.iter().any(|other| other.path == change.path);
        later.last = done.filter(|_| is_touched).map(|(step, _)| *step).or(later.last);
    }
    Ok(later)
}

/// Counts the `wanted` records that a step added to a file, by its undo data, and those that it claimed.
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
    let path = change.path.to_text();
    for EqualRecords(_, name, count) in step.claimed.iter().filter(|claimed| claimed.0 == path) {
        if wanted.contains(name) {
            *counts.entry(*name).or_default() += *count as i64;
        }
    }
    counts.retain(|_, count| *count != 0);
    counts
}
