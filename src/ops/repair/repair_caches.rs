//! What finding fixes remembers between problems.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::format::record_reader::Reading;
use crate::model::{Document, Record, Role};
use crate::ops::form::{EditForm, FormFinding};
use crate::ops::repair::fix::ByteEdit;

pub type RecordsById = HashMap<String, Vec<u32>>;

/// New ids, by the file and the start of the record.
pub type NewIds = HashMap<(PathBuf, u64), String>;

pub struct FormCache {
    /// Its document and record.
    pub(super) of: (u32, u32),
    pub(super) form: EditForm,
    pub(super) findings: Vec<FormFinding>,
    /// The corrections of all findings.
    pub(super) whole: OnceCell<Option<FieldCorrections>>,
}

#[derive(Clone)]
pub struct FieldCorrections {
    pub(super) edits: Vec<ByteEdit>,
    pub(super) titles: Vec<String>,
}

/// An older copy of a file, or of some of its lines.
#[derive(Clone, Debug)]
pub struct FileCopy {
    /// The copied file, relative to the store's root.
    pub file: PathBuf,
    /// The source, in a few words. Untrusted text.
    pub from: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// True if it is a copy of the complete file.
    pub is_whole: bool,
}

/// The bytes of an intact memory, and their source.
pub type IntactCopy = (Vec<u8>, String);

/// A memory of a store, with its session: several sessions may use the same ids.
pub struct StoreRecord<'a> {
    pub document: &'a Document,
    pub record: &'a Record,
    pub session: Option<&'a str>,
}

/// The intact memories of a store, and of what is kept beside it, by id.
#[derive(Default)]
pub struct IntactCopies<'a> {
    pub here: HashMap<&'a str, Vec<StoreRecord<'a>>>,
    pub(super) kept: HashMap<(&'a Path, String), Vec<IntactCopy>>,
    /// The ids that tombstones name, each with the sessions of its tombstones.
    pub(super) deleted: HashMap<&'a str, HashSet<Option<&'a str>>>,
    /// The tombstones of each memory, by log and id.
    pub tombstones: HashMap<(&'a Path, &'a str), TombstoneLines>,
    /// The lines that deletions added to logs of tombstones, sorted, each with its log and its source.
    pub added: Vec<(&'a Path, &'a [u8], &'a str)>,
}

#[derive(Default)]
pub struct TombstoneLines {
    pub count: usize,
    /// The line of the first intact one.
    pub whole: Option<u32>,
}

impl IntactCopies<'_> {
    pub fn has(&self, id: &str) -> bool {
        self.here.contains_key(id) || self.deleted.contains_key(id)
    }

    /// True if a tombstone of its session, or of no session, names the id.
    pub fn is_deleted(&self, id: &str, session: Option<&str>) -> bool {
        let is_of = |own: &Option<&str>| own.is_none() || *own == session;
        self.deleted.get(id).is_some_and(|all| all.iter().any(is_of))
    }
}

pub struct SafeLineFix {
    pub(super) file: PathBuf,
    pub(super) lines: Range<usize>,
    /// The new lines and what leaves them; `None` if nothing is safe.
    pub(super) fix: Option<(Vec<u8>, RemovedBytes)>,
    /// True if intact memories are on these lines, before or after they are separated.
    pub(super) has_whole: bool,
    /// The starts of the records whose times get a time zone.
    pub(super) zoned: Vec<usize>,
}

pub struct LastReading {
    pub(super) role: Role,
    pub(super) path: PathBuf,
    pub(super) object: Vec<u8>,
    pub(super) read: Rc<Reading>,
}

/// An intact record that has no copy, and its place.
pub struct UnpairedRecord<'a> {
    pub(super) raw: Vec<u8>,
    pub(super) document: &'a Document,
    pub(super) record: &'a Record,
}

/// The bytes that leave some lines, each with its position.
pub type RemovedBytes = Vec<(usize, Vec<u8>)>;
