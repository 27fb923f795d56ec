//! Operations that one format alone has, its fixes, and how it erases records if it has to do more than remove lines.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use regex::bytes::Regex;

use super::{AuditEvent, ChangesResult, MergedText, Result, WriteContext};
use crate::model::{ArchivedItem, Change, Document, Entry, Moment, Problem, Span, Store};
use crate::text::json::Json;
use crate::text::needle::Needles;
use crate::text::unpack::TarMember;

/// A restored version of a document that can't be read.
pub struct RestoredDocument {
    /// The source, as the end of "restore it from".
    pub source: String,
    /// Sentences about its content and what is missing. May quote the store: untrusted text.
    pub reason: String,
    /// All its bytes.
    pub bytes: Vec<u8>,
}

type SetTags = fn(&WriteContext<'_>, &Entry, &[String]) -> ChangesResult;
type Audit = fn(&WriteContext<'_>, AuditEvent, &[&Path], usize) -> ChangesResult;
type ArchiveGroup = fn(&Store, &[Entry]) -> Vec<Entry>;
type CompressedFiles = fn(&Store, &[Entry]) -> Vec<PathBuf>;
type Merge = fn(&WriteContext<'_>, &[Entry], &Entry, MergedText) -> ChangesResult;
type BackUp = fn(&Store, &[&Document], Moment) -> Vec<Change>;
type Tombstone = fn(&WriteContext<'_>, &Entry, &str) -> Option<(PathBuf, Vec<u8>)>;
type LastId = fn(&Store, &str, &str) -> Option<String>;
type LargestId = fn(&[Vec<u8>], &str) -> Option<String>;
type SessionUnpacker = fn(&WriteContext<'_>, &str, bool, &[u8]) -> ChangesResult;
type RederiveArchive = fn(&Path, &mut [TarMember], Moment) -> Result<()>;
type ArchiveSidecars = fn(&WriteContext<'_>, &Path, &[TarMember], u64) -> ChangesResult;
type RebuildPages = fn(&Store, &[Arc<Document>]) -> ChangesResult;
type DeletedParts = fn(&Store, &[Vec<Change>]) -> Vec<(PathBuf, Vec<u8>)>;
type RestoreParts = fn(&WriteContext<'_>, &Store, &[HeldRecords]) -> ChangesResult;
type ReplaceRecords = fn(&WriteContext<'_>, &[(Entry, Vec<u8>)]) -> ChangesResult;
type ConfigRedaction = fn(Option<Json<'_>>) -> Option<AutoRedaction>;

type PlanNotices = fn(&Store, &[Change]) -> Vec<String>;
/// A document that is in no file, and the numbers of the records to restore.
pub type HeldRecords = (Arc<Document>, Vec<u32>);

/// How records go to palimp's own archive, and come back.
#[derive(Clone, Copy)]
pub struct OwnArchive {
    /// Returns records as they are archived.
    pub items: fn(&Store, &[Entry]) -> Vec<ArchivedItem>,
    /// Returns the changes that put them back.
    pub restored: fn(&WriteContext<'_>, &[&ArchivedItem]) -> ChangesResult,
}

/// How a format without sessions copies records.
#[derive(Clone, Copy)]
pub struct FolderCopies {
    /// Returns the folders that a copy can go to.
    pub folders: fn(&Store) -> Vec<String>,
    /// Returns the changes that copy records to one of them. A copy has none of these ids.
    pub copied: fn(&WriteContext<'_>, &[Entry], &str, &HashSet<String>) -> ChangesResult,
}

/// Operations that one format alone has. `None`: the format does not have this one.
#[derive(Default)]
pub struct OwnOperations {
    /// Sets a record's tags, which are not in its JSON.
    pub set_tags: Option<SetTags>,
    /// Undoes the deletion of records.
    pub undelete: Option<fn(&WriteContext<'_>, &[Entry]) -> ChangesResult>,
    /// Logs a repair or an erasure in the store: the count, and no content.
    pub audit: Option<Audit>,
    /// True if the specification says that a record of one of these logs is in the other, too.
    pub are_copies: Option<fn(&Path, &Path) -> bool>,
    /// Returns the records that are archived and restored with these.
    pub archive_group: Option<ArchiveGroup>,
    /// Archives in palimp's own data: the format has no archive, and its agents would read a folder of archived files.
    pub own_archive: Option<OwnArchive>,
    /// Copies records to a folder.
    pub folder_copies: Option<FolderCopies>,
    /// Returns the compressed files whose bytes on disk are needed to archive or restore these records.
    pub compressed_files: Option<CompressedFiles>,
    /// Makes records a part of another, which then has this text, and deletes them.
    pub merge: Option<Merge>,
    /// Migrates files of an older version, each with a backup.
    pub migrate: Option<fn(&WriteContext<'_>) -> ChangesResult>,
    /// Copies files before they are changed, and removes older copies for them.
    pub back_up: Option<BackUp>,
    /// Returns another name for a backup, for when another writer took its name in the meantime.
    pub alternative_name: Option<fn(&Path, usize) -> Option<PathBuf>>,
    /// Returns the line that marks a record as deleted, and its file.
    pub tombstone: Option<Tombstone>,
    /// Returns the last id of a session and type in the loaded store. The next id depends on it.
    pub last_id: Option<LastId>,
    /// Returns a new id from random bytes, if ids are random.
    pub random_id: Option<fn([u8; 16]) -> String>,
    /// Returns the largest id of a type in a session's logs, from unparsed bytes.
    pub largest_id: Option<LargestId>,
    /// Archives a whole session. Records are archived with their session, and are restored with it.
    pub archive_session: Option<fn(&WriteContext<'_>, &str) -> ChangesResult>,
    /// Restores a session from its packed bytes. If the flag is set, size limits don't count.
    pub unarchive_session: Option<SessionUnpacker>,
    /// Returns the archive of a session and the file beside it.
    pub archive_files: Option<fn(&str) -> [PathBuf; 2]>,
    /// Updates the derived members of an archive from its other members.
    pub rederive_archive: Option<RederiveArchive>,
    /// Changes the files that describe an archive, which has these members and this length now.
    pub archive_sidecars: Option<ArchiveSidecars>,
    /// Rebuilds files around the store which differ from these documents.
    pub rebuild_pages: Option<RebuildPages>,
    /// Restores a broken document from copies in other files of the store. The best result comes first.
    pub restore_document: Option<fn(&Store, &Document) -> Vec<RestoredDocument>>,
    /// Returns documents with the parts that deletions removed, from the changes that undo each, newest first.
    pub deleted_parts: Option<DeletedParts>,
    /// Restores records of documents that are in no file. The store lists all such documents.
    pub restore_parts: Option<RestoreParts>,
    /// Returns the file that a new file copies. The copy has the same faults.
    pub origin: Option<fn(&Path) -> Option<&'static Path>>,
    /// Returns what the config asks to redact in what is written.
    pub auto_redaction: Option<ConfigRedaction>,
    /// Gives records of one document these bytes, if other files repeat them.
    pub replace_records: Option<ReplaceRecords>,
    /// Returns sentences for the user about changes before they are applied.
    pub plan_notices: Option<PlanNotices>,
    /// Fixes problems that only this format has.
    pub fixes: Option<&'static FormatFixes>,
    /// Erases records if that does more than remove their lines.
    pub eraser: Option<&'static dyn FormatEraser>,
}

/// The rules of a store's config. The detectors of the program apply beside its patterns.
#[derive(Clone, Debug)]
pub struct AutoRedaction {
    /// The config's own patterns that can be used.
    pub patterns: Vec<Regex>,
    /// What takes the place of a value.
    pub replacement: String,
}

impl AutoRedaction {
    /// Returns where the config's own patterns match in a text.
    pub fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let found = self.patterns.iter().flat_map(|own| own.find_iter(text.as_bytes()));
        // A pattern counts in bytes, and may cut a character.
        let start = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let end = |at: usize| (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let whole = |own: Range<usize>| start(own.start)..end(own.end);
        found.map(|own| own.range()).filter(|own| !own.is_empty()).map(whole).collect()
    }
}

/// A range of bytes, and its new bytes.
pub type RangeEdit = (Range<usize>, Vec<u8>);

/// A fix of one file.
pub struct FormatFix {
    /// What it does, in a few words.
    pub title: String,
    /// Why it is probably right, in a sentence. May quote the store: untrusted text.
    pub reason: String,
    /// How sure it is, in per cent.
    pub confidence: u8,
    /// True if it can lose nothing.
    pub is_safe: bool,
    pub file: PathBuf,
    /// The ranges of its bytes that get other bytes.
    pub edits: Vec<RangeEdit>,
    /// The new file that it makes, if it makes one: it has what the edits take out.
    pub new_file: Option<(PathBuf, Vec<u8>)>,
}

impl FormatFix {
    /// Makes a fix of a file that the user chooses, with its title and how sure it is.
    pub fn choice(
        file: &Document,
        (title, confidence): (&str, u8),
        reason: &str,
        edits: Vec<RangeEdit>,
    ) -> FormatFix {
        let (title, reason, file) = (title.into(), reason.into(), file.path.clone());
        FormatFix { title, reason, confidence, is_safe: false, file, edits, new_file: None }
    }

    /// Makes a fix that can lose nothing.
    pub fn safe(file: &Document, title: &str, reason: &str, edits: Vec<RangeEdit>) -> FormatFix {
        FormatFix { is_safe: true, ..FormatFix::choice(file, (title, 100), reason, edits) }
    }
}

/// How a problem can be repaired, as far as its code shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repairability {
    /// By this fix, without a loss.
    Safe(&'static str),
    /// By one of several fixes.
    Choose,
    /// Only by an edit, unless there is a fix for all formats.
    ByHand,
}

#[derive(Clone, Copy)]
pub struct FormatFixes {
    /// Returns what kind of fix a problem has. Reads no bytes.
    pub ease: fn(&Store, &Problem) -> Repairability,
    pub fixes: fn(&Store, &Problem) -> Vec<FormatFix>,
    /// Returns the fix of a problem that moves these lines of its file, counted from 1, if it has one.
    pub with_lines: fn(&Store, &Problem, &[u32]) -> Option<FormatFix>,
}

/// A part of a document that other documents may repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasablePart {
    /// Its place.
    pub span: Span,
    /// What identifies it in any document, the most reliable first. They contain content.
    pub names: Vec<Vec<u8>>,
    /// The ids of records in other files; it goes if all of these go.
    pub of: Vec<String>,
}

/// The erasure in formats whose records depend on each other.
pub trait FormatEraser: Sync {
    /// Returns an error with the reason if this record can't be erased.
    fn may_erase(&self, store: &Store, entry: &Entry) -> Result<()>;

    /// True for a file that repeats parts of another. An erased value is masked in it: the rest is history.
    fn is_snapshot(&self, _file: &Path) -> bool {
        false
    }

    /// Returns the parts of a document.
    fn parts(&self, file: &Path, bytes: &[u8]) -> Vec<ErasablePart>;

    /// Returns the document without these parts, with everything updated that depends on them.
    fn without(&self, file: &Path, bytes: &[u8], parts: &[Span]) -> Result<Vec<u8>>;

    /// Returns the document with everything updated that depends on its content, after a part of it was masked;
    /// `None` if nothing does.
    fn resigned(&self, _file: &Path, _bytes: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Returns a record without its content, if removing it would leave a gap; `None` if the whole
    /// record is removed. An already empty one stays as it is.
    fn blank_record(&self, _file: &Path, _raw: &[u8], _reason: &str) -> Option<Vec<u8>> {
        None
    }

    /// Returns a record that stays, without repeats of erased parts; `None` if it repeats nothing.
    fn without_repeats(&self, _file: &Path, _raw: &[u8], _parts: &Needles) -> Option<Vec<u8>> {
        None
    }

    /// Returns changes of files that describe those in `changes`. They come first, so that an
    /// interrupted erasure finds them again.
    fn dependent_changes(&self, _context: &WriteContext<'_>, _changes: &[Change]) -> ChangesResult {
        Ok(Vec::new())
    }
}
