//! `palimp export`: writes records in other formats.

use super::args::ExportFormatArg;
use super::stdout::terminal_width;
use super::{Context, Exit, Limit, ReadScope, Result, load_stores, say};
use crate::disk;
use crate::model::{EntryRef, Snapshot};
use crate::ops::archive::is_in_own_data;
use crate::query::{CancelToken, Order, Query, search};
use crate::usecase::export::{ExportFormat, export, for_people, masked};

pub fn run(
    context: &mut Context,
    words: &[String],
    (limit, shape, places): (Limit, Option<ExportFormatArg>, bool),
) -> Result {
    let query = Query::parse(&words.join(" "), context.now)?;
    // All that is remembered: also what only undo data and backups have.
    let mut snapshot = load_stores::memories(context, ReadScope::All)?;
    let asks_archive = context.options.all || query.asks_archived();
    let is_archived = || asks_archive && snapshot.stores.iter().any(|own| is_in_own_data(own));
    if places && context.options.all || is_archived() {
        let all = load_stores::snapshot(context, ReadScope::All)?;
        snapshot = load_stores::with_deleted(context, &all)?;
    }
    let request = context.request(&snapshot, &query, Order::Time);
    let results = search(&request, &CancelToken::default()).unwrap_or_default().answered()?;
    let entries: Vec<EntryRef> = results.hits.iter().take(limit.most()).map(|hit| hit.at).collect();
    print(context, &snapshot, &entries, (shape, places))
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

/// Prints records in a format, with the place of each if that is asked for, and says on stderr whether secrets in them are masked.
pub fn print(
    context: &mut Context,
    snapshot: &Snapshot,
    entries: &[EntryRef],
    (shape, places): (Option<ExportFormatArg>, bool),
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
    for piece in export(snapshot, entries, (shape, places)) {
        let (piece, is_masked) = for_people(shape, piece);
        with_secrets += usize::from(is_masked);
        context.out.own(&piece)?;
    }
    if let Some(said) = masked(with_secrets) {
        say(&said);
    }
    Ok(if entries.is_empty() { Exit::Nothing } else { Exit::Done })
}
