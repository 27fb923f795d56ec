//! `palimp show ID`: shows all of one record.

use super::args::SessionOption;
use super::memory_row::{self, MemoryRow};
use super::read_scope::read_for;
use super::session::{no_session, stores_with};
use super::{Context, Exit, Failure, ReadScope, Result, load_stores, selection};
use crate::format::{self, record_details};
use crate::model::{EntryRef, Snapshot};
use crate::query::{Order, Query, explain};
use crate::text::safe_text::sanitize_lines;
use crate::text::shell_quote;

/// Shows the record with this name; if several records share the id in one place, all of them.
pub fn run(context: &mut Context, name: &str, within: &SessionOption) -> Result {
    let (snapshot, found) = find(context, name, within)?;
    let query = Query::default();
    let request = context.request(&snapshot, &query, Order::Rank);
    for (number, &at) in found.iter().enumerate() {
        let why = explain(&request, at);
        let rank = why.as_ref().map(|why| why.factors.rank);
        let row = MemoryRow::new(&snapshot, at, rank, why.as_ref(), context.now);
        if context.options.json {
            context.out.json(&row)?;
            continue;
        }
        if number > 0 {
            context.out.line("")?;
        }
        print(context, &snapshot, at, &row)?;
        if found.len() > 1 {
            let key = snapshot.get(at).0.key(snapshot.get(at).1);
            context.out.line(&format!("{:14} {key}", "key"))?;
        }
    }
    Ok(Exit::Done)
}

fn find(context: &Context, name: &str, within: &SessionOption) -> Result<(Snapshot, Vec<EntryRef>)> {
    let names = [within.session.as_ref().map_or(name.to_owned(), |session| format!("{session}/{name}"))];
    let read = |about: ReadScope<'_>| {
        let snapshot = load_stores::snapshot(context, about)?;
        match &within.session {
            Some(session) if stores_with(&snapshot, session).is_empty() => Err(no_session(session)),
            _ => Ok(snapshot),
        }
    };
    match read_for(&names, read, |snapshot| named(context, snapshot, name, within)) {
        // A record that is not found may have been deleted.
        Err(failure) if matches!(failure.exit, Exit::Nothing | Exit::Refused) && !failure.is_ambiguous => {
            let with = load_stores::with_deleted(context, &read(ReadScope::All)?)?;
            let found = named(context, &with, name, within);
            let found = found.map_err(|failure| {
                context.unread.archives(&with);
                with_search(failure, name)
            })?;
            Ok((with, found))
        }
        outcome => outcome,
    }
}

/// Returns the records with this name, only from the session if one is given.
fn named(
    context: &Context,
    snapshot: &Snapshot,
    name: &str,
    within: &SessionOption,
) -> Result<Vec<EntryRef>> {
    let Some(session) = &within.session else { return selection::named(context, snapshot, name) };
    let is_within = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        store.session(entry).is_some_and(|own| own.name == *session)
    };
    // An id that other sessions have, too, names one record here.
    let found = selection::named(context, snapshot, &format!("{session}/{name}"));
    let found = found.or_else(|_| selection::named(context, snapshot, name))?;
    let found: Vec<EntryRef> = found.into_iter().filter(is_within).collect();
    match found.is_empty() {
        true => Err(selection::nothing_named(name)),
        false => Ok(found),
    }
}

/// Adds to a failure that no record has the name: the verb that searches for words.
fn with_search(failure: Failure, name: &str) -> Failure {
    match failure.exit {
        Exit::Nothing => {
            failure.with(&format!("To look for words: palimp search {}", shell_quote::word(name)))
        }
        _ => failure,
    }
}

/// Prints a memory in the order of the detail view: its text, its problems, its references, then the rest.
fn print(
    context: &mut Context,
    snapshot: &Snapshot,
    at: EntryRef,
    row: &memory_row::MemoryRow,
) -> Result<()> {
    let (store, entry) = snapshot.get(at);
    let text = format::text_of(store, entry);
    context.out.line(&row.to_line())?;
    context.out.line("")?;
    print_text(context, "", text.text.raw())?;
    context.out.line("")?;
    for (name, said) in &text.other_texts {
        print_text(context, &record_details::label(name), said.raw())?;
    }
    if !text.other_texts.is_empty() {
        context.out.line("")?;
    }
    for problem in store.problems_of(entry) {
        let severity = problem.severity.as_str();
        context.out.line(&format!("{severity:14} {}: {}", problem.code.as_str(), problem.message))?;
    }
    for (name, value) in record_details::context_fields(store, entry, context.now) {
        context.out.line(&format!("{name:14} {value}"))?;
    }
    for (name, value) in record_details::remaining_fields(store, at.entry, &text) {
        context.out.line(&format!("{name:14} {}", value.raw()))?;
    }
    Ok(())
}

/// Prints a text after its label. A text of several lines has its label above it.
fn print_text(context: &mut Context, called: &str, text: &str) -> Result<()> {
    // A private key has several lines, so secrets are masked before the text is split into lines.
    let masked = crate::detectors::mask(text).into_owned();
    let mut name = if called.is_empty() { String::new() } else { format!("{called}: ") };
    if !name.is_empty() && (masked.contains('\n') || masked.starts_with("• ")) {
        context.out.line(name.trim_end())?;
        name.clear();
    }
    for line in sanitize_lines(&masked) {
        context.out.line(&format!("{name}{line}"))?;
    }
    Ok(())
}
