//! How the records of a format are written: what a user may do, and the bytes it comes to.
//! All of it is pure. What has a body here is right for most formats.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::{Change, Document, Entry, Moment, State, Store};
use crate::text::edit::{self, EditError};
use crate::text::json::{Json, Kind};
use crate::text::lines;
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
    /// Compressed files as they are on disk, those that [`Writes::packed`] names: a store
    /// holds what was unpacked from them.
    pub packed: &'a BTreeMap<PathBuf, Vec<u8>>,
}

/// No compressed files, for whatever needs none.
pub static NO_PACKED: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();

/// A field to be set.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// The format's own name, dotted where nested; or `text`, the main text wherever it stands.
    pub name: &'a str,
    /// JSON where the field is no string, else the text as it is.
    pub value: &'a str,
}

/// Something that is due.
#[derive(Clone, Debug)]
pub struct Due {
    /// A few words.
    pub what: String,
    /// How many records it concerns.
    pub records: usize,
    /// The changes.
    pub changes: Vec<Change>,
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

    /// The same for what is no edit of its content: a checksum.
    fn signed(&self, _before: Json<'_>, after: Vec<u8>, _now: Moment) -> Result<Vec<u8>, Refusal> {
        Ok(after)
    }

    /// The changes that add a record.
    fn add(&self, _scene: &Scene<'_>, draft: &Draft<'_>) -> Result<Vec<Change>, Refusal> {
        Err(Refusal::unfit(format!("a {:?} can't be added to this format.", draft.kind)))
    }

    /// The records that go when one is added that brings `bytes`: where a full log is compacted
    /// by itself.
    fn makes_room(&self, _scene: &Scene<'_>, _draft: &Draft<'_>, _bytes: u64) -> Result<Vec<Entry>, Refusal> {
        Ok(Vec::new())
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

    /// The changes that take back what the format's own way of deletion did; `None` where
    /// that is a tombstone, or keeps nothing.
    fn undelete(&self, _scene: &Scene<'_>, _entries: &[Entry]) -> Option<Result<Vec<Change>, Refusal>> {
        None
    }

    /// Copies that are to be made before a file is changed, and older ones that go for them.
    fn backups(&self, _store: &Store, _files: &[&Document], _now: Moment) -> Vec<Change> {
        Vec::new()
    }

    /// The records that are archived, or brought back, together with these: themselves where
    /// each can be alone.
    fn together(&self, _store: &Store, entries: &[Entry]) -> Vec<Entry> {
        entries.to_vec()
    }

    /// The compressed files whose bytes on disk it takes to archive these records, or to
    /// bring them back.
    fn packed(&self, _store: &Store, _entries: &[Entry]) -> Vec<PathBuf> {
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

    /// The changes that archive a whole session.
    fn archive_session(&self, _scene: &Scene<'_>, _name: &str) -> Result<Vec<Change>, Refusal> {
        Err(Refusal::unfit("the format has no archive of sessions."))
    }

    /// The changes that bring a whole session back, of which `packed` is the archive.
    /// `allow_large` lifts limits of size, and no other check.
    fn unarchive_session(
        &self,
        _scene: &Scene<'_>,
        _name: &str,
        _allow_large: bool,
        _packed: &[u8],
    ) -> Result<Vec<Change>, Refusal> {
        Err(Refusal::unfit("the format has no archive of sessions."))
    }

    /// What a compaction drops, where the format has its own rule.
    fn compaction(&self, _scene: &Scene<'_>, _session: Option<&str>) -> Option<Result<Vec<Entry>, Refusal>> {
        None
    }

    /// The changes of a compaction, where it is not only that records go.
    fn compact(&self, _scene: &Scene<'_>, _session: Option<&str>) -> Option<Result<Vec<Change>, Refusal>> {
        None
    }

    /// The members that say when a record was accessed last and how often, as they are to be.
    fn accessed(&self, _record: Json<'_>, _now: Moment) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The members of a record that are caches of how far it has faded, as they are to be.
    fn faded(&self, _scene: &Scene<'_>, _entry: &Entry) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// What is due by the format's rules and the store's own config: each a few words that
    /// say what, how many records it concerns, and the changes.
    fn due(&self, _scene: &Scene<'_>) -> Result<Vec<Due>, Refusal> {
        Ok(Vec::new())
    }

    /// The changes that bring files of an older version to this one, each backed up first.
    fn migration(&self, _scene: &Scene<'_>) -> Result<Vec<Change>, Refusal> {
        Ok(Vec::new())
    }

    /// The file of which a new one is a copy, and whose faults it has therefore.
    fn origin(&self, _new: &Path) -> Option<&'static Path> {
        None
    }

    /// What a person is to know of changes before they are made, as sentences.
    fn told(&self, _store: &Store, _changes: &[Change]) -> Vec<String> {
        Vec::new()
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

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|(name, _)| name.as_str())
    }

    /// The value of that name as a text; `None` where it is absent or `null`.
    ///
    /// # Errors
    ///
    /// If it is anything else.
    pub fn text(&self, name: &str) -> Result<Option<String>, Refusal> {
        let Some(raw) = self.get(name) else { return Ok(None) };
        let mut tape = Tape::default();
        let value = edit::scan(&mut tape, raw.as_bytes())?;
        match value.text() {
            Some(text) => Ok(Some(text.into_owned())),
            None if value.is_null() => Ok(None),
            None => Err(Refusal::invalid(format!("`{name}` has to be a text; it is {raw}."))),
        }
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

/// The changes that bring the caches of decay up to date, as something due; none where all
/// are. Records that stand in archives are left alone.
pub fn decay_update(writes: &dyn Writes, scene: &Scene<'_>) -> Option<Due> {
    let mut edits: BTreeMap<u32, Vec<(std::ops::Range<usize>, Vec<u8>)>> = BTreeMap::new();
    let mut records = 0;
    for entry in scene.store.entries.iter().filter(|entry| entry.state == State::Live) {
        let raw = scene.store.raw(entry);
        let new = with_members(writes, raw, &writes.faded(scene, entry), scene.now);
        if let Some(new) = new.filter(|new| *new != raw) {
            let span = scene.store.record(entry).span;
            records += 1;
            edits.entry(entry.document).or_default().push((span.start as usize..span.end as usize, new));
        }
    }
    let change = |(at, edits): (u32, Vec<_>)| {
        let document = &scene.store.documents[at as usize];
        Change::edits(&document.path, (&*document.bytes).into(), edits)
    };
    let changes = edits.into_iter().map(change).collect();
    (records > 0).then(|| Due { what: "bring decay factors up to date".into(), records, changes })
}

/// A record with members set that are no edit of its content, signed anew where it is signed.
/// Members whose value is the same number stay as they are written.
pub fn with_members(
    writes: &dyn Writes,
    record: &[u8],
    members: &[(&'static str, String)],
    now: Moment,
) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let before = edit::scan(&mut tape, record).ok()?;
    let same = |name: &str, raw: &str| {
        let stored = before.get(name);
        let number = stored.and_then(|value| value.number());
        stored.is_some_and(|value| value.raw() == raw.as_bytes())
            || number
                .zip(raw.parse().ok())
                .is_some_and(|(stored, new): (f64, f64)| (stored - new).abs() < 5e-5)
    };
    let new: Vec<&(&str, String)> = members.iter().filter(|(name, raw)| !same(name, raw)).collect();
    if new.is_empty() {
        return Some(record.to_vec());
    }
    let mut after = record.to_vec();
    for (name, raw) in new {
        after = edit::set(&after, &[name], raw).ok()?;
    }
    writes.signed(before, after, now).ok()
}

/// The changes that take records out of their files; a file that is one record goes whole.
pub fn removals(store: &Store, entries: &[Entry]) -> Vec<Change> {
    let mut files: BTreeMap<u32, Vec<crate::model::Span>> = BTreeMap::new();
    for entry in entries {
        files.entry(entry.document).or_default().push(store.record(entry).span);
    }
    let change = |(at, spans): (u32, Vec<crate::model::Span>)| {
        let document = &store.documents[at as usize];
        let base: std::sync::Arc<[u8]> = (&*document.bytes).into();
        match document.path.extension().is_some_and(|end| end == "jsonl") {
            true => Change::edits(&document.path, base, lines::holes(&document.bytes, &spans)),
            false => Change::remove(&document.path, base),
        }
    };
    files.into_iter().map(change).collect()
}
