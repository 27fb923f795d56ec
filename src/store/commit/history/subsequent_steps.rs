//! What palimp's own steps did to a file's records after a step that is turned: what they brought is
//! no other program's, and what they took is not there by their doing.

use std::collections::{HashMap, HashSet};

use super::undo_redo::StepHistory;
use crate::model::plan::change::EqualRecords;
use crate::model::{Act, Change, PathText};
use crate::store::commit::apply::record_digests::{DigestCounts, count};
use crate::store::commit::{CommitContext, CommitError, JournalLine, UndoStep};

/// The steps after one, as far as they are kept.
#[derive(Default)]
pub struct SubsequentSteps {
    /// What all of them came to.
    pub net: DigestCounts,
    /// What each did that is in force, in their order.
    pub in_force: Vec<(u64, DigestCounts)>,
}

impl SubsequentSteps {
    /// How many of a step's records it still is to bring back: what later ones brought counts for it.
    pub fn still_gone(&self, name: u64, gone: i64) -> i64 {
        let by = |(_, counts): &(u64, DigestCounts)| counts.get(&name).copied().unwrap_or(0);
        self.in_force.iter().fold(gone, |gone, own| (gone - by(own)).max(0))
    }

    /// The last step in force that brought such a record.
    pub fn brought_by(&self, name: u64) -> Option<u64> {
        let brought = |(_, counts): &&(u64, DigestCounts)| counts.get(&name).is_some_and(|count| *count > 0);
        self.in_force.iter().rev().find(brought).map(|(step, _)| *step)
    }
}

/// What the steps after `by` did with those records of a file.
pub fn subsequent_steps(
    context: &CommitContext<'_>,
    (journal, by): (&[JournalLine], u64),
    change: &Change,
    wanted: &HashSet<u64>,
) -> Result<SubsequentSteps, CommitError> {
    let history = StepHistory::of(journal);
    let mut later = SubsequentSteps::default();
    // A turn may have left the file alone, as others had done it already; of a line that was damaged
    // the files are not known.
    let has =
        |own: &JournalLine| own.files.is_empty() || own.files.iter().any(|file| file.path == change.path);
    let steps: HashMap<u64, &JournalLine> = journal.iter().map(|own| (own.step, own)).collect();
    let turned = |own: &JournalLine| steps.get(&own.subject_step()).is_none_or(|own| has(own));
    let is_about = |own: &&JournalLine| own.step > by && (has(own) || own.turn.is_some() && turned(own));
    for line in journal.iter().filter(is_about) {
        let Some(step) = context.vault.step(line.step)? else { continue };
        let counts = effect(&step, change, wanted);
        counts.iter().for_each(|(name, count)| *later.net.entry(*name).or_default() += count);
        let done = history.done.iter().find(|(_, by)| *by == line.step);
        later.in_force.extend(done.filter(|_| !counts.is_empty()).map(|(step, _)| (*step, counts)));
    }
    Ok(later)
}

/// How many of those records a step brought to a file, by its undo data. What it counted as brought
/// though others had done it is no longer theirs.
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
    let mut add = |twins: &[EqualRecords], each: i64| {
        for own in twins.iter().filter(|own| own.0 == path && wanted.contains(&own.1)) {
            *counts.entry(own.1).or_default() += each * own.2 as i64;
        }
    };
    add(&step.claimed, 1);
    add(&step.owed, -1);
    counts.retain(|_, count| *count != 0);
    counts
}
