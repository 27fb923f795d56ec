//! `palimp export`: records in other shapes.

use super::args::{Limit, ShapeArg};
use super::failure::{Exit, Result, say};
use super::out::terminal_width;
use super::scope::Scope;
use super::{Context, list, open};
use crate::disk;
use crate::model::{EntryRef, Snapshot};
use crate::ops::export::{Shape, export, for_people, masked};
use crate::query::{Cancel, Order, Query, search};

/// Exports what the query finds.
pub fn run(context: &mut Context, words: &[String], (limit, shape): (Limit, Option<ShapeArg>)) -> Result {
    let query = Query::parse(&words.join(" "), context.now)?;
    let snapshot = open::listing(context, Scope::All)?;
    let entries = found(context, &query, limit, &snapshot)?;
    if snapshot.changed().next().is_none() {
        return print(context, &snapshot, &entries, shape);
    }
    let held = open::snapshot(context, Scope::All)?;
    let entries = found(context, &query, limit, &held)?;
    print(context, &held, &entries, shape)
}

fn found(context: &Context, query: &Query, limit: Limit, snapshot: &Snapshot) -> Result<Vec<EntryRef>> {
    let request = context.request(snapshot, query, Order::Time);
    let results = search(&request, &Cancel::default()).unwrap_or_default().answered()?;
    Ok(results.hits.iter().take(limit.most()).map(|hit| hit.at).collect())
}

/// The format that suits the target: Markdown for a terminal, the format that a file's name ends in, and JSON
/// Lines for programs.
fn suited(context: &Context) -> Shape {
    match terminal_width() {
        _ if context.options.json => Shape::JsonLines,
        Some(_) => Shape::Markdown,
        None => disk::output_file().and_then(|file| Shape::of_name(&file)).unwrap_or(Shape::JsonLines),
    }
}

/// Prints records in a shape, and says on stderr whether secrets in them are masked.
pub fn print(
    context: &mut Context,
    snapshot: &Snapshot,
    entries: &[EntryRef],
    shape: Option<ShapeArg>,
) -> Result {
    let shape = match shape {
        Some(ShapeArg::Json) => Shape::Json,
        Some(ShapeArg::Jsonl) => Shape::JsonLines,
        Some(ShapeArg::Markdown) => Shape::Markdown,
        Some(ShapeArg::Csv) => Shape::Csv,
        None => suited(context),
    };
    context.unread.archives(snapshot);
    let mut with_secrets = 0;
    for piece in export(snapshot, entries, shape) {
        let (piece, is_masked) = for_people(shape, piece);
        with_secrets += usize::from(is_masked);
        context.out.own(&piece)?;
    }
    if let Some(said) = masked(with_secrets) {
        say(&said);
    }
    list::changed(context, snapshot);
    Ok(if entries.is_empty() { Exit::Nothing } else { Exit::Done })
}
