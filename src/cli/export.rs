//! `palimp export`: records in other shapes.

use super::args::ShapeArg;
use super::failure::{Exit, Failure};
use super::{Context, open};
use crate::model::{EntryRef, Snapshot};
use crate::ops::export::{Shape, export};
use crate::query::{Cancel, Order, Query, Request, search};
use crate::text::secrets::mask;

/// Exports what the query finds.
pub fn run(context: &mut Context, words: &[String], shape: ShapeArg) -> Result<Exit, Failure> {
    let query = Query::parse(&words.join(" "), context.now)?;
    let snapshot = open::listing(context)?;
    let request = Request {
        snapshot: &snapshot,
        text: None,
        query: &query,
        ranking: context.options.ranking(snapshot.stores.iter().map(|store| store.format)),
        order: Order::Time,
        all: context.options.all,
        now: context.now,
    };
    let results = search(&request, &Cancel::default()).unwrap_or_default();
    let entries: Vec<EntryRef> = results.hits.iter().map(|hit| hit.at).collect();
    print(context, &snapshot, &entries, shape)
}

/// Prints records in a shape. JSON has the bytes that are stored; in what is for people secrets are
/// masked.
pub fn print(
    context: &mut Context,
    snapshot: &Snapshot,
    entries: &[EntryRef],
    shape: ShapeArg,
) -> Result<Exit, Failure> {
    let shape = match shape {
        ShapeArg::Json => Shape::Json,
        ShapeArg::Jsonl => Shape::JsonLines,
        ShapeArg::Markdown => Shape::Markdown,
        ShapeArg::Csv => Shape::Csv,
    };
    context.unread.archives(snapshot);
    let is_json = matches!(shape, Shape::Json | Shape::JsonLines) || context.options.json;
    for piece in export(snapshot, entries, shape) {
        match is_json {
            true => context.out.own(&piece)?,
            // For people, as every other text is.
            false => context.out.own(mask(&String::from_utf8_lossy(&piece)).as_bytes())?,
        }
    }
    Ok(if entries.is_empty() { Exit::Nothing } else { Exit::Done })
}
