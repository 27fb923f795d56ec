//! Checks across the files of a store: events in two places, links, indexes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::indexes::{self, NoteLinks};
use super::layout;
use crate::format::id_index::{DanglingNames, IdIndex};
use crate::format::{Assembly, AssemblyInput, pid_lock};
use crate::model::lazy_bytes::digest;
use crate::model::{
    Code, Document, Entry, Moment, NameKind, PathText, Problem, Record, RecordBody, Role, Severity, State,
    View,
};
use crate::text::wiki_links::target;

/// The number of names in one message.
const NAMED: usize = 5;

/// Assembles the store from its files.
pub fn assemble(parts: &AssemblyInput<'_>, now: Moment) -> Assembly {
    let mut assembly = Assembly::default();
    assembly.problems.extend(parts.locks.iter().filter_map(|lock| pid_lock::stale_problem(lock, now)));
    let mut copies = TraceCopies::of(parts);
    for (number, document) in parts.documents.iter().enumerate() {
        let is_trace = layout::is_trace(&document.path);
        let mut missing = 0;
        for (index, record) in document.records.iter().enumerate() {
            let is_copy = is_trace && copies.take(&document.raw(record));
            missing += u32::from(is_trace && !is_copy && record.view().is_some());
            if !is_copy {
                let state = state(document, record);
                let (document, record) = (number as u32, index as u32);
                assembly.entries.push(Entry { document, record, session: None, state });
            }
        }
        assembly.problems.extend(copies.missing_in_log(document, missing));
    }
    let notes = NoteIndex::of(parts, &assembly.entries);
    assembly.problems.extend(notes.duplicates());
    assembly.problems.extend(dangling(parts, &assembly.entries));
    for index in parts.documents.iter().filter(|document| document.role == Role::Index) {
        if index.path.ends_with("tags.json") {
            assembly.problems.extend(notes.check_tags(index));
        } else {
            assembly.problems.extend(notes.check_links(index));
            assembly.facts.extend(notes.facts(index));
        }
    }
    assembly
}

fn state(document: &Document, record: &Record) -> State {
    match record.body {
        RecordBody::Broken => State::Broken,
        RecordBody::Read(_) if document.role == Role::Archive => State::Archived,
        RecordBody::Read(_) => State::Live,
    }
}

/// The events of the logs. Events in the files of traces are copies of them.
struct TraceCopies<'a> {
    /// By digest of an event's bytes: its number in logs, minus the copies found so far.
    left: HashMap<u64, u32>,
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
        for log in logs {
            months.extend(log.path.parent());
            let read = log.records.iter().zip(log.record_digests()).filter(|(own, _)| own.view().is_some());
            read.for_each(|(_, own)| *left.entry(*own).or_default() += 1);
        }
        TraceCopies { left, months }
    }

    /// True if the event is in a log, too. Each event of a log has at most one copy.
    fn take(&mut self, event: &[u8]) -> bool {
        match self.left.get_mut(&digest(event)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
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

fn dangling<'a>(parts: &AssemblyInput<'a>, entries: &'a [Entry]) -> Vec<Problem> {
    let names = |view: View<'a>| {
        let own = view.names.map(|name| (name.of, name.text));
        own.chain(view.id.into_iter().map(|id| (NameKind::Record, id)))
    };
    let missing = DanglingNames::of(
        views(parts, entries).flat_map(|(.., view)| view.references),
        views(parts, entries).flat_map(|(.., view)| names(view)),
    );
    let mut problems = Vec::new();
    for (entry, document, view) in views(parts, entries) {
        for reference in view.references.iter().filter(|own| missing.has(own)) {
            let message =
                format!("`{}` names {:?}, which is not in the store.", reference.relation, reference.to.text);
            let problem = Problem::of_file(Code::DanglingReference, Severity::Note, &document.path, message);
            let line = document.records[entry.record as usize].line;
            problems.push(problem.at_line(line).of_record(entry.record, view.id));
        }
    }
    problems
}

fn views<'a>(
    parts: &AssemblyInput<'a>,
    entries: &'a [Entry],
) -> impl Iterator<Item = (&'a Entry, &'a Document, View<'a>)> {
    let documents = parts.documents;
    entries.iter().filter_map(move |entry| {
        let document = &*documents[entry.document as usize];
        Some((entry, document, document.records[entry.record as usize].view()?))
    })
}

/// The notes of the store. The indexes are checked against them.
pub(super) struct NoteIndex<'a> {
    /// Each note with its index among the entries.
    pub(super) notes: Vec<(u32, &'a Document, View<'a>)>,
    /// From any name of a note to its id.
    pub(super) ids: HashMap<&'a str, &'a str>,
}

impl<'a> NoteIndex<'a> {
    pub(super) fn of(parts: &AssemblyInput<'a>, entries: &[Entry]) -> Self {
        let mut notes = Vec::new();
        let mut ids = HashMap::new();
        for (index, entry) in entries.iter().enumerate() {
            let document = &*parts.documents[entry.document as usize];
            let view = document.records[entry.record as usize].view().filter(|view| view.kind == "note");
            let Some((view, id)) = view.and_then(|view| Some((view, view.id?))) else { continue };
            notes.push((index as u32, document, view));
            ids.entry(id).or_insert(id);
            view.names.iter().for_each(|name| {
                ids.entry(name.text).or_insert(id);
            });
        }
        NoteIndex { notes, ids }
    }

    /// Returns the id of the note with that name, or the name itself if there is no such note.
    pub(super) fn id<'b>(&'b self, name: &'b str) -> &'b str {
        self.ids.get(name).copied().unwrap_or(name)
    }

    fn duplicates(&self) -> Vec<Problem> {
        let mut ids = IdIndex::of(self.notes.len());
        let mut problems = Vec::new();
        for &(_, document, view) in &self.notes {
            let id = view.id.unwrap_or_default();
            let Some((before, _)) = ids.first(id, document, 1) else { continue };
            let message = format!("Same id as {}.", before.path.to_text());
            let problem = Problem::of_file(Code::DuplicateId, Severity::Warning, &document.path, message);
            problems.push(problem.at_line(1).of_record(0, Some(id)));
        }
        problems
    }

    fn check_tags(&self, index: &Document) -> Option<Problem> {
        let listed = indexes::tags(index);
        let listed: BTreeSet<(&str, &str)> = listed
            .iter()
            .flat_map(|(tag, notes)| notes.iter().map(move |note| (tag.as_str(), self.id(note))))
            .collect();
        let of_note = |(_, _, view): &(u32, &Document, View<'a>)| {
            let id = view.id.unwrap_or_default();
            view.tags.iter().map(move |tag| (tag, id)).collect::<Vec<_>>()
        };
        let own: BTreeSet<(&str, &str)> = self.notes.iter().flat_map(of_note).collect();
        let named = |(tag, note): &(&str, &str)| format!("{tag} of {note}");
        stale(index, &listed, &own, named)
    }

    pub(super) fn check_links(&self, index: &Document) -> Option<Problem> {
        let graph = indexes::links(index);
        let both = |(id, links): (&'a str, &NoteLinks)| {
            let outgoing = links.outgoing.iter().map(move |to| (id.to_owned(), self.id(to).to_owned()));
            let incoming = links.incoming.iter().map(move |from| (self.id(from).to_owned(), id.to_owned()));
            outgoing.chain(incoming).collect::<Vec<_>>()
        };
        let known = graph.iter().filter_map(|(id, links)| Some((self.ids.get(id.as_str()).copied()?, links)));
        let listed: BTreeSet<(String, String)> = known.flat_map(both).collect();
        // Writers may leave out links that are only in the text.
        let (all, declared) = (self.links(|_| true), self.links(|relation| relation != "[[link]]"));
        let mut own: BTreeSet<_> = declared.iter().chain(listed.intersection(&all)).cloned().collect();
        if let Some(names) = indexes::list_names(index) {
            let is_listed = self.scope(names.iter().map(|name| name.as_str().into()));
            own.retain(|(from, _)| is_listed(from));
        }
        let named = |(from, to): &(String, String)| format!("{from} to {to}");
        stale(index, &listed, &own, named)
    }

    /// Tests if an index with these names covers a note. If its notes are all in the folder of the
    /// index, its writer ignores other folders.
    pub(super) fn scope<'n>(&self, names: impl Iterator<Item = Cow<'n, str>>) -> impl Fn(&str) -> bool {
        let is_beside =
            |document: &Document| document.path.parent().is_some_and(|folder| folder.ends_with("knowledge"));
        let beside: HashSet<&str> = self
            .notes
            .iter()
            .filter(|(_, document, _)| is_beside(document))
            .filter_map(|(.., view)| view.id)
            .collect();
        let mut names = names.map(|name| self.id(target(&name)).to_owned());
        let is_beside = !beside.is_empty() && names.all(|id| beside.contains(&*id) || !self.has(&id));
        move |id| !is_beside || beside.contains(id)
    }

    fn has(&self, id: &str) -> bool {
        self.notes.iter().any(|(.., view)| view.id == Some(id))
    }

    /// Returns the links of these relations. Dangling ones are included: the graph lists them, too.
    pub(super) fn links(&self, is_meant: impl Fn(&str) -> bool) -> BTreeSet<(String, String)> {
        let of_note = |(_, _, view): &(u32, &Document, View<'a>)| {
            let id = view.id.unwrap_or_default().to_owned();
            let links = view.references.iter().filter(|own| {
                own.to.of == NameKind::Record && own.relation != "related_events" && is_meant(own.relation)
            });
            links.map(|own| (id.clone(), self.id(own.to.text).to_owned())).collect::<Vec<_>>()
        };
        self.notes.iter().flat_map(of_note).collect()
    }

    /// Returns strengths and clusters: only the graph has them.
    fn facts(&self, index: &Document) -> Vec<(u32, &'static str, String)> {
        let places: BTreeMap<&str, u32> =
            self.notes.iter().filter_map(|(at, _, view)| Some((view.id?, *at))).collect();
        let place = |name: &str| places.get(self.id(name)).copied();
        let links = indexes::links(index);
        let strengths =
            links.iter().filter_map(|(id, links)| Some((place(id)?, "strength", links.strength.clone()?)));
        let mut facts: Vec<_> = strengths.collect();
        for (cluster, notes) in indexes::clusters(index) {
            facts.extend(notes.iter().filter_map(|note| Some((place(note)?, "cluster", cluster.clone()))));
        }
        facts
    }
}

/// Returns a problem that says what is extra in an index and what is missing.
fn stale<T: Ord>(
    index: &Document,
    listed: &BTreeSet<T>,
    own: &BTreeSet<T>,
    named: impl Fn(&T) -> String,
) -> Option<Problem> {
    if index.problems.iter().any(|problem| problem.code == Code::IndexBroken) || listed == own {
        return None;
    }
    let some = |items: Vec<&T>, what: &str| {
        let names: Vec<String> = items.iter().take(NAMED).map(|item| named(item)).collect();
        let more = if items.len() > NAMED { ", …" } else { "" };
        (!items.is_empty()).then(|| format!("{} {what} ({}{more})", items.len(), names.join(", ")))
    };
    let missing = some(own.difference(listed).collect(), "missing");
    let surplus = some(listed.difference(own).collect(), "extra");
    let parts: Vec<String> = missing.into_iter().chain(surplus).collect();
    let message =
        format!("The index disagrees with the notes: {}. It is rebuilt from them.", parts.join("; "));
    Some(Problem::of_file(Code::IndexStale, Severity::Warning, &index.path, message))
}
