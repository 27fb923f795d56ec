//! `palimp show ID`: one record, whole.

use super::failure::{Exit, Failure};
use super::open;
use super::row::Row;
use super::{Context, row};
use crate::format;
use crate::model::{EntryRef, Snapshot};
use crate::query::{Query, Request, explain};
use crate::text::show::show_lines;

/// Shows the record that the name names.
pub fn run(context: &mut Context, name: &str) -> Result<Exit, Failure> {
    let snapshot = open::snapshot(context)?;
    let at = the_one(&snapshot, name)?;
    let query = Query::default();
    let request = Request {
        snapshot: &snapshot,
        text: None,
        query: &query,
        ranking: context.options.ranking(snapshot.stores.iter().map(|store| store.format)),
        order: Default::default(),
        all: true,
        now: context.now,
    };
    let why = explain(&request, at);
    let row = Row::new(&snapshot, at, why.as_ref().map(|why| why.rank), why.as_ref(), context.now);
    if context.options.json {
        context.out.json(&row)?;
    } else {
        print(context, &snapshot, at, &row)?;
    }
    Ok(Exit::Done)
}

/// The record of a key, an id, `SESSION/ID` or `STORE/SESSION/ID`. Of records that share
/// an id in one session the first is meant; over several sessions or stores none is.
fn the_one(snapshot: &Snapshot, name: &str) -> Result<EntryRef, Failure> {
    let mut named: Vec<EntryRef> = Vec::new();
    for at in snapshot.entries() {
        if snapshot.get(at).0.key(snapshot.get(at).1) == name {
            return Ok(at);
        }
        if goes_by(snapshot, at, name) && !named.iter().any(|&known| same_place(snapshot, known, at)) {
            named.push(at);
        }
    }
    match named.as_slice() {
        [] => Err(Failure::new(Exit::Nothing, format!("no record is named {name:?}."))),
        [one] => Ok(*one),
        several => {
            let candidates: Vec<String> = several
                .iter()
                .map(|&at| format!("  {}  key {}", place(snapshot, at), key(snapshot, at)))
                .collect();
            let message = format!("{name:?} stands in several places; name one of them, or its key:");
            Err(Failure::new(Exit::Refused, format!("{message}\n{}", candidates.join("\n"))))
        }
    }
}

fn key(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    store.key(entry)
}

fn goes_by(snapshot: &Snapshot, at: EntryRef, name: &str) -> bool {
    let (store, entry) = snapshot.get(at);
    let Some(id) = store.view(entry).and_then(|view| view.id.as_deref()) else { return false };
    let Some(before) = name.strip_suffix(id) else { return false };
    if before.is_empty() {
        return true;
    }
    let Some(before) = before.strip_suffix('/') else { return false };
    let root = store.root.display().to_string();
    let is_store = |named: &str| !named.is_empty() && (root == named || root.ends_with(&format!("/{named}")));
    match store.session(entry).map(|session| session.name.as_str()) {
        None => is_store(before),
        Some(session) if before == session => true,
        Some(session) => before.strip_suffix(session).and_then(|b| b.strip_suffix('/')).is_some_and(is_store),
    }
}

fn same_place(snapshot: &Snapshot, a: EntryRef, b: EntryRef) -> bool {
    let session = |at| snapshot.get(at).1.session;
    a.store == b.store && session(a) == session(b)
}

fn place(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    let id = store.view(entry).and_then(|view| view.id.as_deref()).unwrap_or_default();
    match store.session(entry) {
        Some(session) => format!("{}/{}/{id}", store.root.display(), session.name),
        None => format!("{}/{id}", store.root.display()),
    }
}

fn print(context: &mut Context, snapshot: &Snapshot, at: EntryRef, row: &row::Row) -> Result<(), Failure> {
    let (store, entry) = snapshot.get(at);
    let text = format::text_of(store, entry);
    context.out.line(&row.to_line(context.now))?;
    let record = store.record(entry);
    let file = store.document(entry).path.display().to_string();
    context.out.line(&format!("{file}:{} bytes {}-{}", record.line, record.span.start, record.span.end))?;
    context.out.line("")?;
    // A private key covers lines, so what is masked is masked before it is cut into them.
    let masked = crate::text::secrets::mask(&text.text).into_owned();
    for line in show_lines(&masked) {
        context.out.line(&line)?;
    }
    context.out.line("")?;
    for (name, value) in &text.fields {
        context.out.line(&format!("{name:14} {value}"))?;
    }
    for (name, value) in store.facts_of(at.entry) {
        context.out.line(&format!("{name:14} {value}"))?;
    }
    for problem in store.problems_of(entry) {
        let severity = problem.severity.as_str();
        context.out.line(&format!("{severity:14} {}: {}", problem.code.as_str(), problem.message))?;
    }
    Ok(())
}
