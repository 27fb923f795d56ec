//! How far an interrupted change was made, judged by its undo data and the file as it is. If others
//! changed the same since, that is unknown: recovery never undoes their work.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::model::bytes::LineBounds;
use crate::model::{Act, Bytes, Change, Splice, is_log, plan};
use crate::store::steps::UndoStep;
use crate::store::write::apply::line_index::{LineIndex, id_of};
use crate::store::write::apply::rebase_splices::{fits, merge, rebase_in};
use crate::store::write::apply::record_digests::has_same_equals;
use crate::store::write::{CommitContext, CommitError};

/// How much of the change was made that a step's undo data reverses.
pub enum ChangeProgress {
    Whole,
    /// A part: lines were being appended. The change cuts them off.
    Torn(Change),
    NotMade,
    /// Unknown: others changed the same since.
    Changed,
    /// Unknown but harmless, as for folders.
    Harmless,
}

impl From<Option<bool>> for ChangeProgress {
    fn from(is_made: Option<bool>) -> ChangeProgress {
        match is_made {
            Some(true) => ChangeProgress::Whole,
            Some(false) => ChangeProgress::NotMade,
            None => ChangeProgress::Changed,
        }
    }
}

/// Returns how far a change of the step was made. `inverse` is its undo data.
pub fn change_progress(
    context: &CommitContext<'_>,
    step: &UndoStep,
    inverse: &Change,
) -> Result<ChangeProgress, CommitError> {
    if matches!(inverse.act, Act::MakeFolder | Act::RemoveFolder | Act::Append(_) | Act::Expire(_)) {
        return Ok(ChangeProgress::Harmless);
    }
    let now = context.bytes(&inverse.path)?;
    Ok(made_in(context, step, inverse, now))
}

fn made_in(
    context: &CommitContext<'_>,
    step: &UndoStep,
    inverse: &Change,
    now: Option<Bytes>,
) -> ChangeProgress {
    if let Some(cut) = now.as_ref().and_then(|now| torn(inverse, now)) {
        return ChangeProgress::Torn(cut);
    }
    let bound = context.format.forbids_rebase(&inverse.path);
    match (&inverse.act, now) {
        (Act::Create(_), None) => ChangeProgress::Whole,
        // Bytes that others appended don't count.
        (Act::Create(was), Some(now)) => match now.is_at(0, was) {
            true => ChangeProgress::NotMade,
            false => ChangeProgress::Changed,
        },
        (Act::Remove(_), None) => ChangeProgress::NotMade,
        // A different file of that name existed before ours was made.
        (Act::Remove(was), Some(now)) if bound => Some(now == *was).into(),
        // A log without our lines is another program's.
        (Act::Remove(was), Some(now)) if is_log(&inverse.path) => Some(lines_at(&now, was).is_some()).into(),
        (Act::Remove(was), Some(now)) => match now == *was {
            true => ChangeProgress::Whole,
            false => ChangeProgress::Changed,
        },
        (Act::Splice(_), None) => ChangeProgress::Changed,
        (Act::Splice(splices), Some(now)) => {
            spliced(splices, &now, &|| has_same_equals(inverse, &now, &step.twins))
        }
        _ => ChangeProgress::Harmless,
    }
}

/// Judges by the splices of the undo data if the change was made. One rename made all of them, so
/// if one is surely not made, none is.
fn spliced(splices: &[Splice], now: &Bytes, is_left: &dyn Fn() -> Option<bool>) -> ChangeProgress {
    let changed: Vec<&Splice> = splices.iter().filter(|splice| splice.was != splice.becomes).collect();
    let Some(first) = changed.first() else { return ChangeProgress::Harmless };
    // Both can fit if lines were only added or only removed.
    let (is_after, is_before) = (fits(splices, now), fits(&plan::inverse(splices), now));
    if is_after != is_before {
        return Some(is_after).into();
    }
    let places = LineIndex::of(now);
    // Counted once for all removed records.
    let left = OnceCell::new();
    let is_made = |own: &Splice| is_made(own, &places, &|| *left.get_or_init(is_left));
    if is_after && let Some(made) = is_made(first) {
        return Some(made).into();
    }
    let found: Vec<Option<bool>> = changed.iter().map(|own| is_made(own)).collect();
    let (made, not) = (found.contains(&Some(true)), found.contains(&Some(false)));
    match (made, not, found.contains(&None)) {
        (true, false, false) => ChangeProgress::Whole,
        (false, true, _) => ChangeProgress::NotMade,
        _ => ChangeProgress::Changed,
    }
}

/// True if the file has the lines as the change left them, false if as they were before, `None` if neither.
fn is_made(splice: &Splice, places: &LineIndex<'_>, is_left: &dyn Fn() -> Option<bool>) -> Option<bool> {
    let now = places.now;
    let before = || {
        let forward = Splice { was: splice.becomes.clone(), becomes: splice.was.clone(), ..splice.clone() };
        has(&forward, places)
    };
    match (splice.was.is_empty(), splice.becomes.is_empty()) {
        // The removed lines exist: either the change was not made, or these are equal lines.
        (true, _) if has_lines(&splice.becomes, places) => is_left().or_else(|| {
            let there = now.is_at(splice.start as usize, &splice.becomes);
            Some(!there && fits(std::slice::from_ref(splice), now))
        }),
        (true, _) => (!places.has_any(&splice.becomes)).then_some(true),
        (false, true) if has(splice, places) => Some(true),
        (false, true) => (!places.has_any(&splice.was)).then_some(false),
        (false, false) => match (has(splice, places), before()) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => merged(splice, places),
        },
    }
}

/// True if the lines that a splice replaces are in the file, unchanged and side by side.
fn has(splice: &Splice, places: &LineIndex<'_>) -> bool {
    let fitted = rebase_in(std::slice::from_ref(splice), places, true);
    fitted.is_ok_and(|own| matches!(&own[..], [own] if own.was == splice.was))
}

/// True if these lines are in the file. A last line without an end may have been continued.
fn has_lines(lines: &[u8], places: &LineIndex<'_>) -> bool {
    match lines.ends_with(b"\n") {
        true => places.find(lines, &HashSet::new()).is_some(),
        false => memchr::memmem::find(places.now, lines).is_some(),
    }
}

/// Judges a record that others changed since: true if it has the full change, false if nothing of it.
fn merged(splice: &Splice, places: &LineIndex<'_>) -> Option<bool> {
    let theirs = places.of_id(&id_of(&splice.was)?)?.line;
    let is = |from: &[u8], to: &[u8]| merge(from, to, &theirs).is_some_and(|own| own == theirs);
    match (is(&splice.becomes, &splice.was), is(&splice.was, &splice.becomes)) {
        (made, not) if made != not => Some(made),
        _ => None,
    }
}

/// Returns the change that cuts off lines whose append a crash interrupted: the file ends with a
/// part of them, with zeros if the system had reserved room for the rest, and nothing else.
fn torn(inverse: &Change, now: &Bytes) -> Option<Change> {
    // A longer rest is no part of them and need not be read.
    let is_part = |from: usize, lines: &[u8]| {
        let is_ours = |(there, own): (&u8, &u8)| there == own || *there == 0;
        let is_it = |there: &[u8]| there != lines && there.iter().zip(lines).all(is_ours);
        from <= now.len() && now.len() - from <= lines.len() && is_it(&now[from..now.len()])
    };
    match &inverse.act {
        Act::Remove(was) if is_log(&inverse.path) && is_part(0, was) => {
            Some(Change::remove(&inverse.path, now.clone()))
        }
        Act::Splice(splices) => {
            let [Splice { start, was, becomes, .. }] = &splices[..] else { return None };
            let start = *start as usize;
            let end = start.checked_add(becomes.len()).filter(|end| *end < now.len())?;
            let grew = was.starts_with(becomes) && is_part(start, was) && now.is_at(start, becomes);
            let edits = vec![(end..now.len(), Vec::new())];
            grew.then(|| Change::edits(&inverse.path, now.clone(), edits))
        }
        _ => None,
    }
}

/// Returns where these lines are in a log.
pub fn lines_at(now: &[u8], lines: &[u8]) -> Option<std::ops::Range<usize>> {
    let is_start = |at: &usize| *at == 0 || now[at - 1] == b'\n';
    let start = memchr::memmem::find_iter(now, lines).find(is_start)?;
    Some(start..start + lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: usize = 10_000;

    /// One pass for each record takes minutes; one pass for all takes a moment.
    #[test]
    fn how_far_a_removal_of_thousands_of_records_came_is_told_in_one_pass() {
        let line = |at| format!("{{\"id\":\"k{at}\",\"x\":1}}\n");
        let base: String = (0..MANY).map(line).collect();
        let (mut edits, mut at) = (Vec::new(), 0);
        for (number, line) in base.split_inclusive('\n').enumerate() {
            edits.extend((number % 2 == 1).then_some((at..at + line.len(), Vec::new())));
            at += line.len();
        }
        let change = Change::edits("f", base.as_bytes().into(), edits);
        let after = String::from_utf8(change.after().unwrap().to_vec()).unwrap();
        let Act::Splice(back) = change.inverse().act else { panic!() };
        // Others changed the first record, so that no splice fits at its offset.
        let others = |text: &str| text.replacen("\"x\":1", "\"x\":12345", 1);
        let began = std::time::Instant::now();
        let counted = std::cell::Cell::new(0);
        let is_left = || {
            counted.set(counted.get() + 1);
            Some(false)
        };
        assert!(matches!(spliced(&back, &others(&after).into(), &is_left), ChangeProgress::Whole));
        assert!(matches!(spliced(&back, &others(&base).into(), &is_left), ChangeProgress::NotMade));
        assert_eq!(counted.get(), 1, "the records that stayed are counted once");
        assert!(began.elapsed().as_secs() < 30, "it took {:?}", began.elapsed());
    }

    #[test]
    fn lines_of_which_a_power_cut_kept_any_part_are_cut_off_and_anything_else_is_not() {
        let (base, line) = (b"{\"id\":1}\n".to_vec(), b"{\"id\":2}\n".to_vec());
        let back = Change::append("f.jsonl", line.clone(), Some(base.as_slice().into())).inverse();
        let now = |there: &[u8]| [&base[..], there].concat();
        for there in [&b"{\"id"[..], b"{\"id\0\0\0\0\0", b"\0\0\0\0\0:2}\n", b"\0\0"] {
            let cut = torn(&back, &now(there).into()).and_then(|cut| cut.after());
            assert_eq!(cut.as_deref(), Some(&base[..]), "{there:?}");
        }
        for there in [&line[..], b"", b"{\"id\":3}\n", b"\0\0\0\0\0:2}\nmore"] {
            assert_eq!(torn(&back, &now(there).into()).and_then(|cut| cut.after()), None, "{there:?}");
        }
    }
}
