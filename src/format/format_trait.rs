//! The trait that each format implements: what the format is and how it reads.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{
    AgentHome, Bytes, DecayTable, Document, Entry, KnownBy, LoadSettings, LoadedFile, Lock, Moment, Problem,
    Project, Role, Session, SurroundingPattern, Unloaded,
};
use crate::text::front_matter::YamlField;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;
use crate::text::second_version::{set_aside, without_editors_mark};

use super::detection::{Evidence, FolderProbe, Placement};
use super::record_form::RecordForm;
use super::record_reader::Reading;
use super::store_place::{InstructionPlace, StorePlace};
use super::tuning::StoreTuning;
use super::writing::FormatWriter;

/// Splits a relative path into names, to compare them only: non-UTF-8 parts may be replaced.
pub(super) fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

/// The placeholder for a lost text.
pub const LOST_TEXT: &str = "(lost)";

/// True if a text has a visible character and is not the placeholder for a lost text.
pub fn is_text(text: &str) -> bool {
    let says = |own: char| !own.is_whitespace() && !own.is_control() && own != char::REPLACEMENT_CHARACTER;
    text.trim() != LOST_TEXT && text.contains(says)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordSyntax {
    /// A JSON value.
    Json,
    /// Markdown with front matter. The file is the record.
    Markdown,
    /// Any other text. The file is the record.
    Text,
}

/// A table that saved queries may read: the memories of one kind.
pub struct SavedQueryTable {
    pub name: &'static str,
    /// The members that the specification names, in lower case. Memories may have others.
    pub members: &'static [&'static str],
}

/// The constant facts of a format.
pub struct FormatInfo {
    /// Its name in code and on the command line.
    pub name: &'static str,
    /// The default places of its stores, the usual one first: palimp says if that one is empty. None if they may
    /// be anywhere.
    pub places: &'static [StorePlace],
    /// True if its stores are in checkouts, which don't keep modes. A file that others can read is
    /// then a note, else a warning.
    pub in_checkout: bool,
    /// True if a record without a time has that of its file: agents write one record to a file, or few.
    pub has_file_times: bool,
    /// True if its stores are in a folder that an agent has for other things, too. A file that is no memory is then no
    /// problem.
    pub has_other_files: bool,
    /// True if its specification ranks memories by a weighted sum.
    pub ranks_by_sum: bool,
    /// True if its records have fields for references to others.
    pub has_references: bool,
    /// True if its records may have a checksum that its specification defines.
    pub has_checksums: bool,
    /// Files outside a store that are made from it, relative to the folder that contains the store
    /// at its default place. They are checked and never listed.
    pub outside_files: &'static [&'static str],
    /// True if a record without an id is known by its key.
    pub keys_are_ids: bool,
    /// Fields that not all formats have, named as in the query language: `severity`, `status`, `agent`, …
    pub facets: &'static [&'static str],
    /// Where its agents keep what may repeat a memory, below the home folder: transcripts, databases.
    pub surroundings: &'static [SurroundingPattern],
    /// Members, at any depth, that a search does not read: ids of other records, times and checksums.
    pub unsearched: &'static [&'static str],
    /// The dotted names of members to read after the main text, in this order. Other prose follows.
    pub reading_order: &'static [&'static str],
    /// Fields of front matter with the title of a note; the first with a text counts.
    pub title_fields: &'static [&'static str],
    /// The tables that a store's saved queries may read. Empty if the format saves no queries.
    pub tables: &'static [SavedQueryTable],
    /// Where programs that read this format look for files of instructions.
    pub instructions: &'static [InstructionPlace],
    /// Where what its program wants to write waits for approval, relative to the folder around the store.
    pub waiting: Option<&'static str>,
    /// Why stores of this format are only read, as a sentence; `None` if they are changed.
    pub read_only: Option<&'static str>,
    /// The function that reads the tuning from a config; `None` if the format has no such settings.
    pub tuning: Option<fn(Option<Json<'_>>) -> StoreTuning>,
    /// True if new memories of a type belong to a session.
    pub is_in_session: fn(&str) -> bool,
    /// True if a file is a saved query.
    pub is_query: fn(&Path) -> bool,
    /// True if the records of a file are copies of those of another file, which are listed.
    pub holds_copies: fn(&Path) -> bool,
    /// Returns what speaks for and against a folder. All formats are asked, and `store::find` judges.
    pub evidence: fn(&Path, &dyn FolderProbe) -> Evidence,
    /// Returns what a path relative to the root is to the format.
    pub placement: fn(&Path, bool) -> Placement,
    /// Assembles the files of a store.
    pub assemble: fn(&AssemblyInput<'_>, Moment) -> Assembly,
    /// Returns how its memories fade without a config.
    pub decay: fn() -> DecayTable,
    /// Returns a record's main text, and the dotted names of the members that contain it.
    pub main_text: fn(Json<'_>) -> (String, Vec<&'static str>),
}

impl FormatInfo {
    /// What most formats have: each names what differs.
    pub const USUAL: FormatInfo = FormatInfo {
        name: "",
        places: &[],
        in_checkout: false,
        has_file_times: false,
        has_other_files: false,
        ranks_by_sum: false,
        has_references: true,
        has_checksums: false,
        outside_files: &[],
        keys_are_ids: false,
        facets: &[],
        surroundings: &[],
        unsearched: &[],
        reading_order: &[],
        title_fields: &["title"],
        tables: &[],
        instructions: &[],
        waiting: None,
        read_only: None,
        tuning: None,
        is_in_session: |_| true,
        is_query: |_| false,
        holds_copies: |_| false,
        evidence: |_, _| Evidence::default(),
        placement: |_, _| Placement::Unexpected,
        assemble: |_, _| Assembly::default(),
        decay: || DecayTable::new(&[], None, 0.1),
        main_text: |_| (String::new(), Vec::new()),
    };
}

/// Reads a small file by its path: `None` if there is none, else its bytes or why they can't be read.
pub type ReadFile<'a> = &'a dyn Fn(&Path) -> Option<Result<Vec<u8>, String>>;

/// One on-disk format. All of it is pure: bytes in, data out. The default bodies fit most formats.
pub trait Format: FormatWriter {
    /// Returns the constant facts of the format.
    fn about(&self) -> &'static FormatInfo;

    /// Returns its name in code and on the command line.
    fn name(&self) -> &'static str {
        self.about().name
    }

    /// True if the user means this format by a name: its own, or that of which it is a family.
    fn is_meant(&self, name: &str) -> bool {
        self.name().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns what a path relative to the root is to the format.
    fn place(&self, path: &Path, is_folder: bool) -> Placement {
        let place = self.about().placement;
        let is_file = |path: &PathBuf| !is_folder && place(path, false) != Placement::Unexpected;
        match place(path, is_folder) {
            Placement::Unexpected if set_aside(path).filter(is_file).is_some() => Placement::File(Role::Temp),
            Placement::Unexpected if older_version(path).filter(is_file).is_some() => {
                Placement::File(Role::Backup)
            }
            placed => placed,
        }
    }

    /// Returns the session of a path; `None` if sessions share the path or its file.
    fn session_of(&self, _path: &Path) -> Option<String> {
        None
    }

    /// Returns the paths of a session; empty if sessions share files.
    fn session_paths(&self, _name: &str) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Reads one file.
    fn read(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading;

    /// Reads one file without the signs that any text may show.
    fn read_records(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading {
        self.read(role, path, bytes, now)
    }

    /// Assembles the files of a store.
    fn assemble(&self, parts: &AssemblyInput<'_>, now: Moment) -> Assembly {
        (self.about().assemble)(parts, now)
    }

    /// Returns the outside files that records name, absolute or relative to the folder that
    /// contains the store at its default place. A missing one is a problem.
    fn referenced_files(&self, _documents: &[Arc<Document>]) -> Vec<ReferencedFile> {
        Vec::new()
    }

    /// Returns the project that the memories of a store are about, if it is known.
    fn project(&self, root: &Path, _probe: &dyn FolderProbe) -> Option<Project> {
        self.about().folder_around(root).map(|folder| Project::at(folder, true))
    }

    /// Returns the folder that settings name for the memories of a project, or of all, and how it is then known.
    fn set_folder(
        &self,
        _project: Option<&Path>,
        _agents: &AgentHome,
        _probe: &dyn FolderProbe,
    ) -> Option<(PathBuf, KnownBy)> {
        None
    }

    /// Returns why no agent loads a store at this place, if that is sure.
    fn unloaded(
        &self,
        _root: &Path,
        _project: Option<&Project>,
        _probe: &dyn FolderProbe,
    ) -> Option<Unloaded> {
        None
    }

    /// Drops the problems of links that lead to what an agent has elsewhere.
    fn drop_links_elsewhere(&self, _problems: &mut Vec<Problem>, _root: &Path, _probe: &dyn FolderProbe) {}

    /// Returns the folder in which an agent of this store writes all the time while it works, if there is one.
    fn agent_folder(&self, _root: &Path) -> Option<PathBuf> {
        None
    }

    /// Returns the paths of the project's files that a document's records name. They may be gone.
    fn path_claims(&self, _document: &Document) -> Vec<PathClaim> {
        Vec::new()
    }

    /// Returns what files beside a store say about what a program loads of it.
    fn load_settings(&self, _root: &Path, _read: ReadFile<'_>) -> LoadSettings {
        LoadSettings::NONE
    }

    /// Returns what a model gets of the files when an agent starts, in that order. Empty if no program that reads
    /// this format loads them by itself.
    fn loaded(
        &self,
        _documents: &[Arc<Document>],
        _settings: &LoadSettings,
        _now: Moment,
    ) -> Vec<LoadedFile> {
        Vec::new()
    }

    /// Returns what of a line of a note may be the note's title; `None` if the line is none.
    fn title_of_line<'t>(&self, line: &'t str) -> Option<&'t str> {
        Some(line)
    }

    /// Returns the text of a note's field as the programs of this format read it.
    fn field_text(&self, field: &YamlField<'_>) -> String {
        field.value.plain()
    }

    fn syntax(&self, _path: &Path) -> RecordSyntax {
        RecordSyntax::Json
    }

    /// Returns a record's main text, and the dotted names of the members that contain it.
    fn main_text(&self, value: Json<'_>) -> (String, Vec<&'static str>) {
        (self.about().main_text)(value)
    }

    /// True if the main text is the record's own, and not a substitute that is shown for a missing one.
    fn has_text(&self, record: Json<'_>) -> bool {
        let (text, _) = self.main_text(record);
        if text == record.plain() {
            return false;
        }
        match scan(&mut Tape::default(), text.as_bytes()) {
            Ok(value) if matches!(value.kind(), JsonKind::Object | JsonKind::Array) => {
                let mut found = false;
                value.each_string(&mut |path, own| {
                    let is_role = path.last().is_some_and(|name| matches!(&**name, "role" | "type"));
                    found |= !is_role && is_text(&own.plain());
                });
                found
            }
            _ => is_text(&text),
        }
    }

    /// True if the records of a file are in this table.
    fn is_in_table(&self, _path: &Path, _table: &str) -> bool {
        false
    }

    /// Returns the lock for writing these files, which are relative to the root and of one session at most.
    fn lock(&self, _files: &[&Path]) -> Lock {
        Lock::None
    }

    /// Returns the form of a record of this file and type.
    fn form(&self, _path: &Path, _kind: &str, _record: &[u8], _now: Moment) -> RecordForm {
        RecordForm::default()
    }

    /// True if other programs append to this file. Their late lines are merged.
    fn is_append_log(&self, path: &Path) -> bool {
        path.extension().is_some_and(|end| end == "jsonl")
    }

    /// True if a change is valid only for the bytes it was made from. Any other write is then a conflict.
    fn forbids_rebase(&self, _path: &Path) -> bool {
        false
    }

    /// Returns the content of derived files that depend on `touched`, including some that are up to date.
    fn derived(&self, _parts: &AssemblyInput<'_>, _touched: &[PathBuf], _now: Moment) -> Vec<DerivedFile> {
        Vec::new()
    }
}

/// The intended content of a derived file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedFile {
    /// The path relative to the root.
    pub path: PathBuf,
    /// The bytes.
    pub bytes: Bytes,
}

static NO_SETTINGS: LoadSettings = LoadSettings::NONE;

/// What palimp found on disk below a store's root.
pub struct AssemblyInput<'a> {
    /// The files that were read or only seen, sorted by path.
    pub documents: &'a [Arc<Document>],
    /// The folders that were entered.
    pub folders: &'a [PathBuf],
    /// The locks, with what the system says about their holders.
    pub locks: &'a [LockFact],
    /// The outside files that exist. `None` if the store is not at its default place, or was read in part.
    pub outside_files: Option<&'a [(PathBuf, Bytes)]>,
    /// What files beside the store say about what a program loads of it.
    pub load_settings: &'a LoadSettings,
}

impl<'a> AssemblyInput<'a> {
    /// Returns files and folders alone.
    pub fn of(documents: &'a [Arc<Document>], folders: &'a [PathBuf]) -> AssemblyInput<'a> {
        AssemblyInput { documents, folders, locks: &[], outside_files: None, load_settings: &NO_SETTINGS }
    }

    /// Returns the files with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &'a Document)> + use<'a> {
        (0..).zip(self.documents.iter().map(|document| &**document))
    }
}

/// A file outside a store that a record names.
#[derive(Clone, Debug)]
pub struct ReferencedFile {
    /// The path where it should be.
    pub path: PathBuf,
    /// The problem if it is missing.
    pub problem: Problem,
}

/// A path of the project that a file of the store names. Untrusted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathClaim {
    /// The number of the record in its document; `None` if the line is in no record.
    pub record: Option<u32>,
    /// The line from 1.
    pub line: u32,
    /// The path relative to the project, or the name of a file that may be in any folder.
    pub path: PathBuf,
}

/// A lock file.
#[derive(Clone, Debug)]
pub struct LockFact {
    /// The path relative to the root.
    pub path: PathBuf,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The time of the last change.
    pub modified: Moment,
    /// Whether the process that it names is alive; `None` if it names none.
    pub holder_alive: Option<bool>,
}

/// An assembled store.
#[derive(Debug, Default)]
pub struct Assembly {
    /// The sessions by name.
    pub sessions: Vec<Session>,
    /// Every listed record.
    pub entries: Vec<Entry>,
    /// The problems between its files.
    pub problems: Vec<Problem>,
    /// How memories without a session fade; `None` for the format's default.
    pub decay: Option<DecayTable>,
    /// What other files say about an entry, as (index into `entries`, name, value).
    pub facts: Vec<(u32, &'static str, String)>,
}

/// Returns the path of the file of which an editor left this older version.
fn older_version(path: &Path) -> Option<PathBuf> {
    Some(path.with_file_name(without_editors_mark(path.file_name()?.to_str()?)?))
}
