//! Checks across the files of a folder: links, the index, and what of it is loaded.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::family::{Family, Grammar};
use super::references::{LINK, MEM, file_links, is_cjk, joined, links_in, mem_names};
use super::{index_file, load_problems};
use crate::detectors::{mask, secret_spans};
use crate::format::detection::FolderProbe;
use crate::format::id_index::IdIndex;
use crate::format::notes::rules;
use crate::format::record_reader::feeds;
use crate::format::{Assembly, AssemblyInput, entries};
use crate::model::{
    Code, Document, Entry, PathText, Problem, Reference, Role, Severity, State, StoredMemory, UNSEEN,
};
use crate::text::front_matter::{Note, YamlField};
use crate::text::lines::{LineSpan, lines};
use crate::text::names;
use crate::text::part_range::part_range;
use crate::text::second_version::{maybe_second, set_aside};
use crate::text::wiki_links::{links, target};

/// A longer line of an index says too much.
const LONG_LINE: usize = 200;

/// What examples of links name, and words in brackets of TOML, C++ and tables of contents.
const NO_LINKS: [&str; 40] = names(
    "link links wikilink wiki-link name names other-name their-name note-name slug target title page note topic file \
     foo bar memory-name other-note other-memory file-name note-id id servers \
     bin lib test bench example package products toc -toc- nodiscard maybe-unused noreturn deprecated likely unlikely",
);

pub fn assemble(family: &Family, parts: &AssemblyInput<'_>) -> Assembly {
    let files = parts.numbered().filter(|(_, document)| document.role == Role::Records);
    let entries = entries::entries(files, None, |_, _| State::Live);
    let mut assembly = Assembly { entries, ..Assembly::default() };
    let cut = load_problems::add(&mut assembly, family, parts);
    let views: Vec<_> = entries::read_entries(parts, &assembly.entries).collect();
    let second = second_versions(parts);
    // Of a second version it is enough to say that it is one.
    let seconds: HashSet<&Path> = second.iter().map(|problem| &*problem.file).collect();
    let is_second = |file: &Path| set_aside(file).is_some() || seconds.contains(file);
    // A second version may have the names of the first.
    let (others, firsts): (Vec<ReadRecord<'_>>, Vec<_>) =
        views.iter().copied().partition(|(_, document, _)| is_second(&document.path));
    assembly.problems.extend(doubled(&firsts));
    if family.has_front_matter {
        assembly.problems.extend(of_same_name(&firsts));
    }
    let by_name = files_by_name(others.iter().chain(&firsts));
    assembly.problems.extend(dangling(&views, &by_name));
    let is_index = |(_, document): &(u32, &Document)| family.grammar_of(&document.path) == Grammar::Index;
    if let Some((_, index)) = parts.numbered().find(is_index) {
        let text = String::from_utf8_lossy(&index.bytes);
        assembly.problems.extend(of_index(index, (&text, &by_name), parts, &firsts));
        assembly.problems.extend(long_lines(index, &text));
        assembly.problems.extend(secrets(index, &text));
        let numbers = (0..).zip(&assembly.entries);
        let files = numbers.map(|(number, entry)| (&*parts.documents[entry.document as usize].path, number));
        assembly.facts.extend(facts((index, cut), &text, &files.collect()));
    }
    assembly.problems.extend(second);
    assembly
}

/// Returns a problem of each file that is another one's second version by its name, and has its title.
fn second_versions(parts: &AssemblyInput<'_>) -> Vec<Problem> {
    let files = parts.documents.iter().filter(|document| document.role == Role::Records);
    let by_path: HashMap<&Path, &Document> = files.clone().map(|file| (&*file.path, &**file)).collect();
    let seconds = files.filter(|file| set_aside(&file.path).is_none()).filter_map(|file| {
        let first = by_path.get(&*maybe_second(&file.path)?)?;
        let name = first.path.file_name()?.to_text();
        let message = format!("It is a second version of {name:?}: compare both, and keep one.");
        let problem = Problem::of_file(Code::SyncConflict, Severity::Warning, &file.path, message);
        (title(file)? == title(first)?).then(|| problem.at_line(1))
    });
    seconds.collect()
}

/// Returns what a file calls itself: the `name` or `title` of its front matter, or else its first line of text.
fn title(document: &Document) -> Option<String> {
    let text = String::from_utf8_lossy(&document.bytes);
    let note = Note::read(&text);
    let named = ["name", "title"].iter().find_map(|name| note.field(name)).map(YamlField::line_text);
    let first = || text.get(note.body.clone())?.lines().map(str::trim).find(|line| !line.is_empty());
    named.filter(|name| !name.is_empty()).or_else(|| first().map(str::to_owned))
}

type ReadRecord<'a> = (&'a Entry, &'a Document, &'a StoredMemory);
/// The files of memories by what a link may call them, folded.
type FilesByName<'a> = HashMap<String, &'a Path>;

/// Of two files with a name, a link leads to the last one.
fn files_by_name<'r, 'a: 'r>(views: impl Iterator<Item = &'r ReadRecord<'a>>) -> FilesByName<'a> {
    let mut files = HashMap::new();
    for (_, document, memory) in views {
        let path = document.path.with_extension("");
        let names = memory.names().map(|name| name.text).chain(memory.id()).map(fold);
        files.extend(names.chain([fold(&path.to_text())]).map(|name| (name, &*document.path)));
    }
    files
}

fn doubled(views: &[ReadRecord<'_>]) -> Vec<Problem> {
    let mut ids = IdIndex::of(views.len());
    let mut problems = Vec::new();
    for (entry, document, memory) in views {
        let (id, line) = (memory.id().unwrap_or_default(), document.records[entry.record as usize].line);
        let Some((first, at)) = ids.first(id, document, line) else { continue };
        let message = format!("Same id as {}:{at}.", first.path.to_text());
        let fault = (Code::DuplicateId, Severity::Warning, message);
        problems.push(entries::problem_of(document, entry.record, fault));
    }
    problems
}

/// Returns a problem of each topic whose `name` another has: a link by that name leads to one of them.
fn of_same_name(views: &[ReadRecord<'_>]) -> Vec<Problem> {
    let mut first: HashMap<String, &Path> = HashMap::new();
    let mut problems = Vec::new();
    // The parts of an index have one front matter.
    let files = views.chunk_by(|(_, one, _), (_, other, _)| one.path == other.path);
    for (entry, document, memory) in files.filter_map(<[_]>::first) {
        let text = String::from_utf8_lossy(&document.bytes);
        let note = Note::read(&text);
        let Some(field) = note.field("name").filter(|field| !field.line_text().is_empty()) else { continue };
        let name = field.line_text();
        let Some(other) = first.get(&name) else {
            first.insert(name, &document.path);
            continue;
        };
        let message = format!("{} has the name {name:?}, too.", other.to_text());
        let problem = Problem::of_file(Code::DuplicateId, Severity::Warning, &document.path, message);
        problems.push(problem.at_line(field.line).of_record(entry.record, memory.id()));
    }
    problems
}

/// Returns a note for each link that leads to no memory. A link in any case, with `-` or `_`, leads to it.
fn dangling(views: &[ReadRecord<'_>], by_name: &FilesByName<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (entry, document, memory) in views {
        let mut lines = None;
        for Reference { relation, to } in memory.references() {
            // Serena keeps memories of all projects in the home folder.
            let is_global = relation == MEM && to.text.starts_with("global/");
            let is_example = relation == rules::LINK && names_no_note(to.text);
            if is_global || is_example || by_name.contains_key(&fold(to.text)) {
                continue;
            }
            let path = format!("{}{}", to.text, if relation == LINK { ".md" } else { "" });
            let lines = lines.get_or_insert_with(|| lines_of_names(document, entry.record));
            let line = lines.get(&(relation, to.text.to_owned())).copied().unwrap_or(1);
            let problem = dangling_note(document, relation, &path).at_line(line);
            problems.push(problem.of_record(entry.record, memory.id()));
        }
    }
    problems
}

fn dangling_note(document: &Document, relation: &str, name: &str) -> Problem {
    let message = format!("`{relation}` names {name:?}, which is not in the store.");
    Problem::of_file(Code::DanglingReference, Severity::Note, &document.path, message)
}

/// True for what an example names, a table of TOML such as `tool.mypy`, and a file that is no note.
fn names_no_note(name: &str) -> bool {
    let has_dot = name.split_once('.').is_some_and(|(_, rest)| rest.starts_with(char::is_alphanumeric));
    name.is_empty() || has_dot || NO_LINKS.contains(&&*fold(name))
}

/// Returns the name in a problem that says that a `[[link]]` leads to no memory.
pub fn missing_name(problem: &Problem) -> Option<&str> {
    let is_dangling = problem.code == Code::DanglingReference;
    let rest = problem.message.strip_prefix("`[[link]]` names \"").filter(|_| is_dangling)?;
    rest.split_once('"').map(|(name, _)| name)
}

/// Returns a name as links find it: in any case, with `-` or `_`.
pub fn fold(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

/// Returns the line of a memory that first refers to each name, by the relation and the name.
fn lines_of_names(document: &Document, record: u32) -> HashMap<(&'static str, String), u32> {
    let record = &document.records[record as usize];
    let raw = document.raw(record);
    let text = String::from_utf8_lossy(&raw);
    let body = text.get(Note::read(&text).body).unwrap_or_default();
    let folder = document.path.parent().unwrap_or(Path::new(""));
    let at = |part: &str| part_range(&text, part).start;
    let mut found = Vec::new();
    links(body, &mut |link| found.push((rules::LINK, target(link).to_owned(), at(link))));
    found.extend(mem_names(body).map(|name| (MEM, name.to_owned(), at(name))));
    let files = links_in(body).into_iter().filter(|link| !link.is_name);
    found.extend(files.filter_map(|link| Some((LINK, joined(folder, link.target)?, at(link.target)))));
    let ends: Vec<usize> = text.match_indices('\n').map(|(end, _)| end).collect();
    let line = |at| record.line + ends.partition_point(|end| *end < at) as u32;
    // The first place of a name counts.
    found.into_iter().rev().map(|(relation, name, at)| ((relation, name), line(at))).collect()
}

/// Returns the problems of an index: lines without a file, files of several lines, files that it does not name.
fn of_index(
    index: &Document,
    (text, by_name): (&str, &FilesByName<'_>),
    parts: &AssemblyInput<'_>,
    views: &[ReadRecord<'_>],
) -> Vec<Problem> {
    let mut files: HashMap<&OsStr, Vec<&Path>> = HashMap::new();
    for file in parts.documents {
        files.entry(file.path.file_name().unwrap_or_default()).or_default().push(&file.path);
    }
    let mut problems = Vec::new();
    let mut first: HashMap<PathBuf, u32> = HashMap::new();
    let mut listed: HashSet<String> = HashSet::new();
    for link in links_in(text) {
        let Some(path) = link.path(Path::new("")).filter(|path| **path != *index.path) else { continue };
        let file_name = path.file_name().unwrap_or_default().to_text();
        // Other words may be before a name in Chinese.
        let starts = file_name.char_indices().map(|(at, _)| file_name.split_at(at));
        let mut names = starts.filter(|(before, _)| before.is_empty() || before.ends_with(is_cjk));
        let namesakes = names.find_map(|(_, name)| files.get(OsStr::new(name)));
        let namesakes = namesakes.map_or(&[][..], Vec::as_slice);
        let is_there = namesakes.contains(&&*path);
        let name = |path: &Path| path.with_extension("").to_text().into_owned();
        match is_there {
            // A name may leave out the folder, or have that of the store.
            false if link.is_name => listed.extend(namesakes.iter().map(|path| name(path))),
            _ => drop(listed.insert(name(&path))),
        }
        if link.is_name {
            continue;
        }
        let file = path.to_text();
        let mut add = |code, severity, message: String| {
            problems.push(Problem::of_file(code, severity, &index.path, message).at_line(link.line));
        };
        if !is_there {
            let message = format!("The line leads to {file:?}, which is not in the store.");
            add(Code::DanglingReference, Severity::Warning, message);
        }
        match first.get(&path) {
            Some(line) if *line != link.line && link.text.trim_start().starts_with(['-', '*', '+']) => {
                add(Code::DuplicateId, Severity::Note, format!("Line {line} leads to {file:?}, too."));
            }
            Some(_) => {}
            None => drop(first.insert(path.clone(), link.line)),
        }
    }
    problems.extend(of_wiki_links(index, &mut listed, by_name));
    problems.extend(orphans(index, &listed, views));
    problems
}

/// Lists the files to which the `[[links]]` of an index lead. Returns a note for each link that leads to none.
fn of_wiki_links(index: &Document, listed: &mut HashSet<String>, by_name: &FilesByName<'_>) -> Vec<Problem> {
    let text = String::from_utf8_lossy(&index.bytes);
    let (mut problems, mut line, mut from) = (Vec::new(), 1, 0);
    links(&text, &mut |link| {
        let (name, at) = (target(link), part_range(&text, link).start);
        line += feeds(text.as_bytes().get(from..at).unwrap_or_default());
        from = at;
        match by_name.get(&fold(name)) {
            Some(file) => drop(listed.insert(file.with_extension("").to_text().into_owned())),
            None if names_no_note(name) => {}
            None => problems.push(dangling_note(index, rules::LINK, name).at_line(line)),
        }
    });
    problems
}

fn orphans(index: &Document, listed: &HashSet<String>, views: &[ReadRecord<'_>]) -> Vec<Problem> {
    if listed.is_empty() {
        return Vec::new();
    }
    let by_path: BTreeMap<String, &ReadRecord<'_>> = views
        .iter()
        .filter(|(_, document, _)| document.path != index.path)
        .map(|own| (own.1.path.with_extension("").to_text().into_owned(), own))
        .collect();
    let mut reached: HashSet<&str> = listed.iter().map(String::as_str).collect();
    let mut open: Vec<&str> = reached.iter().copied().collect();
    while let Some(path) = open.pop() {
        let Some((_, document, _)) = by_path.get(path) else { continue };
        let (text, folder) = (String::from_utf8_lossy(&document.bytes), document.path.parent());
        for link in links_in(&text) {
            let bases =
                folder.into_iter().chain([Path::new("")]).filter_map(|base| joined(base, link.target));
            let next = bases.filter_map(|path| by_path.get_key_value(&path)).next();
            open.extend(next.map(|(path, _)| path.as_str()).filter(|path| reached.insert(path)));
        }
    }
    let orphans = by_path.iter().filter(|(path, _)| !reached.contains(path.as_str()));
    orphans
        .map(|(_, (entry, document, memory))| {
            let message = format!("{} does not lead to it.", index.path.to_text());
            let problem = Problem::of_file(Code::OrphanNote, Severity::Note, &document.path, message);
            problem.at_line(1).of_record(entry.record, memory.id())
        })
        .collect()
}

fn long_lines(index: &Document, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let count = line.chars().count();
        if count > LONG_LINE && file_links(line).next().is_some() {
            let message = format!("The line has {count} characters; {LONG_LINE} should be enough.");
            let problem = Problem::of_file(Code::LimitExceeded, Severity::Note, &index.path, message);
            problems.push(problem.at_line(number));
        }
    }
    problems
}

/// The name of what a line of an index says about a memory.
const INDEX: &str = "index";

/// Returns what the lines say, by the number of the entry of the file, and why a model does not see a file. From the line
/// `cut` on nothing is loaded. `files` has the numbers of the entries.
fn facts(
    (index, cut): (&Document, Option<u32>),
    text: &str,
    files: &HashMap<&Path, u32>,
) -> Vec<(u32, &'static str, String)> {
    let name = index.path.to_text();
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    for link in index_file::lines(text) {
        let path = link.path(Path::new(""));
        let Some(number) = path.and_then(|path| files.get(&*path).copied()) else { continue };
        let cut = cut.filter(|cut| link.line >= *cut);
        let unseen = if cut.is_some() { ", which the model never sees" } else { "" };
        found.push((number, INDEX, format!("line {}{unseen}: {}", link.line, mask(link.text.trim()))));
        // If the first line is not loaded, none is.
        if let (true, Some(cut)) = (known.insert(number), cut) {
            let why = format!("{name} is cut at line {cut}, before each line that leads here");
            found.push((number, UNSEEN, why));
        }
    }
    found
}

/// Returns a warning for each line of an index that has a secret and is a part of no memory.
fn secrets(index: &Document, text: &str) -> Vec<Problem> {
    let is_outside = |at: &usize| {
        let next = index.records.partition_point(|record| record.span.start <= *at as u64);
        next.checked_sub(1).is_none_or(|number| !index.records[number].span.range().contains(at))
    };
    let spans = secret_spans(text);
    let mut starts: Vec<usize> = spans.iter().map(|span| span.start).filter(is_outside).collect();
    starts.sort_unstable();
    let has_secret = |(_, line): &(u32, LineSpan)| {
        let first = starts.partition_point(|at| *at < line.start);
        starts.get(first).is_some_and(|at| *at < line.next)
    };
    let problem = |(line, _): (u32, LineSpan)| {
        let message =
            "The line has what looks like a secret, and is no memory: `erase --value-from -` removes it.";
        Problem::of_file(Code::SecretInIndex, Severity::Warning, &index.path, message).at_line(line)
    };
    (1..).zip(lines(text.as_bytes())).filter(has_secret).map(problem).collect()
}

/// What a `[[link]]` of a memory may name besides memories: skills, sub-agents and commands. They are `skills/NAME/`,
/// `agents/NAME.md` and `commands/NAME.md` in the agent's folder (code.claude.com/docs/en/claude-directory, 2026-11-29).
const FOLDERS: [&str; 3] = ["skills", "agents", "commands"];
/// How far above the memories the agent's folder may be: `~/.claude/projects/*/memory`.
const ABOVE: usize = 3;

/// Drops the links that lead to what is in an agent's folder.
pub fn drop_known(problems: &mut Vec<Problem>, root: &Path, project: Option<&Path>, probe: &dyn FolderProbe) {
    if !problems.iter().any(|problem| missing_name(problem).is_some()) {
        return;
    }
    let above = root.ancestors().skip(1).take(ABOVE).map(Path::to_owned);
    let homes = above.chain(project.map(|project| project.join(".claude")));
    let folders = homes.flat_map(|home| FOLDERS.map(|name| home.join(name)));
    let names = |folder: PathBuf| probe.folders(&folder).into_iter().chain(probe.files(&folder));
    let fold_file = |file: OsString| fold(Path::new(&file).to_text().trim_end_matches(".md"));
    let known: HashSet<String> = folders.flat_map(names).map(fold_file).collect();
    problems.retain(|problem| missing_name(problem).is_none_or(|name| !known.contains(&fold(name))));
}
