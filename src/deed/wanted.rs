//! What can be asked for, what it is called, and of which memories it can be had.

use std::collections::HashSet;
use std::sync::Arc;

use super::meanwhile::say_rule;
use super::repaired::FromQuarantine;
use crate::model::{Entry, Plan, State, Store};
use crate::ops::erase::Gone;
use crate::ops::repair::Which;
use crate::ops::tag::Tagging;
use crate::ops::{self, Deed, Draft, Progress, Refusal, Scene, Setting};
use crate::store::commit::{Copy, Turn};

/// What is to come back of a copy of a file.
#[derive(Clone, PartialEq)]
pub struct Restoring {
    /// The store's number in its snapshot.
    pub store: usize,
    /// The copy.
    pub copy: Copy,
    /// Its bytes, as they were shown.
    pub bytes: Arc<[u8]>,
    /// Where the chosen records start in the copy. If the whole file is restored: the deleted records that
    /// are restored with it.
    pub chosen: HashSet<u64>,
    /// Whether the whole file is restored.
    pub whole: bool,
}

impl std::fmt::Debug for Restoring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Restoring({:?}, {:?}, {})", self.copy.path, self.chosen.len(), self.whole)
    }
}

/// How records are deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteAs {
    /// Why: a code, not the content.
    pub reason: Option<String>,
    /// What takes their place.
    pub replaced_by: Option<String>,
    /// Whether the bytes go at once, where the format would keep them.
    pub remove: bool,
}

impl DeleteAs {
    fn asked(&self) -> ops::delete::Asked<'_> {
        let (reason, replaced_by) = (self.reason.as_deref(), self.replaced_by.as_deref());
        ops::delete::Asked { reason, replaced_by, remove: self.remove }
    }
}

/// A record to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewRecord {
    /// The session that it belongs to.
    pub session: Option<String>,
    /// The format's own word for its type.
    pub kind: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// From 0 to 1.
    pub importance: Option<f64>,
    /// Its main text.
    pub text: Option<String>,
    /// Its members, as a JSON object.
    pub record: Option<String>,
}

impl NewRecord {
    pub(super) fn draft(&self) -> Draft<'_> {
        Draft {
            session: self.session.as_deref(),
            kind: &self.kind,
            text: self.text.as_deref(),
            tags: &self.tags,
            importance: self.importance,
            record: self.record.as_deref(),
        }
    }
}

/// What is to become of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionDeed {
    /// It is made: its id, and whose it is.
    New(Option<String>, String),
    /// It is packed away.
    Archive(String),
    /// It comes back; the flag lifts limits of size.
    Unarchive(String, bool),
    /// It goes with all that is in it.
    Delete(String),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// A record is added to a store, by the store's number.
    Add(usize, NewRecord),
    /// Tags are added and taken away.
    Tag {
        /// These come.
        add: Vec<String>,
        /// These go.
        remove: Vec<String>,
    },
    /// A tag is renamed wherever it is.
    Rename {
        /// What it was called.
        from: String,
        /// What it is called.
        to: String,
    },
    /// The importance is set.
    Importance(f64),
    /// A field that holds a word is set: the type, the category.
    Word {
        /// The field.
        field: &'static str,
        /// What it is to be.
        value: String,
    },
    /// Fields of one record are set: each with its value.
    Edit(Vec<(String, String)>),
    /// That it was accessed is recorded.
    Access,
    /// Fields of several are set.
    EditEach(Vec<(String, String)>),
    /// It is moved aside.
    Archive,
    /// It is brought back.
    Unarchive,
    /// It is deleted.
    Delete(DeleteAs),
    /// Its deletion is undone.
    Undelete,
    /// It goes for good, with every copy; why, as a code.
    Erase(Option<String>),
    /// What a copy of a file has comes back.
    Restore(Restoring),
    /// An empty store is made.
    Init,
    /// What is due is done.
    Maintain,
    /// Logs are compacted, or that of one session.
    Compact(Option<String>),
    /// Files of an older version are brought to this one.
    Migrate,
    /// Derived files are rebuilt, or those of one session.
    Reindex(Option<String>),
    /// The stored caches of decay are brought up to date.
    Decay,
    /// Problems are repaired.
    Repair(Which),
    /// What a repair took out of a file comes back.
    FromQuarantine(FromQuarantine),
    /// Something is done with a session of a store, by the store's number.
    Session(usize, SessionDeed),
    /// Steps, each with the number of its store, are undone or redone.
    Turn(Vec<(usize, Turn)>),
    /// The last step is undone.
    Undo,
    /// What was undone last is redone.
    Redo,
}

impl Wanted {
    /// The main text is to be this.
    pub fn text(text: String) -> Wanted {
        Wanted::Edit(vec![("text".to_owned(), text)])
    }

    /// What is going on while it is done.
    pub fn going_on(&self) -> &'static str {
        self.words()[0]
    }

    /// The verb, as a question has it.
    pub fn verb(&self) -> &'static str {
        self.words()[1]
    }

    /// What was done, once it is.
    pub fn done(&self) -> &'static str {
        self.words()[2]
    }

    /// While it is done, as a question has it, and once it is done.
    fn words(&self) -> [&'static str; 3] {
        match self {
            Wanted::Tag { .. } => ["tagging", "tag", "tagged"],
            Wanted::Rename { .. } => ["renaming a tag of", "rename a tag of", "renamed a tag of"],
            Wanted::Word { field: "type", .. } => {
                ["setting the type of", "set the type of", "set the type of"]
            }
            Wanted::Word { .. } => ["setting the category of", "set the category of", "set the category of"],
            Wanted::Erase(_) => ["erasing", "erase", "erased"],
            Wanted::Importance(_) => {
                ["setting the importance of", "set the importance of", "set the importance of"]
            }
            Wanted::Edit(_) | Wanted::EditEach(_) => ["saving", "save", "saved"],
            Wanted::Archive => ["archiving", "archive", "archived"],
            Wanted::Unarchive | Wanted::Session(_, SessionDeed::Unarchive(..)) => {
                ["bringing back", "bring back", "brought back"]
            }
            Wanted::Delete(_) => ["deleting", "delete", "deleted"],
            Wanted::Undelete => ["restoring", "restore", "restored"],
            Wanted::Restore(own) if own.whole => {
                ["restoring", "replace the whole of", "replaced the whole of"]
            }
            Wanted::Repair(_) => ["repairing", "repair", "repaired"],
            Wanted::FromQuarantine(_) => ["restoring", "restore", "restored"],
            Wanted::Restore(_) => ["restoring", "restore", "restored"],
            Wanted::Maintain => ["running", "run", "ran"],
            Wanted::Compact(_) => ["compacting", "compact", "compacted"],
            Wanted::Turn(steps) => match steps.first() {
                Some((_, Turn::Redo(_))) => ["redoing", "redo", "redid"],
                _ => ["undoing", "undo", "undid"],
            },
            Wanted::Undo => ["undoing the last change", "undo", "undid"],
            Wanted::Redo => ["redoing the last change", "redo", "redid"],
            _ => ["changing", "change", "changed"],
        }
    }

    /// Whether it can be repeated with other memories.
    pub fn is_repeatable(&self) -> bool {
        matches!(self, Wanted::Tag { .. } | Wanted::Importance(_) | Wanted::Word { .. }) || self.binds()
    }

    /// Whether it is about the memory as it was seen, even where nothing is asked: what takes it
    /// away, or brings it back.
    pub fn binds(&self) -> bool {
        matches!(self, Wanted::Archive | Wanted::Unarchive | Wanted::Delete(_) | Wanted::Undelete)
    }

    /// Whether it sets what the user wrote of the memory as it was.
    pub fn is_written(&self) -> bool {
        matches!(self, Wanted::Edit(_) | Wanted::EditEach(_))
    }

    /// Whether its plan counts the memories that it has looked at.
    pub fn is_counted(&self) -> bool {
        matches!(
            self,
            Wanted::Tag { .. }
                | Wanted::Rename { .. }
                | Wanted::Importance(_)
                | Wanted::Word { .. }
                | Wanted::EditEach(_)
        )
    }

    /// Whether it can be done with that memory. A plan can still be refused.
    pub fn may(&self, store: &Store, entry: &Entry) -> Result<(), Refusal> {
        let deed = match self {
            Wanted::Tag { .. } | Wanted::Rename { .. } => Deed::Tag,
            Wanted::Importance(_) | Wanted::Word { .. } => Deed::Edit,
            Wanted::Edit(_) | Wanted::EditEach(_) => Deed::Edit,
            Wanted::Archive => Deed::Archive,
            Wanted::Delete(own) if !own.remove => Deed::Delete,
            Wanted::Unarchive if entry.state != State::Archived => {
                return Err(Refusal::unfit("only archived memories can be brought back."));
            }
            Wanted::Unarchive => return ops::archive::comes_back(store),
            Wanted::Undelete if !is_deleted(store, entry) => {
                return Err(Refusal::unfit("only deleted memories can be restored."));
            }
            _ => return Ok(()),
        };
        ops::may(store, entry, deed)
    }

    /// The plan of it, for records of one store.
    pub(super) fn of_records(
        &self,
        scene: &Scene<'_>,
        entries: &[Entry],
        gone: &Gone,
        progress: &Progress,
    ) -> Result<Plan, Refusal> {
        let one = || match entries {
            [one] => Ok(one),
            _ => Err(Refusal::unfit("that can be done with one memory at a time.")),
        };
        progress.go_on()?;
        let plan = self.plan_of_records(scene, entries, (gone, &one), progress);
        // What is said of bytes that were gone says nothing of the memory.
        plan.map_err(|refusal| scene.store.whole().err().map_or(refusal, Refusal::from))
    }

    fn plan_of_records<'e>(
        &self,
        scene: &Scene<'_>,
        entries: &'e [Entry],
        (gone, one): (&Gone, &dyn Fn() -> Result<&'e Entry, Refusal>),
        progress: &Progress,
    ) -> Result<Plan, Refusal> {
        match self {
            Wanted::Tag { add, remove } => {
                ops::tag::tagged(scene, entries, Tagging::Change { add, remove }, progress)
            }
            Wanted::Rename { from, to } => {
                ops::tag::tagged(scene, entries, Tagging::Rename { from, to }, progress)
            }
            Wanted::Importance(value) => ops::field::importances(scene, entries, *value, progress),
            Wanted::Word { field, value } => ops::field::set_word(scene, entries, (field, value), progress),
            Wanted::Edit(fields) => {
                let set: Vec<Setting<'_>> =
                    fields.iter().map(|(name, value)| Setting { name, value }).collect();
                ops::edit::edit(scene, one()?, &set)
            }
            Wanted::EditEach(fields) => ops::edit::each(scene, entries, progress, &|_| Ok(fields.clone())),
            Wanted::Access => ops::upkeep::access(scene, one()?),
            Wanted::Archive => ops::archive::archive(scene, entries),
            Wanted::Unarchive => ops::archive::unarchive(scene, entries),
            Wanted::Delete(own) => ops::delete::delete(scene, entries, own.asked()),
            Wanted::Undelete => ops::delete::undelete(scene, entries, gone),
            _ => Err(Refusal::unfit("there is nothing to plan.")),
        }
    }

    /// Whether it is done with records that were chosen.
    pub fn is_of_records(&self) -> bool {
        !self.is_of_stores()
            && !matches!(
                self,
                Wanted::FromQuarantine(_)
                    | Wanted::Restore(_)
                    | Wanted::Turn(_)
                    | Wanted::Undo
                    | Wanted::Redo
            )
    }

    /// Whether it is done with stores as a whole.
    pub(super) fn is_of_stores(&self) -> bool {
        matches!(self, Wanted::Add(..) | Wanted::Init | Wanted::Maintain | Wanted::Compact(_))
            || matches!(
                self,
                Wanted::Migrate
                    | Wanted::Reindex(_)
                    | Wanted::Decay
                    | Wanted::Repair(_)
                    | Wanted::Session(..)
            )
    }

    /// The plan of it for a store as a whole, of which `packed` is the archive of the session.
    pub(super) fn of_store(&self, scene: &Scene<'_>, packed: &[u8]) -> Result<Plan, Refusal> {
        match self {
            Wanted::Add(_, new) => ops::add::add(scene, &new.draft()),
            Wanted::Compact(session) => {
                let mut plan = ops::compact::compact(scene, session.as_deref())?;
                say_rule(&mut plan, scene.store, &ops::compact::rule(scene.store), scene.now);
                Ok(plan)
            }
            Wanted::Migrate => ops::upkeep::migrate(scene),
            Wanted::Reindex(None) => ops::reindex::reindex(scene),
            Wanted::Reindex(Some(session)) => ops::reindex::of_session(scene, session),
            Wanted::Decay => ops::upkeep::decay(scene),
            Wanted::Session(_, SessionDeed::New(id, user)) => ops::session::new(scene, id.as_deref(), user),
            Wanted::Session(_, SessionDeed::Archive(id)) => ops::session::archive(scene, id),
            Wanted::Session(_, SessionDeed::Unarchive(id, large)) => {
                ops::session::unarchive(scene, id, *large, packed)
            }
            Wanted::Session(_, SessionDeed::Delete(id)) => ops::session::delete(scene, id),
            _ => Err(Refusal::unfit("there is nothing to plan.")),
        }
    }

    /// What becomes of one memory, in a few words; empty where the verb says it all. Untrusted text.
    pub fn told(&self, store: &Store, entry: &Entry) -> String {
        let Some(view) = store.view(entry) else { return String::new() };
        let has = |tag: &String| view.tags.contains(tag);
        match self {
            Wanted::Tag { add, remove } => {
                let come = add.iter().filter(|tag| !has(tag)).map(|tag| format!("+{tag}"));
                let go = remove.iter().filter(|tag| has(tag)).map(|tag| format!("-{tag}"));
                come.chain(go).collect::<Vec<_>>().join(" ")
            }
            Wanted::Rename { from, to } => format!("{from} → {to}"),
            Wanted::Importance(value) => format!("{:.2} → {value:.2}", view.importance),
            Wanted::Word { field: "type", value } => format!("{} → {value}", view.kind),
            Wanted::Word { value, .. } => {
                format!("{} → {value}", view.topic.unwrap_or("none"))
            }
            _ => String::new(),
        }
    }
}

fn is_deleted(store: &Store, entry: &Entry) -> bool {
    entry.state == State::Deleted || store.view(entry).is_some_and(|view| view.faded)
}
