//! What a format says of itself, and what it reads: the trait that each implements.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{Bytes, DecayTable, Document, Entry, Lock, Moment, Problem, Role, Session};
use crate::text::json::Json;

use super::detection::{Evidence, FolderProbe};
pub use super::placement::Placement;
pub(super) use super::placement::parts;
use super::record_reader::Reading;
use super::tuning::StoreTuning;
use super::writing::FormatWriter;

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordSyntax {
    /// A JSON value.
    Json,
    /// Markdown with front matter; the file is the record.
    Markdown,
    /// Any other text; the file is the record.
    Text,
}

/// What is the same of a format at all times.
pub struct FormatInfo {
    /// Its name in code and on the command line.
    pub name: &'static str,
    /// Where its stores are by default, below a project or below the home folder.
    pub place: &'static str,
    /// Whether its stores live in checkouts of a repository, where modes are not kept: what
    /// others may read is worth a note there, and a warning elsewhere.
    pub in_checkout: bool,
    /// Files outside its stores that are made from them, relative to the folder that a
    /// store at the default place is in. They are read to be judged, and never listed.
    pub outside_files: &'static [&'static str],
    /// Whether records without an id are known by their key.
    pub keys_are_ids: bool,
    /// The fields that its records have beside those that all formats have, by their
    /// names in the query language: `severity`, `status`, `agent`, …
    pub facets: &'static [&'static str],
    /// The names of members that a search does not look in: ids of other records, times
    /// and checksums, at any depth.
    pub unsearched: &'static [&'static str],
    /// The members that people read after the main text, in order: dotted names, each with a label. Prose in
    /// other members follows.
    pub reading_order: &'static [&'static str],
    /// What speaks for and against the folder being a store of this format. All formats are
    /// asked, and `store::find` judges.
    pub evidence: fn(&Path, &dyn FolderProbe) -> Evidence,
    /// What a path relative to the root is to the format.
    pub placement: fn(&Path, bool) -> Placement,
    /// Puts the files of a store together.
    pub assemble: fn(&AssemblyInput<'_>, Moment) -> Assembly,
    /// How its memories fade where no config says otherwise.
    pub decay: fn() -> DecayTable,
    /// A record's main text, and the dotted names of the members that hold it.
    pub main_text: fn(Json<'_>) -> (String, Vec<&'static str>),
}

/// One on-disk format. All of it is pure: bytes in, data out. What has a body here is
/// right for most formats.
pub trait Format: FormatWriter {
    /// What is the same of it at all times.
    fn about(&self) -> &'static FormatInfo;

    /// Its name in code and on the command line.
    fn name(&self) -> &'static str {
        self.about().name
    }

    /// What a path relative to the root is to the format.
    fn place(&self, path: &Path, is_folder: bool) -> Placement {
        (self.about().placement)(path, is_folder)
    }

    /// The session that alone has something at that path; none for what sessions share, and in formats that
    /// keep the memories of several sessions in one file.
    fn session_of(&self, _path: &Path) -> Option<String> {
        None
    }

    /// Where a session of that name has its files; empty in formats that keep the memories of several sessions
    /// in one file.
    fn session_paths(&self, _name: &str) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Reads one file.
    fn read(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading;

    /// Puts the files of a store together.
    fn assemble(&self, parts: &AssemblyInput<'_>, now: Moment) -> Assembly {
        (self.about().assemble)(parts, now)
    }

    /// The files outside its stores that their records name, relative to the folder that a store at
    /// the default place is in, or absolute. Those that are not there are problems.
    fn referenced_files(&self, _documents: &[Arc<Document>]) -> Vec<ReferencedFile> {
        Vec::new()
    }

    /// How the records of a file are written.
    fn syntax(&self, _path: &Path) -> RecordSyntax {
        RecordSyntax::Json
    }

    /// A record's main text, and the dotted names of the members that hold it.
    fn main_text(&self, value: Json<'_>) -> (String, Vec<&'static str>) {
        (self.about().main_text)(value)
    }

    /// Whether a record has a text.
    fn has_text(&self, record: Json<'_>) -> bool {
        super::lost_text::has_own_text(self, record)
    }

    /// The tables that queries saved in a store of it may read; none where it saves no queries.
    fn tables(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether the records of a file are in that table.
    fn is_in_table(&self, _path: &Path, _table: &str) -> bool {
        false
    }

    /// Whether a file is a saved query.
    fn is_query(&self, _path: &Path) -> bool {
        false
    }

    /// How writers of those files, relative to the root and of one session at most, keep apart.
    fn lock(&self, _files: &[&Path]) -> Lock {
        Lock::None
    }

    /// What a config says of locks and of what is kept; `None` where the format has no such settings.
    fn tuning(&self) -> Option<fn(Option<Json<'_>>) -> StoreTuning> {
        None
    }

    /// The form of a record of that file and type.
    fn form(
        &self,
        _path: &Path,
        _kind: &str,
        _record: &[u8],
        _now: Moment,
    ) -> super::record_form::RecordForm {
        super::record_form::RecordForm::default()
    }

    /// Whether a store can be put together from the records of such logs alone, without their bytes;
    /// of an index, whether nothing but problems of files comes from it.
    fn reads_without_bytes(&self, _role: Role) -> bool {
        false
    }

    /// Whether a file of that role is read by what it is an object of, without the members of those: a large
    /// one is not held then, and is looked through piece by piece.
    fn is_streamed(&self, _role: Role) -> bool {
        false
    }

    /// Whether others append to that file: their late lines are taken over.
    fn is_append_log(&self, path: &Path) -> bool {
        path.extension().is_some_and(|end| end == "jsonl")
    }

    /// Whether a change of that file holds only for the very bytes that it was made of, so
    /// that whatever others wrote meanwhile is a conflict, and nothing is fitted to it.
    fn forbids_rebase(&self, _path: &Path) -> bool {
        false
    }

    /// What the files that are derived from the records should hold, for whatever concerns
    /// the files in `touched`: those that are up to date may be among them.
    fn derived(&self, _parts: &AssemblyInput<'_>, _touched: &[PathBuf], _now: Moment) -> Vec<DerivedFile> {
        Vec::new()
    }
}

/// What a derived file should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedFile {
    /// Relative to the root.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Bytes,
}

/// What was found on disk below a store's root.
pub struct AssemblyInput<'a> {
    /// The files that were read, or only seen, sorted by path.
    pub documents: &'a [Arc<Document>],
    /// The folders that were entered.
    pub folders: &'a [PathBuf],
    /// The locks, with what the system says of their holders.
    pub locks: &'a [LockFact],
    /// The files outside the store that its format names, those that are there; `None`
    /// where it is not at its default place, or not everything was read.
    pub outside_files: Option<&'a [(PathBuf, Vec<u8>)]>,
}

/// A file outside a store that a record of it names.
#[derive(Clone, Debug)]
pub struct ReferencedFile {
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
