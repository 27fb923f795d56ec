//! How the records of a format are written: what a user may do, and the bytes it comes to.
//! All of it is pure. What has a body here is right for most formats.

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

/// The restored form of a document that can't be read.
pub struct RestoredDocument {
    /// The source, as the end of "restore it from".
    pub source: String,
    /// Sentences about what it holds and what it lacks. May quote the store: untrusted text.
    pub reason: String,
    /// All its bytes.
    pub bytes: Vec<u8>,
}

/// How a format is written.
pub trait FormatWriter: Sync {
    /// Whether that may be done with a record of that file; if not, why not.
    fn allows(&self, _deed: Operation, _file: &Path) -> Result<(), String> {
        Ok(())
    }

    /// How a record of that file is deleted.
    fn deletion(&self, _file: &Path) -> DeletionKind {
        DeletionKind::Removed
    }

    /// Where a field is in a record, as names.
    fn field(&self, _record: Json<'_>, name: &str) -> Vec<String> {
        name.split('.').map(str::to_owned).collect()
    }

    /// Whether a field that is absent would be a string.
    fn is_text(&self, _name: &str) -> bool {
        true
    }

    /// The field that holds the importance, and how that number is written there.
    fn importance(&self, _kind: &str, _value: f64) -> Result<(&'static str, String), String> {
        Err("the format stores no importance.".into())
    }

    /// Whether records of a type have that field for a word, such as `category`; if not, why not.
    fn may_set(&self, kind: &str, field: &str) -> Result<(), String> {
        Err(format!("memories of the type {kind:?} have no {field} here."))
    }

    /// Whether the records of a file are of one type, which their field `type` repeats.
    fn types_by_file(&self) -> bool {
        false
    }

    /// What else an edited record gets: a time, a checksum.
    fn finish_edit(&self, _before: Json<'_>, after: Vec<u8>, _now: Moment) -> Result<Vec<u8>> {
        Ok(after)
    }

    /// The same for what is no edit of its content: a checksum.
    fn renew_checksum(&self, _before: Json<'_>, after: Vec<u8>, _now: Moment) -> Result<Vec<u8>> {
        Ok(after)
    }

    /// The changes that add a record.
    fn add(&self, _scene: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
        Err(Refusal::unfit(format!("a {:?} can't be added in this format.", draft.kind)))
    }

    /// The lines that add a record, where that needs no more than the ends of logs.
    fn append(&self, _scene: &AppendContext<'_>, _draft: &RecordDraft<'_>) -> Result<AppendLines> {
        Ok(None)
    }

    /// Whether ids are numbered: the next one is only known where the last one is.
    fn numbers_ids(&self) -> bool {
        false
    }

    /// The id that was given last to a memory of that session and type, by what was read of the store, where
    /// ids are numbered.
    fn last_id(&self, _store: &Store, _session: &str, _kind: &str) -> Option<String> {
        None
    }

    /// The largest id of that type in a session's logs with those bytes, of which no record was read, where ids are
    /// numbered.
    fn largest_id(&self, _logs: &[Vec<u8>], _kind: &str) -> Option<String> {
        None
    }

    /// The records that go when one is added that brings `bytes`: where a full log is compacted
    /// by itself.
    fn evictions(
        &self,
        _scene: &WriteContext<'_>,
        _draft: &RecordDraft<'_>,
        _bytes: u64,
    ) -> Result<Vec<Entry>> {
        Ok(Vec::new())
    }

    /// The line that says that a record is deleted, and the file that it goes to.
    fn tombstone(
        &self,
        _scene: &WriteContext<'_>,
        _entry: &Entry,
        _reason: &str,
    ) -> Option<(PathBuf, Vec<u8>)> {
        None
    }

    /// The changes that edit a record that is not JSON of its own line.
    fn edit(
        &self,
        _scene: &WriteContext<'_>,
        _entry: &Entry,
        _set: &[FieldAssignment<'_>],
    ) -> Option<ChangesResult> {
        None
    }

    /// The changes that set a record's tags, where they are not in its JSON.
    fn set_tags(&self, _scene: &WriteContext<'_>, _entry: &Entry, _tags: &[String]) -> Option<ChangesResult> {
        None
    }

    /// The changes that delete records in the format's own way.
    fn delete(
        &self,
        _scene: &WriteContext<'_>,
        _entries: &[Entry],
        _asked: FormatDeletion<'_>,
    ) -> ChangesResult {
        Err(Refusal::unfit("the format has no way to delete these."))
    }

    /// The changes that make files around the store anew where they say otherwise than `documents`,
    /// which are the store's or what a change makes of them.
    fn rebuild_pages(&self, _store: &Store, _documents: &[Arc<Document>]) -> ChangesResult {
        Ok(Vec::new())
    }

    /// Restores a document that can't be read from copies in other files of the store. The best result comes
    /// first.
    fn restore_document(&self, _store: &Store, _torn: &Document) -> Vec<RestoredDocument> {
        Vec::new()
    }

    /// Whether the specification says that each record of a log is in two logs.
    fn keeps_copies(&self) -> bool {
        false
    }

    /// Whether the specification says that a record of one of these logs is in the other, too.
    fn are_copies(&self, _one: &Path, _other: &Path) -> bool {
        false
    }

    /// How an archived record comes back, as the end of a sentence about it.
    fn unarchive_hint(&self, _session: Option<&str>) -> String {
        "`palimp unarchive` brings it back".into()
    }

    /// The changes that undo what the format's own way of deletion did; `None` where
    /// that is a tombstone, or keeps nothing.
    fn undelete(&self, _scene: &WriteContext<'_>, _entries: &[Entry]) -> Option<ChangesResult> {
        None
    }

    /// What deletions took out of a document of several records and is not there, in formats that
    /// have such: the document, and bytes that read as it with those records, and nulls, alone.
    /// `deletions` are the changes that undo each of them, the newest first.
    fn deleted_parts(&self, _store: &Store, _deletions: &[Vec<Change>]) -> Option<(PathBuf, Vec<u8>)> {
        None
    }

    /// The changes that bring records of such a document back; `None` where there is none.
    fn restore_parts(
        &self,
        _scene: &WriteContext<'_>,
        _held: &Document,
        _records: &[u32],
    ) -> Option<ChangesResult> {
        None
    }

    /// Copies that are to be made before a file is changed, and older ones that go for them.
    fn backups(&self, _store: &Store, _files: &[&Document], _now: Moment) -> Vec<Change> {
        Vec::new()
    }

    /// The records that are archived, or brought back, together with these: themselves where
    /// each can be alone.
    fn archive_group(&self, _store: &Store, entries: &[Entry]) -> Vec<Entry> {
        entries.to_vec()
    }

    /// The compressed files whose bytes on disk it takes to archive these records, or to
    /// bring them back.
    fn compressed_files(&self, _store: &Store, _entries: &[Entry]) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Another name for such a copy, where another writer has taken its own meanwhile.
    fn alternative_name(&self, _copy: &Path, _number: usize) -> Option<PathBuf> {
        None
    }

    /// Whether records are archived with their whole session, and come back with it.
    fn archives_sessions(&self) -> bool {
        false
    }

    /// Whether a record may be archived as it is, and as the store is set up; why not.
    fn may_archive(&self, _store: &Store, _entry: &Entry) -> Result<()> {
        Ok(())
    }

    /// Why nothing comes back from the archive, where nothing does.
    fn no_unarchive_reason(&self) -> Option<&'static str> {
        None
    }

    /// The changes that archive records.
    fn archive(&self, _scene: &WriteContext<'_>, _entries: &[Entry]) -> ChangesResult {
        Err(Refusal::unfit("the format has no archive."))
    }

    /// The changes that bring records back from the archive.
    fn unarchive(&self, _scene: &WriteContext<'_>, _entries: &[Entry]) -> ChangesResult {
        Err(Refusal::unfit("the format has no archive."))
    }

    /// The changes that archive a whole session.
    fn archive_session(&self, _scene: &WriteContext<'_>, _name: &str) -> ChangesResult {
        Err(Refusal::unfit("the format has no archive of sessions."))
    }

    /// The changes that bring a whole session back, of which `packed` is the archive.
    /// `allow_large` lifts limits of size, and no other check.
    fn unarchive_session(
        &self,
        _scene: &WriteContext<'_>,
        _name: &str,
        _allow_large: bool,
        _packed: &[u8],
    ) -> ChangesResult {
        Err(Refusal::unfit("the format has no archive of sessions."))
    }

    /// The files that an archived session of that name is: its archive, and what is beside it.
    fn archive_files(&self, _name: &str) -> Vec<PathBuf> {
        Vec::new()
    }

    /// What a compaction drops, where the format has its own rule.
    fn compacted_entries(
        &self,
        _scene: &WriteContext<'_>,
        _session: Option<&str>,
    ) -> Option<Result<Vec<Entry>>> {
        None
    }

    /// The changes of a compaction, where it is not only that records go.
    fn compact(&self, _scene: &WriteContext<'_>, _session: Option<&str>) -> Option<ChangesResult> {
        None
    }

    /// What a compaction does with a memory that has faded by that rule and that the user does not keep.
    fn floor_outcome(&self, _store: &Store, _view: View<'_>, _rule: DecayRule) -> FloorOutcome {
        FloorOutcome::Stays
    }

    /// What a compaction drops and what it never does, in words.
    fn compaction_rule(&self, _store: &Store) -> String {
        "what the format's compaction does not have to keep".into()
    }

    /// The members that say when a record was accessed last and how often, as they are to be.
    fn access_members(&self, _record: Json<'_>, _now: Moment) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The members of a record that are caches of how far it has faded, as they are to be.
    fn decay_members(&self, _scene: &WriteContext<'_>, _entry: &Entry) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// What is due by the format's rules and the store's own config: each a few words that
    /// say what, how many records it concerns, and the changes.
    fn due_tasks(&self, _scene: &WriteContext<'_>) -> Result<Vec<DueTask>> {
        Ok(Vec::new())
    }

    /// The compressed files whose bytes on disk it takes to do what is due.
    fn due_task_files(&self, _scene: &WriteContext<'_>) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Brings what is derived within an archive up to date with its other members.
    fn rederive_archive(&self, _archive: &Path, _members: &mut [TarMember], _now: Moment) -> Result<()> {
        Ok(())
    }

    /// The changes of files that say something of an archive, which has those members now and
    /// is that long.
    fn archive_sidecars(
        &self,
        _scene: &WriteContext<'_>,
        _archive: &Path,
        _members: &[TarMember],
        _len: u64,
    ) -> ChangesResult {
        Ok(Vec::new())
    }

    /// What tells of a repair or an erasure in the store itself, where the format records such: it
    /// says how many, and nothing of what.
    fn audit_changes(
        &self,
        _scene: &WriteContext<'_>,
        _what: AuditEvent,
        _changes: &[Change],
        _count: usize,
    ) -> ChangesResult {
        Ok(Vec::new())
    }

    /// The changes that bring files of an older version to this one, each backed up first.
    fn migration(&self, _scene: &WriteContext<'_>) -> ChangesResult {
        Ok(Vec::new())
    }

    /// The file of which a new one is a copy, and whose faults it has therefore.
    fn origin(&self, _new: &Path) -> Option<&'static Path> {
        None
    }

    /// What a person is to know of changes before they are made, as sentences.
    fn plan_notices(&self, _store: &Store, _changes: &[Change]) -> Vec<String> {
        Vec::new()
    }

    /// How records are erased, where it is not only that their lines go.
    fn eraser(&self) -> Option<&dyn FormatEraser> {
        None
    }

    /// The files of an empty store.
    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)>;

    /// The changes that make a session.
    fn new_session(&self, _scene: &WriteContext<'_>, _id: Option<&str>, _user: &str) -> ChangesResult {
        Err(Refusal::unfit("the format has no sessions."))
    }

    /// What a limit says of the store after changes that add to it; the documents are those
    /// afterwards.
    fn limits(&self, _store: &Store, _after: &[std::sync::Arc<Document>], _file: &Path) -> Result<()> {
        Ok(())
    }
}

/// The document at a path, if the store has one.
pub fn document<'a>(documents: &'a [std::sync::Arc<Document>], path: &Path) -> Option<&'a Document> {
    documents.iter().find(|document| document.path == path).map(|document| &**document)
}

/// What a store's config says; it is asked also where there is none.
pub fn with_config<T>(store: &Store, take: impl FnOnce(Option<Json<'_>>) -> T) -> T {
    let config = document(&store.documents, Path::new("config.json"));
    with_config_of(config.map(|own| &*own.bytes), take)
}

/// Refuses what a session would become, where it is over the limit. One that was over it already may
/// stay so, and grow no further.
pub fn within_limit(session: &Path, before: u64, after: u64, limit: u64) -> Result<()> {
    match after > limit.max(before) {
        true => Err(Refusal::too_large(format!(
            "the session {} would have {after} bytes; {limit} are allowed. Compact it, or delete what is not needed.",
            session.to_text()
        ))),
        false => Ok(()),
    }
}
