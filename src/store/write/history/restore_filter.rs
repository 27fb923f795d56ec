//! Leaves out records that undo or redo would restore although equal ones exist again, byte for
//! byte. An equal id alone is not enough.

use super::subsequent_steps::SubsequentSteps;
use crate::format::Placement;
use crate::model::plan::{apply, count_with_noun};
use crate::model::{Act, Bytes, Change, JournalLine, PathText, Role, Span, Splice, is_log};
use crate::store::steps::UndoStep;
use crate::store::write::apply::line_index::{LineIndex, id_of};
use crate::store::write::apply::record_digests::{DigestCounts, DigestedRecord, bytes_of, comes, count};
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
    /// Returns how many equal records the step left in the file, without those of other programs.
    fn stayed(&self, change: &Change) -> DigestCounts {
        let path = change.path.to_text();
        let mut stayed = DigestCounts::new();
        for own in self.own.twins.iter().filter(|own| own.0 == path) {
            *stayed.entry(own.1).or_default() += own.2 as i64;
        }
        stayed
    }

    fn brought_already(&self, step: u64, count: u64) -> CommitError {
        let line = self.journal.iter().find(|line| line.step == step);
        let verb = line.map_or("", |line| line.verb.as_str());
        let (what, twice) = (count_with_noun(count, "memory"), if count == 1 { "it" } else { "they" });
        CommitError::NoStep(format!(
            "Step {} can't be undone now: step {step} ({verb}) restored {what} that it took out, and {twice} would be \
             there twice. Undo step {step} first: `palimp undo {step}`.",
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
    let mut coming = DigestCounts::new();
    let mut all =
        |own: Vec<DigestedRecord>| own.iter().for_each(|own| *coming.entry(own.name).or_default() += 1);
    match &change.act {
        Act::Create(bytes) => all(comes(change, bytes, b"")),
        Act::Splice(own) if is_log(&change.path) => {
            own.iter().for_each(|own| all(comes(change, &own.becomes, &own.was)))
        }
        _ => {}
    }
    if coming.is_empty() {
        return Ok(Some(change.clone()));
    }
    let wanted = coming.keys().copied().collect();
    let later = subsequent_steps::subsequent_steps(context, (turning.journal, turning.by), change, &wanted)?;
    let now = context.bytes(&change.path)?;
    if !is_log(&change.path) {
        return whole_file(change, now.as_deref(), turning, &later, back);
    }
    let now = now.unwrap_or_default();
    let mut there = PresentRecords::of(change, &now, turning, &later);
    count(change, &now, &wanted, 1, &mut there.counts);
    there.tell_apart(&coming);
    let left = there.without_back(change, back);
    // If the whole file is equal, the bytes between the records exist again, too.
    let is_all_there = matches!(&change.act, Act::Create(bytes) if now == *bytes && there.brought.is_empty());
    let left = left.filter(|_| !is_all_there);
    for (name, brought) in &there.brought {
        let taken = coming.get(name).copied().unwrap_or(0);
        let gone = later.still_gone(*name, taken) + there.lacking(*name);
        if let Some(step) = later.brought_by(*name).filter(|_| *brought > gone) {
            return Err(turning.brought_already(step, (brought - gone) as u64));
        }
    }
    Ok(left)
}

/// Handles a record that is a whole file. It exists at most once, so its steps are undone in order.
fn whole_file(
    change: &Change,
    now: Option<&[u8]>,
    turning: &ReversedStep<'_>,
    later: &SubsequentSteps,
    back: &mut RestoreSummary,
) -> Result<Option<Change>, CommitError> {
    let Act::Create(bytes) = &change.act else { return Ok(Some(change.clone())) };
    let brings = |own: &&(u64, DigestCounts)| now.is_some() && own.1.values().any(|count| *count > 0);
    if let Some((step, _)) = later.in_force.iter().rev().find(brings) {
        return Err(turning.brought_already(*step, 1));
    }
    // If the file has other content, `recover_steps::fitted` reports the conflict.
    if now != Some(&bytes[..]) {
        return Ok(Some(change.clone()));
    }
    back.same += 1;
    Ok(None)
}

/// The records that other programs added to a file since a step. Counts are by digest.
struct PresentRecords<'a> {
    /// The records in the file. [`Self::tell_apart`] leaves only those of other programs.
    counts: DigestCounts,
    /// The records that the file would have if only palimp had written to it.
    expected: DigestCounts,
    /// The expected records that are missing.
    lacking: DigestCounts,
    /// The records that the change restores.
    brought: DigestCounts,
    places: LineIndex<'a>,
    /// Lines that the change removes.
    goes: Vec<&'a [u8]>,
}

impl<'a> PresentRecords<'a> {
    fn of(
        change: &'a Change,
        now: &'a Bytes,
        turning: &ReversedStep<'_>,
        later: &SubsequentSteps,
    ) -> PresentRecords<'a> {
        let mut expected = turning.stayed(change);
        later.net.iter().for_each(|(name, count)| *expected.entry(*name).or_default() += count);
        let goes = match &change.act {
            Act::Splice(splices) => splices.iter().flat_map(|own| said(&own.was)).collect(),
            _ => Vec::new(),
        };
        let none = DigestCounts::new;
        let (counts, lacking, brought) = (none(), none(), none());
        PresentRecords { counts, expected, lacking, brought, places: LineIndex::of(now), goes }
    }

    /// Subtracts the expected records from `counts`.
    fn tell_apart(&mut self, coming: &DigestCounts) {
        for name in coming.keys() {
            let expected = self.expected.get(name).copied().unwrap_or(0).max(0);
            let count = self.counts.entry(*name).or_default();
            self.lacking.insert(*name, (expected - *count).max(0));
            *count = (*count - expected).max(0);
        }
    }

    fn lacking(&self, name: u64) -> i64 {
        self.lacking.get(&name).copied().unwrap_or(0)
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
                    spans.push(own.span);
                }
                None => {
                    *self.brought.entry(own.name).or_default() += 1;
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
