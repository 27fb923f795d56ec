//! The lines of an index that deletions took out, and the files that come back with them.
//!
//! A line comes back after the last one that leads to a file: where it was may be in the middle of other text now.
//! Sections of an index and entries come back by undo alone, with what was around them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::index_edit;
use crate::format::markdown::Markdown;
use crate::format::markdown::families::FAMILIES;
use crate::format::notes::edit::text_of;
use crate::format::writing::{ChangesResult, Refusal, WriteContext, document};
use crate::format::{Format, title};
use crate::model::path_text::deleted_from;
use crate::model::{Act, Change, Document, PathText, Store};
use crate::text::lines::lines;

/// Returns an index of the lines that deletions removed. `undos` has the changes that undo each deletion, the newest
/// first. It has no memories.
pub fn deleted_parts(store: &Store, undos: &[Vec<Change>]) -> Vec<(PathBuf, Vec<u8>)> {
    let own = FAMILIES.iter().find(|own| own.name() == store.format);
    let Some(index) = own.and_then(|Markdown(family)| family.index) else { return Vec::new() };
    let mut text = String::new();
    for change in undos.iter().flatten().filter(|own| own.path == Path::new(index)) {
        let Act::Splice(splices) = &change.act else { continue };
        for splice in splices {
            let gone = String::from_utf8_lossy(&splice.becomes);
            for line in gone.lines().filter(|line| index_edit::leads(line)) {
                text = format!("{text}{line}\n");
            }
        }
    }
    if text.is_empty() { Vec::new() } else { vec![(index.into(), text.into_bytes())] }
}

/// Returns the changes that restore files that only palimp's own data has, with their lines in the index. `listed`
/// lists all that it has.
pub fn restore_parts(
    context: &WriteContext<'_>,
    listed: &Store,
    held: &[(Arc<Document>, Vec<u32>)],
) -> ChangesResult {
    let store = context.store;
    let mut changes = Vec::new();
    for (own, _) in held {
        let path = deleted_from(&own.path).unwrap_or(&own.path);
        if document(&store.documents, path).is_some() {
            return Err(Refusal::unfit(format!("another file has the name {} now.", path.to_text())));
        }
        changes.push(Change::create(path, own.bytes.clone()));
    }
    let family = FAMILIES.iter().find(|own| own.name() == store.format);
    let Some(index) = family.and_then(|Markdown(family)| family.index) else { return Ok(changes) };
    let now = document(&store.documents, Path::new(index)).map(|own| text_of(own)).transpose()?;
    let mut added = BTreeSet::new();
    let mut new = Vec::new();
    for (own, _) in held {
        let path = deleted_from(&own.path).unwrap_or(&own.path);
        let is_index = path == Path::new(index);
        let is_listed = now.is_some_and(|text| !index_edit::lines_with(text, path).is_empty());
        if is_index || is_listed {
            continue;
        }
        let line = old_line(listed, index, path).unwrap_or_else(|| {
            let entry = listed.entries.iter().find(|entry| listed.document(entry).path == own.path);
            index_edit::line(path, &entry.map(|own| title(listed, own)).unwrap_or_default())
        });
        // A line may lead to several files.
        if added.insert(line.clone()) {
            new.push(line);
        }
    }
    let is_restored = changes.iter().any(|own| own.path == Path::new(index));
    if !new.is_empty() && !is_restored {
        changes.push(index_edit::with_lines(store, index, &new)?);
    }
    Ok(changes)
}

/// Returns the line that led to a file before both were deleted.
fn old_line(listed: &Store, index: &str, path: &Path) -> Option<String> {
    let is_index = |own: &&Arc<Document>| deleted_from(&own.path) == Some(Path::new(index));
    let own = listed.documents.iter().find(is_index)?;
    let text = std::str::from_utf8(&own.bytes).ok()?;
    let span = index_edit::lines_with(text, path).into_iter().next()?;
    let line = lines(text.as_bytes()).find(|own| own.start as u64 == span.start)?;
    text.get(line.start..line.end).map(str::to_owned)
}
