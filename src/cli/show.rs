//! `palimp show ID`: one record, whole.

use super::failure::{Exit, Result};
use super::open;
use super::row::Row;
use super::{Context, chosen, row};
use crate::format;
use crate::model::{EntryRef, Snapshot, Tell};
use crate::query::{Order, Query, explain};
use crate::text::show::show_lines;

/// Shows the record that the name names; of records that share an id in one place all.
pub fn run(context: &mut Context, name: &str) -> Result {
    let snapshot = open::snapshot(context)?;
    let (snapshot, found) = match chosen::named(context, &snapshot, name) {
        // What is not there may have been deleted.
        Err(failure) if matches!(failure.exit, Exit::Nothing | Exit::Refused) && !failure.is_ambiguous => {
            let with = open::with_deleted(context, &snapshot)?;
            let found = chosen::named(context, &with, name)?;
            (with, found)
        }
        outcome => {
            let found = outcome?;
            (snapshot, found)
        }
    };
    let query = Query::default();
    let request = context.request(&snapshot, &query, Order::Rank);
    for (number, &at) in found.iter().enumerate() {
        let why = explain(&request, at);
        let row =
            Row::new(&snapshot, at, why.as_ref().map(|why| why.factors.rank), why.as_ref(), context.now);
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

fn print(context: &mut Context, snapshot: &Snapshot, at: EntryRef, row: &row::Row) -> Result<()> {
    let (store, entry) = snapshot.get(at);
    let text = format::text_of(store, entry);
    context.out.line(&row.to_line(context.now))?;
    let record = store.record(entry);
    let file = store.document(entry).path.told().into_owned();
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
