//! Records that a turn would bring back, and that are there again byte for byte: they are not put
//! there twice. What is not surely the same comes back: an id alone says nothing.

use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::made::is_log;
use super::places::{Places, id_of};
use crate::model::plan::counted;
use crate::model::{Act, Change, Splice, Tell};
use crate::text::digest::digest;
use crate::text::lines;

/// Lines that stayed in a file when a step took equal ones out of it: the file, a digest of the
/// line, and how many stayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twin(String, u64, u64);

/// What a plan says of the records that a turn brings back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Back {
    /// So many are there again, and left out.
    pub same: u64,
    /// So many come back while a record of their id with other content is there.
    pub other: u64,
}

impl Back {
    /// The same as sentences.
    pub fn told(&self) -> Vec<String> {
        let (was, comes) =
            (if self.same == 1 { "was" } else { "were" }, if self.other == 1 { "s" } else { "" });
        let [same, other] = [self.same, self.other].map(|count| counted(count, "record"));
        let same = format!("{same} {was} brought back by another program already, and not by this");
        let other = format!(
            "{other} come{comes} back though a record of that id with other content is there already: \
             `palimp check` lists the duplicates"
        );
        let both = [(self.same, same), (self.other, other)];
        both.into_iter().filter(|(count, _)| *count > 0).map(|(_, told)| told).collect()
    }
}

/// The lines that a file has after a change that takes equal ones out.
pub fn twins(change: &Change) -> Vec<Twin> {
    let Act::Splice(splices) = &change.act else { return Vec::new() };
    let gone = splices.iter().filter(|own| own.becomes.is_empty());
    let mut counts: HashMap<&[u8], u64> = gone.flat_map(|own| said(&own.was)).map(|line| (line, 0)).collect();
    if !is_log(change) || counts.is_empty() {
        return Vec::new();
    }
    let after = change.after().unwrap_or_default();
    for line in said(&after) {
        counts.entry(line).and_modify(|count| *count += 1);
    }
    let stayed = counts.into_iter().filter(|(_, count)| *count > 0);
    let path = change.path.told().into_owned();
    let mut twins: Vec<Twin> = stayed.map(|(line, count)| Twin(path.clone(), name(line), count)).collect();
    twins.sort_by_key(|own| own.1);
    twins
}

/// What takes a step back without the records that stand in the file again; `None` where nothing
/// is left of it. Of equal lines only those are there again that are more than stayed.
pub fn without_back(change: &Change, now: &[u8], twins: &[Twin], back: &mut Back) -> Option<Change> {
    let mut there = There::of(change, now, twins);
    let is_left = |bytes: &[u8], left: &[u8]| left.len() == bytes.len() || !left.trim_ascii().is_empty();
    let act = match &change.act {
        Act::Create(bytes) => {
            let left = there.left(bytes, back);
            Act::Create(is_left(bytes, &left).then_some(left)?)
        }
        Act::Splice(splices) => {
            let fit = |own: &Splice| {
                if !own.was.is_empty() {
                    return Some(own.clone());
                }
                let left = there.left(&own.becomes, back);
                is_left(&own.becomes, &left).then(|| Splice { becomes: left, ..own.clone() })
            };
            let splices: Vec<Splice> = splices.iter().filter_map(fit).collect();
            Act::Splice((!splices.is_empty()).then_some(splices)?)
        }
        act => act.clone(),
    };
    Some(Change { act, ..change.clone() })
}

/// The lines of a file that are more than a step left.
struct There<'a> {
    counts: HashMap<&'a [u8], u64>,
    places: Places<'a>,
    /// Lines that go when the step is taken back.
    goes: Vec<&'a [u8]>,
}

impl<'a> There<'a> {
    fn of(change: &'a Change, now: &'a [u8], twins: &[Twin]) -> There<'a> {
        let mut counts: HashMap<&[u8], u64> = HashMap::new();
        said(now).for_each(|line| *counts.entry(line).or_default() += 1);
        let path = change.path.told();
        let stayed: HashMap<u64, u64> =
            twins.iter().filter(|own| own.0 == path).map(|own| (own.1, own.2)).collect();
        if !stayed.is_empty() {
            let left = |line: &[u8]| stayed.get(&name(line)).copied().unwrap_or(0);
            counts.iter_mut().for_each(|(line, count)| *count = count.saturating_sub(left(line)));
        }
        let goes = match &change.act {
            Act::Splice(splices) => splices.iter().flat_map(|own| said(&own.was)).collect(),
            _ => Vec::new(),
        };
        There { counts, places: Places::of(now), goes }
    }

    /// Those lines without the records that are there.
    fn left(&mut self, bytes: &[u8], back: &mut Back) -> Vec<u8> {
        let mut left = Vec::with_capacity(bytes.len());
        for own in lines::lines(bytes) {
            let line = &bytes[own.start..own.end];
            match self.counts.get_mut(line).filter(|count| **count > 0 && is_record(line)) {
                Some(count) => {
                    *count -= 1;
                    back.same += 1;
                }
                None => {
                    back.other += u64::from(self.has_other(line));
                    left.extend_from_slice(&bytes[own.start..own.next]);
                }
            }
        }
        left
    }

    /// Whether a record of the same id that says something else is there, and stays.
    fn has_other(&self, line: &[u8]) -> bool {
        let same = id_of(line).filter(|id| !id.is_empty()).and_then(|id| self.places.of_id(&id));
        same.is_some_and(|same| {
            let is = said(same.line).next().unwrap_or_default();
            same.has_others || is != line && !self.goes.contains(&is)
        })
    }
}

/// Whether a line is a whole record, with a brace too many or not: of what is torn nobody knows
/// which it was.
fn is_record(line: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(line).into_iter::<IgnoredAny>();
    let is_whole = line.starts_with(b"{") && matches!(values.next(), Some(Ok(_)));
    let rest = line.get(values.byte_offset()..).unwrap_or_default();
    is_whole && rest.iter().all(|byte| *byte == b'}' || byte.is_ascii_whitespace())
}

fn name(line: &[u8]) -> u64 {
    digest(line) as u64
}

/// What each line says, without its line end.
fn said(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines::lines(bytes).map(|line| &bytes[line.start..line.end])
}
