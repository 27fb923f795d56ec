//! Stores as they were when they were read: immutable, shared between threads.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::bytes::Bytes;
use super::decay::DecayTable;
use super::document::Document;
pub use super::document::Generation;
use super::key::{Key, file_digest};
use super::lazy_bytes::RecordReader;
use super::path_text::PathText;
use super::plan::Change;
use super::problem::{Code, Problem, Severity};
use super::record::Record;
use super::references::ReferenceIndex;
use super::time::Moment;
use super::view::View;
use super::whole_store::UnreadPath;

/// Whether a record counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// It counts.
    Live,
    /// It was moved aside, or says so itself.
    Archived,
    /// A tombstone names it.
    Deleted,
    /// It can't be read.
    Broken,
}

impl State {
    /// The word in `--json` and after `is:`.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Live => "live",
            State::Archived => "archived",
            State::Deleted => "deleted",
            State::Broken => "broken",
        }
    }
}

/// A record's place in a store: which document, which record in it, and what the
/// other documents say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Index into `Store::documents`.
    pub document: u32,
    /// Index into `Document::records`.
    pub record: u32,
    /// Index into `Store::sessions`, for formats that have sessions.
    pub session: Option<u32>,
    /// Whether it counts.
    pub state: State,
}

/// One session of a store.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its name: the folder's. Untrusted text.
    pub name: String,
    /// Its folder relative to the store's root.
    pub path: PathBuf,
    /// How its memories fade.
    pub decay: DecayTable,
    /// When it was created, from its metadata.
    pub created: Option<Moment>,
    /// The sum of the bytes that count toward its limit.
    pub size: u64,
    /// That limit, if the format has one.
    pub limit: Option<u64>,
    /// Where it is in its life, for formats that say: `active`, `idle`, `archived`.
    pub lifecycle: Option<&'static str>,
}

/// How much of the stores has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The newest entries alone; counts and ranks follow.
    Tail,
    /// Everything, to be shown and searched: the bytes of long logs are read again when they are asked
    /// for, and problems of files as such are not gathered. No plan is made of it.
    Listed,
    /// The same with all problems. Indexes were read to be judged and are not kept.
    Judged,
    /// Everything, and all bytes are held.
    Whole,
}

/// One store, as it was read.
#[derive(Clone, Debug)]
pub struct Store {
    /// Its folder, as the user or the discovery named it.
    pub root: PathBuf,
    /// The format's name in code and on the command line.
    pub format: &'static str,
    /// How much was read.
    pub extent: Extent,
    /// The part that was read, where that is not all. It says nothing of the rest.
    pub scope: Option<StoreScope>,
    /// Its sessions by name; empty for formats without.
    pub sessions: Vec<Session>,
    /// Its files, by path.
    pub documents: Vec<Arc<Document>>,
    /// Every listed record, in the order of documents and within them.
    pub entries: Vec<Entry>,
    /// What is wrong, sorted by file and line. Empty in a [`Extent::Tail`] store.
    pub problems: Vec<Problem>,
    /// Indices into `problems` by (document, record), sorted.
    pub problems_by_record: Vec<(u32, u32, u32)>,
    /// What other files say of an entry, as (index into `entries`, name, value), sorted.
    pub facts: Vec<(u32, &'static str, String)>,
    /// How memories fade that belong to no session.
    pub decay: DecayTable,
    /// The sum of its files' bytes.
    pub bytes: u64,
    /// When its files were last changed.
    pub modified: Option<Moment>,
    /// Files of our own in its folders, relative to the root, and beside it (`..`): see `store::commit`.
    pub own_files: Vec<PathBuf>,
    /// What could not be read, sorted. See [`Store::whole`].
    pub unread: Vec<UnreadPath>,
    /// The files outside the store that are made from it, relative to the folder around it.
    pub outside_files: Vec<(PathBuf, Bytes)>,
}

/// The part of a store that is read alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreScope {
    /// Its session.
    pub session: String,
    /// The id of its records in long logs of the session, where the others are not read and the indexes are
    /// left for later.
    pub record: Option<String>,
}

impl StoreScope {
    /// A whole session.
    pub fn of_session(session: &str) -> StoreScope {
        StoreScope { session: session.to_owned(), record: None }
    }
}

impl Store {
    /// Whether of long logs no more was read than the records of one id.
    pub fn is_of_one_record(&self) -> bool {
        self.scope.as_ref().is_some_and(|only| only.record.is_some())
    }

    /// The files that have another name outside the store (a hard link).
    pub fn with_other_names(&self) -> impl Iterator<Item = &Path> {
        let of_one = |own: &&Problem| own.code == Code::LinkOutside && own.severity == Severity::Note;
        self.problems.iter().filter(of_one).map(|own| own.file.as_path())
    }

    /// What is said of a plan that rewrites or removes files with several names.
    pub fn other_names(&self, changes: &[Change]) -> impl Iterator<Item = String> {
        let has_other = |path: &Path| self.with_other_names().any(|own| own == path);
        changes.iter().filter(|own| own.replaces()).filter(move |own| has_other(&own.path)).map(|own| {
            format!("{} has a second name (a hard link), which keeps the old content", own.path.to_text())
        })
    }

    /// The document of an entry.
    pub fn document(&self, entry: &Entry) -> &Document {
        &self.documents[entry.document as usize]
    }

    /// The document of a file, by its path relative to the root.
    pub fn document_at(&self, path: &Path) -> Option<&Document> {
        let at = self.documents.binary_search_by(|own| (*own.path).cmp(path)).ok()?;
        self.documents.get(at).map(|own| &**own)
    }

    /// The record of an entry.
    pub fn record(&self, entry: &Entry) -> &Record {
        &self.document(entry).records[entry.record as usize]
    }

    /// The typed view of an entry, if it could be read.
    pub fn view(&self, entry: &Entry) -> Option<View<'_>> {
        self.record(entry).view()
    }

    /// Whether an entry could be read.
    pub fn is_readable(&self, entry: &Entry) -> bool {
        self.record(entry).view().is_some()
    }

    /// The exact bytes of an entry.
    pub fn raw(&self, entry: &Entry) -> Cow<'_, [u8]> {
        let document = self.document(entry);
        document.raw(&document.records[entry.record as usize])
    }

    /// The bytes of an entry, also where they are not held; `None` where its file changed since and
    /// they are gone.
    pub fn read(&self, entry: &Entry) -> Option<Cow<'_, [u8]>> {
        self.document(entry).read(entry.record)
    }

    /// The session of an entry.
    pub fn session(&self, entry: &Entry) -> Option<&Session> {
        entry.session.map(|index| &self.sessions[index as usize])
    }

    /// How an entry fades.
    pub fn decay(&self, entry: &Entry) -> &DecayTable {
        self.session(entry).map_or(&self.decay, |session| &session.decay)
    }

    /// What is wrong with an entry.
    pub fn problems_of(&self, entry: &Entry) -> impl Iterator<Item = &Problem> {
        let place = (entry.document, entry.record);
        let from = self.problems_by_record.partition_point(|&(d, r, _)| (d, r) < place);
        self.problems_by_record[from..]
            .iter()
            .take_while(move |&&(d, r, _)| (d, r) == place)
            .map(|&(_, _, problem)| &self.problems[problem as usize])
    }

    /// What other files say of the entry of that index: names and values. Untrusted text.
    pub fn facts_of(&self, entry: u32) -> impl Iterator<Item = (&str, &str)> {
        let from = self.facts.partition_point(|(own, ..)| *own < entry);
        let own = self.facts[from..].iter().take_while(move |(own, ..)| *own == entry);
        own.map(|(_, name, value)| (*name, value.as_str()))
    }

    /// The store with those problems besides, in their order.
    pub fn with_problems(mut self, more: impl IntoIterator<Item = Problem>) -> Store {
        self.problems.extend(more);
        self.problems.sort_by(|a, b| (&a.file, a.line, a.code).cmp(&(&b.file, b.line, b.code)));
        self.problems_by_record = by_record(&self.documents, &self.problems);
        self
    }

    /// How many problems of each severity: errors, warnings, notes.
    pub fn problem_counts(&self) -> [usize; 3] {
        let count = |severity| self.problems.iter().filter(|p| p.severity == severity).count();
        [count(Severity::Error), count(Severity::Warning), count(Severity::Note)]
    }

    /// How many entries are in `state`.
    pub fn count(&self, state: State) -> usize {
        self.entries.iter().filter(|entry| entry.state == state).count()
    }

    /// The place of an entry among all, which are in the order of files and records.
    pub fn number_of(&self, entry: &Entry) -> Option<u32> {
        let place = |entry: &Entry| (entry.document, entry.record);
        let at = self.entries.binary_search_by_key(&place(entry), place).ok()?;
        Some(at as u32)
    }

    /// The entry that a key names; `None` where its record has changed or gone.
    pub fn entry_of_key(&self, key: &Key) -> Option<u32> {
        let named = (0..).zip(&self.documents);
        let mut named = named.filter(|(_, own)| file_digest(&self.root, &own.path) == key.file);
        named.find_map(|(document, own)| self.entry_number(document, own.records_of_key(key).next()?))
    }

    /// The number of the entry of a record, by the indices of its document and in it.
    pub fn entry_number(&self, document: u32, record: u32) -> Option<u32> {
        self.number_of(&Entry { document, record, session: None, state: State::Live })
    }

    /// The key of an entry: it names that record wherever it moves in its file.
    pub fn key(&self, entry: &Entry) -> String {
        self.document(entry).key(&self.root, entry.record).to_string()
    }
}

fn by_record(documents: &[Arc<Document>], problems: &[Problem]) -> Vec<(u32, u32, u32)> {
    let mut places: Vec<(u32, u32, u32)> = Vec::new();
    for (number, problem) in problems.iter().enumerate() {
        let Some(record) = problem.record else { continue };
        if let Ok(document) = documents.binary_search_by(|document| document.path.cmp(&problem.file)) {
            places.push((document as u32, record, number as u32));
        }
    }
    places.sort_unstable();
    places
}

/// One entry of one store of a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryRef {
    /// Index into `Snapshot::stores`.
    pub store: u32,
    /// Index into `Store::entries`.
    pub entry: u32,
}

/// Several stores, as they were read.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The stores, in the order in which they were named or found.
    pub stores: Vec<Arc<Store>>,
    references: OnceLock<Arc<ReferenceIndex>>,
}

impl Snapshot {
    /// Stores as they were read, in that order.
    pub fn of(stores: Vec<Arc<Store>>) -> Snapshot {
        Snapshot { stores, references: OnceLock::new() }
    }

    /// Which entry refers to which; sorted out when it is first asked for.
    pub fn references(&self) -> &ReferenceIndex {
        let of = || Arc::new(ReferenceIndex::of(self.stores.iter().map(|store| &**store)));
        self.references.get_or_init(of)
    }

    /// The same with the bytes of one memory held, for who looks at it closely; `None` where they are gone.
    pub fn with_bytes_of(&self, at: EntryRef) -> Option<Snapshot> {
        let (store, entry) = self.get(at);
        let document = store.document(entry);
        if document.record_reader.is_none() {
            return Some(self.clone());
        }
        let (bytes, offset) =
            (document.read(entry.record)?.into_owned().into(), store.record(entry).span.start);
        let mut own = store.clone();
        own.documents[entry.document as usize] = Arc::new(Document { bytes, offset, ..document.clone() });
        let mut stores = self.stores.clone();
        stores[at.store as usize] = Arc::new(own);
        Some(Snapshot { stores, references: self.references.clone() })
    }

    /// The store and entry that a reference names.
    pub fn get(&self, at: EntryRef) -> (&Store, &Entry) {
        let store = &self.stores[at.store as usize];
        (store, &store.entries[at.entry as usize])
    }

    /// References to every entry.
    pub fn entries(&self) -> impl Iterator<Item = EntryRef> + '_ {
        self.stores.iter().enumerate().flat_map(|(store, s)| {
            (0..s.entries.len()).map(move |entry| EntryRef { store: store as u32, entry: entry as u32 })
        })
    }

    /// The files whose bytes were gone when they were asked for: they changed since they were read.
    pub fn changed(&self) -> impl Iterator<Item = (&Store, &Document)> {
        let files =
            self.stores.iter().flat_map(|own| own.documents.iter().map(move |file| (&**own, &**file)));
        files.filter(|(_, file)| file.record_reader.as_ref().is_some_and(RecordReader::has_changed))
    }

    /// Whether everything has been read.
    pub fn is_whole(&self) -> bool {
        self.stores.iter().all(|store| store.extent != Extent::Tail)
    }
}
