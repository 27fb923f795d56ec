//! `palimp add`: one new record.

use std::io::Read;

use super::change::{Carry, UserText, make_written, scene};
use super::failure::{Exit, Failure};
use super::{Context, open};
use crate::format::writing::Refusal;
use crate::format::writing::{NO_PACKED, Scene};
use crate::model::{Snapshot, Store, Tell};
use crate::ops::{self, Draft};

/// What was asked for.
pub struct NewRecord {
    pub session: Option<String>,
    pub kind: String,
    pub tags: Vec<String>,
    pub importance: Option<f64>,
    pub text: Option<String>,
    pub record: Option<String>,
}

/// Adds a record to the one store that is open, or to the one that has the session.
pub fn run(context: &mut Context, asked: &NewRecord) -> Result<Exit, Failure> {
    if asked.text.is_none() && asked.record.is_none() {
        return Err(Failure::new(Exit::Usage, "give the text with --text, or the record with --record -."));
    }
    let typed = asked.text.as_deref() == Some("-") || asked.record.is_some();
    let input = if typed { Some(standard_input()?) } else { None };
    let text = match asked.text.as_deref() {
        Some("-") => input.as_deref().map(|text| text.strip_suffix('\n').unwrap_or(text)),
        other => other,
    };
    let snapshot = open::to_change(context)?;
    let store = the_store(&snapshot, asked.session.as_deref())?;
    // An event's session is its trace.
    let has_sessions = match store.format {
        "memory-server" => false,
        "a-mem" => asked.kind == "event",
        _ => true,
    };
    if asked.session.is_some() && !has_sessions {
        return Err(Refusal::unfit("it belongs to no session here: leave --session out.").into());
    }
    let draft = Draft {
        session: asked.session.as_deref(),
        kind: &asked.kind,
        text,
        tags: &asked.tags,
        importance: asked.importance,
        record: if asked.record.is_some() { input.as_deref() } else { None },
    };
    let (now, random) = (context.now, scene(context, store).random);
    let planned = |store: &Store| {
        let scene = Scene { store, now, random, packed: &NO_PACKED };
        ops::add::add(&scene, &draft)
    };
    let plan = planned(store)?;
    // An id that is free now may be taken by then: it is settled when no other palimp writes.
    let carry: &Carry<'_> = &|writer, _| writer.commit(&planned(&writer.load())?);
    let written = draft.text.or(draft.record).map(|text| UserText { text, of: None });
    make_written(context, &[(store, plan)], carry, written)
}

/// All of standard input, which must be UTF-8.
pub fn standard_input() -> Result<String, Failure> {
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

/// The one store that is open, or the one that has that session.
pub fn the_store<'a>(snapshot: &'a Snapshot, session: Option<&str>) -> Result<&'a Store, Failure> {
    let has = |store: &&Store| session.is_some_and(|name| store.sessions.iter().any(|own| own.name == name));
    let all: Vec<&Store> = snapshot.stores.iter().map(|store| &**store).collect();
    let with: Vec<&Store> = all.iter().copied().filter(has).collect();
    match (with.as_slice(), all.as_slice()) {
        ([one], _) | ([], [one]) => Ok(one),
        _ => {
            let names = all.iter().map(|store| format!("  {}", store.root.told()));
            let message = "several stores are open; name one with --store:".to_owned();
            Err(Failure::lines(Exit::Refused, [message].into_iter().chain(names).collect()))
        }
    }
}
