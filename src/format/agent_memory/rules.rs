//! What the files of a store say together, as the tool's own validation judges it.

use std::collections::HashMap;
use std::path::Path;

use super::difference::difference;
use super::layout;
use crate::format::reading::{whole_object, without_mark};
use crate::format::{Assembly, Parts, locks};
use crate::model::{Body, Code, Document, Entry, Moment, Problem, Record, Role, Severity, State, View};
use crate::text::indented;
use crate::text::json::Json;
use crate::text::scan::Tape;

/// So many checkpoints, the newest, are compared with the one before and with the state.
const COMPARED: usize = 100;
/// So many differences of a checkpoint are listed.
const LISTED: usize = 40;

/// Puts the files together.
pub fn assemble(parts: &Parts<'_>, now: Moment) -> Assembly {
    let mut assembly = Assembly::default();
    assembly.problems.extend(parts.locks.iter().filter_map(|lock| locks::stale(lock, now)));
    for (number, document) in parts.documents.iter().enumerate() {
        for (index, record) in document.records.iter().enumerate() {
            let (state, index) = (state(document, record), index as u32);
            assembly.entries.push(Entry { document: number as u32, record: index, session: None, state });
        }
    }
    let files = Files { parts };
    assembly.problems.extend(files.event_ids());
    assembly.problems.extend(files.checkpoints().filter_map(check_hash));
    let mut tape = Tape::default();
    if let Some((document, state)) = files.state(&mut tape) {
        assembly.problems.extend(check_hash(document));
        assembly.problems.extend(files.counts(document, state));
        assembly.problems.extend(files.latest(document, state));
        assembly.problems.extend(files.projections(state));
        assembly.facts.extend(files.of_project(&assembly.entries, state));
        assembly.facts.extend(files.differences(&assembly.entries, state));
    }
    assembly
}

fn state(document: &Document, record: &Record) -> State {
    match record.body {
        Body::Broken => State::Broken,
        Body::Read(_) if document.role == Role::Archive => State::Archived,
        Body::Read(_) => State::Live,
    }
}

/// The hash of a document's bundle against the one that it gives.
fn check_hash(document: &Document) -> Option<Problem> {
    let mut tape = Tape::default();
    let object = whole_object(&mut tape, without_mark(&document.bytes)).ok()?;
    let stored = object.get("bundleHash")?.text()?;
    let own = indented::digest(object.get("bundle")?)?;
    let message = format!("`bundleHash` is {stored}, and the bundle's hash is {own}.");
    (own != stored).then(|| Problem::of_file(Code::HashMismatch, Severity::Error, &document.path, message))
}

struct Files<'a> {
    parts: &'a Parts<'a>,
}

impl<'a> Files<'a> {
    fn at(&self, path: &str) -> Option<&'a Document> {
        self.parts.documents.iter().find(|document| document.path == Path::new(path)).map(|own| &**own)
    }

    fn state<'t>(&self, tape: &'t mut Tape) -> Option<(&'a Document, Json<'t>)>
    where
        'a: 't,
    {
        let document = self.at("state.json")?;
        Some((document, whole_object(tape, without_mark(&document.bytes)).ok()?))
    }

    /// Every checkpoint, archived ones too.
    fn checkpoints(&self) -> impl Iterator<Item = &'a Document> {
        let documents = self.parts.documents.iter().map(|document| &**document);
        documents.filter(|document| layout::kind_of(&document.path) == "checkpoint")
    }

    fn views(document: &'a Document) -> impl Iterator<Item = (u32, &'a Record, &'a View)> {
        let records = document.records.iter().enumerate();
        records.filter_map(|(index, record)| Some((index as u32, record, record.view()?)))
    }

    fn allows_gaps(&self) -> bool {
        let mut tape = Tape::default();
        let config = self.at("config.json");
        let config = config.and_then(|config| whole_object(&mut tape, without_mark(&config.bytes)).ok());
        config.and_then(|config| config.path(&["retention", "enabled"])?.bool()) == Some(true)
    }

    /// Ids rise strictly, and without gaps unless retention is on.
    fn event_ids(&self) -> Vec<Problem> {
        let Some(log) = self.at("history/events.jsonl") else { return Vec::new() };
        let gaps = self.allows_gaps();
        let mut problems = Vec::new();
        let mut seen: HashMap<&str, u32> = HashMap::new();
        let mut last: Option<u64> = None;
        for (index, record, view) in Self::views(log) {
            let Some(id) = view.id.as_deref() else { continue };
            let mut add = |code, message: String| {
                let problem = Problem::of_file(code, Severity::Error, &log.path, message);
                problems.push(problem.at_line(record.line).of_record(index, Some(id)));
            };
            if let Some(line) = seen.insert(id, record.line) {
                add(Code::DuplicateId, format!("The id stands already in line {line}."));
                continue;
            }
            let Some(number) = number(id) else {
                add(Code::OutOfRange, format!("The id {id:?} should be like \"evt-000001\"."));
                continue;
            };
            match last {
                Some(last) if number <= last => {
                    add(
                        Code::OutOfRange,
                        format!("The id {id} does not rise: evt-{last:06} stands before it."),
                    );
                }
                Some(last) if !gaps && number != last + 1 => {
                    add(Code::CountMismatch, format!("Events are missing between evt-{last:06} and {id}."));
                }
                _ => {}
            }
            last = Some(number.max(last.unwrap_or_default()));
        }
        problems
    }

    fn counts(&self, document: &Document, state: Json<'_>) -> Vec<Problem> {
        let count = |path| self.at(path).map_or(0, |document| document.records.len() as u64);
        let counts = [
            ("historyEventCount", count("history/events.jsonl")),
            ("importSourceCount", count("sources.json")),
        ];
        let differs = |(name, found): (&str, u64)| {
            let stored = state.path(&["maintenance", name])?.count()?;
            let message = format!("`maintenance.{name}` is {stored}, and {found} are there.");
            (stored != found)
                .then(|| Problem::of_file(Code::CountMismatch, Severity::Error, &document.path, message))
        };
        counts.into_iter().filter_map(differs).collect()
    }

    /// The latest checkpoint is there, and is the state's.
    fn latest(&self, document: &Document, state: Json<'_>) -> Option<Problem> {
        let id = state.path(&["maintenance", "latestCheckpointId"])?.text()?;
        let live = self.checkpoints().filter(|checkpoint| checkpoint.role == Role::Records);
        let mut named = live
            .filter(|checkpoint| Self::views(checkpoint).any(|(.., view)| view.id.as_deref() == Some(&*id)));
        let Some(checkpoint) = named.next() else {
            let message = format!("`maintenance.latestCheckpointId` names {id:?}, which is not there.");
            return Some(Problem::of_file(Code::DanglingReference, Severity::Error, &document.path, message));
        };
        let mut tape = Tape::default();
        let own = whole_object(&mut tape, without_mark(&checkpoint.bytes)).ok()?;
        let (own, of_state) = (own.get("bundleHash")?.text()?, state.get("bundleHash")?.text()?);
        let message = format!("The latest checkpoint {id} is of another bundle than the state.");
        (own != of_state)
            .then(|| Problem::of_file(Code::HashMismatch, Severity::Error, &document.path, message))
    }

    /// The generated files beside the store carry the state's hash.
    fn projections(&self, state: Json<'_>) -> Vec<Problem> {
        let Some(hash) = state.get("bundleHash").and_then(|hash| hash.text()) else { return Vec::new() };
        let mut problems = Vec::new();
        let mut add = |code, path: &str, message: String| {
            problems.push(Problem::of_file(code, Severity::Warning, Path::new("..").join(path), message));
        };
        if self.parts.beside.is_empty() {
            return Vec::new();
        }
        for (path, name) in layout::PROJECTIONS {
            let marker = format!("<!-- agent-memory:projection file={name} version=3 bundleHash={hash} -->");
            match self.beside(path) {
                None => add(Code::ProjectionStale, path, "The projection is missing.".into()),
                Some(bytes) if !first_line(bytes).contains(&marker) => {
                    let message = "The projection does not start with the marker of the present state.";
                    add(Code::ProjectionStale, path, message.into());
                }
                Some(_) => {}
            }
        }
        let entry = state.path(&["bundle", "project", "recommendedEntryFile"]).and_then(|path| path.text());
        let Some(entry) = entry.filter(|entry| layout::BESIDE.contains(&entry.as_ref())) else {
            return problems;
        };
        let start = format!("<!-- agent-memory:entry version=3 bundleHash={hash} start -->");
        let text = String::from_utf8_lossy(self.beside(&entry).unwrap_or_default());
        let is_whole =
            text.find(&start).is_some_and(|at| text[at..].contains("<!-- agent-memory:entry end -->"));
        if !is_whole {
            add(Code::EntryBlockStale, &entry, "It holds no entry block of the present state.".into());
        }
        problems
    }

    fn beside(&self, path: &str) -> Option<&[u8]> {
        self.parts.beside.iter().find(|(own, _)| *own == path).and_then(|(_, bytes)| bytes.as_deref())
    }

    /// What the state says beside its bundle, for its project.
    fn of_project(&self, entries: &[Entry], state: Json<'_>) -> Vec<(u32, &'static str, String)> {
        let is_project = |entry: &Entry| {
            let document = &self.parts.documents[entry.document as usize];
            document.records[entry.record as usize].view().is_some_and(|view| view.kind == "project")
        };
        let Some(at) = entries.iter().position(is_project) else { return Vec::new() };
        let facts: [(&'static str, &[&str]); 5] = [
            ("generatedAt", &["generatedAt"]),
            ("provider", &["provider", "name"]),
            ("lastRecalledAt", &["maintenance", "lastRecalledAt"]),
            ("latestCheckpointId", &["maintenance", "latestCheckpointId"]),
            ("historyEventCount", &["maintenance", "historyEventCount"]),
        ];
        let value =
            |path: &[&str]| state.path(path).filter(|value| !value.is_null()).map(|value| value.plain());
        facts.iter().filter_map(|(name, path)| Some((at as u32, *name, value(path)?))).collect()
    }

    /// For each of the newest checkpoints, what changed since the one before and until now.
    fn differences(&self, entries: &[Entry], state: Json<'_>) -> Vec<(u32, &'static str, String)> {
        let numbers: Vec<usize> = (0..entries.len())
            .filter(|&at| {
                let document = &self.parts.documents[entries[at].document as usize];
                layout::kind_of(&document.path) == "checkpoint" && entries[at].state == State::Live
            })
            .collect();
        let newest = &numbers[numbers.len().saturating_sub(COMPARED)..];
        let mut tapes: Vec<Tape> = newest.iter().map(|_| Tape::default()).collect();
        let bundles: Vec<Option<Json<'_>>> = newest
            .iter()
            .zip(&mut tapes)
            .map(|(&at, tape)| {
                let document = &self.parts.documents[entries[at].document as usize];
                whole_object(tape, without_mark(&document.bytes)).ok()?.get("bundle")
            })
            .collect();
        let mut facts = Vec::new();
        for (place, &at) in newest.iter().enumerate() {
            let Some(own) = bundles[place] else { continue };
            if let Some(before) = place.checked_sub(1).and_then(|before| bundles[before]) {
                facts.extend(listed(before, own).map(|line| (at as u32, "since previous", line)));
            }
            if let Some(now) = state.get("bundle") {
                facts.extend(listed(own, now).map(|line| (at as u32, "until now", line)));
            }
        }
        facts
    }
}

fn listed(before: Json<'_>, after: Json<'_>) -> impl Iterator<Item = String> {
    let changes = difference(before, after);
    let more = changes.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| format!("… and {more} more"));
    changes.into_iter().take(LISTED).map(|change| change.to_line()).chain(more)
}

fn number(id: &str) -> Option<u64> {
    let digits = id.strip_prefix("evt-").filter(|digits| digits.len() >= 6)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

fn first_line(bytes: &[u8]) -> String {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(line).into_owned()
}
