//! Every finding of the open stores, as the screens list them.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::copies_beside::each_copy;
use super::revalidate::current_snapshot;
use super::triage::{Triage, Verdict};
use crate::check::secrets::{Finding, findings, findings_in_copy};
use crate::detectors::{detect, masked};
use crate::disk::host::Host;
use crate::format;
use crate::model::{EntryRef, Snapshot};

/// A finding, and the memory that it is in.
pub struct ListedFinding {
    /// The memory.
    pub at: EntryRef,
    /// Its place among the findings of that memory, from 0.
    pub number: usize,
    /// The key of the memory, and the place from 1: it names the finding after the store is read again.
    pub name: String,
    pub finding: Finding,
    /// The title of the memory, without the values that were found in it. Untrusted text.
    pub title: String,
    /// What the user said of the value.
    pub verdict: Option<Verdict>,
    /// The number of memories in which the same value was found.
    pub memories: usize,
}

/// The findings of stores.
pub struct FindingList {
    /// The stores, with their bytes.
    pub snapshot: Arc<Snapshot>,
    /// The findings, store by store, in the order of the memories.
    pub all: Vec<ListedFinding>,
    /// The number of findings in copies beside the memories, without false alarms.
    pub in_copies: usize,
}

impl FindingList {
    /// Searches every memory.
    /// Fails if the verdicts can't be read.
    pub fn of(snapshot: &Arc<Snapshot>, host: Host<'_>) -> Result<FindingList, String> {
        let triage = Triage::kept_in(host.data)?;
        let snapshot = current_snapshot(snapshot, host);
        let mut all: Vec<ListedFinding> =
            snapshot.entries().flat_map(|at| of_memory(&snapshot, at, &triage)).collect();
        let mut counts: HashMap<&[u8], HashSet<EntryRef>> = HashMap::new();
        for own in &all {
            counts.entry(&own.finding.value).or_default().insert(own.at);
        }
        let counts: Vec<usize> =
            all.iter().map(|own| counts.get(&*own.finding.value).map_or(1, HashSet::len)).collect();
        all.iter_mut().zip(counts).for_each(|(own, count)| own.memories = count);
        let mut in_copies = 0;
        for store in &snapshot.stores {
            each_copy(host.disk, store, &mut |file, bytes| {
                let found = findings_in_copy(file, bytes, None);
                in_copies += found.iter().filter(|found| !triage.is_false_alarm(&found.value)).count();
            });
        }
        Ok(FindingList { snapshot, all, in_copies })
    }

    /// Takes in a verdict on values.
    pub fn note(&mut self, values: &[Vec<u8>], verdict: Verdict) {
        let noted: HashSet<&Vec<u8>> = values.iter().collect();
        let own = self.all.iter_mut().filter(|own| noted.contains(&own.finding.value));
        own.for_each(|own| own.verdict = Some(verdict));
    }
}

fn of_memory(snapshot: &Snapshot, at: EntryRef, triage: &Triage) -> Vec<ListedFinding> {
    let (store, entry) = snapshot.get(at);
    let found = findings(store, entry, None);
    if found.is_empty() {
        return Vec::new();
    }
    let title = without_values(format::title(store, entry).raw(), &found);
    let key = store.key(entry);
    let listed = |(number, finding): (usize, Finding)| ListedFinding {
        at,
        number,
        name: format!("{key}:{}", number + 1),
        title: title.clone(),
        verdict: triage.verdict(&finding.value),
        memories: 1,
        finding,
    };
    found.into_iter().enumerate().map(listed).collect()
}

/// Returns a text of a memory with each value hidden that was found in the memory, and with whatever else looks
/// sensitive: in the text alone, the name of a field does not say that its value is a password.
fn without_values(text: &str, found: &[Finding]) -> String {
    let mut text = text.to_owned();
    for own in found {
        if let Ok(value) = std::str::from_utf8(&own.value) {
            text = text.replace(value, &own.masked);
        }
    }
    let (mut hidden, mut shown) = (String::new(), 0);
    for own in detect(text.as_bytes(), None) {
        hidden.push_str(text.get(shown..own.span.start).unwrap_or_default());
        let value = text.as_bytes().get(own.span.clone()).unwrap_or_default();
        hidden.push_str(&masked(own.kind, value, own.hidden.start - own.span.start));
        shown = own.span.end;
    }
    hidden + text.get(shown..).unwrap_or_default()
}

/// Keeps a verdict on values with palimp's own data. Returns all verdicts.
/// Fails if the verdicts can't be read or written. Then nothing was noted.
pub fn keep_verdict(
    data: &Path,
    values: &[Vec<u8>],
    verdict: Verdict,
    random: [u8; 16],
) -> Result<Triage, String> {
    let mut triage = Triage::kept_in(data)?;
    values.iter().for_each(|value| triage.note(value, verdict, random));
    triage.keep_in(data)?;
    Ok(triage)
}
