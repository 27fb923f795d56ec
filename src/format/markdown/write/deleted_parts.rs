//! What deletions took out of files that stay, and how it comes back with the files that went: lines of an index, and
//! entries.
//!
//! A line comes back where the most lines around it are as they were. An entry comes back at the end of its file. Sections of an index come back by undo alone, with what was around them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::text_form::{end_of, with_ends};
use super::{index_edit, parts};
use crate::format::markdown::entry_file::{self, DELIMITER};
use crate::format::markdown::families::family;
use crate::format::markdown::family::Grammar;
use crate::format::notes::edit::text_of;
use crate::format::title;
use crate::format::writing::{ChangesResult, HeldRecords, Refusal, Result, WriteContext};
use crate::model::path_text::deleted_from;
use crate::model::{Act, Change, Document, PathText, Splice, Store};

/// The end of the name of an index as it was before deletions. No family has memories in such a file.
const BEFORE: &str = "before";

/// Returns the index as it was, and files of the entries that were taken out. `undos` has the changes that undo each
/// step, the newest first.
pub fn deleted_parts(store: &Store, undos: &[Vec<Change>]) -> Vec<(PathBuf, Vec<u8>)> {
    let Some(family) = family(store) else { return Vec::new() };
    let mut found: Vec<_> =
        family.index.and_then(|index| old_index(store, index, undos)).into_iter().collect();
    let mut taken: BTreeMap<&Path, Vec<String>> = BTreeMap::new();
    for change in undos.iter().flatten().filter(|own| family.grammar_of(&own.path) == Grammar::Entries) {
        let Act::Splice(splices) = &change.act else { continue };
        let of_file = taken.entry(&*change.path).or_default();
        for undo in splices {
            // It adds whole lines, which may have entries that the file has.
            let stay = entries(&undo.was);
            of_file.extend(entries(&undo.becomes).into_iter().filter(|own| !stay.contains(own)));
        }
    }
    for (path, mut own) in taken {
        let now = store.document_at(path).map(|own| entries(&own.bytes)).unwrap_or_default();
        let mut known: BTreeSet<String> = now.into_iter().collect();
        own.retain(|text| known.insert(text.clone()));
        if !own.is_empty() {
            let text = entry_file::joined(own.iter().map(String::as_str), DELIMITER);
            found.push((path.to_owned(), text.into_bytes()));
        }
    }
    found
}

/// Returns the index as it was before all these steps, as far as it did not change otherwise.
fn old_index(store: &Store, index: &str, undos: &[Vec<Change>]) -> Option<(PathBuf, Vec<u8>)> {
    let own = undos.iter().flatten().filter(|own| own.path == Path::new(index));
    let splices: Vec<&[Splice]> =
        own.filter_map(|own| if let Act::Splice(own) = &own.act { Some(&**own) } else { None }).collect();
    let mut text = store.document_at(Path::new(index)).map(|own| own.bytes.to_vec()).unwrap_or_default();
    for own in splices.iter().flat_map(|step| step.iter().rev()) {
        let (start, end) = (own.start as usize, own.start as usize + own.was.len());
        let is_line_start = start == 0 || text.get(start.wrapping_sub(1)) == Some(&b'\n');
        let fits = is_line_start && text.get(start..end).is_some_and(|was| *was == *own.was);
        text.splice(if fits { start..end } else { text.len()..text.len() }, own.becomes.iter().copied());
    }
    let name = PathBuf::from(format!("{index}.{BEFORE}"));
    (!splices.is_empty()).then_some((name, text))
}

/// Returns what is between lines of the delimiter. Lines of it may be first or last.
fn entries(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let parts = lines.split(|line| *line == DELIMITER.trim());
    parts.map(|own| own.join("\n").trim().to_owned()).filter(|own| !own.is_empty()).collect()
}

/// Returns the changes that restore what only palimp's own data has: files with their lines in the index, and entries.
/// `listed` lists all that it has.
pub fn restore_parts(context: &WriteContext<'_>, listed: &Store, held: &[HeldRecords]) -> ChangesResult {
    let store = context.store;
    let Some(family) = family(store) else { return Ok(Vec::new()) };
    let is_entries = |own: &&HeldRecords| family.grammar_of(file_of(&own.0)) == Grammar::Entries;
    let (entries, files): (Vec<&HeldRecords>, Vec<&HeldRecords>) = held.iter().partition(is_entries);
    let mut added: BTreeMap<&Path, Vec<String>> = BTreeMap::new();
    for (own, numbers) in entries {
        let spans = numbers.iter().filter_map(|at| own.records.get(*at as usize)).map(|own| own.span.range());
        let texts = spans.filter_map(|span| Some(String::from_utf8_lossy(own.bytes.get(span)?).into_owned()));
        added.entry(file_of(own)).or_default().extend(texts);
    }
    let mut changes = with_entries(store, added)?;
    for (own, _) in &files {
        let path = file_of(own);
        if store.document_at(path).is_some() {
            return Err(Refusal::unfit(format!("another file has the name {} now.", path.to_text())));
        }
        changes.push(Change::create(path, own.bytes.clone()));
    }
    let files: Vec<&Document> = files.into_iter().map(|(own, _)| &**own).collect();
    if let Some(index) = family.index.filter(|index| files.iter().all(|own| file_of(own) != Path::new(index)))
    {
        changes.extend(with_old_lines(store, listed, index, &files)?);
    }
    Ok(changes)
}

fn file_of(own: &Document) -> &Path {
    deleted_from(&own.path).unwrap_or(&own.path)
}

/// Puts entries at the end of their files.
pub fn with_entries(store: &Store, added: BTreeMap<&Path, Vec<String>>) -> ChangesResult {
    let change = |(path, texts): (&Path, Vec<String>)| {
        let texts = texts.iter().map(String::as_str);
        let Some(own) = store.document_at(path) else {
            return Ok(Change::create(path, entry_file::joined(texts, DELIMITER).into_bytes()));
        };
        let before = text_of(own)?;
        parts::whole_entries(path, before)?;
        let texts: Vec<String> = texts.map(|own| with_ends(own, end_of(before))).collect();
        let new = entry_file::with_entries(before, texts.iter().map(String::as_str));
        Ok(Change::rewrite(path, own.bytes.clone(), new.into_bytes()))
    };
    added.into_iter().map(change).collect()
}

/// Adds the lines that led to files before these were deleted. A file that had none gets one.
fn with_old_lines(store: &Store, listed: &Store, index: &str, files: &[&Document]) -> Result<Option<Change>> {
    let now = store.document_at(Path::new(index));
    let text = now.map(text_of).transpose()?;
    let is_before = |own: &&Arc<Document>| {
        deleted_from(&own.path).is_some_and(|path| path == Path::new(&format!("{index}.{BEFORE}")))
    };
    let olds = listed.documents.iter().filter(is_before);
    let olds: Vec<&str> = olds.filter_map(|old| std::str::from_utf8(&old.bytes).ok()).collect();
    let mut lines: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut new = Vec::new();
    for own in files {
        let path = file_of(own);
        if text.is_some_and(|text| !index_edit::lines_with(text, path).is_empty()) {
            continue;
        }
        // A line may lead to several files: it comes back once.
        let old = olds.iter().enumerate().find_map(|(number, old)| {
            let span = index_edit::lines_with(old, path).into_iter().next()?;
            Some((number, span.start as usize))
        });
        match old {
            Some(place) => drop(lines.insert(place)),
            None => {
                let entry = listed.entries.iter().find(|entry| listed.document(entry).path == own.path);
                new.push(index_edit::line(
                    path,
                    entry.map(|own| title(listed, own)).unwrap_or_default().raw(),
                ));
            }
        }
    }
    if lines.is_empty() && new.is_empty() {
        return Ok(None);
    }
    let mut with = text.unwrap_or("# Memory\n\n").to_owned();
    for (number, start) in lines {
        with = index_edit::with_removed_line(&with, &index_edit::removed_line(olds[number], start));
    }
    for line in new {
        let at = index_edit::end_of_lines(&with);
        with = index_edit::inserted(&with, at, &line);
    }
    Ok(Some(match now {
        Some(own) => Change::rewrite(&own.path, own.bytes.clone(), with.into_bytes()),
        None => Change::create(index, with.into_bytes()),
    }))
}
