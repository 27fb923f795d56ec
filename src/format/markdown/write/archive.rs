//! Memories on their way to palimp's own archive, and back.

use std::collections::BTreeMap;
use std::path::Path;

use super::deleted_parts::with_entries;
use super::index_edit::{self, removed_lines};
use crate::format::markdown::families::family;
use crate::format::markdown::family::Grammar;
use crate::format::notes::edit::text_of;
use crate::format::writing::{ChangesResult, Refusal, WriteContext};
use crate::model::{ArchivedItem, Change, Entry, PathText, RemovedLine, Store};

/// Returns memories as they are archived, with the lines of the index that lead to them and to nothing that stays.
pub fn items(store: &Store, entries: &[Entry]) -> Vec<ArchivedItem> {
    let Some(family) = family(store) else { return Vec::new() };
    let is_file = |own: &Entry| family.grammar_of(&store.document(own).path) == Grammar::Topics;
    let files: Vec<&Path> =
        entries.iter().filter(|own| is_file(own)).map(|own| &*store.document(own).path).collect();
    let index = family.index.and_then(|index| store.document_at(Path::new(index)));
    let text = index.and_then(|own| std::str::from_utf8(&own.bytes).ok()).unwrap_or_default();
    let mut lines = removed_lines(text, &files);
    let item = |entry: &Entry| {
        let path = store.document(entry).path.clone();
        // Only files have lines.
        let lines = lines.remove(&path).unwrap_or_default();
        let bytes = store.raw(entry).into_owned();
        ArchivedItem { path, is_part: !is_file(entry), lines, bytes, ..ArchivedItem::default() }
    };
    entries.iter().map(item).collect()
}

pub fn restored(context: &WriteContext<'_>, items: &[&ArchivedItem]) -> ChangesResult {
    let store = context.store;
    let mut entries: BTreeMap<&Path, Vec<String>> = BTreeMap::new();
    let mut changes = Vec::new();
    let mut lines: Vec<&RemovedLine> = Vec::new();
    for item in items {
        if item.is_part {
            let text = String::from_utf8_lossy(&item.bytes).into_owned();
            entries.entry(&item.path).or_default().push(text);
            continue;
        }
        let is_taken = store.document_at(&item.path).is_some()
            || changes.iter().any(|own: &Change| own.path == item.path);
        if is_taken {
            return Err(Refusal::unfit(format!("another file has the name {} now.", item.path.to_text())));
        }
        changes.push(Change::create(&item.path, item.bytes.clone()));
        lines.extend(&item.lines);
    }
    changes.extend(with_entries(store, entries)?);
    let index = family(store).and_then(|own| own.index);
    if let Some(index) = index.filter(|_| !lines.is_empty()) {
        // A line that led to several files comes back once.
        lines.sort_by_key(|own| own.number);
        lines.dedup();
        let own = store.document_at(Path::new(index));
        let before = own.map(text_of).transpose()?.unwrap_or("# Memory\n\n");
        let after =
            lines.iter().fold(before.to_owned(), |text, line| index_edit::with_removed_line(&text, line));
        changes.push(match own {
            Some(own) => Change::rewrite(&own.path, own.bytes.clone(), after.into_bytes()),
            None => Change::create(index, after.into_bytes()),
        });
    }
    Ok(changes)
}
