//! `palimp export`: writes records in other formats.

use super::args::{ExportFormatArg, Limit};
use super::failure::{Exit, Result, say};
use super::read_scope::ReadScope;
use super::stdout::terminal_width;
use super::{list, load_stores};
use crate::cli::context::Context;
use crate::disk;
use crate::model::{EntryRef, Snapshot};
use crate::ops::export::{ExportFormat, export, for_people, masked};
use crate::query::{CancelToken, Order, Query, search};

pub fn run(
    context: &mut Context,
    words: &[String],
    (limit, shape): (Limit, Option<ExportFormatArg>),
) -> Result {
    let query = Query::parse(&words.join(" "), context.now)?;
    let snapshot = load_stores::listing(context, ReadScope::All)?;
    let entries = found(context, &query, limit, &snapshot)?;
    if snapshot.changed().next().is_none() {
        return print(context, &snapshot, &entries, shape);
    }
    let held = load_stores::snapshot(context, ReadScope::All)?;
    let entries = found(context, &query, limit, &held)?;
    print(context, &held, &entries, shape)
}

fn found(context: &Context, query: &Query, limit: Limit, snapshot: &Snapshot) -> Result<Vec<EntryRef>> {
    let request = context.request(snapshot, query, Order::Time);
    let results = search(&request, &CancelToken::default()).unwrap_or_default().answered()?;
    Ok(results.hits.iter().take(limit.most()).map(|hit| hit.at).collect())
}

/// Returns the format that suits the target: Markdown for a terminal, the format that a file's name
/// ends in, and JSON Lines for programs.
fn suited(context: &Context) -> ExportFormat {
    match terminal_width() {
        _ if context.options.json => ExportFormat::JsonLines,
        Some(_) => ExportFormat::Markdown,
        None => disk::output_file()
            .and_then(|file| ExportFormat::of_name(&file))
            .unwrap_or(ExportFormat::JsonLines),
    }
}

/// Prints records in a format, and says on stderr whether secrets in them are masked.
pub fn print(
    context: &mut Context,
    snapshot: &Snapshot,
    entries: &[EntryRef],
    shape: Option<ExportFormatArg>,
) -> Result {
    let shape = match shape {
        Some(ExportFormatArg::Json) => ExportFormat::Json,
        Some(ExportFormatArg::Jsonl) => ExportFormat::JsonLines,
        Some(ExportFormatArg::Markdown) => ExportFormat::Markdown,
        Some(ExportFormatArg::Csv) => ExportFormat::Csv,
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
