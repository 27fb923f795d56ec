//! The trait for writes: allowed changes and the resulting bytes. Pure. The defaults fit most formats.

mod append;
mod deletion_reason;
mod erasure;
mod faults;
mod floor_outcome;
mod operation;
mod record_changes;
mod record_members;
mod refusal;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use append::{AppendContext, AppendLines, AppendLookup, with_config_of};
pub use deletion_reason::{is_code, reason};
pub use erasure::{ErasablePart, FormatEraser};
pub use faults::{RefusalList, RefusedEntries};
pub use floor_outcome::FloorOutcome;
pub use operation::{
    AuditEvent, DeletionKind, DueTask, FieldAssignment, FormatDeletion, NO_COMPRESSED_FILES, Operation,
    RecordDraft, WriteContext,
};
pub use record_changes::{decay_update, removals, with_members};
pub use record_members::{RecordMembers, list, members_of, pretty, set_field, uuid};
pub use refusal::{ChangesResult, Refusal, Result};

use crate::model::{Change, DecayRule, Document, Entry, Moment, PathText, Store, View};
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

/// How a format is written.
pub trait FormatWriter: Sync {
    /// Returns an error with the reason if the operation is not allowed for records of this file.
    fn allows(&self, _deed: Operation, _file: &Path) -> Result<(), String> {
        Ok(())
    }

    /// Returns how a record of this file is deleted.
    fn deletion(&self, _file: &Path) -> DeletionKind {
        DeletionKind::Removed
    }

    /// Returns the path of a field in a record, as names.
    fn field(&self, _record: Json<'_>, name: &str) -> Vec<String> {
        name.split('.').map(str::to_owned).collect()
    }

    /// True if a missing field would be a string.
    fn is_text(&self, _name: &str) -> bool {
        true
    }

    /// Returns the field of the importance, and the number as it is written there.
    fn importance(&self, _kind: &str, _value: f64) -> Result<(&'static str, String), String> {
        Err("the format stores no importance.".into())
    }

    /// Returns an error with the reason if records of a type lack this field for a word, such as `category`.
    fn may_set(&self, kind: &str, field: &str) -> Result<(), String> {
        Err(format!("memories of the type {kind:?} have no {field} here."))
    }

    /// True if all records of a file have one type, which their field `type` repeats.
    fn types_by_file(&self) -> bool {
        false
    }

    /// Adds to an edited record what an edit brings: a time, a checksum.
    fn finish_edit(&self, _before: Json<'_>, after: Vec<u8>, _now: Moment) -> Result<Vec<u8>> {
        Ok(after)
    }

    /// Renews the checksum after a change that is not an edit of the content.
    fn renew_checksum(&self, _before: Json<'_>, after: Vec<u8>, _now: Moment) -> Result<Vec<u8>> {
        Ok(after)
    }

    /// Returns the changes that add a record.
    fn add(&self, _scene: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
        Err(Refusal::unfit(format!("a {:?} can't be added in this format.", draft.kind)))
    }

    /// Returns the lines that add a record, if the ends of logs are enough for that.
    fn append(&self, _scene: &AppendContext<'_>, _draft: &RecordDraft<'_>) -> Result<AppendLines> {
        Ok(None)
    }

    /// True if ids are numbered. The next id then depends on the last one.
    fn numbers_ids(&self) -> bool {
        false
    }

    /// Returns the last id of a session and type in the loaded store, if ids are numbered.
    fn last_id(&self, _store: &Store, _session: &str, _kind: &str) -> Option<String> {
        None
    }

    /// Returns the largest id of a type in a session's logs, from unparsed bytes, if ids are numbered.
    fn largest_id(&self, _logs: &[Vec<u8>], _kind: &str) -> Option<String> {
        None
    }

    /// Returns the records that an automatic compaction removes when a draft of `bytes` bytes fills a log.
    fn evictions(
        &self,
        _scene: &WriteContext<'_>,
        _draft: &RecordDraft<'_>,
        _bytes: u64,
    ) -> Result<Vec<Entry>> {
        Ok(Vec::new())
    }

    /// Returns the line that marks a record as deleted, and its file.
    fn tombstone(
        &self,
        _scene: &WriteContext<'_>,
        _entry: &Entry,
        _reason: &str,
    ) -> Option<(PathBuf, Vec<u8>)> {
        None
    }

    /// Returns the changes that edit a record that is not JSON on a line of its own.
    fn edit(
        &self,
        _scene: &WriteContext<'_>,
        _entry: &Entry,
        _set: &[FieldAssignment<'_>],
    ) -> Option<ChangesResult> {
        None
    }

    /// Returns the changes that set a record's tags, if they are not in its JSON.
    fn set_tags(&self, _scene: &WriteContext<'_>, _entry: &Entry, _tags: &[String]) -> Option<ChangesResult> {
        None
    }

    /// Returns the changes that delete records in the format's own way.
    fn delete(
        &self,
        _scene: &WriteContext<'_>,
        _entries: &[Entry],
        _asked: FormatDeletion<'_>,
    ) -> ChangesResult {
        Err(Refusal::unfit("the format has no way to delete these."))
    }

    /// Returns the changes that rebuild files around the store which differ from these documents.
    fn rebuild_pages(&self, _store: &Store, _documents: &[Arc<Document>]) -> ChangesResult {
        Ok(Vec::new())
    }

    /// Restores a broken document from copies in other files of the store. The best result comes first.
    fn restore_document(&self, _store: &Store, _torn: &Document) -> Vec<RestoredDocument> {
        Vec::new()
    }

    /// True if the specification says that each record of a log is in two logs.
    fn keeps_copies(&self) -> bool {
        false
    }

    /// True if the specification says that a record of one of these logs is in the other, too.
    fn are_copies(&self, _one: &Path, _other: &Path) -> bool {
        false
    }

    /// Returns how an archived record comes back, as the end of a sentence.
    fn unarchive_hint(&self, _session: Option<&str>) -> String {
        "`palimp unarchive` brings it back".into()
    }

    /// Returns the changes that undo the format's own deletion; `None` if it is a tombstone or final.
    fn undelete(&self, _scene: &WriteContext<'_>, _entries: &[Entry]) -> Option<ChangesResult> {
        None
    }

    /// Returns what deletions removed from a document of several records and is still missing: its
    /// path, and bytes of its form with only those records and nulls. `deletions` undo each
    /// deletion, the newest first.
    fn deleted_parts(&self, _store: &Store, _deletions: &[Vec<Change>]) -> Option<(PathBuf, Vec<u8>)> {
        None
    }

    /// Returns the changes that restore records of such a document; `None` in other formats.
    fn restore_parts(
        &self,
        _scene: &WriteContext<'_>,
        _held: &Document,
        _records: &[u32],
    ) -> Option<ChangesResult> {
        None
    }

    /// Returns the changes that copy files before they are changed, and that remove older copies for them.
    fn backups(&self, _store: &Store, _files: &[&Document], _now: Moment) -> Vec<Change> {
        Vec::new()
    }

    /// Returns the records that are archived and restored with these; only these if each can be alone.
    fn archive_group(&self, _store: &Store, entries: &[Entry]) -> Vec<Entry> {
        entries.to_vec()
    }

    /// Returns the compressed files whose bytes on disk are needed to archive or restore these records.
    fn compressed_files(&self, _store: &Store, _entries: &[Entry]) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns another name for a backup, for when another writer took its name in the meantime.
    fn alternative_name(&self, _copy: &Path, _number: usize) -> Option<PathBuf> {
        None
    }

    /// True if records are archived with their whole session, and are restored with it.
    fn archives_sessions(&self) -> bool {
        false
    }

    /// Returns an error with the reason if a record can't be archived.
    fn may_archive(&self, _store: &Store, _entry: &Entry) -> Result<()> {
        Ok(())
    }

    /// Returns the reason why nothing can be restored from the archive; `None` if it can.
    fn no_unarchive_reason(&self) -> Option<&'static str> {
        None
    }

    /// Returns the changes that archive records.
    fn archive(&self, _scene: &WriteContext<'_>, _entries: &[Entry]) -> ChangesResult {
        Err(Refusal::unfit("the format has no archive."))
    }

    /// Returns the changes that restore records from the archive.
    fn unarchive(&self, _scene: &WriteContext<'_>, _entries: &[Entry]) -> ChangesResult {
        Err(Refusal::unfit("the format has no archive."))
    }

    /// Returns the changes that archive a whole session.
    fn archive_session(&self, _scene: &WriteContext<'_>, _name: &str) -> ChangesResult {
        Err(Refusal::unfit("the format has no archive of sessions."))
    }

    /// Returns the changes that restore a session from `packed`. `allow_large` lifts only size limits.
    fn unarchive_session(
        &self,
        _scene: &WriteContext<'_>,
        _name: &str,
        _allow_large: bool,
        _packed: &[u8],
    ) -> ChangesResult {
        Err(Refusal::unfit("the format has no archive of sessions."))
    }

    /// Returns the files of an archived session: the archive and the files beside it.
    fn archive_files(&self, _name: &str) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns the entries that a compaction removes, if the format has its own rule.
    fn compacted_entries(
        &self,
        _scene: &WriteContext<'_>,
        _session: Option<&str>,
    ) -> Option<Result<Vec<Entry>>> {
        None
    }

    /// Returns the changes of a compaction, if it does more than remove records.
    fn compact(&self, _scene: &WriteContext<'_>, _session: Option<&str>) -> Option<ChangesResult> {
        None
    }

    /// Returns what a compaction does with a faded memory that the user does not keep.
    fn floor_outcome(&self, _store: &Store, _view: View<'_>, _rule: DecayRule) -> FloorOutcome {
        FloorOutcome::Stays
    }

    /// Describes what a compaction removes and what it never removes.
    fn compaction_rule(&self, _store: &Store) -> String {
        "what the format's compaction does not have to keep".into()
    }

    /// Returns the new values of the members that say when and how often a record was accessed.
    fn access_members(&self, _record: Json<'_>, _now: Moment) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns the new values of the members that cache how far a record has faded.
    fn decay_members(&self, _scene: &WriteContext<'_>, _entry: &Entry) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns the tasks that are due by the format's rules and the store's config.
    fn due_tasks(&self, _scene: &WriteContext<'_>) -> Result<Vec<DueTask>> {
        Ok(Vec::new())
    }

    /// Returns the compressed files whose bytes on disk the due tasks need.
    fn due_task_files(&self, _scene: &WriteContext<'_>) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Updates the derived members of an archive from its other members.
    fn rederive_archive(&self, _archive: &Path, _members: &mut [TarMember], _now: Moment) -> Result<()> {
        Ok(())
    }

    /// Returns the changes of files that describe an archive, which has these members and this length now.
    fn archive_sidecars(
        &self,
        _scene: &WriteContext<'_>,
        _archive: &Path,
        _members: &[TarMember],
        _len: u64,
    ) -> ChangesResult {
        Ok(Vec::new())
    }

    /// Returns the changes that log a repair or an erasure in the store: the count, and no content.
    fn audit_changes(
        &self,
        _scene: &WriteContext<'_>,
        _what: AuditEvent,
        _changes: &[Change],
        _count: usize,
    ) -> ChangesResult {
        Ok(Vec::new())
    }

    /// Returns the changes that migrate files of an older version, each with a backup.
    fn migration(&self, _scene: &WriteContext<'_>) -> ChangesResult {
        Ok(Vec::new())
    }

    /// Returns the file that a new file copies. The copy has the same faults.
    fn origin(&self, _new: &Path) -> Option<&'static Path> {
        None
    }

    /// Returns sentences for the user about changes before they are applied.
    fn plan_notices(&self, _store: &Store, _changes: &[Change]) -> Vec<String> {
        Vec::new()
    }

    /// Returns how records are erased, if it does more than remove their lines.
    fn eraser(&self) -> Option<&dyn FormatEraser> {
        None
    }

    /// Returns the files of an empty store.
    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)>;

    /// Returns the changes that make a session.
    fn new_session(&self, _scene: &WriteContext<'_>, _id: Option<&str>, _user: &str) -> ChangesResult {
        Err(Refusal::unfit("the format has no sessions."))
    }

    /// Checks the limits after changes that make a file larger. The documents are those afterwards.
    fn limits(&self, _store: &Store, _after: &[std::sync::Arc<Document>], _file: &Path) -> Result<()> {
        Ok(())
    }
}

/// Returns the document at a path.
pub fn document<'a>(documents: &'a [std::sync::Arc<Document>], path: &Path) -> Option<&'a Document> {
    documents.iter().find(|document| document.path == path).map(|document| &**document)
}

/// Calls `take` with a store's config, or `None` if there is none.
pub fn with_config<T>(store: &Store, take: impl FnOnce(Option<Json<'_>>) -> T) -> T {
    let config = document(&store.documents, Path::new("config.json"));
    with_config_of(config.map(|own| &*own.bytes), take)
}

/// Refuses a session size above the limit. A session above it may keep its size, but not grow.
pub fn within_limit(session: &Path, before: u64, after: u64, limit: u64) -> Result<()> {
    match after > limit.max(before) {
        true => Err(Refusal::too_large(format!(
            "the session {} would have {after} bytes; {limit} are allowed. Compact it, or delete what is not needed.",
            session.to_text()
        ))),
        false => Ok(()),
    }
}
