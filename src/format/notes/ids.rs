//! The ids and titles of new notes. An id is also the name of the note's file.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::note_index::NoteNames;
use super::rules::NoteRules;
use crate::detectors::{is_random, mask};
use crate::format::writing::{Refusal, Result, WriteContext, refuse_taken};
use crate::model::{Document, Entry, Role};
use crate::text::fold::fold;

/// The longest id, in bytes: with `.md` it is a file name.
const ID: usize = 200;
/// The longest id made from a title, in characters.
const SHORT: usize = 60;

/// Refuses an id that a new note can't have. Fails if it is not in kebab-case, or is the name of a file of the
/// format.
pub fn check_id(rules: &NoteRules, id: &str) -> Result<()> {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if id.len() > ID || !id.split('-').all(is_word) {
        let rule = "it should be lower-case letters and digits, in words joined by hyphens";
        return Err(Refusal::bad_value("id", id, rule));
    }
    if rules.reserved.contains(&id) {
        return Err(Refusal::bad_value("id", id, "a file of the format has that name"));
    }
    Ok(())
}

/// Refuses an id that a new note can't have, or that another note or its file has. Fails if the id is refused.
pub fn check_free(rules: &'static NoteRules, documents: &[Arc<Document>], id: &str) -> Result<()> {
    check_id(rules, id)?;
    let known = NoteNames::of(rules, documents);
    // Some systems ignore case in file names.
    let is_file = |path: &Path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        (rules.is_note)(path) && stem.is_some_and(|stem| stem.eq_ignore_ascii_case(id))
    };
    let is_taken = known.notes.ids.contains_key(id)
        || documents.iter().any(|document| is_file(&document.path) && document.role == Role::Records);
    refuse_taken(is_taken, format_args!("a note with the id {id:?}"))
}

/// Refuses an id for an existing note that no note may have, or that means another note.
pub fn check_rename(
    rules: &'static NoteRules,
    context: &WriteContext<'_>,
    entry: &Entry,
    id: &str,
) -> Result<()> {
    let own = context.store.id(entry);
    if own == Some(id) {
        return Ok(());
    }
    check_id(rules, id)?;
    let known = NoteNames::of(rules, &context.store.documents);
    let is_taken = known.notes.ids.get(id).is_some_and(|meant| Some(*meant) != own);
    refuse_taken(is_taken, format_args!("a note with the id {id:?}"))
}

/// Makes an unused id from a title.
pub fn id_from(rules: &'static NoteRules, documents: &[Arc<Document>], title: &str) -> String {
    // Masks secrets: the id stays in lists, paths and links when the text is redacted or erased.
    let folded = fold(&mask(title));
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty() && !is_random(word)).collect();
    let id = cut(&words.join(" "), SHORT).replace(' ', "-");
    let id = if id.is_empty() { "note".to_owned() } else { id };
    let known = NoteNames::of(rules, documents);
    let stem = |document: &Document| document.path.file_stem().map(|stem| stem.to_ascii_lowercase());
    let files: BTreeSet<_> = documents.iter().filter_map(|document| stem(document)).collect();
    let is_free = |id: &String| {
        check_id(rules, id).is_ok()
            && !known.notes.ids.contains_key(id.as_str())
            && !files.contains(std::ffi::OsStr::new(id))
    };
    let mut others = (2..).map(|number| format!("{id}-{number}"));
    if is_free(&id) { id } else { others.find(is_free).unwrap_or(id) }
}

/// The longest title made from a text, in characters.
const TITLE: usize = 80;

/// Returns title and body. The title is given, the heading, the only line, or the start of the first line.
pub fn title_and_body(title: Option<String>, text: &str) -> (String, String) {
    if let Some(title) = title {
        return (title, text.to_owned());
    }
    let text = text.trim_start_matches(['\n', '\r']);
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim();
    if let Some(heading) = first.strip_prefix("# ") {
        return (heading.trim().to_owned(), rest.to_owned());
    }
    match first.chars().count() <= TITLE && rest.trim().is_empty() {
        true => (first.to_owned(), String::new()),
        false => (cut(first, TITLE), text.to_owned()),
    }
}

/// Returns the words that fit, or the start of a long first word.
pub fn cut(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    let short = &text[..end];
    let whole =
        if end < text.len() { short.rsplit_once(' ').map_or(short, |(words, _)| words) } else { short };
    whole.trim_end().to_owned()
}
