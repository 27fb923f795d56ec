//! Adds notes (§4.1).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::field_values::{one_of, timestamp};
use crate::format::a_mem::note::{CONFIDENCES, NOTES, SOURCES};
use crate::format::a_mem::{layout, note};
use crate::format::notes::edit::{new_tags, texts, with_raw};
use crate::format::notes::ids::{check_free, id_from, title_and_body};
use crate::format::writing::{
    ChangesResult, RecordDraft, RecordMembers, Refusal, Result, WriteContext, level_word, no_worse,
};
use crate::model::{Change, Document, Moment, Role};
use crate::text::front_matter::edit::{NewYamlValue, set};
use crate::text::wiki_links::{links, target};

/// Members of a draft that [`NewNote`] covers.
const TAKEN: [&str; 7] = ["id", "title", "tags", "confidence", "source", "text", "body"];

#[derive(Clone, Copy, Debug)]
pub struct NewNote<'a> {
    /// The id in kebab-case. The file has the same name.
    pub id: &'a str,
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

/// Returns the file and the text of a new note. Links in the body are also in `linked_to`. Fails if the format does
/// not allow a value, or the id is taken.
pub fn new_note(documents: &[Arc<Document>], note: NewNote<'_>, now: Moment) -> Result<(PathBuf, String)> {
    check_free(&NOTES, documents, note.id)?;
    let path = folder(documents).join(format!("{}.md", note.id));
    let words: Vec<&str> = CONFIDENCES.iter().map(|(word, _)| *word).collect();
    one_of("confidence", note.confidence, &words)?;
    one_of("source", note.source, &SOURCES)?;
    let title = note.title.trim();
    if title.is_empty() || title.contains(['\n', '\r']) {
        return Err(Refusal::bad_value("title", note.title, "it should be one line"));
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
    let text = set(&front, "tags", NewYamlValue::List(&new_tags(note.tags)?))?;
    let text = set(&text, "confidence", NewYamlValue::Text(note.confidence))?;
    let text = set(&text, "source", NewYamlValue::Text(note.source))?;
    let text = set(&text, "linked_to", NewYamlValue::List(&linked))?;
    let body = note.body.trim_matches(['\n', '\r']);
    let body = if body.is_empty() { String::new() } else { format!("\n{body}\n") };
    Ok((path, format!("{text}\n# {title}\n{body}")))
}

/// Returns the folder for a new note: `knowledge/notes`, or `knowledge` if it has more notes.
fn folder(documents: &[Arc<Document>]) -> &'static Path {
    let (own, above) = (Path::new("knowledge/notes"), Path::new("knowledge"));
    let count = |folder: &Path| {
        let notes = documents.iter().filter(|document| {
            document.path.parent() == Some(folder)
                && document.role == Role::Records
                && layout::kind_of(&document.path) == "note"
        });
        notes.count()
    };
    if count(above) > count(own) { above } else { own }
}

pub fn add(context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
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
    let id = named("id")?.unwrap_or_else(|| id_from(&NOTES, &context.store.documents, &title));
    let tags = match (draft.tags, members.get("tags")) {
        ([], Some(raw)) if raw.starts_with('[') => texts(raw)?,
        ([], Some(raw)) => texts(&format!("[{raw}]"))?,
        (tags, _) => tags.to_vec(),
    };
    let asked = named("confidence")?;
    let own = draft.importance.map(level_word).or(asked.as_deref()).unwrap_or("medium");
    let source = named("source")?.unwrap_or_else(|| "human-curated".into());
    let new = NewNote { id: &id, title: &title, tags: &tags, confidence: own, source: &source, body: &body };
    let (path, mut text) = new_note(&context.store.documents, new, context.now)?;
    for name in members.names().filter(|name| !TAKEN.contains(name)) {
        text = with_raw(&NOTES, &text, name, members.get(name).unwrap_or("null"))?;
    }
    no_worse(|bytes| note::read(&path, bytes, context.now).problems, None, text.as_bytes())?;
    Ok(vec![Change::create(path, text)])
}
