//! `palimp add`: one new record.

use std::io::Read;

use super::change::{Written, make, request};
use super::failure::{Exit, Failure, Result};
use super::{Context, open};
use crate::deed::{NewRecord, Wanted};
use crate::format::writing::Refusal;
use crate::model::{Snapshot, Store, Tell};

/// Adds a record to the one store that is open, or to the one that has the session.
pub fn run(context: &mut Context, mut asked: NewRecord) -> Result {
    if asked.text.is_none() && asked.record.is_none() {
        return Err(Failure::new(
            Exit::Usage,
            "give the text with --text, or the whole memory as JSON with --record -.",
        ));
    }
    let typed = asked.text.as_deref() == Some("-") || asked.record.is_some();
    let input = if typed { Some(standard_input()?) } else { None };
    if asked.text.as_deref() == Some("-") {
        asked.text = input.as_deref().map(|text| text.strip_suffix('\n').unwrap_or(text).to_owned());
    }
    let snapshot = open::to_change(context)?;
    let number = the_store(&snapshot, asked.session.as_deref())?;
    let store = &snapshot.stores[number];
    // An event's session is its trace.
    let has_sessions = match store.format {
        "memory-server" => false,
        "a-mem" => asked.kind == "event",
        _ => true,
    };
    if asked.session.is_some() && !has_sessions {
        return Err(
            Refusal::unfit("memories of this format belong to no session: leave --session out.").into()
        );
    }
    asked.record = asked.record.and(input);
    let written = asked.text.clone().or_else(|| asked.record.clone());
    let written = written.as_deref().map(|text| Written { text, in_editor: false });
    make(context, request(context, &snapshot, Wanted::Add(number, asked)), written)
}

/// All of standard input, which must be UTF-8.
pub fn standard_input() -> Result<String> {
    let mut text = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut text);
    match read {
        Ok(_) => Ok(text),
        Err(error) => Err(Failure::new(
            Exit::Refused,
            format!("standard input can't be read: {error}. Nothing was changed."),
        )),
    }
}

/// The number of the one store that is open, or of the one that has that session.
pub fn the_store(snapshot: &Snapshot, session: Option<&str>) -> Result<usize> {
    let has = |store: &Store| session.is_some_and(|name| store.sessions.iter().any(|own| own.name == name));
    let all = &snapshot.stores;
    let with: Vec<usize> = (0..all.len()).filter(|at| has(&all[*at])).collect();
    match (with.as_slice(), all.len()) {
        ([one], _) => Ok(*one),
        ([], 1) => Ok(0),
        _ => {
            let names = all.iter().map(|store| format!("  {}", store.root.told()));
            let message = "several stores are open; name one with --store:".to_owned();
            Err(Failure::lines(Exit::Refused, [message].into_iter().chain(names).collect()))
        }
    }
}
