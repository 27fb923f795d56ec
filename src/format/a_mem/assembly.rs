//! Checks across the files of a store: events in two places, links, indexes.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::layout;
use super::note::NOTES;
use crate::format::entries::{problem_of, read_entries, stale_lock};
use crate::format::id_index::DanglingNames;
use crate::format::notes::indexes;
use crate::format::notes::note_index::NoteIndex;
use crate::format::{Assembly, AssemblyInput};
use crate::model::key::fast_digest;
use crate::model::{
    Code, Document, Entry, Moment, NameKind, Problem, Record, RecordBody, Role, Severity, State, StoredMemory,
};
use crate::text::canonical;
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

pub fn assemble(parts: &AssemblyInput<'_>, now: Moment) -> Assembly {
    let mut assembly = Assembly::default();
    assembly.problems.extend(parts.locks.iter().filter_map(|lock| stale_lock(lock, now)));
    let mut copies = TraceCopies::of(parts);
    for (number, document) in parts.documents.iter().enumerate() {
        let is_trace = layout::is_trace(&document.path);
        let mut missing = 0;
        for (index, record) in document.records.iter().enumerate() {
            let is_copy = is_trace && copies.take(&document.raw(record));
            missing += u32::from(is_trace && !is_copy && record.memory().is_some());
            if !is_copy {
                let state = match record.body {
                    RecordBody::Torn(_) | RecordBody::Broken => State::Broken,
                    RecordBody::Read(_) if document.role == Role::Archive => State::Archived,
                    RecordBody::Read(_) => State::Live,
                };
                let (document, record) = (number as u32, index as u32);
                assembly.entries.push(Entry { document, record, session: None, state });
            }
        }
        assembly.problems.extend(copies.missing_in_log(document, missing));
    }
    let notes = NoteIndex::of(&NOTES, parts.documents, &assembly.entries);
    assembly.problems.extend(notes.duplicates());
    assembly.problems.extend(dangling(parts, &assembly.entries));
    for index in parts.documents.iter().filter(|document| document.role == Role::Index) {
        if index.path.ends_with("tags.json") {
            assembly.problems.extend(notes.check_tags(index));
        } else {
            assembly.problems.extend(notes.check_links(index));
            assembly.facts.extend(facts(&notes, index));
        }
    }
    assembly
}

/// The events of the logs. Events in the files of traces are copies of them.
struct TraceCopies<'a> {
    /// By digest of an event's bytes: its number in logs, minus the copies found so far.
    left: HashMap<u64, u32>,
    logs: Vec<&'a Document>,
    /// The digests in `left` by that of the canonical form, for events of traces that are spelled otherwise.
    spellings: OnceCell<HashMap<u64, u64>>,
    /// The folders that contain a log.
    months: HashSet<&'a std::path::Path>,
}

impl<'a> TraceCopies<'a> {
    fn of(parts: &AssemblyInput<'a>) -> Self {
        let mut left: HashMap<u64, u32> = HashMap::new();
        let mut months = HashSet::new();
        let has_traces = parts.documents.iter().any(|document| layout::is_trace(&document.path));
        let logs = parts.documents.iter().filter(|document| {
            has_traces && layout::kind_of(&document.path) == "event" && !layout::is_trace(&document.path)
        });
        let logs: Vec<&Document> = logs.map(|log| &**log).collect();
        for log in &logs {
            months.extend(log.path.parent());
            events(log).for_each(|(_, own)| *left.entry(own).or_default() += 1);
        }
        TraceCopies { left, logs, spellings: OnceCell::new(), months }
    }

    /// True if the event is in a log, too. Each event of a log has at most one copy.
    fn take(&mut self, event: &[u8]) -> bool {
        let is_left = |own: &u64| self.left.get(own).is_some_and(|left| *left > 0);
        let own =
            Some(fast_digest(event)).filter(is_left).or_else(|| self.other_spelling(event).filter(is_left));
        let left = own.and_then(|own| self.left.get_mut(&own));
        left.map(|left| *left -= 1).is_some()
    }

    fn other_spelling(&self, event: &[u8]) -> Option<u64> {
        let spellings = self.spellings.get_or_init(|| {
            let of = |log: &&'a Document| {
                let log = *log;
                events(log).filter_map(|(record, own)| Some((canonical_digest(&log.raw(record))?, own)))
            };
            self.logs.iter().flat_map(of).collect()
        });
        spellings.get(&canonical_digest(event)?).copied()
    }

    /// Returns a note if events of a trace are missing in the log beside it.
    fn missing_in_log(&self, trace: &Document, missing: u32) -> Option<Problem> {
        let month = trace.path.parent()?.parent()?;
        let is_incomplete = missing > 0 && layout::is_trace(&trace.path) && self.months.contains(month);
        let message =
            format!("{missing} of its events are missing in the log of the month; they are shown from here.");
        is_incomplete.then(|| Problem::of_file(Code::CountMismatch, Severity::Note, &trace.path, message))
    }
}

/// Returns the events of a log with the digests of their bytes.
fn events(log: &Document) -> impl Iterator<Item = (&Record, u64)> {
    let all = log.records.iter().zip(log.record_digests().iter().copied());
    all.filter(|(record, _)| record.memory().is_some())
}

fn canonical_digest(event: &[u8]) -> Option<u64> {
    Some(fast_digest(canonical::form(scan(&mut Tape::default(), event).ok()?).as_bytes()))
}

fn dangling<'a>(parts: &AssemblyInput<'a>, entries: &'a [Entry]) -> Vec<Problem> {
    let names = |memory: &'a StoredMemory| {
        let own = memory.names().map(|name| (name.of, name.text));
        own.chain(memory.id().into_iter().map(|id| (NameKind::Record, id)))
    };
    let missing = DanglingNames::of(
        read_entries(parts, entries).flat_map(|(.., memory)| memory.references()),
        read_entries(parts, entries).flat_map(|(.., memory)| names(memory)),
    );
    let mut problems = Vec::new();
    for (entry, document, memory) in read_entries(parts, entries) {
        for reference in memory.references().filter(|own| missing.has(own)) {
            let message =
                format!("`{}` names {:?}, which is not in the store.", reference.relation, reference.to.text);
            let fault = (Code::DanglingReference, Severity::Note, message);
            problems.push(problem_of(document, entry.record, fault));
        }
    }
    problems
}

/// Returns strengths and clusters: only the graph has them.
fn facts(known: &NoteIndex<'_>, graph: &Document) -> Vec<(u32, &'static str, String)> {
    let places: BTreeMap<&str, u32> =
        known.notes.iter().filter_map(|(at, _, memory)| Some((memory.id()?, *at))).collect();
    let place = |name: &str| places.get(known.id(name)).copied();
    let links = indexes::links(graph);
    let strengths =
        links.iter().filter_map(|(id, links)| Some((place(id)?, "strength", links.strength.clone()?)));
    let mut facts: Vec<_> = strengths.collect();
    for (cluster, notes) in indexes::clusters(graph) {
        facts.extend(notes.iter().filter_map(|note| Some((place(note)?, "cluster", cluster.clone()))));
    }
    facts
}
