//! Adds notes (§4.1).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::layout;
use super::super::note::{CONFIDENCES, SOURCES};
use super::note_names::NoteNames;
use super::notes::{texts, with_raw};
use crate::format::AssemblyInput;
use crate::format::a_mem::write::field_values::{bad_value, no_worse, one_of, parts, timestamp};
use crate::format::writing::{ChangesResult, RecordDraft, RecordMembers, Refusal, Result, WriteContext};
use crate::model::{Change, Document, Moment, Role};
use crate::text::fold::fold;
use crate::text::front_matter::edit::{NewYamlValue, set};
use crate::text::secrets::{is_random, mask};
use crate::text::wiki_links::{links, target};

/// The longest id, in bytes: with `.md` it is a file name.
const ID: usize = 200;
/// Files of the format that are not notes, without extension.
const GUIDES: [&str; 3] = ["readme", "agents", "claude"];

/// Members of a draft that [`NewNote`] covers.
const TAKEN: [&str; 7] = ["id", "title", "tags", "confidence", "source", "text", "body"];
/// The longest title made from a text, and the longest id made from a title, in characters.
const TITLE: usize = 80;
const SHORT: usize = 60;

/// The data of a new note.
#[derive(Clone, Copy, Debug)]
pub struct NewNote<'a> {
    /// The id in kebab-case. The file has the same name.
    pub id: &'a str,
    /// The heading.
    pub title: &'a str,
    /// The tags. They are written in lower case, with hyphens for white space.
    pub tags: &'a [String],
    /// `low`, `medium` or `high`.
    pub confidence: &'a str,
    /// `agent-learning`, `human-curated`, `external` or `research`.
    pub source: &'a str,
    /// The text below the heading.
    pub body: &'a str,
}

/// Returns the file and the text of a new note. Links in the body are also in `linked_to`.
///
/// # Errors
///
/// If the format does not allow a value, or the id is taken.
pub fn new_note(parts: &AssemblyInput<'_>, note: NewNote<'_>, now: Moment) -> Result<(PathBuf, String)> {
    let path = folder(parts).join(format!("{}.md", free_id(parts, note.id)?));
    let words: Vec<&str> = CONFIDENCES.iter().map(|(word, _)| *word).collect();
    one_of("confidence", note.confidence, &words)?;
    one_of("source", note.source, &SOURCES)?;
    let title = note.title.trim();
    if title.is_empty() || title.contains(['\n', '\r']) {
        return Err(bad_value("title", note.title, "it should be one line"));
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
    let text = set(&front, "tags", NewYamlValue::List(&tags(note.tags)?))?;
    let text = set(&text, "confidence", NewYamlValue::Text(note.confidence))?;
    let text = set(&text, "source", NewYamlValue::Text(note.source))?;
    let text = set(&text, "linked_to", NewYamlValue::List(&linked))?;
    let body = note.body.trim_matches(['\n', '\r']);
    let body = if body.is_empty() { String::new() } else { format!("\n{body}\n") };
    Ok((path, format!("{text}\n# {title}\n{body}")))
}

/// Returns a tag in the form of new ones: lower case, with hyphens for white space.
///
/// # Errors
///
/// If it is empty or has control characters.
pub fn tag(own: &str) -> Result<String> {
    let tag = own.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase();
    match tag.is_empty() || tag.chars().any(char::is_control) {
        true => Err(bad_value("tag", own, "it should be a word")),
        false => Ok(tag),
    }
}

fn tags(asked: &[String]) -> Result<Vec<String>> {
    let mut tags: Vec<String> = Vec::new();
    for own in asked {
        let tag = tag(own)?;
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Ok(tags)
}

/// Refuses an id that a new note can't have.
///
/// # Errors
///
/// If it is not in kebab-case, or is the name of a file of the format.
pub fn check_id(id: &str) -> Result<()> {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if id.len() > ID || !id.split('-').all(is_word) {
        let rule = "it should be lower-case letters and digits, in words joined by hyphens";
        return Err(bad_value("id", id, rule));
    }
    if GUIDES.contains(&id) {
        return Err(bad_value("id", id, "a file of the format has that name"));
    }
    Ok(())
}

fn free_id<'a>(parts: &AssemblyInput<'_>, id: &'a str) -> Result<&'a str> {
    check_id(id)?;
    let known = NoteNames::of(parts);
    // Some systems ignore case in file names.
    let is_file = |path: &Path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        path.starts_with("knowledge") && stem.is_some_and(|stem| stem.eq_ignore_ascii_case(id))
    };
    let is_taken = known.notes.ids.contains_key(id)
        || parts.documents.iter().any(|document| is_file(&document.path) && document.role == Role::Records);
    if is_taken { Err(taken(id)) } else { Ok(id) }
}

/// Returns the folder for a new note: `knowledge/notes`, or `knowledge` if it has more notes.
fn folder(parts: &AssemblyInput<'_>) -> &'static Path {
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

/// Returns the word for a confidence between 0 and 1.
pub fn confidence(value: f64) -> &'static str {
    match value {
        0.75.. => "high",
        0.45.. => "medium",
        _ => "low",
    }
}

/// Adds a note.
pub fn add(scene: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
    let members = RecordMembers::of(draft.record)?;
    let named = |name: &str| members.text(name);
    let text = match draft.text {
        Some(text) => text.to_owned(),
        None => named("text")?.or(named("body")?).unwrap_or_default(),
    };
    let (title, body) = title_and_body(named("title")?, &text);
    if title.is_empty() {
        return Err(Refusal::invalid("a note needs a text, or JSON with a `title`."));
    }
    let id = match named("id")? {
        Some(id) => id,
        None => id_from(scene, &title),
    };
    let tags = match (draft.tags, members.get("tags")) {
        ([], Some(raw)) if raw.starts_with('[') => texts(raw)?,
        ([], Some(raw)) => texts(&format!("[{raw}]"))?,
        (tags, _) => tags.to_vec(),
    };
    let asked = named("confidence")?;
    let own = draft.importance.map(confidence).or(asked.as_deref()).unwrap_or("medium");
    let source = named("source")?.unwrap_or_else(|| "human-curated".into());
    let note = NewNote { id: &id, title: &title, tags: &tags, confidence: own, source: &source, body: &body };
    let (path, mut text) = new_note(&parts(scene.store), note, scene.now)?;
    for name in members.names().filter(|name| !TAKEN.contains(name)) {
        text = with_raw(&text, name, members.get(name).unwrap_or("null"))?;
    }
    no_worse(&path, None, text.as_bytes(), scene.now)?;
    Ok(vec![Change::create(path, text)])
}

/// Returns title and body. The title is given, the heading, the only line, or the start of the first line.
fn title_and_body(title: Option<String>, text: &str) -> (String, String) {
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
fn cut(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    let short = &text[..end];
    let whole =
        if end < text.len() { short.rsplit_once(' ').map_or(short, |(words, _)| words) } else { short };
    whole.trim_end().to_owned()
}

/// Makes an unused id from a title.
fn id_from(scene: &WriteContext<'_>, title: &str) -> String {
    // Masks secrets: the id stays in lists, paths and links when the text is redacted or erased.
    let folded = fold(&mask(title));
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty() && !is_random(word)).collect();
    let id = cut(&words.join(" "), SHORT).replace(' ', "-");
    let id = if id.is_empty() { "note".to_owned() } else { id };
    let documents = parts(scene.store).documents;
    let known = NoteNames::of(&parts(scene.store));
    let stem = |document: &Document| document.path.file_stem().map(|stem| stem.to_ascii_lowercase());
    let files: BTreeSet<_> = documents.iter().filter_map(|document| stem(document)).collect();
    let is_free = |id: &String| {
        check_id(id).is_ok()
            && !known.notes.ids.contains_key(id.as_str())
            && !files.contains(std::ffi::OsStr::new(id))
    };
    let mut others = (2..).map(|number| format!("{id}-{number}"));
    if is_free(&id) { id } else { others.find(is_free).unwrap_or(id) }
}

/// Returns the refusal of an id that another note has, or its file.
pub fn taken(id: &str) -> Refusal {
    Refusal::invalid(format!("a note with the id {id:?} already exists."))
}
