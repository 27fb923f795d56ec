//! What formats do alike with the records of files: entries, types, sizes.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::model::{Code, Document, Entry, Problem, RecordBody, Severity, State, StoredMemory};

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
