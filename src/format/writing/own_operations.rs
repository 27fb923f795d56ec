//! Operations that one format alone has.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{
    AuditEvent, AutoRedaction, ChangesResult, FormatEraser, FormatFixes, MergedText, Result, WriteContext,
};
use crate::model::{ArchivedItem, Change, Document, Entry, Moment, Store};
use crate::text::json::Json;
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
type Audit = fn(&WriteContext<'_>, AuditEvent, &[Change], usize) -> ChangesResult;
type ArchiveGroup = fn(&Store, &[Entry]) -> Vec<Entry>;
type CompressedFiles = fn(&Store, &[Entry]) -> Vec<PathBuf>;
type BackUp = fn(&Store, &[&Document], Moment) -> Vec<Change>;
type Tombstone = fn(&WriteContext<'_>, &Entry, &str) -> Option<(PathBuf, Vec<u8>)>;
type LastId = fn(&Store, &str, &str) -> Option<String>;
type LargestId = fn(&[Vec<u8>], &str) -> Option<String>;
type UnarchiveSession = fn(&WriteContext<'_>, &str, bool, &[u8]) -> ChangesResult;
type RederiveArchive = fn(&Path, &mut [TarMember], Moment) -> Result<()>;
type ArchiveSidecars = fn(&WriteContext<'_>, &Path, &[TarMember], u64) -> ChangesResult;
type RebuildPages = fn(&Store, &[Arc<Document>]) -> ChangesResult;
type DeletedParts = fn(&Store, &[Vec<Change>]) -> Vec<(PathBuf, Vec<u8>)>;
type RestoreParts = fn(&WriteContext<'_>, &Store, &[HeldRecords]) -> ChangesResult;
type ReplaceRecords = fn(&WriteContext<'_>, &[(Entry, Vec<u8>)]) -> ChangesResult;
type ConfigRedaction = fn(Option<Json<'_>>) -> Option<AutoRedaction>;
type Merge = fn(&WriteContext<'_>, &[Entry], &Entry, MergedText) -> ChangesResult;
/// A document that is in no file, and the numbers of the records to restore.
pub type HeldRecords = (Arc<Document>, Vec<u32>);
type PlanNotices = fn(&Store, &[Change]) -> Vec<String>;

/// How records go to palimp's own archive, and come back.
#[derive(Clone, Copy)]
pub struct OwnArchive {
    /// Returns records as they are archived.
    pub items: fn(&Store, &[Entry]) -> Vec<ArchivedItem>,
    /// Returns the changes that put them back.
    pub restored: fn(&WriteContext<'_>, &[&ArchivedItem]) -> ChangesResult,
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
    /// Returns the largest id of a type in a session's logs, from unparsed bytes.
    pub largest_id: Option<LargestId>,
    /// Archives a whole session. Records are archived with their session, and are restored with it.
    pub archive_session: Option<fn(&WriteContext<'_>, &str) -> ChangesResult>,
    /// Restores a session from its packed bytes. If the flag is set, size limits don't count.
    pub unarchive_session: Option<UnarchiveSession>,
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
