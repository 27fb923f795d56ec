//! How the records of a format are written: what a user may do, and the bytes it comes to.
//! All of it is pure. What has a body here is right for most formats.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::model::{Change, Document, Entry, Moment, Store};
use crate::text::edit::{self, EditError};
use crate::text::json::{Json, Kind};
use crate::text::scan::Tape;

/// Why something is not done. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The error code of specification 4 §12.1.
    pub code: &'static str,
    /// What is the matter and what to do, in sentences. May quote the store.
    pub message: String,
}

impl Refusal {
    /// The format does not have that, or it makes no sense there.
    pub fn unfit(message: impl Into<String>) -> Refusal {
        Refusal { code: "E_INVALID_FORMAT", message: message.into() }
    }

    /// What is to be written breaks the schema.
    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal { code: "E_SCHEMA_INVALID", message: message.into() }
    }

    /// It would exceed a limit.
    pub fn too_large(message: impl Into<String>) -> Refusal {
        Refusal { code: "E_SIZE_LIMIT", message: message.into() }
    }

    /// The store is damaged where this would write.
    pub fn corrupt(message: impl Into<String>) -> Refusal {
        Refusal { code: "E_STORAGE_CORRUPT", message: message.into() }
    }

    /// No such session.
    pub fn no_session(name: &str) -> Refusal {
        Refusal { code: "E_SESSION_NOT_FOUND", message: format!("there is no session {name:?}.") }
    }
}

impl From<EditError> for Refusal {
    fn from(error: EditError) -> Self {
        Refusal::invalid(format!("{error}."))
    }
}

/// What may be done with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// One field is set.
    Edit,
    /// Tags are added or taken away.
    Tag,
    /// It is deleted.
    Delete,
    /// It is archived.
    Archive,
}

/// How a format deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// Its bytes are removed.
    Removed,
    /// A tombstone names it; its bytes stay until the log is compacted.
    Tombstone,
    /// It says itself that it is not valid any more.
    Deprecated,
    /// It is part of a document, of which the write is the format's own.
    Canonical,
}

/// A record to be.
#[derive(Clone, Debug, Default)]
pub struct Draft<'a> {
    /// The session that it belongs to.
    pub session: Option<&'a str>,
    /// The format's own word for its type.
    pub kind: &'a str,
    /// Its main text.
    pub text: Option<&'a str>,
    /// Its tags.
    pub tags: &'a [String],
    /// From 0 to 1.
    pub importance: Option<f64>,
    /// Members of the record as JSON: they come before what is made up for it.
    pub record: Option<&'a str>,
}

/// What an operation is done with.
pub struct Scene<'a> {
    /// The store as it was read.
    pub store: &'a Store,
    /// The time that is written down.
    pub now: Moment,
    /// Bytes that nobody can foretell, for ids.
    pub random: [u8; 16],
}

/// A field to be set.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// The format's own name, dotted where nested; or `text`, the main text wherever it stands.
    pub name: &'a str,
    /// JSON where the field is no string, else the text as it is.
    pub value: &'a str,
}

/// How a format is written.
pub trait Writes: Sync {
    /// Whether that may be done with a record of that file; if not, why not.
    fn may(&self, _deed: Deed, _file: &Path) -> Result<(), String> {
        Ok(())
    }

    /// How a record of that file is deleted.
    fn deletion(&self, _file: &Path) -> Deletion {
        Deletion::Removed
    }

    /// Where a field stands in a record, as names.
    fn field(&self, _record: Json<'_>, name: &str) -> Vec<String> {
        name.split('.').map(str::to_owned).collect()
    }

    /// Whether a field that is absent would be a string.
    fn is_text(&self, _name: &str) -> bool {
        true
    }

    /// The field that holds the importance, and how that number is written there.
    fn importance(&self, _kind: &str, _value: f64) -> Result<(&'static str, String), String> {
        Err("the format records no importance.".into())
    }

    /// What else an edited record gets: a time, a checksum.
    fn edited(&self, _before: Json<'_>, after: Vec<u8>, _now: Moment) -> Result<Vec<u8>, Refusal> {
        Ok(after)
    }

    /// The changes that add a record.
    fn add(&self, _scene: &Scene<'_>, draft: &Draft<'_>) -> Result<Vec<Change>, Refusal> {
        Err(Refusal::unfit(format!("a {:?} can't be added to this format.", draft.kind)))
    }

    /// The line that says that a record is deleted, and the file that it goes to.
    fn tombstone(&self, _scene: &Scene<'_>, _entry: &Entry, _reason: &str) -> Option<(PathBuf, Vec<u8>)> {
        None
    }

    /// The changes that edit a record that is no JSON of its own line.
    fn edit(
        &self,
        _scene: &Scene<'_>,
        _entry: &Entry,
        _set: &[Setting<'_>],
    ) -> Option<Result<Vec<Change>, Refusal>> {
        None
    }

    /// The changes that set a record's tags, where they don't stand in its JSON.
    fn set_tags(
        &self,
        _scene: &Scene<'_>,
        _entry: &Entry,
        _tags: &[String],
    ) -> Option<Result<Vec<Change>, Refusal>> {
        None
    }

    /// The changes that delete records in the format's own way.
    fn delete(
        &self,
        _scene: &Scene<'_>,
        _entries: &[Entry],
        _reason: &str,
        _replaced_by: Option<&str>,
    ) -> Result<Vec<Change>, Refusal> {
        Err(Refusal::unfit("the format has no way to delete these."))
    }

    /// Copies that are to be made before a file is changed, and older ones that go for them.
    fn backups(&self, _store: &Store, _files: &[&Document], _now: Moment) -> Vec<Change> {
        Vec::new()
    }

    /// Another name for such a copy, where another writer has taken its own meanwhile.
    fn other_name(&self, _copy: &Path, _number: usize) -> Option<PathBuf> {
        None
    }

    /// The changes that archive records.
    fn archive(&self, _scene: &Scene<'_>, _entries: &[Entry]) -> Result<Vec<Change>, Refusal> {
        Err(Refusal::unfit("the format has no archive."))
    }

    /// The changes that bring records back from the archive.
    fn unarchive(&self, _scene: &Scene<'_>, _entries: &[Entry]) -> Result<Vec<Change>, Refusal> {
        Err(Refusal::unfit("the format has no archive."))
    }

    /// What a compaction drops, where the format has its own rule.
    fn compaction(&self, _scene: &Scene<'_>, _session: Option<&str>) -> Option<Result<Vec<Entry>, Refusal>> {
        None
    }

    /// The files of an empty store.
    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)>;

    /// The changes that make a session.
    fn new_session(
        &self,
        _scene: &Scene<'_>,
        _id: Option<&str>,
        _user: &str,
    ) -> Result<Vec<Change>, Refusal> {
        Err(Refusal::unfit("the format has no sessions."))
    }

    /// What a limit says of the store after changes that add to it; the documents are those
    /// afterwards.
    fn limits(
        &self,
        _store: &Store,
        _after: &[std::sync::Arc<Document>],
        _file: &Path,
    ) -> Result<(), Refusal> {
        Ok(())
    }
}

/// A record's value with a field set, and what else that brings.
pub fn set_field(
    writes: &dyn Writes,
    record: &[u8],
    set: &Setting<'_>,
    main: &str,
) -> Result<Vec<u8>, Refusal> {
    let mut tape = Tape::default();
    let value = edit::scan(&mut tape, record)?;
    let path = match set.name {
        "text" if value.get("text").is_none() => main.split('.').map(str::to_owned).collect(),
        name => writes.field(value, name),
    };
    let steps: Vec<&str> = path.iter().map(String::as_str).collect();
    let stands = steps.iter().try_fold(value, |at, step| match at.kind() {
        Kind::Array => at.items().nth(step.parse().ok()?),
        _ => at.get(step),
    });
    let is_text = match stands.map(|value| value.kind()) {
        Some(Kind::String) => true,
        Some(Kind::Null) | None => writes.is_text(&steps.join(".")),
        Some(_) => false,
    };
    let raw = match is_text {
        true => Cow::Owned(edit::quoted(set.value)),
        false => json(set)?,
    };
    Ok(edit::set(record, &steps, &raw)?)
}

/// A value that has to be JSON.
fn json<'a>(set: &Setting<'a>) -> Result<Cow<'a, str>, Refusal> {
    let mut tape = Tape::default();
    let text = set.value.trim();
    match edit::scan(&mut tape, text.as_bytes()) {
        // A line of JSON Lines stays one line.
        Ok(_) if text.contains(['\n', '\r']) => Ok(Cow::Owned(text.replace(['\n', '\r'], " "))),
        Ok(_) => Ok(Cow::Borrowed(text)),
        Err(_) => {
            Err(Refusal::invalid(format!("{:?} is no JSON, and `{}` is not a string.", set.value, set.name)))
        }
    }
}

/// A JSON list of texts.
pub fn list(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| edit::quoted(text)).collect();
    format!("[{}]", quoted.join(","))
}

/// Members to be written, in order: what a draft gives comes first where it names it.
#[derive(Debug, Default)]
pub struct Members {
    own: Vec<(String, String)>,
}

impl Members {
    /// The members of a draft's record; none where it has none.
    pub fn of(record: Option<&str>) -> Result<Members, Refusal> {
        let Some(record) = record else { return Ok(Members::default()) };
        let mut tape = Tape::default();
        let value = edit::scan(&mut tape, record.as_bytes())
            .map_err(|_| Refusal::invalid("the record is no JSON object."))?;
        if value.kind() != Kind::Object {
            return Err(Refusal::invalid("the record is no JSON object."));
        }
        let raw = |value: Json<'_>| String::from_utf8_lossy(value.raw()).replace(['\n', '\r'], " ");
        let own =
            value.members().map(|(key, value)| (key.text().unwrap_or_default().into_owned(), raw(value)));
        Ok(Members { own: own.collect() })
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.own.iter().rev().find(|(own, _)| own == name).map(|(_, raw)| raw.as_str())
    }

    /// Adds a member where the draft has none of that name.
    pub fn or(&mut self, name: &str, raw: impl Into<String>) {
        if self.get(name).is_none() {
            self.own.push((name.to_owned(), raw.into()));
        }
    }

    /// Adds a member that is a string.
    pub fn or_text(&mut self, name: &str, text: &str) {
        self.or(name, edit::quoted(text));
    }

    /// Sets a member, whatever the draft says.
    pub fn set(&mut self, name: &str, raw: String) {
        self.own.retain(|(own, _)| own != name);
        self.own.push((name.to_owned(), raw));
    }

    /// As one line, the members named first in that order.
    pub fn to_line(&self, first: &[&str]) -> Vec<u8> {
        let place = |name: &str| first.iter().position(|own| *own == name).unwrap_or(first.len());
        let mut members: Vec<&(String, String)> = self.own.iter().collect();
        members.sort_by_key(|(name, _)| place(name));
        let written: Vec<String> =
            members.iter().map(|(name, raw)| format!("{}:{raw}", edit::quoted(name))).collect();
        let mut line = format!("{{{}}}", written.join(",")).into_bytes();
        line.push(b'\n');
        line
    }
}

/// A UUID of version 4 from random bytes.
pub fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The document at a path, if the store has one.
pub fn document<'a>(documents: &'a [std::sync::Arc<Document>], path: &Path) -> Option<&'a Document> {
    documents.iter().find(|document| document.path == path).map(|document| &**document)
}
