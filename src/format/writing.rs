//! The trait for writes: allowed changes and the resulting bytes. Pure. The defaults fit most formats.

mod append;
mod operation;
mod own_operations;
mod record_changes;
mod record_members;
mod refusal;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use append::{AppendContext, AppendLines, AppendLookup, with_config_of};
pub use operation::{
    AuditEvent, DELETION_REASON, DeletionKind, DueTask, FieldAssignment, FloorOutcome, FormatDeletion,
    MergedText, NO_COMPRESSED_FILES, Operation, RecordDraft, WriteContext, is_code, reason,
};
pub use own_operations::{
    AutoRedaction, ErasablePart, FolderCopies, FormatEraser, FormatFix, FormatFixes, HeldRecords, OwnArchive,
    OwnOperations, RangeEdit, Repairability, RestoredDocument,
};
pub use record_changes::{NamePlace, NameUse, accessed, decay_update, removals, rename, with_members};
pub use record_members::{RecordMembers, level_word, list, members_of, pretty, set_field, uuid};
pub use refusal::{ChangesResult, Refusal, RefusalList, RefusedEntries, Result};

use crate::model::{Code, DecayRule, Document, Entry, Moment, PathText, Problem, Store, StoredMemory};
use crate::text::json::Json;

/// How a format is written.
pub trait FormatWriter: Sync {
    /// Returns the operations that this format alone has.
    fn own(&self) -> OwnOperations {
        OwnOperations::default()
    }

    /// Returns an error with the reason if the operation is not allowed for records of this file.
    fn allows(&self, _deed: Operation, _file: &Path) -> Result<(), String> {
        Ok(())
    }

    /// Returns how a record of this file is deleted.
    fn deletion(&self, _file: &Path) -> DeletionKind {
        DeletionKind::Removed
    }

    /// True if a missing field would be a string.
    fn is_text(&self, _name: &str) -> bool {
        true
    }

    /// Returns the field of the importance, and the number as it is written there.
    fn importance(&self, _kind: &str, _value: f64) -> Result<(&'static str, String), String> {
        Err("the format stores no importance.".into())
    }

    /// True if records of a type have this field for a word, such as `category`.
    fn has_word(&self, _kind: &str, _field: &str) -> bool {
        false
    }

    /// Adds to a changed record what a change brings: a checksum; a time if it is an edit of the content.
    fn finish_edit(
        &self,
        _before: Json<'_>,
        after: Vec<u8>,
        _now: Moment,
        _is_edit: bool,
    ) -> Result<Vec<u8>> {
        Ok(after)
    }

    /// Returns the places in a record that hold names; none if names are not in the JSON of records.
    fn name_places<'j>(&self, _record: Json<'j>) -> Vec<NamePlace<'j>> {
        Vec::new()
    }

    fn add(&self, _scene: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
        Err(Refusal::unfit(format!("a {:?} can't be added in this format.", draft.kind)))
    }

    /// Returns the lines that add a record, if the ends of logs are enough for that.
    fn append(&self, _scene: &AppendContext<'_>, _draft: &RecordDraft<'_>) -> Result<AppendLines> {
        Ok(None)
    }

    /// Returns the records that an automatic compaction removes when a draft fills a log. `after` are the documents with
    /// the draft, and with what is derived of it.
    fn evictions(
        &self,
        _scene: &WriteContext<'_>,
        _draft: &RecordDraft<'_>,
        _after: &[Arc<Document>],
    ) -> Result<Vec<Entry>> {
        Ok(Vec::new())
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

    /// Returns the changes that delete records in the format's own way.
    fn delete(
        &self,
        _scene: &WriteContext<'_>,
        _entries: &[Entry],
        _asked: FormatDeletion<'_>,
    ) -> ChangesResult {
        Err(Refusal::unfit("the format has no way to delete these."))
    }

    /// Returns how an archived record comes back, as the end of a sentence.
    fn unarchive_hint(&self, _session: Option<&str>) -> String {
        "`palimp unarchive` brings it back".into()
    }

    /// Returns an error with the reason if a record can't be archived.
    fn may_archive(&self, _store: &Store, _entry: &Entry) -> Result<()> {
        Ok(())
    }

    fn archive(&self, _scene: &WriteContext<'_>, _entries: &[Entry]) -> ChangesResult {
        Err(Refusal::unfit("the format has no archive."))
    }

    /// Returns the changes that restore records from the archive.
    fn unarchive(&self, _scene: &WriteContext<'_>, _entries: &[Entry]) -> ChangesResult {
        Err(Refusal::unfit("the format has no archive."))
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
    fn floor_outcome(&self, _store: &Store, _view: &StoredMemory, _rule: DecayRule) -> FloorOutcome {
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

    /// Returns the files of an empty store.
    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)>;

    fn new_session(&self, _scene: &WriteContext<'_>, _id: Option<&str>, _user: &str) -> ChangesResult {
        Err(Refusal::unfit("the format has no sessions."))
    }

    /// Checks the limits after changes that make a file larger. The documents are those afterwards.
    fn limits(&self, _store: &Store, _after: &[Arc<Document>], _file: &Path) -> Result<()> {
        Ok(())
    }
}

pub fn document<'a>(documents: &'a [Arc<Document>], path: &Path) -> Option<&'a Document> {
    documents.iter().find(|document| document.path == path).map(|document| &**document)
}

/// True if a record of a document has this id.
pub fn has_id(document: &Document, id: &str) -> bool {
    document.records.iter().any(|record| record.memory().is_some_and(|memory| memory.id() == Some(id)))
}

/// Refuses an id that exists. `what` names it, as the start of a sentence.
pub fn refuse_taken(is_taken: bool, what: impl Display) -> Result<()> {
    if is_taken { Err(Refusal::invalid(format!("{what} already exists."))) } else { Ok(()) }
}

/// Refuses the name of a session that exists. Some file systems take names that differ only in case for one folder.
pub fn refuse_taken_session(store: &Store, id: &str) -> Result<()> {
    match store.sessions.iter().find(|session| session.name.eq_ignore_ascii_case(id)) {
        Some(session) => Err(Refusal::unfit(format!("the session {} already exists.", session.name))),
        None => Ok(()),
    }
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

/// Refuses new problems: a word that is not in the schema, broken front matter. Old ones may stay.
/// `problems` reads the file.
pub fn no_worse(problems: impl Fn(&[u8]) -> Vec<Problem>, before: Option<&[u8]>, after: &[u8]) -> Result<()> {
    let faults = |bytes: &[u8]| {
        let ours = |own: &Problem| matches!(own.code, Code::OutOfRange | Code::BadFrontMatter);
        problems(bytes).into_iter().filter(ours).map(|own| own.message).collect::<Vec<_>>()
    };
    let known = before.map(&faults).unwrap_or_default();
    let new = faults(after).into_iter().find(|fault| !known.contains(fault));
    new.map_or(Ok(()), |fault| Err(Refusal::invalid(fault)))
}
