//! Checks across the files of a folder: links, the index, and what of it is loaded.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::family::Family;
use super::loaded_part::LoadedPart;
use super::references::{LINK, MEM, file_links, joined, links_in};
use super::{index_facts, load_problems};
use crate::format::id_index::{DanglingNames, IdIndex};
use crate::format::notes::rules;
use crate::format::{Assembly, AssemblyInput};
use crate::model::{
    Code, Document, Entry, Moment, NameKind, PathText, Problem, RecordBody, Role, Severity, State, View,
};
use crate::text::front_matter::{Note, YamlField};
use crate::text::names;
use crate::text::second_version::{maybe_second, set_aside};

/// A longer line of an index says too much.
const LONG_LINE: usize = 200;

/// What examples of links name, and words in brackets of TOML, C++ and tables of contents.
const NO_LINKS: [&str; 31] = names(
    "link links wikilink wiki-link name names other-name their-name note-name slug target title page note topic file \
     bin lib test bench example package products toc -toc- nodiscard maybe-unused noreturn deprecated likely unlikely",
);

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
    let second = second_versions(parts);
    // What a second version has twice is said by that alone.
    let seconds: HashSet<&Path> = second.iter().map(|own| &*own.file).collect();
    let is_second = |file: &Path| set_aside(file).is_some() || seconds.contains(file);
    let firsts: Vec<_> = views.iter().filter(|own| !is_second(&own.1.path)).copied().collect();
    assembly.problems.extend(doubled(&firsts));
    if family.has_front_matter {
        assembly.problems.extend(of_same_name(&firsts));
    }
    assembly.problems.extend(dangling(&views));
    let index = family.index.and_then(|name| parts.numbered().find(|(_, own)| own.path == Path::new(name)));
    if let Some((at, index)) = index {
        let text = String::from_utf8_lossy(&index.bytes);
        assembly.problems.extend(of_index(index, &text, parts, &firsts));
        let rule = family.load_rule(&index.path, parts.load_settings);
        let part = rule.and_then(|rule| LoadedPart::of(&text, rule)).unwrap_or_default();
        assembly.problems.extend(of_size(index, &text, &part));
        assembly.problems.extend(index_facts::secrets(index, &text));
        let numbers = (0..).zip(&assembly.entries);
        let files = numbers.map(|(number, own)| (&*parts.documents[own.document as usize].path, number));
        let files = files.collect();
        assembly.facts = index_facts::facts(&text, &files, part.cut);
        if let Some(cut) = part.cut {
            let own = (0..).zip(&assembly.entries).filter(|(_, own)| own.document == at);
            let own = own.map(|(number, own)| (number, index.records[own.record as usize].line));
            assembly.facts.extend(index_facts::unseen((index, cut), &text, &files, own));
        }
    }
    assembly.problems.extend(second);
    load_problems::add(&mut assembly, family, parts);
    assembly
}

/// Returns a problem of each file that is another one's second version by its name, and has its title.
fn second_versions(parts: &AssemblyInput<'_>) -> Vec<Problem> {
    let documents = parts.documents.iter().filter(|own| own.role == Role::Records);
    let by_path: HashMap<&Path, &Document> = documents.map(|own| (&*own.path, &**own)).collect();
    let seconds = parts.documents.iter().filter_map(|own| {
        let first = by_path.get(&*maybe_second(&own.path)?)?;
        let is_second = set_aside(&own.path).is_none() && by_path.contains_key(&*own.path);
        let name = first.path.file_name().filter(|_| is_second)?.to_text();
        let message = format!("It is a second version of {name:?}: compare both, and keep one.");
        let problem = || Problem::of_file(Code::SyncConflict, Severity::Warning, &own.path, message);
        (title(own)? == title(first)?).then(|| problem().at_line(1))
    });
    seconds.collect()
}

/// Returns what a file calls itself: the `name` or `title` of its front matter, or else its first line of text.
fn title(document: &Document) -> Option<String> {
    let text = String::from_utf8_lossy(&document.bytes);
    let note = Note::read(&text);
    let named = ["name", "title"].iter().find_map(|name| note.field(name)).map(YamlField::line_text);
    let first = || text.get(note.body.clone())?.lines().map(str::trim).find(|own| !own.is_empty());
    named.filter(|own| !own.is_empty()).or_else(|| first().map(str::to_owned))
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
            let path = if reference.relation == LINK { format!("{to}.md") } else { to.to_owned() };
            let is_file = reference.relation == LINK && files.contains(Path::new(&path));
            // Serena keeps memories of all projects in the home folder.
            let is_global = reference.relation == MEM && to.starts_with("global/");
            let is_example = reference.relation == rules::LINK && NO_LINKS.contains(&&*fold(to));
            if is_file || is_global || is_example || folded.contains(&fold(to)) {
                continue;
            }
            let message = format!("`{}` names {path:?}, which is not in the store.", reference.relation);
            let problem = Problem::of_file(Code::DanglingReference, Severity::Note, &document.path, message);
            let line = line_of(document, entry.record, reference.relation, to);
            problems.push(problem.at_line(line).of_record(entry.record, view.id));
        }
    }
    problems
}

/// Returns the name in a problem that says that a `[[link]]` leads to no memory.
pub fn missing_name(problem: &Problem) -> Option<&str> {
    let is_dangling = problem.code == Code::DanglingReference && problem.record.is_some();
    let rest = problem.message.strip_prefix("`[[link]]` names \"").filter(|_| is_dangling)?;
    rest.split_once('"').map(|(name, _)| name)
}

/// Returns a name as links find it: in any case, with `-` or `_`.
pub fn fold(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

/// Returns the line of a record that first refers to a name. A link has a path from its file to another.
fn line_of(document: &Document, record: u32, relation: &str, name: &str) -> u32 {
    let own = &document.records[record as usize];
    let raw = document.raw(own);
    let folder = document.path.parent().unwrap_or(Path::new(""));
    let file = format!("{}.md", name.rsplit('/').next().unwrap_or(name));
    let leads =
        |line: &str| file_links(line).any(|target| joined(folder, target).is_some_and(|path| path == name));
    let is_it = |line: &str| match relation {
        LINK => (line.contains(&file) || line.contains('%')) && leads(line),
        MEM => line.contains(&format!("{MEM}{name}")),
        _ => line.contains(&format!("[[{name}")),
    };
    let before = String::from_utf8_lossy(&raw).lines().position(is_it).unwrap_or_default();
    own.line + before as u32
}

/// Returns the problems of an index: lines without a file, files of several lines, files that it does not name.
fn of_index(
    index: &Document,
    text: &str,
    parts: &AssemblyInput<'_>,
    views: &[ReadRecord<'_>],
) -> Vec<Problem> {
    let mut files: HashMap<&OsStr, Vec<&Path>> = HashMap::new();
    for own in parts.documents {
        files.entry(own.path.file_name().unwrap_or_default()).or_default().push(&own.path);
    }
    let mut problems = Vec::new();
    let mut first: HashMap<PathBuf, u32> = HashMap::new();
    let mut listed: HashSet<String> = HashSet::new();
    for own in links_in(text) {
        let Some(path) = own.path(Path::new("")).filter(|path| **path != *index.path) else { continue };
        let of_name = files.get(path.file_name().unwrap_or_default()).map_or(&[][..], Vec::as_slice);
        let is_there = of_name.contains(&&*path);
        let name = |path: &Path| path.with_extension("").to_text().into_owned();
        match is_there {
            // A name may leave out the folder, or have that of the store.
            false if own.is_name => listed.extend(of_name.iter().map(|path| name(path))),
            _ => drop(listed.insert(name(&path))),
        }
        if own.is_name {
            continue;
        }
        let file = path.to_text();
        let mut add = |code, severity, message: String| {
            problems.push(Problem::of_file(code, severity, &index.path, message).at_line(own.line));
        };
        if !is_there {
            let message = format!("The line leads to {file:?}, which is not in the store.");
            add(Code::DanglingReference, Severity::Warning, message);
        }
        match first.get(&path) {
            Some(line) if *line != own.line && own.text.trim_start().starts_with(['-', '*', '+']) => {
                add(Code::DuplicateId, Severity::Note, format!("Line {line} leads to {file:?}, too."));
            }
            Some(_) => {}
            None => drop(first.insert(path.clone(), own.line)),
        }
    }
    problems.extend(orphans(index, &listed, views));
    problems
}

fn orphans(index: &Document, listed: &HashSet<String>, views: &[ReadRecord<'_>]) -> Vec<Problem> {
    if listed.is_empty() {
        return Vec::new();
    }
    let by_path: HashMap<String, &ReadRecord<'_>> = views
        .iter()
        .filter(|(_, document, _)| document.path != index.path)
        .map(|own| (own.1.path.with_extension("").to_text().into_owned(), own))
        .collect();
    let mut reached: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
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

fn of_size(index: &Document, text: &str, own: &LoadedPart) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut add = |code, severity, line, message| {
        problems.push(Problem::of_file(code, severity, &index.path, message).at_line(line));
    };
    let (size, most) = own.in_words();
    match own.cut {
        Some(cut) => {
            let message = format!("{size}. From line {cut} on the model sees nothing of it: {most}.");
            add(Code::LimitExceeded, Severity::Error, cut, message);
        }
        None if own.is_near() => {
            let message = format!("{size}; {most}.");
            add(Code::LimitNear, Severity::Warning, 1, message);
        }
        None => {}
    }
    for (number, line) in (1..).zip(text.lines()) {
        let count = line.chars().count();
        if count > LONG_LINE && file_links(line).next().is_some() {
            let message = format!("The line has {count} characters; {LONG_LINE} should be enough.");
            add(Code::LimitExceeded, Severity::Note, number, message);
        }
    }
    problems
}
