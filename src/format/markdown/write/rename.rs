//! Renames a file that is a memory, with the links that lead to it.
//!
//! Choices where the facts are silent:
//! - `name` in the front matter follows if it is the old name of the file, in any case and with `-` or `_`.
//! - A `[[link]]` that leads to the memory by its `name` stays.
//! - What is in fenced code stays, and is no link.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::moved_links::{MovedFile, names_of_others};
use super::text_form::with_modified;
use crate::format::Placement;
use crate::format::markdown::assembly::fold;
use crate::format::markdown::family::{Family, Grammar};
use crate::format::markdown::layout;
use crate::format::notes::edit::text_of;
use crate::format::notes::note_file::stem;
use crate::format::writing::{ChangesResult, Refusal, Result, WriteContext, refuse_taken};
use crate::model::{Change, Document, Entry, Moment, PathText, Role, Store};
use crate::text::front_matter::Note;
use crate::text::front_matter::edit::{NewYamlValue, set_line};

/// The longest new name, in bytes.
const LONGEST: usize = 200;
/// The most folders and the name of a file: what is deeper is not read.
const DEEPEST: usize = 8;

/// Returns the changes that give a memory another name, and change the links to it.
pub fn renamed(
    family: &'static Family,
    context: &WriteContext<'_>,
    entry: &Entry,
    name: &str,
) -> ChangesResult {
    let store = context.store;
    let document = store.document(entry);
    let path = new_path(family, name)?;
    if *document.path == *path {
        return Ok(Vec::new());
    }
    let is_there = |other: &Document| other.path.to_text().eq_ignore_ascii_case(&path.to_text());
    let is_taken = store.documents.iter().any(|other| is_there(other) && other.path != document.path);
    refuse_taken(is_taken, format_args!("a file {:?}", path.to_text()))?;
    let text = text_of(document)?;
    let front = with_name(document, text, &path, context.now)?;
    let others = names_of_others(store, &|other| other != entry);
    let file = MovedFile::of(family, (&document.path, text), (path, &front), others);
    let moved = file.followed(&front, &document.path);
    let removed = Change::remove(&document.path, document.bytes.clone());
    let mut changes = vec![removed, Change::create(&file.new, moved.into_bytes())];
    changes.extend(links_of_others(store, std::slice::from_ref(&file), &[&document.path]));
    Ok(changes)
}

/// Returns the changes of links in all files but `without`.
pub fn links_of_others(store: &Store, moved: &[MovedFile<'_>], without: &[&Path]) -> Vec<Change> {
    let is_other = |document: &&Arc<Document>| {
        document.role == Role::Records && !without.iter().any(|path| **path == *document.path)
    };
    let change = |document: &Arc<Document>| {
        let text = std::str::from_utf8(&document.bytes).ok()?;
        let new = moved.iter().fold(text.to_owned(), |text, file| file.followed(&text, &document.path));
        (new != text).then(|| Change::rewrite(&document.path, document.bytes.clone(), new.into_bytes()))
    };
    store.documents.iter().filter(is_other).filter_map(change).collect()
}

fn new_path(family: &Family, name: &str) -> Result<PathBuf> {
    let refused = |why| Err(Refusal::bad_value("id", name, why));
    let name = name.strip_suffix(".md").unwrap_or(name);
    let is_plain = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '-' | '/') || c == '.' && !family.has_mem_references
    };
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('.');
    if name.len() > LONGEST || !name.chars().all(is_plain) || !name.split('/').all(is_part) {
        return refused("it should be letters, digits, `_` and `-`, with `/` between folders");
    }
    let path = PathBuf::from(format!("{name}.md"));
    let is_read = layout::place(&path, false) == Placement::File(Role::Records);
    if !is_read || path.iter().count() > DEEPEST {
        return refused("a file of that name would not be read as a memory");
    }
    match family.grammar_of(&path) {
        Grammar::Topics => Ok(path),
        _ => refused("a file of that name leads to others, or has several memories"),
    }
}

/// Returns the text with `name` changed, if it is the name of the file.
fn with_name(document: &Document, text: &str, path: &Path, now: Moment) -> Result<String> {
    let note = Note::read(text);
    let is_stem = |name: &str| fold(name) == fold(&stem(&document.path));
    match note.field("name").filter(|field| is_stem(&field.line_text())) {
        Some(_) => Ok(with_modified(&set_line(text, "name", NewYamlValue::Text(&stem(path)))?, now)),
        None => Ok(text.to_owned()),
    }
}
