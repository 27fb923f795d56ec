//! Notes that are added (§4.1).

use std::path::{Path, PathBuf};

use super::super::layout;
use super::super::note::{CONFIDENCES, SOURCES, links, target};
use super::named::Known;
use super::{Refused, timestamp};
use crate::format::Parts;
use crate::model::{Moment, Role};
use crate::text::front_matter::edit::{NewValue, set};

/// The longest id, in bytes: with `.md` it is the name of a file.
const ID: usize = 200;
/// Files of the format that are no notes, without their ends.
const GUIDES: [&str; 3] = ["readme", "agents", "claude"];

/// A note as it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct NewNote<'a> {
    /// Its id in kebab-case; the file is called the same.
    pub id: &'a str,
    /// Its heading.
    pub title: &'a str,
    /// Its tags; they are written in lower case, with hyphens for white space.
    pub tags: &'a [String],
    /// `low`, `medium` or `high`.
    pub confidence: &'a str,
    /// `agent-learning`, `human-curated`, `external` or `research`.
    pub source: &'a str,
    /// The text below the heading.
    pub body: &'a str,
}

/// The note's file and text. What its text links to is in `linked_to` too.
///
/// # Errors
///
/// If a value is not one that the format has, or the id is taken.
pub fn new_note(parts: &Parts<'_>, note: NewNote<'_>, now: Moment) -> Result<(PathBuf, String), Refused> {
    let path = folder(parts).join(format!("{}.md", free_id(parts, note.id)?));
    let words: Vec<&str> = CONFIDENCES.iter().map(|(word, _)| *word).collect();
    Refused::unless_one_of("confidence", note.confidence, &words)?;
    Refused::unless_one_of("source", note.source, &SOURCES)?;
    let title = note.title.trim();
    if title.is_empty() || title.contains(['\n', '\r']) {
        return Err(Refused::value("title", note.title, "it has to be one line"));
    }
    let when = timestamp(now);
    let front = format!("---\nid: {}\ncreated: {when}\nupdated: {when}\n---\n", note.id);
    let mut linked: Vec<String> = Vec::new();
    links(note.body, &mut |link| {
        let id = target(link).to_owned();
        if !id.is_empty() && !linked.contains(&id) {
            linked.push(id);
        }
    });
    let text = set(&front, "tags", NewValue::List(&tags(note.tags)?))?;
    let text = set(&text, "confidence", NewValue::Text(note.confidence))?;
    let text = set(&text, "source", NewValue::Text(note.source))?;
    let text = set(&text, "linked_to", NewValue::List(&linked))?;
    let body = note.body.trim_matches(['\n', '\r']);
    let body = if body.is_empty() { String::new() } else { format!("\n{body}\n") };
    Ok((path, format!("{text}\n# {title}\n{body}")))
}

/// A tag as new ones are written: in lower case, with hyphens for white space.
///
/// # Errors
///
/// If nothing is left of it.
pub fn tag(own: &str) -> Result<String, Refused> {
    let tag = own.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase();
    match tag.is_empty() || tag.chars().any(char::is_control) {
        true => Err(Refused::value("tag", own, "it has to be a word")),
        false => Ok(tag),
    }
}

fn tags(asked: &[String]) -> Result<Vec<String>, Refused> {
    let mut tags: Vec<String> = Vec::new();
    for own in asked {
        let tag = tag(own)?;
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Ok(tags)
}

/// Refuses what can't be the id of a note that we write.
///
/// # Errors
///
/// If it is not in kebab-case, or names a file of the format.
pub fn check_id(id: &str) -> Result<(), Refused> {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if id.len() > ID || !id.split('-').all(is_word) {
        let rule = "it has to be lower-case letters and digits, in words joined by hyphens";
        return Err(Refused::value("id", id, rule));
    }
    if GUIDES.contains(&id) {
        return Err(Refused::value("id", id, "a file of the format has that name"));
    }
    Ok(())
}

fn free_id<'a>(parts: &Parts<'_>, id: &'a str) -> Result<&'a str, Refused> {
    check_id(id)?;
    let known = Known::of(parts);
    // A file of another case is the same one on some systems.
    let is_file = |path: &Path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        path.starts_with("knowledge") && stem.is_some_and(|stem| stem.eq_ignore_ascii_case(id))
    };
    let is_taken = known.notes.ids.contains_key(id)
        || parts.documents.iter().any(|document| is_file(&document.path) && document.role == Role::Records);
    if is_taken { Err(Refused::Taken(id.to_owned())) } else { Ok(id) }
}

/// Where the notes of this store are.
fn folder(parts: &Parts<'_>) -> &'static Path {
    let (own, above) = (Path::new("knowledge/notes"), Path::new("knowledge"));
    let count = |folder: &Path| {
        let notes = parts.documents.iter().filter(|document| {
            document.path.parent() == Some(folder)
                && document.role == Role::Records
                && layout::kind_of(&document.path) == "note"
        });
        notes.count()
    };
    if count(above) > count(own) { above } else { own }
}
