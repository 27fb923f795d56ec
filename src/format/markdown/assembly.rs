//! Checks across the files of a folder: links, the index, and what of it is loaded.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::family::Family;
use super::loaded_part::{BYTES, LINES, LoadedPart};
use super::references::{LINK, joined};
use super::{index_facts, index_file};
use crate::format::id_index::{DanglingNames, IdIndex};
use crate::format::{Assembly, AssemblyInput};
use crate::model::{
    Code, Document, Entry, Moment, NameKind, PathText, Problem, RecordBody, Role, Severity, State, View,
};
use crate::text::front_matter::Note;

/// A longer line of an index says too much.
const LONG_LINE: usize = 200;

/// Assembles a folder from its files.
pub fn assemble(family: &'static Family, parts: &AssemblyInput<'_>, _now: Moment) -> Assembly {
    let mut assembly = Assembly::default();
    for (number, document) in parts.numbered().filter(|(_, own)| own.role == Role::Records) {
        for (record, own) in (0..).zip(&document.records) {
            let state = if matches!(own.body, RecordBody::Broken) { State::Broken } else { State::Live };
            assembly.entries.push(Entry { document: number, record, session: None, state });
        }
    }
    let views: Vec<_> = views(parts, &assembly.entries).collect();
    assembly.problems.extend(doubled(&views));
    if family.has_front_matter {
        assembly.problems.extend(of_same_name(&views));
    }
    assembly.problems.extend(dangling(&views));
    let index = family.index.and_then(|name| parts.numbered().find(|(_, own)| own.path == Path::new(name)));
    if let Some((at, index)) = index {
        let text = String::from_utf8_lossy(&index.bytes);
        assembly.problems.extend(of_index(index, &text, parts, &views));
        assembly.problems.extend(of_size(index, &text));
        assembly.problems.extend(index_facts::secrets(index, &text));
        let numbers = (0..).zip(&assembly.entries);
        let files = numbers.map(|(number, own)| (&*parts.documents[own.document as usize].path, number));
        let files = files.collect();
        assembly.facts = index_facts::facts(&text, &files);
        let parts = (0..).zip(&assembly.entries).filter(|(_, own)| own.document == at);
        let parts = parts.map(|(number, own)| (number, index.records[own.record as usize].line));
        assembly.facts.extend(index_facts::unseen(index, &text, &files, parts));
    }
    assembly
}

type ReadRecord<'a> = (&'a Entry, &'a Document, View<'a>);

fn views<'a>(parts: &AssemblyInput<'a>, entries: &'a [Entry]) -> impl Iterator<Item = ReadRecord<'a>> {
    let documents = parts.documents;
    entries.iter().filter_map(move |entry| {
        let document = &*documents[entry.document as usize];
        Some((entry, document, document.records[entry.record as usize].view()?))
    })
}

fn doubled(views: &[ReadRecord<'_>]) -> Vec<Problem> {
    let mut ids = IdIndex::of(views.len());
    let mut problems = Vec::new();
    for (entry, document, view) in views {
        let (id, line) = (view.id.unwrap_or_default(), document.records[entry.record as usize].line);
        let Some((first, at)) = ids.first(id, document, line) else { continue };
        let message = format!("Same id as {}:{at}.", first.path.to_text());
        let problem = Problem::of_file(Code::DuplicateId, Severity::Warning, &document.path, message);
        problems.push(problem.at_line(line).of_record(entry.record, view.id));
    }
    problems
}

/// Returns a problem of each topic whose `name` another has: a link by that name leads to one of them.
fn of_same_name(views: &[ReadRecord<'_>]) -> Vec<Problem> {
    let mut first: HashMap<String, &Path> = HashMap::new();
    let mut problems = Vec::new();
    // The parts of an index have one front matter.
    let files = views.chunk_by(|(_, one, _), (_, other, _)| one.path == other.path);
    for (entry, document, view) in files.filter_map(<[_]>::first) {
        let text = String::from_utf8_lossy(&document.bytes);
        let note = Note::read(&text);
        let Some(field) = note.field("name") else { continue };
        let name = field.line_text();
        if name.is_empty() {
            continue;
        }
        let Some(other) = first.get(&name) else {
            first.insert(name, &document.path);
            continue;
        };
        let message = format!("{} has the name {name:?}, too.", other.to_text());
        let problem = Problem::of_file(Code::DuplicateId, Severity::Warning, &document.path, message);
        problems.push(problem.at_line(field.line).of_record(entry.record, view.id));
    }
    problems
}

/// Returns a note for each link that leads to no memory. A link in any case, with `-` or `_`, leads to it.
fn dangling(views: &[ReadRecord<'_>]) -> Vec<Problem> {
    let known = views.iter().flat_map(|(.., view)| {
        let names = view.names.map(|name| (name.of, name.text));
        names.chain(view.id.into_iter().map(|id| (NameKind::Record, id)))
    });
    let missing = DanglingNames::of(views.iter().flat_map(|(.., view)| view.references), known.clone());
    let folded: HashSet<String> = known.map(|(_, name)| fold(name)).collect();
    let files: HashSet<&Path> = views.iter().map(|(_, document, _)| &*document.path).collect();
    let mut problems = Vec::new();
    for (entry, document, view) in views {
        for reference in view.references.iter().filter(|own| missing.has(own)) {
            let to = reference.to.text;
            let is_file = reference.relation == LINK && files.contains(Path::new(&format!("{to}.md")));
            // Serena keeps memories of all projects in the home folder.
            let is_global = reference.relation == "mem:" && to.starts_with("global/");
            if is_file || is_global || folded.contains(&fold(to)) {
                continue;
            }
            let message = format!("`{}` names {to:?}, which is not in the store.", reference.relation);
            let problem = Problem::of_file(Code::DanglingReference, Severity::Note, &document.path, message);
            let line = line_of(document, entry.record, to);
            problems.push(problem.at_line(line).of_record(entry.record, view.id));
        }
    }
    problems
}

/// Returns a name as links find it: in any case, with `-` or `_`.
pub fn fold(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

/// Returns the line of a record that first has a text.
fn line_of(document: &Document, record: u32, text: &str) -> u32 {
    let own = &document.records[record as usize];
    let raw = document.raw(own);
    let at = memchr::memmem::find(&raw, text.as_bytes()).unwrap_or_default();
    own.line + memchr::memchr_iter(b'\n', &raw[..at]).count() as u32
}

/// Returns the problems of an index: lines without a file, files of several lines, files in no index.
fn of_index(
    index: &Document,
    text: &str,
    parts: &AssemblyInput<'_>,
    views: &[ReadRecord<'_>],
) -> Vec<Problem> {
    let files: HashSet<&Path> = parts.documents.iter().map(|own| &*own.path).collect();
    let mut problems = Vec::new();
    let mut first: HashMap<String, u32> = HashMap::new();
    for own in index_file::lines(text) {
        let Some(path) = joined(Path::new(""), own.target) else { continue };
        let file = format!("{path}.md");
        let mut add = |code, severity, message: String| {
            problems.push(Problem::of_file(code, severity, &index.path, message).at_line(own.line));
        };
        if !files.contains(Path::new(&file)) {
            let message = format!("The line leads to {file:?}, which is not in the store.");
            add(Code::DanglingReference, Severity::Warning, message);
        }
        match first.get(&path) {
            Some(line) if *line != own.line && own.text.trim_start().starts_with(['-', '*', '+']) => {
                add(Code::DuplicateId, Severity::Note, format!("Line {line} leads to {file:?}, too."));
            }
            Some(_) => {}
            None => drop(first.insert(path, own.line)),
        }
    }
    problems.extend(orphans(index, &first, views));
    problems
}

fn orphans(index: &Document, listed: &HashMap<String, u32>, views: &[ReadRecord<'_>]) -> Vec<Problem> {
    if listed.is_empty() {
        return Vec::new();
    }
    let by_path: HashMap<String, &ReadRecord<'_>> = views
        .iter()
        .filter(|(_, document, _)| document.path != index.path)
        .map(|own| (own.1.path.with_extension("").to_text().into_owned(), own))
        .collect();
    let mut reached: BTreeSet<&str> = listed.keys().map(String::as_str).collect();
    let mut open: Vec<&str> = reached.iter().copied().collect();
    while let Some(path) = open.pop() {
        let Some((.., view)) = by_path.get(path) else { continue };
        for link in view.references.iter().filter(|own| own.relation == LINK) {
            if reached.insert(link.to.text) {
                open.push(link.to.text);
            }
        }
    }
    let orphans = by_path.iter().filter(|(path, _)| !reached.contains(path.as_str()));
    let mut problems: Vec<Problem> = orphans
        .map(|(_, (entry, document, view))| {
            let message = format!("{} does not lead to it.", index.path.to_text());
            let problem = Problem::of_file(Code::OrphanNote, Severity::Note, &document.path, message);
            problem.at_line(1).of_record(entry.record, view.id)
        })
        .collect();
    problems.sort_by(|one, other| one.file.cmp(&other.file));
    problems
}

fn of_size(index: &Document, text: &str) -> Vec<Problem> {
    let own = LoadedPart::of(text);
    let mut problems = Vec::new();
    let mut add = |code, severity, line, message| {
        problems.push(Problem::of_file(code, severity, &index.path, message).at_line(line));
    };
    let size = format!("It has {} lines and {} bytes that count", own.lines, own.bytes);
    match own.cut {
        Some(cut) => {
            let message = format!(
                "{size}. From line {cut} on the model sees nothing of it: {LINES} lines or {BYTES} bytes are loaded."
            );
            add(Code::LimitExceeded, Severity::Error, cut, message);
        }
        None if own.is_near() => {
            let message = format!("{size}; {LINES} lines or {BYTES} bytes are loaded.");
            add(Code::LimitNear, Severity::Warning, 1, message);
        }
        None => {}
    }
    for (number, line) in (1..).zip(text.lines()) {
        let count = line.chars().count();
        if count > LONG_LINE && super::references::file_links(line).next().is_some() {
            let message = format!("The line has {count} characters; {LONG_LINE} should be enough.");
            add(Code::LimitExceeded, Severity::Note, number, message);
        }
    }
    problems
}
