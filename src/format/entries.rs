//! What formats do alike with the records of files: entries, types, sessions, locks.

use std::borrow::Cow;
use std::path::PathBuf;

use super::field_reader::Fault;
use super::id_index::IdIndex;
use super::writing::{Refusal, Result};
use super::{AssemblyInput, Format, LockFact, Placement};
use crate::model::{
    Code, Document, Entry, Moment, PathText, Problem, RecordBody, Session, Severity, State, Store,
    StoredMemory,
};
use crate::text::shell_quote;

/// Returns the records of numbered files as entries of a session. `state` judges those that can be read.
pub fn entries<'a>(
    files: impl IntoIterator<Item = (u32, &'a Document)>,
    session: Option<u32>,
    state: impl Fn(&'a Document, &'a StoredMemory) -> State,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (document, file) in files {
        for (record, read) in (0..).zip(&file.records) {
            let state = match &read.body {
                RecordBody::Torn(_) | RecordBody::Broken => State::Broken,
                RecordBody::Read(own) => state(file, own),
            };
            entries.push(Entry { document, record, session, state });
        }
    }
    entries
}

/// Returns the entries that can be read, with their files and memories.
pub fn read_entries<'a>(
    parts: &AssemblyInput<'a>,
    entries: &'a [Entry],
) -> impl Iterator<Item = (&'a Entry, &'a Document, &'a StoredMemory)> {
    let documents = parts.documents;
    entries.iter().filter_map(move |entry| {
        let document = &*documents[entry.document as usize];
        Some((entry, document, document.records[entry.record as usize].memory()?))
    })
}

pub fn problem_of(file: &Document, number: u32, (code, severity, message): Fault) -> Problem {
    let record = &file.records[number as usize];
    Problem::of_file(code, severity, &file.path, message).at_line(record.line).of_record(number, record.id())
}

/// Adds the ids of files to an index. Returns a problem of each record whose id an earlier one has.
pub fn duplicates<'a>(ids: &mut IdIndex<'a>, files: impl Iterator<Item = &'a Document>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        for (number, record) in (0..).zip(&file.records) {
            let Some(id) = record.id() else { continue };
            let Some((first, line)) = ids.first(id, file, record.line) else { continue };
            let message = format!("Same id as {} line {line}.", first.path.to_text());
            problems.push(problem_of(file, number, (Code::DuplicateId, Severity::Warning, message)));
        }
    }
    problems
}

/// Returns the type that a record names: one of `known`, another word, or `unknown` if it names none.
pub fn kind(named: Option<Cow<'_, str>>, known: &[&'static str]) -> Cow<'static, str> {
    let Some(word) = named else { return Cow::Borrowed("unknown") };
    match known.iter().find(|kind| **kind == word) {
        Some(kind) => Cow::Borrowed(kind),
        None => Cow::Owned(word.into_owned()),
    }
}

/// Returns a problem if the size of a session is above its limit, or near it.
pub fn size_problem(session: PathBuf, size: u64, limit: u64, is_near: bool) -> Option<Problem> {
    let code = if size > limit { Code::LimitExceeded } else { Code::LimitNear };
    let message =
        format!("The session has {size} of {limit} bytes. Compact it, or delete what is not needed.");
    (is_near || size > limit).then(|| Problem::of_file(code, Severity::Warning, session, message))
}

/// A lock without a process id is stale after this time in microseconds. Its writer needs a moment.
const UNFILLED: i64 = 60_000_000;

/// Returns a problem if the process that the lock names is gone, or no id was ever written to it.
pub fn stale_lock(lock: &LockFact, now: Moment) -> Option<Problem> {
    let why = match lock.holder_alive {
        Some(true) => return None,
        Some(false) => "The process that it names is gone.",
        None if now > lock.modified.plus(UNFILLED) => "It names no process, and is old.",
        None => return None,
    };
    Some(Problem::of_file(Code::StaleLock, Severity::Warning, &lock.path, why))
}

/// Returns the session of that name that can be written: its folder, even if an archive has the same name.
pub fn live_session<'a>(format: &dyn Format, store: &'a Store, name: &str) -> Result<&'a Session> {
    let mut of_name = store.sessions.iter().filter(|session| session.name == name).peekable();
    if of_name.peek().is_none() {
        return Err(Refusal::no_session(name));
    }
    of_name.find(|session| format.place(&session.path, true) == Placement::Enter).ok_or_else(|| {
        let own = shell_quote::word(name);
        let message = format!("the session {name} is archived: `palimp session unarchive {own}` first.");
        Refusal::new("E_SESSION_ARCHIVED", message)
    })
}
