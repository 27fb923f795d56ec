//! Checks the files of a store against each other, as the format's own tool does.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::config::RetentionConfig;
use super::main_text::{items, text};
use super::projection::ProjectionFiles;
use super::projection_text::ProjectionSource;
use super::{archive_batch, history, layout};
use crate::format::field_reader::Fault;
use crate::format::id_index::IdIndex;
use crate::format::record_reader::{feeds, object_of, whole_value, without_mark};
use crate::format::writing::document;
use crate::format::{Assembly, AssemblyInput, LockFact, ReferencedFile, entries};
use crate::model::time::DAY;
use crate::model::{Bytes, Code, Document, Entry, Moment, PathText, Problem, Role, Severity, State};
use crate::text::json::{Json, JsonKind};
use crate::text::json_scanner::Tape;

/// The age at which a recorded validation is too old: 14 days, in microseconds.
const VALIDATION: i64 = 14 * DAY;

pub fn assemble(parts: &AssemblyInput<'_>, now: Moment) -> Assembly {
    let files = ActiveFiles::of(parts.documents);
    let mut tape = Tape::default();
    let config = files.config.and_then(|config| object_of(&mut tape, &config.bytes).ok());
    let settings = RetentionConfig::of(config);
    let mut tape = Tape::default();
    let state = files.state.and_then(|document| {
        Some(StateFile { document, state: object_of(&mut tape, &document.bytes).ok()? })
    });
    let entries = entries(parts);
    let mut problems = files.problems(parts, settings);
    let mut facts = history::facts(parts, &entries, files.state);
    if let Some(state) = &state {
        problems.extend(state.counts(&files));
        problems.extend(files.checkpoints.iter().filter_map(|checkpoint| state.drift(checkpoint)));
        problems.extend(files.events.and_then(|events| state.backlog(events, settings)));
        problems.extend(state.validation(now));
        problems.extend(parts.outside_files.iter().flat_map(|beside| state.beside(beside)));
        facts.extend(state.facts(parts, &entries));
    }
    problems.extend(parts.locks.iter().filter_map(dead_lock));
    Assembly { entries, problems, facts, ..Assembly::default() }
}

fn entries(parts: &AssemblyInput<'_>) -> Vec<Entry> {
    let state = |document: &Document| match document.role {
        Role::Archive => State::Archived,
        _ => State::Live,
    };
    entries::entries(parts.numbered(), None, |document, _| state(document))
}

struct ActiveFiles<'a> {
    state: Option<&'a Document>,
    events: Option<&'a Document>,
    sources: Option<&'a Document>,
    config: Option<&'a Document>,
    checkpoints: Vec<&'a Document>,
}

impl<'a> ActiveFiles<'a> {
    fn of(documents: &'a [Arc<Document>]) -> Self {
        let file = |name: &str| document(documents, Path::new(name));
        ActiveFiles {
            state: file(layout::STATE),
            events: file(layout::EVENTS),
            sources: file(layout::SOURCES),
            config: file(layout::CONFIG),
            checkpoints: layout::active_checkpoints(documents).collect(),
        }
    }

    fn problems(&self, parts: &AssemblyInput<'a>, settings: RetentionConfig) -> Vec<Problem> {
        let mut problems = self.absent();
        let known = history::KnownIds::of(parts);
        problems.extend(self.events.iter().flat_map(|events| history::order(events, settings)));
        for file in [self.state, self.events, self.sources] {
            problems.extend(entries::duplicates(&mut IdIndex::of(0), file.into_iter()));
        }
        problems.extend(entries::duplicates(&mut IdIndex::of(0), self.checkpoints.iter().copied()));
        // Without the events file, most references would look dangling.
        if self.events.is_some() {
            let single = [self.state, self.events, self.sources].into_iter().flatten();
            let active = single.chain(self.checkpoints.iter().copied());
            problems.extend(active.flat_map(|document| known.dangling(document, settings)));
        }
        let history = self.events.into_iter().chain(self.checkpoints.iter().copied());
        let live: HashSet<&str> =
            history.flat_map(history::views).filter_map(|(_, _, memory)| memory.id()).collect();
        problems.extend(archive_batch::check(parts, &live));
        problems
    }

    /// Returns a problem for each file that every store of the format has and this one lacks.
    fn absent(&self) -> Vec<Problem> {
        let files = [
            (self.state.is_some(), layout::STATE, Severity::Error),
            (self.events.is_some(), layout::EVENTS, Severity::Warning),
            (self.sources.is_some(), layout::SOURCES, Severity::Warning),
            (self.config.is_some(), layout::CONFIG, Severity::Warning),
            (!self.checkpoints.is_empty(), layout::CHECKPOINTS, Severity::Warning),
        ];
        let absent = |(_, path, severity): (bool, &str, Severity)| {
            let what = if path == layout::CHECKPOINTS { "checkpoint" } else { "file of this name" };
            let message = format!("The store has no readable {what}.");
            Problem::of_file(Code::MissingField, severity, path, message)
        };
        files.into_iter().filter(|(is_there, ..)| !is_there).map(absent).collect()
    }
}

struct StateFile<'a> {
    document: &'a Document,
    state: Json<'a>,
}

impl<'a> StateFile<'a> {
    fn problem(&self, value: Json<'_>, code: Code, severity: Severity, message: String) -> Problem {
        problem_at(self.document, value, (code, severity, message))
    }

    fn maintenance(&self, name: &str) -> Option<Json<'a>> {
        self.state.path(&["maintenance", name])
    }

    /// Checks the recorded counts. They may include unreadable lines or leave them out.
    fn counts(&self, files: &ActiveFiles<'_>) -> Vec<Problem> {
        let pairs = [("historyEventCount", files.events), ("importSourceCount", files.sources)];
        let checked = pairs.into_iter().filter_map(|(name, document)| {
            let (stored, document) = (self.maintenance(name)?, document?);
            let count = stored.count()?;
            let (all, read) = (document.records.len() as u64, history::views(document).count() as u64);
            let message = format!("`{name}` is {count}, and {} holds {read}.", document.path.to_text());
            let wrong = !(read..=all).contains(&count);
            wrong.then(|| self.problem(stored, Code::CountMismatch, Severity::Error, message))
        });
        checked.collect()
    }

    /// Returns a problem if this is the latest checkpoint and its bundle is not the state's bundle.
    fn drift(&self, checkpoint: &Document) -> Option<Problem> {
        let latest = self.maintenance("latestCheckpointId")?;
        let (.., memory) = history::views(checkpoint).next()?;
        if !latest.is_text(memory.id()?) {
            return None;
        }
        let mut tape = Tape::default();
        let (own, stored) = (
            text(self.state, "bundleHash")?,
            text(object_of(&mut tape, &checkpoint.bytes).ok()?, "bundleHash")?,
        );
        (own != stored).then(|| {
            let message = "The latest checkpoint is of another bundle than the state.".into();
            self.problem(latest, Code::HashMismatch, Severity::Warning, message)
        })
    }

    fn backlog(&self, events: &Document, settings: RetentionConfig) -> Option<Problem> {
        let last = self.maintenance("lastRecalledEventId");
        let id = last.and_then(|id| id.text());
        let waiting = history::backlog(events, id.as_deref());
        (waiting > settings.backlog).then(|| {
            let message = format!(
                "{waiting} events are not recalled yet; `recall.backlogWarnThreshold` is {}.",
                settings.backlog
            );
            self.problem(last.unwrap_or(self.state), Code::LimitExceeded, Severity::Warning, message)
        })
    }

    /// Returns a problem if no validation was run, or the last one is too old.
    fn validation(&self, now: Moment) -> Option<Problem> {
        let stored = self.state.path(&["bundle", "currentFocus", "validationSnapshot", "validatedAt"])?;
        if stored.is_null() {
            let message = "No validation has been run: `validatedAt` is null.".into();
            return Some(self.problem(stored, Code::MissingField, Severity::Warning, message));
        }
        let when = stored.moment()?;
        (now > when.plus(VALIDATION)).then(|| {
            let message = format!("The last validation is {} old; 14 days are allowed.", when.age_at(now));
            self.problem(stored, Code::OutOfRange, Severity::Warning, message)
        })
    }

    fn beside(&self, files: &[(PathBuf, Bytes)]) -> Vec<Problem> {
        let Some(hash) = text(self.state, "bundleHash") else { return Vec::new() };
        let entry = self.state.path(&["bundle", "project", "recommendedEntryFile"]);
        let entry = entry.and_then(|entry| entry.text());
        let source = ProjectionSource::of(self.state, self.state);
        ProjectionFiles { files, hash: &hash, entry: entry.as_deref(), source }.check()
    }

    /// Returns values of the state outside the bundle, as facts of the project's entry.
    fn facts(&self, parts: &AssemblyInput<'_>, entries: &[Entry]) -> Vec<(u32, &'static str, String)> {
        let is_project = |entry: &Entry| {
            let document = parts.documents.get(entry.document as usize);
            let record = document.and_then(|document| document.records.get(entry.record as usize));
            let own = document.is_some_and(|document| document.path == self.document.path);
            own && record.and_then(|record| record.memory()).is_some_and(|memory| memory.kind() == "project")
        };
        let Some(project) = entries.iter().position(is_project) else { return Vec::new() };
        let said: [(&'static str, &[&str]); 6] = [
            ("generated by", &["generatorVersion"]),
            ("generated at", &["generatedAt"]),
            ("provider", &["provider", "name"]),
            ("model", &["provider", "model"]),
            ("last recalled", &["maintenance", "lastRecalledAt"]),
            ("latest checkpoint", &["maintenance", "latestCheckpointId"]),
        ];
        let said = said.into_iter().filter_map(|(name, path)| Some((name, self.state.path(path)?.text()?)));
        said.map(|(name, text): (_, Cow<'_, str>)| (project as u32, name, text.into_owned())).collect()
    }
}

fn problem_at(document: &Document, value: Json<'_>, (code, severity, message): Fault) -> Problem {
    let body = without_mark(&document.bytes);
    let line = 1 + feeds(body.get(..value.span().0).unwrap_or_default());
    Problem::of_file(code, severity, &document.path, message).at_line(line)
}

/// Reports an automation lock whose process has ended.
fn dead_lock(lock: &LockFact) -> Option<Problem> {
    (lock.holder_alive == Some(false)).then(|| {
        let message = "The process that took this lock is gone.";
        Problem::of_file(Code::StaleLock, Severity::Warning, &lock.path, message)
    })
}

/// Lists of paths in the bundle, and the member of an item that holds the path, if items are objects.
const LISTS: [(&[&str], Option<&str>); 5] = [
    (&["bundle", "project", "keyPaths"], None),
    (&["bundle", "projectMap", "modules"], Some("path")),
    (&["bundle", "projectMap", "entrypoints"], Some("path")),
    (&["bundle", "projectMap", "denseSourceAreas"], Some("path")),
    (&["bundle", "projectMap", "firstFilesToRead"], None),
];

/// Returns the files that the state and the source registry name. The format's own tool warns if one is missing.
pub fn refers(documents: &[Arc<Document>]) -> Vec<ReferencedFile> {
    let state = document(documents, Path::new(layout::STATE)).map(of_state);
    let sources = document(documents, Path::new(layout::SOURCES)).map(of_sources);
    state.into_iter().chain(sources).flatten().collect()
}

fn of_state(state: &Document) -> Vec<ReferencedFile> {
    let mut tape = Tape::default();
    let Ok(object) = object_of(&mut tape, &state.bytes) else { return Vec::new() };
    let mut referred = Vec::new();
    for (path, member) in LISTS {
        for item in items(object, path) {
            let Some(value) = member.map_or(Some(item), |member| item.get(member)) else { continue };
            let Some(named) = value.text().filter(|named| is_path(named)) else { continue };
            let name = path[1..].join(".");
            let message = format!("`{name}` names {named:?}, which is not in the repository.");
            let problem = gone(state, value, message);
            referred.push(ReferencedFile { path: PathBuf::from(&*named), problem });
        }
    }
    referred
}

fn of_sources(sources: &Document) -> Vec<ReferencedFile> {
    let mut tape = Tape::default();
    let Ok(list) = whole_value(&mut tape, without_mark(&sources.bytes), JsonKind::Array) else {
        return Vec::new();
    };
    let of = |source: Json<'_>| {
        let value = source.get("path")?;
        let path = value.text().filter(|path| is_path(path))?;
        let id = text(source, "id").unwrap_or_default();
        let message = format!("The source {id:?} is imported from {path:?}, which is not there.");
        Some(ReferencedFile { path: PathBuf::from(&*path), problem: gone(sources, value, message) })
    };
    list.items().filter_map(of).collect()
}

/// True if a text names one file inside the repository. A pattern may match many files, so it is none.
fn is_path(text: &str) -> bool {
    let has_pattern = text.contains(['*', '?', '[', '{', '\n', '\0']);
    !text.trim().is_empty() && !has_pattern && !Path::new(text).iter().any(|part| part == "..")
}

fn gone(document: &Document, value: Json<'_>, message: String) -> Problem {
    problem_at(document, value, (Code::DanglingReference, Severity::Warning, message))
}
