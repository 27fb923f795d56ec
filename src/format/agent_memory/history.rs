//! Events and checkpoints: order, gaps, references, and the changes from one checkpoint to the next.

use std::collections::HashSet;
use std::sync::Arc;

use super::config::RetentionConfig;
use super::{checkpoint, events, layout};
use crate::format::AssemblyInput;
use crate::format::entries::problem_of;
use crate::model::{Code, Document, Entry, Problem, Record, Reference, Role, Severity, StoredMemory};
use crate::text::json_scanner::Tape;

/// The number of newest checkpoints that are compared. Retention keeps far fewer.
const COMPARED: usize = 100;
/// The number of changes of a checkpoint that are listed one by one.
const LISTED: usize = 40;

/// Returns every readable record of a file, with its number in the file.
pub fn views(document: &Document) -> impl Iterator<Item = (u32, &Record, &StoredMemory)> {
    (0..).zip(&document.records).filter_map(|(number, record)| Some((number, record, record.memory()?)))
}

/// Checks that event numbers rise by one. Only retention leaves gaps, and it starts at the oldest event.
pub fn order(document: &Document, settings: RetentionConfig) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut last = 0;
    // An unreadable line may hold the event that seems to be missing.
    let mut unread = false;
    for (number, record) in (0..).zip(&document.records) {
        let Some(memory) = record.memory() else {
            unread = true;
            continue;
        };
        let Some(id) = memory.id() else { continue };
        let Some(ordinal) = events::ordinal(id) else { continue };
        let mut add = |fault| problems.push(problem_of(document, number, fault));
        let again = !seen.insert(id);
        if !again && ordinal <= last {
            let message = format!(
                "The id {id} comes after {}, but the numbers of events should rise.",
                events::id_of(last)
            );
            add((Code::UnexpectedPlace, Severity::Error, message));
        } else if !again && ordinal > last + 1 && !settings.retention && !unread {
            let (after, gone) = (events::id_of(last), ordinal - last - 1);
            let message =
                format!("Events are missing between {after} and {id}: {gone}, and retention is off.");
            add((Code::CountMismatch, Severity::Error, message));
        }
        last = last.max(ordinal);
        unread = false;
    }
    problems
}

/// All ids of the store, and the largest event number.
pub struct KnownIds<'a> {
    ids: HashSet<&'a str>,
    newest: u64,
}

impl<'a> KnownIds<'a> {
    /// Collects the ids of the whole store, archive included.
    pub fn of(parts: &AssemblyInput<'a>) -> Self {
        let documents: &'a [Arc<Document>] = parts.documents;
        let records = documents.iter().flat_map(|document| &document.records);
        let ids: HashSet<&str> = records.filter_map(|record| record.id()).collect();
        let newest = ids.iter().filter_map(|id| events::ordinal(id)).max().unwrap_or_default();
        KnownIds { ids, newest }
    }

    /// Returns the dangling references of active records. An archived event that has expired is no loss.
    pub fn dangling(&self, document: &'a Document, settings: RetentionConfig) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut told: HashSet<&str> = HashSet::new();
        for (number, _, memory) in views(document) {
            for reference in memory.references().filter(|own| !self.ids.contains(own.to.text)) {
                let Some((severity, message)) = self.judge(reference, settings, &mut told) else { continue };
                let fault = (Code::DanglingReference, severity, message);
                problems.push(problem_of(document, number, fault));
            }
        }
        problems
    }

    fn judge<'b>(
        &self,
        reference: Reference<'b, &'b str>,
        settings: RetentionConfig,
        told: &mut HashSet<&'b str>,
    ) -> Option<(Severity, String)> {
        let (relation, id) = (reference.relation, reference.to.text);
        let message = format!("`{relation}` names {id:?}, which is not in the store.");
        match relation {
            // A source may be removed from the registry while its events stay. One note is enough.
            "sourceId" => told.insert(id).then_some((Severity::Note, message)),
            "latestCheckpointId" => Some((Severity::Error, message)),
            _ => {
                let moved = settings.retention && events::ordinal(id).is_some_and(|own| own <= self.newest);
                (!moved).then_some((Severity::Warning, message))
            }
        }
    }
}

/// Returns how many active events are newer than the last recalled one.
pub fn backlog(document: &Document, last_recalled: Option<&str>) -> u64 {
    let recalled = last_recalled.and_then(events::ordinal).unwrap_or_default();
    let ids = views(document).filter_map(|(_, _, memory)| memory.id());
    ids.filter(|id| events::ordinal(id).is_some_and(|own| own > recalled)).count() as u64
}

/// Returns the changes between checkpoints, and from each to the state, as facts of its entry.
pub fn facts(
    parts: &AssemblyInput<'_>,
    entries: &[Entry],
    state: Option<&Document>,
) -> Vec<(u32, &'static str, String)> {
    let (mut now, mut own, mut last) = (Tape::default(), Tape::default(), Tape::default());
    let now = state.and_then(|state| checkpoint::bundle_of(&mut now, &state.bytes));
    let mut facts = Vec::new();
    let mut previous: Option<&Document> = None;
    for (entry, document) in checkpoints(parts, entries) {
        let Some(bundle) = checkpoint::bundle_of(&mut own, &document.bytes) else { continue };
        let before = previous.and_then(|previous| checkpoint::bundle_of(&mut last, &previous.bytes));
        if let Some(before) = before {
            let changes = checkpoint::difference(before, bundle);
            facts.push((entry, "since previous", checkpoint::in_short(&changes)));
            let lines = changes.iter().take(LISTED).map(checkpoint::BundleDifference::to_line);
            facts.extend(lines.map(|line| (entry, "changed", line)));
        }
        if let Some(now) = now {
            let until_now = checkpoint::in_short(&checkpoint::difference(bundle, now));
            facts.push((entry, "until now", until_now));
        }
        previous = Some(document);
    }
    facts
}

/// Returns the newest checkpoints with their entries, oldest first, archived ones included.
fn checkpoints<'a>(parts: &AssemblyInput<'a>, entries: &[Entry]) -> Vec<(u32, &'a Document)> {
    let documents: &'a [Arc<Document>] = parts.documents;
    let mut checkpoints: Vec<(u64, u32, &'a Document)> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let Some(document) = documents.get(entry.document as usize) else { continue };
        let id = views(document).next().and_then(|(_, _, memory)| memory.id());
        if layout::is_checkpoint(&document.path)
            && let Some(ordinal) = id.and_then(checkpoint::ordinal)
        {
            checkpoints.push((ordinal, index as u32, document));
        }
    }
    checkpoints.sort_by_key(|(ordinal, entry, document)| (*ordinal, document.role != Role::Archive, *entry));
    let from = checkpoints.len().saturating_sub(COMPARED);
    checkpoints.drain(from..).map(|(_, entry, document)| (entry, document)).collect()
}
