//! What a turn would bring back and others brought back meanwhile: it is not put there twice.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::made::is_log;
use super::places::id_of;
use crate::model::plan::counted;
use crate::model::{Act, Change, Splice, Tell};
use crate::text::digest::digest;
use crate::text::lines;

/// Up to so many records are sought in a file before all of it is read record by record.
const FEW: usize = 16;

/// Records that stayed in a file when a step took others of the same id, or with the same bytes,
/// out of it: the file, a digest of what names them, and how many stayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twin(String, u64, u64);

/// How many records others brought back already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Back {
    /// As they were.
    pub same: u64,
    /// With other content.
    pub other: u64,
}

impl Back {
    /// What a person is told of it.
    pub fn told(&self) -> Vec<String> {
        let was = |count| if count == 1 { "was" } else { "were" };
        let told = |count: u64, how: &str| {
            let records = counted(count, "record");
            (count > 0).then(|| format!("{records} {} brought back by another program {how}", was(count)))
        };
        let both = [
            told(self.same, "already, and not by this"),
            told(self.other, "with other content, which stays as it is"),
        ];
        both.into_iter().flatten().collect()
    }
}

/// The records of a file that stayed beside those of the same name that a change takes out.
pub fn twins(change: &Change) -> Vec<Twin> {
    let (Act::Splice(splices), Some(base)) = (&change.act, change.base.as_deref()) else {
        return Vec::new();
    };
    let gone: Vec<&[u8]> = splices.iter().filter(|own| own.becomes.is_empty()).map(|own| &*own.was).collect();
    let gone: Vec<Unit<'_>> = gone.into_iter().flat_map(units).collect();
    if !is_log(change) || gone.is_empty() || gone.len() <= FEW && gone.iter().all(|own| own.is_once(base)) {
        return Vec::new();
    }
    let (mut stayed, mut went) = (counts(base), HashMap::new());
    gone.iter().for_each(|own| *went.entry(own.name).or_insert(0) += 1);
    stayed.retain(|name, count| {
        *count -= went.get(name).copied().unwrap_or(0).min(*count);
        *count > 0 && went.contains_key(name)
    });
    let path = change.path.told().into_owned();
    let mut twins: Vec<Twin> =
        stayed.into_iter().map(|(name, count)| Twin(path.clone(), name, count)).collect();
    twins.sort_by_key(|own| own.1);
    twins
}

/// How many records of that name stayed in a file when the step was made.
pub fn stayed(twins: &[Twin], path: &Path, name: u64) -> u64 {
    let path = path.told();
    twins.iter().find(|own| own.0 == path && own.1 == name).map_or(0, |own| own.2)
}

/// What takes a step back without the records that stand in the file again; `None` where nothing
/// is left of it.
pub fn without_back(change: &Change, now: &[u8], twins: &[Twin], back: &mut Back) -> Option<Change> {
    let brings = match &change.act {
        Act::Create(_) => true,
        Act::Splice(own) => own.iter().any(|own| own.was.is_empty()),
        _ => false,
    };
    if !brings || !is_log(change) {
        return Some(change.clone());
    }
    let mut there = counts(now);
    for (name, count) in &mut there {
        *count -= stayed(twins, &change.path, *name).min(*count);
    }
    let mut left = |bytes: &[u8]| {
        let mut is_new = |own: &Unit<'_>| match there.get_mut(&own.name).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                let is_same = memchr::memmem::find(now, own.bytes.trim_ascii_end()).is_some();
                *(if is_same { &mut back.same } else { &mut back.other }) += 1;
                false
            }
            None => true,
        };
        let own = units(bytes).into_iter().filter(|own| is_new(own));
        own.flat_map(|own| own.bytes).copied().collect::<Vec<u8>>()
    };
    let act = match &change.act {
        Act::Create(bytes) => Act::Create(left(bytes)),
        Act::Splice(splices) => {
            let fit = |own: &Splice| match own.was.is_empty() {
                true => Splice { becomes: left(&own.becomes), ..own.clone() },
                false => own.clone(),
            };
            let mut splices: Vec<Splice> = splices.iter().map(fit).collect();
            splices.retain(|own| !own.was.is_empty() || !own.becomes.is_empty());
            Act::Splice(splices)
        }
        act => act.clone(),
    };
    let is_nothing = match &act {
        Act::Create(bytes) => bytes.is_empty(),
        Act::Splice(splices) => splices.is_empty(),
        _ => false,
    };
    (!is_nothing).then(|| Change { act, ..change.clone() })
}

/// A line that is a record, or lines between such that are none.
struct Unit<'a> {
    bytes: &'a [u8],
    /// A digest of its id, or of its bytes where it has none.
    name: u64,
    id: Option<String>,
}

impl Unit<'_> {
    /// Whether a file that has it can't have another one of that name.
    fn is_once(&self, file: &[u8]) -> bool {
        let sought = self.id.as_ref().map_or(self.bytes.trim_ascii_end(), |id| id.as_bytes());
        memchr::memmem::find_iter(file, sought).nth(1).is_none()
    }
}

fn units(bytes: &[u8]) -> Vec<Unit<'_>> {
    let mut units = Vec::new();
    let mut loose: Option<Range<usize>> = None;
    let is_record = |line: &[u8]| {
        let line = line.trim_ascii();
        line.first() == Some(&b'{') && line.last() == Some(&b'}')
    };
    for line in lines::lines(bytes) {
        let own = line.start..line.next;
        match is_record(&bytes[own.clone()]) {
            true => {
                units.extend(loose.take().map(|own| unit(&bytes[own])));
                units.push(unit(&bytes[own]));
            }
            false => loose = Some(loose.map_or(own.start, |before| before.start)..own.end),
        }
    }
    units.extend(loose.map(|own| unit(&bytes[own])));
    units
}

fn unit(bytes: &[u8]) -> Unit<'_> {
    let id = id_of(bytes).filter(|id| !id.is_empty());
    let said = id.as_ref().map_or(bytes.trim_ascii(), |id| id.as_bytes());
    Unit { bytes, name: digest(said) as u64, id }
}

/// A digest of an id. 64 bits are enough to tell the records of a file apart.
pub fn name_of(id: &str) -> u64 {
    digest(id.as_bytes()) as u64
}

/// How many records of each name a file has.
fn counts(bytes: &[u8]) -> HashMap<u64, u64> {
    let mut counts = HashMap::new();
    units(bytes).iter().for_each(|own| *counts.entry(own.name).or_insert(0) += 1);
    counts
}
