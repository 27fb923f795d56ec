//! Stores as they were when they were read: immutable, shared between threads.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::Serialize;

pub use super::document::Generation;
use super::key::file_digest;
use super::{
    ArchivedItem, Bytes, Change, Code, DecayTable, Document, Key, KnownBy, LoadSettings, Moment, PathText,
    Problem, Project, Record, ReferenceIndex, Severity, StoredMemory, Unloaded, UnreadPath,
};

/// The name of the fact that a model gets nothing of a record when an agent starts, because it is beyond a limit, or
/// because what leads to it is. The value says why.
pub const UNSEEN: &str = "unseen";

/// The state of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// It is neither archived nor deleted.
    Live,
    /// It was moved out of the live files, or it says itself that it is archived.
    Archived,
    /// A tombstone names it.
    Deleted,
    /// It can't be read.
    Broken,
}

impl State {
    /// Returns the word in `--json` and after `is:`.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Live => "live",
            State::Archived => "archived",
            State::Deleted => "deleted",
            State::Broken => "broken",
        }
    }
}

/// The place of a record in a store, and what other documents say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Index into `Store::documents`.
    pub document: u32,
    /// Index into `Document::records`.
    pub record: u32,
    /// Index into `Store::sessions`, for formats that have sessions.
    pub session: Option<u32>,
    pub state: State,
}

/// One session of a store.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its name, which is that of its folder. Untrusted text.
    pub name: String,
    /// Its folder relative to the store's root.
    pub path: PathBuf,
    /// The decay of its memories.
    pub decay: DecayTable,
    /// The time of its creation, from its metadata.
    pub created: Option<Moment>,
    /// The number of bytes that count toward its limit.
    pub size: u64,
    /// The limit, if the format has one.
    pub limit: Option<u64>,
    /// Its stage, in formats that have stages.
    pub lifecycle: Option<Lifecycle>,
}

/// The stage of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lifecycle {
    /// It is written to.
    Active,
    /// It was not written to for a while.
    Idle,
    /// It is packed into an archive.
    Archived,
}

impl Lifecycle {
    /// Returns the word in `--json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Lifecycle::Active => "active",
            Lifecycle::Idle => "idle",
            Lifecycle::Archived => "archived",
        }
    }
}

/// How much of the stores has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Only the newest entries, for the first frame. Counts, ranks and problems come later.
    #[default]
    Newest,
    /// All memories. Indexes are not read, and problems of files as such are not collected: that would take a third
    /// longer, and a list shows none of it. No plan is made of it.
    Memories,
    /// Everything but the signs that a text may show, as orders to a model: to find them takes most of the time.
    Texts,
    /// Everything.
    All,
}

/// One store, as it was read.
#[derive(Clone, Debug, Default)]
pub struct Store {
    /// Its folder, as the user or the search for stores names it.
    pub root: PathBuf,
    /// The format's name in code and on the command line.
    pub format: &'static str,
    /// True if an entry without a time has that of its file.
    pub has_file_times: bool,
    /// How much of it was read.
    pub extent: Extent,
    /// The session that was read, if not all were. Nothing is known about the rest.
    pub scope: Option<String>,
    /// The project that its memories are about, if it is known.
    pub project: Option<Project>,
    /// How its folder is known.
    pub known_by: KnownBy,
    /// Why no agent loads its memories, if that is sure.
    pub unloaded: Option<Unloaded>,
    /// Its sessions by name; empty in a format without sessions.
    pub sessions: Vec<Session>,
    /// Its files, by path.
    pub documents: Vec<Arc<Document>>,
    /// Every listed record, in the order of documents and within them.
    pub entries: Vec<Entry>,
    /// Its problems, sorted by file and line. Empty in a [`Extent::Newest`] store.
    pub problems: Vec<Problem>,
    /// Indices into `problems` by (document, record), sorted.
    pub problems_by_record: Vec<(u32, u32, u32)>,
    /// What other files say about an entry, as (index into `entries`, name, value), sorted.
    pub facts: Vec<(u32, &'static str, String)>,
    /// The decay of memories without a session.
    pub decay: DecayTable,
    /// The total size of its files, in bytes.
    pub bytes: u64,
    /// The time of the last change of its files.
    pub modified: Option<Moment>,
    /// palimp's own files in its folders, relative to the root, and beside it (`..`): see `store::write`.
    pub own_files: Vec<PathBuf>,
    /// The files that have an access list, sorted.
    pub access_lists: Vec<PathBuf>,
    /// What could not be read, sorted. See [`Store::whole`].
    pub unread: Vec<UnreadPath>,
    /// The files outside the store that are made from it, relative to the folder around it.
    pub outside_files: Vec<(PathBuf, Bytes)>,
    /// What files beside it say about what a program loads of it.
    pub load_settings: LoadSettings,
    /// The memories of palimp's own archive, if the store was listed with them.
    pub archived: Vec<Arc<ArchivedItem>>,
}

impl Store {
    /// Returns the files that have another name outside the store (a hard link).
    pub fn with_other_names(&self) -> impl Iterator<Item = &Path> {
        let of_one = |own: &&Problem| own.code == Code::LinkOutside && own.severity == Severity::Note;
        self.problems.iter().filter(of_one).map(|own| own.file.as_path())
    }

    /// Returns the notes for a plan that rewrites or removes files with several names or with an access list.
    pub fn notes_on_replaced(&self, changes: &[Change]) -> impl Iterator<Item = String> {
        let has_other = |path: &Path| self.with_other_names().any(|own| own == path);
        changes.iter().filter(|own| own.replaces()).flat_map(move |own| {
            let path = own.path.to_text();
            let other = has_other(&own.path)
                .then(|| format!("{path} has a second name (a hard link), which keeps the old content"));
            let list = (self.access_lists.binary_search(&own.path).is_ok()).then(|| {
                format!("{path} loses its access list: those whom it names get no more than all others")
            });
            [other, list].into_iter().flatten()
        })
    }

    pub fn document(&self, entry: &Entry) -> &Document {
        &self.documents[entry.document as usize]
    }

    /// Groups entries by document.
    pub fn by_document(&self, entries: &[Entry]) -> Vec<(Arc<Document>, Vec<Entry>)> {
        let mut files: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
        for entry in entries {
            files.entry(entry.document).or_default().push(*entry);
        }
        files.into_iter().map(|(at, own)| (Arc::clone(&self.documents[at as usize]), own)).collect()
    }

    /// Returns the document of a file, by its path relative to the root.
    pub fn document_at(&self, path: &Path) -> Option<&Document> {
        let at = self.documents.binary_search_by(|own| (*own.path).cmp(path)).ok()?;
        self.documents.get(at).map(|own| &**own)
    }

    pub fn record(&self, entry: &Entry) -> &Record {
        &self.document(entry).records[entry.record as usize]
    }

    /// Returns the memory of an entry, if it could be read.
    pub fn memory(&self, entry: &Entry) -> Option<&StoredMemory> {
        self.record(entry).memory()
    }

    /// Returns the id of an entry, if it could be read and has one.
    pub fn id(&self, entry: &Entry) -> Option<&str> {
        self.record(entry).id()
    }

    /// True if an entry could be read.
    pub fn is_readable(&self, entry: &Entry) -> bool {
        self.memory(entry).is_some()
    }

    /// Returns the exact bytes of an entry.
    pub fn raw(&self, entry: &Entry) -> Cow<'_, [u8]> {
        let document = self.document(entry);
        document.raw(&document.records[entry.record as usize])
    }

    pub fn session(&self, entry: &Entry) -> Option<&Session> {
        entry.session.map(|index| &self.sessions[index as usize])
    }

    /// True if it is of a project, or in its folder.
    pub fn is_of(&self, project: &Project) -> bool {
        self.project.as_ref().is_some_and(|own| own.is_same(project)) || self.root.starts_with(&project.path)
    }

    pub fn decay(&self, entry: &Entry) -> &DecayTable {
        self.session(entry).map_or(&self.decay, |session| &session.decay)
    }

    pub fn problems_of(&self, entry: &Entry) -> impl Iterator<Item = &Problem> {
        let place = (entry.document, entry.record);
        let from = self.problems_by_record.partition_point(|&(d, r, _)| (d, r) < place);
        self.problems_by_record[from..]
            .iter()
            .take_while(move |&&(d, r, _)| (d, r) == place)
            .map(|&(_, _, problem)| &self.problems[problem as usize])
    }

    /// Returns what other files say about the entry of that index: names and values. Untrusted text.
    pub fn facts_of(&self, entry: u32) -> impl Iterator<Item = (&str, &str)> {
        let from = self.facts.partition_point(|(own, ..)| *own < entry);
        let own = self.facts[from..].iter().take_while(move |(own, ..)| *own == entry);
        own.map(|(_, name, value)| (*name, value.as_str()))
    }

    /// True if a model gets nothing of an entry at the start, because of a limit.
    pub fn is_unseen(&self, entry: &Entry) -> bool {
        let number = if self.facts.is_empty() { None } else { self.number_of(entry) };
        number.is_some_and(|number| self.facts_of(number).any(|(name, _)| name == UNSEEN))
    }

    /// Adds problems, in their order.
    pub fn with_problems(mut self, more: impl IntoIterator<Item = Problem>) -> Store {
        self.problems.extend(more);
        self.problems.sort_by(|a, b| (&a.file, a.line, a.code).cmp(&(&b.file, b.line, b.code)));
        self.problems_by_record = by_record(&self.documents, &self.problems);
        self
    }

    pub fn problem_counts(&self) -> [usize; 3] {
        let count = |severity| self.problems.iter().filter(|p| p.severity == severity).count();
        [count(Severity::Error), count(Severity::Warning), count(Severity::Note)]
    }

    /// Returns the number of entries in `state`.
    pub fn count(&self, state: State) -> usize {
        self.entries.iter().filter(|entry| entry.state == state).count()
    }

    /// Returns the index of an entry among all, which are in the order of files and records.
    pub fn number_of(&self, entry: &Entry) -> Option<u32> {
        let place = |entry: &Entry| (entry.document, entry.record);
        let at = self.entries.binary_search_by_key(&place(entry), place).ok()?;
        Some(at as u32)
    }

    /// Returns the entry that a key names. `None` if its record has changed or gone.
    pub fn entry_of_key(&self, key: &Key) -> Option<u32> {
        let named = (0..).zip(&self.documents);
        let mut named = named.filter(|(_, own)| file_digest(&self.root, &own.path) == key.file);
        named.find_map(|(document, own)| self.entry_number(document, own.records_of_key(key).next()?))
    }

    /// Returns the index of the entry of a record, by the indices of the document and the record.
    pub fn entry_number(&self, document: u32, record: u32) -> Option<u32> {
        self.number_of(&Entry { document, record, session: None, state: State::Live })
    }

    /// Returns the key of an entry. It names the record wherever it moves in its file.
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

/// A reference to one entry of one store of a snapshot.
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
    /// Creates a snapshot of stores in that order.
    pub fn of(stores: Vec<Arc<Store>>) -> Snapshot {
        Snapshot { stores, references: OnceLock::new() }
    }

    /// Returns the references between entries, computed at the first call.
    pub fn references(&self) -> &ReferenceIndex {
        let of = || Arc::new(ReferenceIndex::of(self.stores.iter().map(|store| &**store)));
        self.references.get_or_init(of)
    }

    pub fn get(&self, at: EntryRef) -> (&Store, &Entry) {
        let store = &self.stores[at.store as usize];
        (store, &store.entries[at.entry as usize])
    }

    pub fn entries(&self) -> impl Iterator<Item = EntryRef> + '_ {
        self.stores.iter().enumerate().flat_map(|(store, s)| {
            (0..s.entries.len()).map(move |entry| EntryRef { store: store as u32, entry: entry as u32 })
        })
    }

    /// True if all entries were read.
    pub fn is_whole(&self) -> bool {
        self.stores.iter().all(|store| store.extent != Extent::Newest)
    }
}
