//! The commands that change stores, their words, and the memories that they are allowed for.

use std::collections::HashSet;
use std::sync::Arc;

use crate::disk::host::Host;
use crate::model::{BackupCopy, Entry, Moment, Plan, Snapshot, State, Store, UndoRedo};
use crate::ops::backup_restore::comparison::BackupComparison;
use crate::ops::backup_restore::{CopyFacts, compare};
use crate::ops::delete::DeleteOptions;
use crate::ops::effect_lines::add_rule_lines;
use crate::ops::erase::{DEFAULT_REASON, ErasedRecords};
use crate::ops::merge::MergeChoice;
use crate::ops::redact::Redaction;
use crate::ops::repair::{QuarantinePiece, RepairTarget};
use crate::ops::tag::TagChange;
use crate::ops::{self, Operation, Progress, RecordDraft, Refusal, WriteContext};
use crate::store::commit::Vault;
use crate::store::erase::SecretValues;
use crate::usecase::failure::Result;

/// What to restore from a copy of a file.
#[derive(Clone, PartialEq)]
pub struct BackupRestore {
    /// The store's number in its snapshot.
    pub store: usize,
    /// The copy.
    pub copy: BackupCopy,
    /// Its bytes, as they were shown.
    pub bytes: Arc<[u8]>,
    /// The starts of the chosen records in the copy; for the whole file, of the deleted ones to restore.
    pub chosen: HashSet<u64>,
    /// True if the whole file is restored.
    pub whole: bool,
}

impl BackupRestore {
    /// Compares the copy with its file.
    pub(super) fn compared(
        &self,
        snapshot: &Snapshot,
        host: Host<'_>,
        now: Moment,
    ) -> Result<(BackupComparison, CopyFacts)> {
        let store = open_store(snapshot, self.store)?;
        let vault = Vault::open_read_only(host.disk, host.data, &store.root);
        let facts = CopyFacts::of(store, &vault, (&self.copy, &self.bytes), now)?;
        let context = WriteContext::of(store, now, [0; 16]);
        Ok((compare(&context, &self.copy.file, &self.bytes, &facts)?, facts))
    }
}

/// Returns a store by its number in the snapshot.
pub(super) fn open_store(snapshot: &Snapshot, number: usize) -> Result<&Arc<Store>, Refusal> {
    snapshot.stores.get(number).ok_or_else(|| Refusal::unfit("the store is not open any more."))
}

impl std::fmt::Debug for BackupRestore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Restoring({:?}, {:?}, {})", self.copy.path, self.chosen.len(), self.whole)
    }
}

/// The options of an erasure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EraseOptions {
    /// The reason: a code, not a sentence.
    pub reason: Option<String>,
    /// Values that are erased wherever they are, in every store that is open.
    pub values: SecretValues,
}

impl EraseOptions {
    /// Returns the reason, or the usual one.
    pub fn reason(&self) -> &str {
        self.reason.as_deref().unwrap_or(DEFAULT_REASON)
    }
}

/// A record to add.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewRecord {
    /// Its session.
    pub session: Option<String>,
    /// The format's own word for its type.
    pub kind: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its importance, from 0 to 1.
    pub importance: Option<f64>,
    /// Its main text.
    pub text: Option<String>,
    /// Its members, as a JSON object.
    pub record: Option<String>,
}

impl NewRecord {
    pub(super) fn draft(&self) -> RecordDraft<'_> {
        RecordDraft {
            session: self.session.as_deref(),
            kind: &self.kind,
            text: self.text.as_deref(),
            tags: &self.tags,
            importance: self.importance,
            record: self.record.as_deref(),
        }
    }
}

/// A command for a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionCommand {
    /// Makes it: its id, and its user.
    New(Option<String>, String),
    /// Packs it into an archive.
    Archive(String),
    /// Brings it back from its archive. The flag lifts limits of size.
    Unarchive(String, bool),
    /// Deletes it and everything in it.
    Delete(String),
}

/// A command that changes stores.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeCommand {
    /// Adds a record to a store, by the store's number.
    Add(usize, NewRecord),
    /// Adds and removes tags.
    Tag {
        /// The tags to add.
        add: Vec<String>,
        /// The tags to remove.
        remove: Vec<String>,
    },
    /// Renames a tag.
    RenameTag {
        /// The old name.
        from: String,
        /// The new name.
        to: String,
    },
    /// Sets the importance.
    SetImportance(f64),
    /// Sets a field that holds a word: the type, the category.
    SetWord {
        /// The field.
        field: &'static str,
        /// The new value.
        value: String,
    },
    /// Sets fields of one record: names and values.
    Edit(Vec<(String, String)>),
    /// Records an access.
    RecordAccess,
    /// Sets fields of several records.
    EditMany(Vec<(String, String)>),
    /// Moves records aside.
    Archive,
    /// Brings archived records back.
    Unarchive,
    /// Replaces sensitive values in records.
    Redact(Redaction),
    /// Moves records to another session of their store.
    Move(String),
    /// Puts the texts of records after that of the one with this id.
    Merge(MergeChoice),
    /// Deletes records.
    Delete(DeleteOptions),
    /// Undoes a deletion.
    Undelete,
    /// Erases records with every copy.
    Erase(EraseOptions),
    /// Restores from a copy of a file.
    RestoreBackup(BackupRestore),
    /// Makes an empty store.
    Init,
    /// Does what is due.
    Maintain,
    /// Compacts all logs, or those of one session.
    Compact(Option<String>),
    /// Brings files of an older version to this one.
    Migrate,
    /// Rebuilds derived files, or those of one session.
    Reindex(Option<String>),
    /// Brings the stored caches of decay up to date.
    RefreshDecay,
    /// Repairs problems.
    Repair(RepairTarget),
    /// Restores what a repair took out of a file.
    RestoreQuarantine(QuarantineRestore),
    /// A command for a session of a store, by the store's number.
    Session(usize, SessionCommand),
    /// Undoes or redoes steps, each with the number of its store.
    UndoRedoSteps(Vec<(usize, UndoRedo)>),
    /// Undoes the last step.
    Undo,
    /// Redoes what was undone last.
    Redo,
}

impl ChangeCommand {
    /// Makes a command that sets the main text.
    pub fn text(text: String) -> ChangeCommand {
        ChangeCommand::Edit(vec![("text".to_owned(), text)])
    }

    /// Returns the words while it is carried out.
    pub fn progress_words(&self) -> &'static str {
        self.words()[0]
    }

    /// Returns the verb, as a question has it.
    pub fn verb(&self) -> &'static str {
        self.words()[1]
    }

    /// Returns the words once it is done.
    pub fn done_words(&self) -> &'static str {
        self.words()[2]
    }

    /// Returns the words while it is carried out, in a question, and once it is done.
    fn words(&self) -> [&'static str; 3] {
        match self {
            ChangeCommand::Tag { .. } => ["tagging", "tag", "tagged"],
            ChangeCommand::RenameTag { .. } => ["renaming a tag of", "rename a tag of", "renamed a tag of"],
            ChangeCommand::SetWord { field: "type", .. } => {
                ["setting the type of", "set the type of", "set the type of"]
            }
            ChangeCommand::SetWord { .. } => {
                ["setting the category of", "set the category of", "set the category of"]
            }
            ChangeCommand::Erase(_) => ["erasing", "erase", "erased"],
            ChangeCommand::SetImportance(_) => {
                ["setting the importance of", "set the importance of", "set the importance of"]
            }
            ChangeCommand::Edit(_) if self.new_name().is_some() => ["renaming", "rename", "renamed"],
            ChangeCommand::Edit(_) | ChangeCommand::EditMany(_) => ["saving", "save", "saved"],
            ChangeCommand::Archive => ["archiving", "archive", "archived"],
            ChangeCommand::Unarchive | ChangeCommand::Session(_, SessionCommand::Unarchive(..)) => {
                ["bringing back", "bring back", "brought back"]
            }
            ChangeCommand::Redact(_) => ["redacting", "redact", "redacted"],
            ChangeCommand::Move(_) => ["moving", "move", "moved"],
            ChangeCommand::Merge(_) => ["merging", "merge", "merged"],
            ChangeCommand::Delete(_) => ["deleting", "delete", "deleted"],
            ChangeCommand::RestoreBackup(restored) if restored.whole => {
                ["restoring", "replace the whole of", "replaced the whole of"]
            }
            ChangeCommand::Repair(_) => ["repairing", "repair", "repaired"],
            ChangeCommand::Undelete
            | ChangeCommand::RestoreQuarantine(_)
            | ChangeCommand::RestoreBackup(_) => ["restoring", "restore", "restored"],
            ChangeCommand::Maintain => ["running", "run", "ran"],
            ChangeCommand::Compact(_) => ["compacting", "compact", "compacted"],
            ChangeCommand::UndoRedoSteps(steps) => match steps.first() {
                Some((_, UndoRedo::Redo(_))) => ["redoing", "redo", "redid"],
                _ => ["undoing", "undo", "undid"],
            },
            ChangeCommand::Undo => ["undoing the last change", "undo", "undid"],
            ChangeCommand::Redo => ["redoing the last change", "redo", "redid"],
            _ => ["changing", "change", "changed"],
        }
    }

    /// True if it erases values: then it is about every store that is open.
    pub fn erases_values(&self) -> bool {
        matches!(self, ChangeCommand::Erase(options) if !options.values.is_empty())
    }

    /// Returns the new name, if it gives a memory another one. Other files may change with it.
    pub fn new_name(&self) -> Option<&str> {
        let ChangeCommand::Edit(fields) = self else { return None };
        let [(name, new)] = fields.as_slice() else { return None };
        (name == "id").then_some(new)
    }

    /// Returns the value that it gives to memories. Untrusted text.
    pub fn new_value(&self) -> Option<String> {
        match self {
            ChangeCommand::SetImportance(value) => Some(format!("{value:.2}")),
            ChangeCommand::SetWord { value, .. } => Some(value.clone()),
            ChangeCommand::Move(to) => Some(to.clone()),
            _ => self.new_name().map(str::to_owned),
        }
    }

    /// True if it can be repeated with other memories.
    pub fn is_repeatable(&self) -> bool {
        matches!(
            self,
            ChangeCommand::Tag { .. } | ChangeCommand::SetImportance(_) | ChangeCommand::SetWord { .. }
        ) || self.binds_to_seen()
    }

    /// True if it removes or brings back the memory as it was seen, even without a question.
    pub fn binds_to_seen(&self) -> bool {
        matches!(
            self,
            ChangeCommand::Archive
                | ChangeCommand::Unarchive
                | ChangeCommand::Move(_)
                | ChangeCommand::Merge(_)
                | ChangeCommand::Delete(_)
                | ChangeCommand::Undelete
        )
    }

    /// True if it is also about sessions whose records are not named.
    pub fn is_of_other_sessions(&self) -> bool {
        matches!(self, ChangeCommand::Move(_) | ChangeCommand::Undelete)
    }

    /// True if it sets what the user wrote about the memory as it was.
    pub fn is_written(&self) -> bool {
        matches!(self, ChangeCommand::Edit(_) | ChangeCommand::EditMany(_))
    }

    /// True if its plan counts memories as progress.
    pub fn is_counted(&self) -> bool {
        matches!(
            self,
            ChangeCommand::Tag { .. }
                | ChangeCommand::RenameTag { .. }
                | ChangeCommand::SetImportance(_)
                | ChangeCommand::SetWord { .. }
                | ChangeCommand::EditMany(_)
                | ChangeCommand::Redact(_)
        )
    }

    /// Checks that it is allowed for this memory. The plan can still be refused.
    pub fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<(), Refusal> {
        let operation = match self {
            ChangeCommand::Tag { .. } | ChangeCommand::RenameTag { .. } => Operation::Tag,
            ChangeCommand::SetImportance(_) | ChangeCommand::SetWord { .. } => Operation::Edit,
            ChangeCommand::Edit(_) | ChangeCommand::EditMany(_) | ChangeCommand::Redact(_) => Operation::Edit,
            ChangeCommand::Archive => Operation::Archive,
            ChangeCommand::Delete(options) if !options.remove => Operation::Delete,
            ChangeCommand::Unarchive if entry.state != State::Archived => {
                return Err(Refusal::unfit("only archived memories can be brought back."));
            }
            ChangeCommand::Unarchive => return ops::archive::comes_back(store),
            ChangeCommand::Move(_) => return ops::move_records::may_move(store, entry),
            ChangeCommand::Merge(_) => return ops::merge::may_merge(store, entry),
            ChangeCommand::Undelete if !is_deleted(store, entry) => {
                return Err(Refusal::unfit("only deleted memories can be restored."));
            }
            _ => return Ok(()),
        };
        ops::may(store, entry, operation)
    }

    pub(super) fn plan_records(
        &self,
        context: &WriteContext<'_>,
        entries: &[Entry],
        gone: &ErasedRecords,
        progress: &Progress,
    ) -> Result<Plan, Refusal> {
        progress.go_on()?;
        let plan = self.plan_of_records(context, entries, gone, progress);
        // If bytes were gone meanwhile, a refusal about the memory would be wrong.
        plan.map_err(|refusal| context.store.whole().err().map_or(refusal, Refusal::from))
    }

    fn plan_of_records(
        &self,
        context: &WriteContext<'_>,
        entries: &[Entry],
        gone: &ErasedRecords,
        progress: &Progress,
    ) -> Result<Plan, Refusal> {
        let one = || match entries {
            [one] => Ok(one),
            _ => Err(Refusal::unfit("that can be done with one memory at a time.")),
        };
        match self {
            ChangeCommand::Tag { add, remove } => {
                ops::tag::tagged(context, entries, TagChange::Change { add, remove }, progress)
            }
            ChangeCommand::RenameTag { from, to } => {
                ops::tag::tagged(context, entries, TagChange::Rename { from, to }, progress)
            }
            ChangeCommand::SetImportance(value) => {
                ops::set_field::importances(context, entries, *value, progress)
            }
            ChangeCommand::SetWord { field, value } => {
                ops::set_field::set_word(context, entries, (field, value), progress)
            }
            ChangeCommand::Edit(fields) => ops::edit::edit(context, one()?, &ops::form::as_settings(fields)),
            ChangeCommand::EditMany(fields) => {
                ops::edit::each(context, entries, progress, &|_| Ok(fields.clone()))
            }
            ChangeCommand::Redact(redaction) => ops::redact::redact(context, entries, redaction, progress),
            ChangeCommand::RecordAccess => ops::access::access(context, one()?),
            ChangeCommand::Archive => ops::archive::archive(context, entries),
            ChangeCommand::Unarchive if ops::archive::is_in_own_data(context.store) => {
                ops::archive::bring_back(context, entries, gone)
            }
            ChangeCommand::Unarchive => ops::archive::unarchive(context, entries),
            ChangeCommand::Move(to) => ops::move_records::move_records(context, entries, to),
            ChangeCommand::Merge(choice) => ops::merge::merge(context, entries, choice),
            ChangeCommand::Delete(options) => ops::delete::delete(context, entries, options),
            ChangeCommand::Undelete => ops::undelete::undelete(context, entries, gone),
            _ => Err(Refusal::unfit("there is nothing to plan.")),
        }
    }

    /// True if it is for chosen records.
    pub fn is_of_records(&self) -> bool {
        !self.is_of_stores()
            && !matches!(
                self,
                ChangeCommand::RestoreQuarantine(_)
                    | ChangeCommand::RestoreBackup(_)
                    | ChangeCommand::UndoRedoSteps(_)
                    | ChangeCommand::Undo
                    | ChangeCommand::Redo
            )
    }

    pub(super) fn is_of_stores(&self) -> bool {
        matches!(
            self,
            ChangeCommand::Add(..)
                | ChangeCommand::Init
                | ChangeCommand::Maintain
                | ChangeCommand::Compact(_)
                | ChangeCommand::Migrate
                | ChangeCommand::Reindex(_)
                | ChangeCommand::RefreshDecay
                | ChangeCommand::Repair(_)
                | ChangeCommand::Session(..)
        )
    }

    /// Plans it for a store as a whole. `packed` is the archive of the session.
    pub(super) fn plan_store(&self, context: &WriteContext<'_>, packed: &[u8]) -> Result<Plan, Refusal> {
        match self {
            ChangeCommand::Add(_, new) => ops::add::add(context, &new.draft()),
            ChangeCommand::Compact(session) => {
                let mut plan = ops::compact::compact(context, session.as_deref())?;
                add_rule_lines(&mut plan, context.store, &ops::compact::rule(context.store), context.now);
                Ok(plan)
            }
            ChangeCommand::Migrate => ops::maintain::migrate(context),
            ChangeCommand::Reindex(None) => ops::reindex::reindex(context),
            ChangeCommand::Reindex(Some(session)) => ops::reindex::of_session(context, session),
            ChangeCommand::RefreshDecay => ops::maintain::decay(context),
            ChangeCommand::Session(_, SessionCommand::New(id, user)) => {
                ops::session::new(context, id.as_deref(), user)
            }
            ChangeCommand::Session(_, SessionCommand::Archive(id)) => ops::session::archive(context, id),
            ChangeCommand::Session(_, SessionCommand::Unarchive(id, large)) => {
                ops::session::unarchive(context, id, *large, packed)
            }
            ChangeCommand::Session(_, SessionCommand::Delete(id)) => ops::session::delete(context, id),
            _ => Err(Refusal::unfit("there is nothing to plan.")),
        }
    }

    /// Returns what happens to one memory, in a few words; empty if the verb says it all. Untrusted text.
    pub fn effect_on(&self, store: &Store, entry: &Entry) -> String {
        let Some(memory) = store.memory(entry) else { return String::new() };
        let has = |tag: &String| memory.has_tag(tag);
        match self {
            ChangeCommand::Tag { add, remove } => {
                let come = add.iter().filter(|tag| !has(tag)).map(|tag| format!("+{tag}"));
                let go = remove.iter().filter(|tag| has(tag)).map(|tag| format!("-{tag}"));
                come.chain(go).collect::<Vec<_>>().join(" ")
            }
            ChangeCommand::RenameTag { from, to } => format!("{from} → {to}"),
            ChangeCommand::Move(to) => {
                let from = store.session(entry).map_or("", |session| session.name.as_str());
                format!("{from} → {to}")
            }
            ChangeCommand::Merge(choice) => match choice.target(store) {
                Ok(target) if target != entry => "becomes a part of it".to_owned(),
                _ => "stays".to_owned(),
            },
            ChangeCommand::SetImportance(value) => format!("{:.2} → {value:.2}", memory.importance),
            ChangeCommand::SetWord { field: "type", value } => format!("{} → {value}", memory.kind()),
            ChangeCommand::SetWord { value, .. } => {
                format!("{} → {value}", memory.topic().unwrap_or("none"))
            }
            _ => String::new(),
        }
    }
}

fn is_deleted(store: &Store, entry: &Entry) -> bool {
    entry.state == State::Deleted || store.memory(entry).is_some_and(|memory| memory.faded)
}

/// What to restore from quarantine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarantineRestore {
    /// The store's number in its snapshot.
    pub store: usize,
    /// The pieces that left the file.
    pub pieces: Arc<[QuarantinePiece]>,
    /// The step that took them out, if it is known.
    pub step: Option<u64>,
}
