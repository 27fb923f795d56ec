//! Leaves out records that undo or redo would restore although equal ones exist again, byte for
//! byte. An equal id alone is not enough.

use std::collections::HashSet;

use super::subsequent_steps::SubsequentSteps;
use crate::format::Placement;
use crate::model::plan::{apply, count_with_noun};
use crate::model::{Act, Bytes, Change, JournalLine, PathText, Role, Span, Splice, UndoRedo, is_log};
use crate::store::steps::UndoStep;
use crate::store::steps::undo_step::EqualRecords;
use crate::store::write::apply::line_index::{LineIndex, id_of};
use crate::store::write::apply::record_digests::{DigestCounts, bytes_of, comes, count, twins_of};
use crate::store::write::history::subsequent_steps;
use crate::store::write::{CommitContext, CommitError};
use crate::text::lines;

/// What a plan reports about the records that undo or redo restores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoreSummary {
    /// The number of records that are left out because they exist again.
    pub same: u64,
    /// The number of restored records whose id exists with other content.
    pub other: u64,
    /// Records of logs that are left out, by file.
    pub claimed: Vec<EqualRecords>,
}

impl RestoreSummary {
    /// Returns the summary as sentences.
    pub fn notes(&self) -> Vec<String> {
        let (was, left) =
            if self.same == 1 { ("was", "is left as it is") } else { ("were", "are left as they are") };
        let [same, other] = [self.same, self.other].map(|count| count_with_noun(count, "memory"));
        let same = format!("{same} {was} already restored by another program, and {left}");
        let other = format!(
            "{other} will be restored beside a memory with the same id and other content: \
             `palimp check` lists the duplicates"
        );
        let both = [(self.same, same), (self.other, other)];
        both.into_iter().filter(|(count, _)| *count > 0).map(|(_, told)| told).collect()
    }
}

/// A step to undo or redo, and the step `by` whose undo data does it.
pub struct ReversedStep<'a> {
    pub journal: &'a [JournalLine],
    pub step: u64,
    pub by: u64,
    pub own: &'a UndoStep,
}

impl ReversedStep<'_> {
    fn redone(&self) -> Option<u64> {
        matches!(self.own.line.turn, Some(UndoRedo::Undo(_))).then_some(self.step)
    }

    /// Returns the error that a later step changed the same records, so that this one does not fit before that is undone.
    fn touched_since(&self, step: u64) -> CommitError {
        let line = self.journal.iter().find(|line| line.step == step);
        let verb = line.map_or("", |line| line.verb.as_str());
        let turned = if self.redone().is_some() { "redone" } else { "undone" };
        CommitError::NoStep(format!(
            "Step {} can't be {turned} now: step {step} ({verb}) changed the same memory after it. Nothing was changed. Undo \
             step {step} first: `palimp undo {step}`.",
            self.step
        ))
    }
}

/// Returns the change without the records that exist again; `None` if nothing is left to do.
pub fn without_present(
    context: &CommitContext<'_>,
    change: &Change,
    turning: &ReversedStep<'_>,
    back: &mut RestoreSummary,
) -> Result<Option<Change>, CommitError> {
    let is_whole = context.format.place(&change.path, false) == Placement::File(Role::Records);
    if context.format.forbids_rebase(&change.path) || !(is_log(&change.path) || is_whole) {
        return Ok(Some(change.clone()));
    }
    let names =
        |bytes: &[u8], other: &[u8]| comes(change, bytes, other).into_iter().map(|record| record.name);
    let (mut coming, mut going): (HashSet<u64>, HashSet<u64>) = Default::default();
    match &change.act {
        Act::Create(bytes) => coming.extend(names(bytes, b"")),
        Act::Remove(bytes) => going.extend(names(bytes, b"")),
        Act::Splice(splices) if is_log(&change.path) => {
            splices.iter().for_each(|splice| coming.extend(names(&splice.becomes, &splice.was)));
            splices.iter().for_each(|splice| going.extend(names(&splice.was, &splice.becomes)));
        }
        _ => {}
    }
    let touched: HashSet<u64> = coming.union(&going).copied().collect();
    if touched.is_empty() {
        return Ok(Some(change.clone()));
    }
    let steps = (turning.journal, turning.by, turning.redone());
    let later = subsequent_steps::subsequent_steps(context, steps, change, &touched)?;
    if let Some(step) = later.last {
        return Err(turning.touched_since(step));
    }
    if coming.is_empty() {
        return Ok(Some(change.clone()));
    }
    let now = context.bytes(&change.path)?;
    if !is_log(&change.path) {
        return Ok(whole_file(change, now.as_deref(), back));
    }
    let now = now.unwrap_or_default();
    let mut there = PresentRecords::of(change, &now, &coming, (turning, &later));
    let left = there.without_back(change, back);
    // If the whole file is equal, the bytes between the records exist again, too.
    let is_all_there = matches!(&change.act, Act::Create(bytes) if now == *bytes && there.brought == 0);
    back.claimed.extend(twins_of(change, &there.claimed));
    Ok(left.filter(|_| !is_all_there))
}

/// Handles a record that is a whole file. It exists at most once.
fn whole_file(change: &Change, now: Option<&[u8]>, back: &mut RestoreSummary) -> Option<Change> {
    // If the file has other content, `recover_steps::fitted` reports the conflict.
    let is_there = matches!(&change.act, Act::Create(bytes) if now == Some(&bytes[..]));
    back.same += u64::from(is_there);
    (!is_there).then(|| change.clone())
}

/// The records that other programs added to a file since a step.
struct PresentRecords<'a> {
    /// Their number, by digest.
    counts: DigestCounts,
    /// Those of them that are what the change would restore.
    claimed: DigestCounts,
    /// The number of records that the change restores.
    brought: u64,
    places: LineIndex<'a>,
    /// Lines that the change removes.
    goes: Vec<&'a [u8]>,
}

impl<'a> PresentRecords<'a> {
    fn of(
        change: &'a Change,
        now: &'a Bytes,
        wanted: &HashSet<u64>,
        (turning, later): (&ReversedStep<'_>, &SubsequentSteps),
    ) -> PresentRecords<'a> {
        // The records that the file would have if only palimp had written to it.
        let (mut expected, path) = (later.net.clone(), change.path.to_text());
        let twins = turning.own.twins.iter().filter(|own| own.0 == path);
        twins.for_each(|own| *expected.entry(own.1).or_default() += own.2 as i64);
        let mut counts = DigestCounts::new();
        count(change, now, wanted, 1, &mut counts);
        counts
            .iter_mut()
            .for_each(|(name, count)| *count -= expected.get(name).map_or(0, |own| (*own).max(0)));
        let goes = match &change.act {
            Act::Splice(splices) => splices.iter().flat_map(|own| said(&own.was)).collect(),
            _ => Vec::new(),
        };
        PresentRecords { counts, claimed: DigestCounts::new(), brought: 0, places: LineIndex::of(now), goes }
    }

    /// Returns the change without records of other programs; `None` if nothing is left of it.
    fn without_back(&mut self, change: &Change, back: &mut RestoreSummary) -> Option<Change> {
        let act = match &change.act {
            Act::Create(bytes) => Act::Create(self.left(change, bytes, b"", back)?.into()),
            Act::Splice(splices) => {
                let mut fit = |own: &Splice| {
                    let becomes = self.left(change, &own.becomes, &own.was, back)?.into();
                    Some(Splice { becomes, ..own.clone() })
                };
                let splices: Vec<Splice> = splices.iter().filter_map(&mut fit).collect();
                Act::Splice((!splices.is_empty()).then_some(splices)?)
            }
            act => act.clone(),
        };
        Some(Change { act, ..change.clone() })
    }

    /// Returns `becomes` without the records that exist again; `None` if that changes nothing.
    fn left(
        &mut self,
        change: &Change,
        becomes: &[u8],
        was: &[u8],
        back: &mut RestoreSummary,
    ) -> Option<Vec<u8>> {
        let mut spans: Vec<Span> = Vec::new();
        for own in comes(change, becomes, was) {
            match self.counts.get_mut(&own.name).filter(|count| **count > 0) {
                Some(count) => {
                    *count -= 1;
                    back.same += 1;
                    *self.claimed.entry(own.name).or_default() += 1;
                    spans.push(own.span);
                }
                None => {
                    self.brought += 1;
                    let record = bytes_of(becomes, own.span);
                    back.other += u64::from(self.has_other(record));
                }
            }
        }
        if spans.is_empty() {
            return Some(becomes.to_vec());
        }
        let hole = |(range, _): (std::ops::Range<usize>, Vec<u8>)| Splice {
            start: range.start as u64,
            was: becomes[range].into(),
            becomes: Bytes::default(),
            line_before: Bytes::default(),
        };
        let holes: Vec<Splice> = lines::removal_edits(becomes, &spans).into_iter().map(hole).collect();
        let left = apply(becomes, &holes);
        let is_nothing =
            left == was || was.is_empty() && (left.trim_ascii().is_empty() || left == lines::BOM);
        (!is_nothing).then_some(left)
    }

    /// True if a record with the same id and other content exists and stays.
    fn has_other(&self, record: &[u8]) -> bool {
        let same = id_of(record).filter(|id| !id.is_empty()).and_then(|id| self.places.of_id(&id));
        same.is_some_and(|same| {
            let is = said(&same.line).next().unwrap_or_default();
            same.has_others || is != record && !self.goes.contains(&is)
        })
    }
}

/// Returns the lines without their line ends.
fn said(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines::lines(bytes).map(|line| &bytes[line.start..line.end])
}
