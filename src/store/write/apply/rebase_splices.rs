//! Fits a planned change to the present state of its file.
//!
//! A splice names the lines that it replaces. If they moved, the splice moves, too. If another
//! program changed other members of the record, both changes apply. Anything else is a conflict:
//! palimp shows it and does not solve it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use super::line_index::{LineIndex, id_of};
use super::unterminated_line::{self, is_open};
use crate::model::bytes::LineBounds;
use crate::model::{Bytes, Moment, Splice};
use crate::store::CommitError;
use crate::text::canonical::{self, Checksum};
use crate::text::json::{Json, JsonKind};
use crate::text::json_scanner::Tape;
use crate::text::{json_edit, lines};

const CHECKSUM: &str = "checksum";
/// The member with the time of a record's last change.
const CHANGED: &str = "updated_at";

/// Lines that are gone or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpliceConflict {
    pub planned: Vec<u8>,
    /// The present line, if it is known to be the same record.
    pub found: Option<Vec<u8>>,
}

impl SpliceConflict {
    /// Returns the error of this conflict in a file.
    pub fn at(self, file: &Path) -> CommitError {
        CommitError::conflict(file, self.planned, self.found)
    }
}

/// Returns the splices fitted to `now`.
pub fn rebase(splices: &[Splice], now: &[u8]) -> Result<Vec<Splice>, SpliceConflict> {
    rebase_in(splices, &LineIndex::of(now), true)
}

/// Does the same with a line index. Lines may only move if `merges` is false: no record may have changed then.
pub fn rebase_in(
    splices: &[Splice],
    places: &LineIndex<'_>,
    merges: bool,
) -> Result<Vec<Splice>, SpliceConflict> {
    let now = places.now;
    let mut moved: Vec<Splice> = Vec::new();
    if fits(splices, now) && splices.iter().all(|own| unterminated_line::is_last(own, now)) {
        moved = splices.to_vec();
    } else {
        let mut fitting = SpliceRebase { places, taken: HashSet::new(), merges };
        let splices: Vec<Splice> = splices.iter().flat_map(|own| each_record(own, places)).collect();
        for (at, splice) in splices.iter().enumerate() {
            let before = at.checked_sub(1).map(|last| (&splices[last], &moved[last]));
            moved.push(fitting.fit(splice, before)?);
        }
        // Lines that are inserted before a replaced line are not part of it.
        moved.sort_by_key(|splice| (splice.start, splice.end()));
    }
    let overlaps = moved.windows(2).find(|pair| pair[0].end() > pair[1].start);
    match overlaps {
        Some(pair) => Err(SpliceConflict { planned: pair[1].was.to_vec(), found: None }),
        None => Ok((0..moved.len()).map(|at| ended(&moved[at], &moved[at + 1..], now)).collect()),
    }
}

/// Divides a splice that removes several records if they are not side by side: other lines are
/// between them, or their order changed. If a line is not a record of its own, the splice stays
/// undivided, because that line looks like others of its kind.
fn each_record(splice: &Splice, places: &LineIndex<'_>) -> Vec<Splice> {
    let (becomes, line_before) = (Bytes::default(), Bytes::default());
    let alone = lines::lines(&splice.was).map(|line| Splice {
        start: splice.start + line.start as u64,
        was: splice.was[line.start..line.next].into(),
        becomes: becomes.clone(),
        line_before: line_before.clone(),
    });
    let own: Vec<Splice> = alone.collect();
    let is_apart = splice.becomes.is_empty()
        && own.len() > 1
        && own.iter().all(|own| id_of(&own.was).is_some())
        && places.find(&splice.was, &HashSet::new()).is_none();
    if is_apart { own } else { vec![splice.clone()] }
}

/// Adds a line end if the splice ended the file without one, and other lines follow it.
fn ended(splice: &Splice, later: &[Splice], now: &[u8]) -> Splice {
    // The undo data looks for the line before it as it is in `now`.
    let start = splice.start as usize;
    let behind = &now[now.line_before(start)..start];
    let mut own = splice.clone();
    if *own.line_before != *behind {
        own.line_before = behind.into();
    }
    if !is_open(&own.becomes) || is_open(&own.was) || *own.becomes == *lines::BOM {
        return own;
    }
    // The same change may remove lines that follow.
    let gone = later.iter().try_fold(splice.end(), |end, next| {
        (next.start == end && next.becomes.is_empty()).then_some(next.end()).ok_or(end)
    });
    if (gone.unwrap_or_else(|end| end) as usize) < now.len() {
        own.becomes.extend(b"\n");
    }
    own
}

/// True if every splice fits at its planned place.
pub fn fits(splices: &[Splice], now: &[u8]) -> bool {
    splices.iter().all(|splice| {
        let start = splice.start as usize;
        now.is_at(start, &splice.was)
            && (start == 0 || now.ends_at(start, b"\n"))
            && (!splice.was.is_empty() || now.ends_at(start, &splice.line_before))
    })
}

/// A rebase in progress, with the lines that splices have claimed.
struct SpliceRebase<'p, 'a> {
    places: &'p LineIndex<'a>,
    taken: HashSet<usize>,
    /// True if changes of other programs to the same record are merged.
    merges: bool,
}

impl SpliceRebase<'_, '_> {
    /// `before` is the previous splice, as planned and as fitted.
    fn fit(&mut self, splice: &Splice, before: Option<(&Splice, &Splice)>) -> Result<Splice, SpliceConflict> {
        let now = self.places.now;
        if splice.was.is_empty() {
            let start = match before.filter(|(planned, _)| planned.end() == splice.start) {
                Some((_, fitted)) => fitted.end() as usize,
                None if splice.line_before.is_empty() => 0,
                // The byte order mark is not a line.
                None if *splice.line_before == *lines::BOM && now.is_at(0, lines::BOM) => lines::BOM.len(),
                None => self.take(&splice.line_before).map_or(now.len(), |at| at + splice.line_before.len()),
            };
            let own = Splice { start: start as u64, ..splice.clone() };
            return Ok(unterminated_line::at_end(own, before.map(|(_, fitted)| fitted), now));
        }
        let there = self.take(&splice.was);
        let own = there.map(|start| Splice { start: start as u64, ..splice.clone() });
        let is_there = own.as_ref().map_or(!self.merges, |own| unterminated_line::is_last(own, now));
        match (unterminated_line::addition(splice, now).filter(|_| !is_there), own) {
            (Some(end), _) => Ok(unterminated_line::at_end(end, before.map(|(_, fitted)| fitted), now)),
            (None, Some(own)) => Ok(own),
            (None, None) if self.merges => self.otherwise(splice),
            (None, None) => Err(SpliceConflict { planned: splice.was.to_vec(), found: None }),
        }
    }

    /// Fits a splice whose lines are not found as planned.
    fn otherwise(&mut self, splice: &Splice) -> Result<Splice, SpliceConflict> {
        if let Some(own) = unterminated_line::removal(splice)
            && let Some(start) = self.take(&own.was)
        {
            return Ok(Splice { start: start as u64, ..own });
        }
        merged(splice, self.places)
    }

    /// Finds these complete lines. Each place is used once.
    fn take(&mut self, wanted: &[u8]) -> Option<usize> {
        let at = self.places.find(wanted, &self.taken)?;
        self.taken.insert(at);
        Some(at)
    }
}

/// Merges the splice into the record with the same id. Several records with that id are a conflict.
fn merged(splice: &Splice, places: &LineIndex<'_>) -> Result<Splice, SpliceConflict> {
    let conflict = |found: Option<&[u8]>| SpliceConflict {
        planned: splice.was.to_vec(),
        found: found.map(<[u8]>::to_vec),
    };
    let id = id_of(&splice.was).ok_or_else(|| conflict(None))?;
    let same = places.of_id(&id).ok_or_else(|| conflict(None))?;
    let found = Some(&same.line[..]);
    if same.has_others {
        return Err(conflict(found));
    }
    let becomes = merge(&splice.was, &splice.becomes, &same.line).ok_or_else(|| conflict(found))?;
    Ok(Splice {
        start: same.start as u64,
        was: same.line.into(),
        becomes: becomes.into(),
        line_before: splice.line_before.clone(),
    })
}

/// Applies the change from `was` to `becomes` to `theirs`. `None` if both sides changed the same member. Two
/// members don't count: the later `updated_at` stays, and the checksum is computed again.
pub fn merge(was: &[u8], becomes: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let (mut one, mut two, mut three) = (Tape::default(), Tape::default(), Tape::default());
    let ours_whole = json_edit::scan(&mut two, becomes).ok()?;
    let other_whole = json_edit::scan(&mut three, theirs).ok()?;
    let before = members(json_edit::scan(&mut one, was).ok()?)?;
    let (ours, other) = (members(ours_whole)?, members(other_whole)?);
    let mut merged = theirs.to_vec();
    let names = before.keys().chain(ours.keys()).collect::<BTreeSet<_>>();
    for name in names.into_iter().filter(|name| *name != CHECKSUM) {
        let (old, new, their) = (before.get(name), ours.get(name), other.get(name));
        if old == new || new == their || name == CHANGED && is_later(their, new) {
            continue;
        }
        if old != their && name != CHANGED {
            return None;
        }
        merged = match new {
            Some(raw) => json_edit::set(&merged, &[name], std::str::from_utf8(raw).ok()?).ok()?,
            None => json_edit::remove(&merged, &[name]).ok()?,
        };
    }
    if before.get(CHECKSUM) == ours.get(CHECKSUM) {
        return Some(merged);
    }
    let flavour = canonical::verify(other_whole).filter(|_| ours.contains_key(CHECKSUM));
    signed(merged, flavour)
}

/// Computes the checksum again in the same form. A wrong one stays, so that the problem stays visible.
fn signed(record: Vec<u8>, flavour: Option<Checksum>) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let value = json_edit::scan(&mut tape, &record).ok()?;
    let checksum = match flavour {
        Some(Checksum::Canonical) => canonical::checksum(value),
        Some(Checksum::Legacy) => canonical::legacy_checksum(value),
        Some(Checksum::Mismatch) => return Some(record),
        None => return None,
    };
    json_edit::set(&record, &[CHECKSUM], &json_edit::quoted(&checksum)).ok()
}

/// True if the first of two JSON times is not earlier than the second.
fn is_later(one: Option<&&[u8]>, other: Option<&&[u8]>) -> bool {
    let time = |raw: Option<&&[u8]>| {
        let text: String = serde_json::from_slice(raw?).ok()?;
        Moment::of(&text)
    };
    time(one).is_some_and(|one| time(other).is_none_or(|other| one >= other))
}

fn members<'a>(record: Json<'a>) -> Option<BTreeMap<String, &'a [u8]>> {
    (record.kind() == JsonKind::Object).then(|| {
        record
            .members()
            .map(|(key, value)| (key.text().unwrap_or_default().into_owned(), value.raw()))
            .collect()
    })
}

#[cfg(test)]
mod tests;
