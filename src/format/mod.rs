//! The on-disk formats: one folder each, with the same file names in each; they never
//! import one another. A new format is one folder and one line in [`FORMATS`].

pub mod fields;
pub mod form;
pub mod glance;
pub mod locks;
pub mod reading;
pub mod writing;

mod a_mem;
mod agent_memory;
mod bmad;
mod memory_server;
mod session_log;
mod stored;
mod title;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{
    DecayTable, Document, Entry, Lock, Moment, Problem, Record, RecordText, Role, Session, Store, Tell,
};
use crate::text::front_matter::Note;
use crate::text::json::Json;
use crate::text::scan::{Newlines, Tape};

pub use stored::{is_sensitive, lines_of};
pub use title::title_of;

use glance::{Evidence, Glance};
use reading::Reading;
use title::{AHEAD, TITLE};

/// Every format.
pub static FORMATS: &[&dyn Format] = &[
    &memory_server::MemoryServer,
    &session_log::SessionLog,
    &agent_memory::AgentMemory,
    &bmad::Bmad,
    &a_mem::AMem,
];

/// The format of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// What a path within a store is to its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// A folder that is looked into.
    Enter,
    /// A file of that role.
    File(Role),
    /// Neither: it is not one of the format's.
    Unexpected,
}

/// The names of a path relative to a root. What is no UTF-8 in them has a sign in its place: they
/// are compared, and never opened.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A JSON value.
    Json,
    /// Markdown with front matter; the file is the record.
    Markdown,
    /// Any other text; the file is the record.
    Text,
}

/// One on-disk format. All of it is pure: bytes in, data out. What has a body here is
/// right for most formats.
pub trait Format: Sync {
    /// Its name in code and on the command line.
    fn name(&self) -> &'static str;

    /// Where its stores stand by default, below a project or below the home folder.
    fn default_place(&self) -> &'static str;

    /// What speaks for and against the folder being a store of this format. All formats are
    /// asked, and `store::find` judges.
    fn evidence(&self, root: &Path, glance: &dyn Glance) -> Evidence;

    /// What a path relative to the root is to the format.
    fn place(&self, path: &Path, is_folder: bool) -> Placement;

    /// Reads one file.
    fn read(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading;

    /// Puts the files of a store together.
    fn assemble(&self, parts: &Parts<'_>, now: Moment) -> Assembly;

    /// Whether its stores live in checkouts of a repository, where modes are not kept: what
    /// others may read is worth a note there, and a warning elsewhere.
    fn in_checkout(&self) -> bool {
        false
    }

    /// The files outside its stores that their records name, relative to the folder that a store at
    /// the default place is in, or absolute. Those that are not there are problems.
    fn refers(&self, _documents: &[Arc<Document>]) -> Vec<Referred> {
        Vec::new()
    }

    /// Files outside its stores that are made from them, relative to the folder that a
    /// store at the default place stands in. They are read to be judged, and never listed.
    fn beside(&self) -> &'static [&'static str] {
        &[]
    }

    /// How its memories fade where no config says otherwise.
    fn decay(&self) -> DecayTable;

    /// How the records of a file are written.
    fn shape(&self, _path: &Path) -> Shape {
        Shape::Json
    }

    /// A record's main text, and the dotted names of the members that hold it.
    fn main_text(&self, value: Json<'_>) -> (String, Vec<&'static str>);

    /// Whether records without an id are known by their key.
    fn keys_are_ids(&self) -> bool {
        false
    }

    /// The fields that its records have beside those that all formats have, by their
    /// names in the query language: `severity`, `status`, `agent`, …
    fn facets(&self) -> &'static [&'static str] {
        &[]
    }

    /// How writers of those files, relative to the root and of one session at most, keep apart.
    fn lock(&self, _files: &[&Path]) -> Lock {
        Lock::None
    }

    /// The form of a record of that file and type.
    fn form(&self, _path: &Path, _kind: &str, _record: &[u8], _now: Moment) -> form::Form {
        form::Form::default()
    }

    /// How its records are written; `None` while this version only reads it.
    fn writes(&self) -> Option<&dyn writing::Writes> {
        None
    }

    /// Whether others append to that file: their late lines are taken over.
    fn grows(&self, path: &Path) -> bool {
        path.extension().is_some_and(|end| end == "jsonl")
    }

    /// Whether a change of that file holds only for the very bytes that it was made of, so
    /// that whatever others wrote meanwhile is a conflict, and nothing is fitted to it.
    fn is_bound(&self, _path: &Path) -> bool {
        false
    }

    /// What the files that are derived from the records should hold, for whatever concerns
    /// the files in `touched`: those that are up to date may be among them.
    fn derived(&self, _parts: &Parts<'_>, _touched: &[PathBuf], _now: Moment) -> Vec<Derived> {
        Vec::new()
    }

    /// The names of members that a search does not look in: ids of other records, times
    /// and checksums, at any depth.
    fn unsearched(&self) -> &'static [&'static str] {
        &[]
    }
}

/// What a derived file should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// Relative to the root.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What was found on disk below a store's root.
pub struct Parts<'a> {
    /// The files that were read, or only seen, sorted by path.
    pub documents: &'a [Arc<Document>],
    /// The folders that were entered.
    pub folders: &'a [PathBuf],
    /// The locks, with what the system says of their holders.
    pub locks: &'a [LockFact],
    /// The files outside the store that its format names, those that are there; `None`
    /// where it does not stand at its default place, or not everything was read.
    pub beside: Option<&'a [(PathBuf, Vec<u8>)]>,
}

/// A file outside a store that a record of it names.
#[derive(Clone, Debug)]
pub struct Referred {
    /// Where it should be.
    pub path: PathBuf,
    /// What is wrong where it is not there.
    pub problem: Problem,
}

/// A lock file as it was found.
#[derive(Clone, Debug)]
pub struct LockFact {
    /// Relative to the root.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// When it was last changed.
    pub modified: Moment,
    /// Whether the process that it names is alive; `None` where it names none.
    pub holder_alive: Option<bool>,
}

/// A store put together.
#[derive(Debug, Default)]
pub struct Assembly {
    /// Its sessions by name.
    pub sessions: Vec<Session>,
    /// Every listed record.
    pub entries: Vec<Entry>,
    /// What is wrong between its files.
    pub problems: Vec<Problem>,
    /// How memories fade that belong to no session; the format's own where `None`.
    pub decay: Option<DecayTable>,
    /// What other files say of an entry, as (index into `entries`, name, value).
    pub facts: Vec<(u32, &'static str, String)>,
}

/// What a search looks in, unfolded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searched {
    /// Title, tags and id.
    pub head: Vec<String>,
    /// Every other string value, except ids of other records, times and checksums.
    pub body: Vec<String>,
}

/// The name of every field that some format's records have beside the common ones.
pub fn facets() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| format.facets()).copied()
}

/// An entry's title, text and fields.
pub fn text_of(store: &Store, entry: &Entry) -> RecordText {
    let record = store.record(entry);
    with_content(store, entry, |content| match content {
        Content::Json(format, value) => read_text(format, value),
        Content::Note(note, text, stem) => note_text(&note, text, stem),
        Content::Text(text, stem) => {
            RecordText { title: title_of(stem), text: text.to_owned(), fields: Vec::new() }
        }
        Content::Broken(raw) => broken_text(record.line, raw),
    })
}

/// Whether an entry's main text is Markdown.
pub fn is_markdown(store: &Store, entry: &Entry) -> bool {
    let format = by_name(store.format).filter(|_| store.view(entry).is_some());
    format.is_some_and(|format| format.shape(&store.document(entry).path) == Shape::Markdown)
}

/// An entry's title alone, for lists.
pub fn title(store: &Store, entry: &Entry) -> String {
    title_of_raw(store, &store.document(entry).path, store.record(entry), store.raw(entry))
}

/// The title of a record of those bytes that stands, or stood, in a file of the store.
pub fn title_of_raw(store: &Store, path: &Path, record: &Record, raw: &[u8]) -> String {
    let format = by_name(store.format).filter(|_| record.view().is_some());
    with_bytes(format, path, raw, |content| match content {
        Content::Json(format, value) => title_of(&format.main_text(value).0),
        Content::Note(note, text, stem) => note_title(&note, text, stem),
        Content::Text(_, stem) => title_of(stem),
        Content::Broken(raw) => broken_text(record.line, raw).title,
    })
}

/// What a search looks in for an entry. A broken record has its bytes as body.
pub fn searched_of(store: &Store, entry: &Entry) -> Searched {
    let names = |title: String| {
        let mut head = vec![title];
        if let Some(view) = store.view(entry) {
            head.extend(view.tags.iter().chain(&view.id).map(|text| text.to_string()));
        }
        head
    };
    with_content(store, entry, |content| match content {
        Content::Json(format, value) => {
            let (text, _) = format.main_text(value);
            Searched { head: names(title_of(&text)), body: strings(format, value) }
        }
        Content::Note(note, text, stem) => {
            let unsearched = by_name(store.format).map_or(&[][..], |format| format.unsearched());
            let mut body = vec![text.get(note.body.clone()).unwrap_or_default().to_owned()];
            let fields = note.fields.iter().filter(|field| !matches!(field.name, "id" | "tags"));
            body.extend(
                fields.filter(|field| !unsearched.contains(&field.name)).map(|field| field.value.plain()),
            );
            Searched { head: names(note_title(&note, text, stem)), body }
        }
        Content::Text(text, stem) => Searched { head: names(title_of(stem)), body: vec![text.to_owned()] },
        Content::Broken(raw) => {
            Searched { head: Vec::new(), body: vec![String::from_utf8_lossy(raw).into_owned()] }
        }
    })
}

/// The string values of a record that a search looks in, tags and id aside.
fn strings(format: &dyn Format, value: Json<'_>) -> Vec<String> {
    let mut body = Vec::new();
    value.each_string(&mut |path, value| {
        let name = path.last().map_or("", |name| name.as_ref());
        let own = path.len() == 1 && matches!(name, "id" | "tags");
        if !own && !format.unsearched().contains(&name) {
            body.push(value.plain());
        }
    });
    body
}

/// A record's bytes, parsed.
enum Content<'a> {
    Json(&'static dyn Format, Json<'a>),
    /// The note, its text, and the stem of its file.
    Note(Note<'a>, &'a str, &'a str),
    /// Its text, and the stem of its file.
    Text(&'a str, &'a str),
    Broken(&'a [u8]),
}

fn with_content<T>(store: &Store, entry: &Entry, take: impl FnOnce(Content<'_>) -> T) -> T {
    let format = by_name(store.format).filter(|_| store.view(entry).is_some());
    with_bytes(format, &store.document(entry).path, store.raw(entry), take)
}

fn with_bytes<T>(
    format: Option<&'static dyn Format>,
    path: &Path,
    raw: &[u8],
    take: impl FnOnce(Content<'_>) -> T,
) -> T {
    let Some(format) = format else { return take(Content::Broken(raw)) };
    let stem = path.file_stem().map(Tell::told).unwrap_or_default();
    match format.shape(path) {
        Shape::Markdown => {
            let text = String::from_utf8_lossy(raw);
            take(Content::Note(Note::read(&text), &text, &stem))
        }
        Shape::Text => take(Content::Text(&String::from_utf8_lossy(raw), &stem)),
        Shape::Json => {
            let mut tape = Tape::default();
            match object(&mut tape, raw) {
                Some(value) => take(Content::Json(format, value)),
                None => take(Content::Broken(raw)),
            }
        }
    }
}

/// A note's title: its own field, or its first heading or line, or its file's name.
fn note_title(note: &Note<'_>, text: &str, stem: &str) -> String {
    let own = note.field("title").map(|field| field.value.plain()).filter(|title| !title.trim().is_empty());
    let body = text.get(note.body.clone()).unwrap_or_default();
    let first = || body.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    title_of(own.as_deref().or_else(first).unwrap_or(stem))
}

fn note_text(note: &Note<'_>, text: &str, stem: &str) -> RecordText {
    let fields = note.fields.iter().map(|field| (field.name.to_owned(), field.value.plain()));
    RecordText {
        title: note_title(note, text, stem),
        text: text.get(note.body.clone()).unwrap_or_default().to_owned(),
        fields: fields.collect(),
    }
}

fn object<'a>(tape: &'a mut Tape, raw: &'a [u8]) -> Option<Json<'a>> {
    use crate::text::scan::Scan;
    match tape.scan(raw, Newlines::Refused) {
        Scan::Whole { .. } => Some(Json::of(raw, tape)),
        _ => None,
    }
}

fn read_text(format: &dyn Format, object: Json<'_>) -> RecordText {
    let (text, used) = format.main_text(object);
    let mut fields = Vec::new();
    for (key, value) in object.members() {
        flatten(key.text().unwrap_or_default(), value, &used, &mut fields);
    }
    RecordText { title: title_of(&text), text, fields }
}

/// Objects are opened one level at a time, three deep at most; the rest stays JSON.
fn flatten(name: Cow<'_, str>, value: Json<'_>, used: &[&str], fields: &mut Vec<(String, String)>) {
    if used.contains(&name.as_ref()) {
        return;
    }
    if value.members().next().is_none() || name.matches('.').count() >= 2 {
        let listed: Option<Vec<String>> =
            value.items().map(|item| item.text().map(Cow::into_owned)).collect();
        let text = match listed {
            Some(texts) if !texts.is_empty() => texts.join(", "),
            _ => value.plain(),
        };
        fields.push((name.into_owned(), text));
        return;
    }
    for (key, inner) in value.members() {
        flatten(Cow::Owned(format!("{name}.{}", key.text().unwrap_or_default())), inner, used, fields);
    }
}

fn broken_text(line: u32, raw: &[u8]) -> RecordText {
    let start = &raw[..raw.len().min(4 * TITLE + AHEAD)];
    let shown = title_of(&String::from_utf8_lossy(start));
    let title = if line > 0 { format!("line {line} {shown}") } else { shown };
    RecordText { title, text: String::from_utf8_lossy(raw).into_owned(), fields: Vec::new() }
}
