//! A command is a value: a struct with its words, what it may do to what, and its plan. A new command implements
//! [`Command`] in its file here, and has a row in the table of verbs.

use std::any::Any;
use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::Arc;

use super::erase::ErasedRecords;
use super::repair::QuarantinePiece;
use super::{Operation, Progress, Refusal, Result, WriteContext, may};
use crate::disk::host::Host;
use crate::model::{Entry, Plan, Store, StoredMemory, UndoRedo};
use crate::store::CommitError;

/// What a command is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandScope {
    /// Chosen memories. Each store that has one of them gets a plan.
    Memories,
    /// Every open store as a whole.
    EachStore,
    /// Stores as a whole, by their numbers in the snapshot.
    Stores(Vec<usize>),
}

/// When a screen shows the plan before it is carried out. Verbs always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownFirst {
    /// If it is about several memories, or about hidden ones.
    Several,
    /// Also if the key that repeats a command asked for it.
    Repeated,
    Always,
}

/// What means yes on a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    Key,
    /// Typed words if it takes many memories.
    TypedIfMany,
    /// Typed words.
    Typed,
}

/// What has to be known of a command before it is planned and carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRules {
    /// The words: while it is carried out, in a question, and once it is done. The name of what it changes follows them.
    pub words: [&'static str; 3],
    /// What it is about.
    pub scope: CommandScope,
    /// True if a key repeats it for other memories.
    pub is_repeatable: bool,
    /// True if it removes or brings back memories as they were seen, even without a question.
    pub binds_to_seen: bool,
    /// True if it is also about sessions whose memories are not named.
    pub is_of_other_sessions: bool,
    /// True if it sets what the user wrote about the memory as it was.
    pub is_written: bool,
    /// True if its plan counts memories as progress.
    pub is_counted: bool,
    /// True if what it takes out may not be shown.
    pub hides_texts: bool,
    /// True if it gives new memories ids: none gets that of a deleted or an erased one.
    pub gives_ids: bool,
    /// True if a screen names each memory of its plan in a line.
    pub names_each: bool,
    /// When a screen shows its plan.
    pub shown_first: ShownFirst,
    /// What means yes on a screen.
    pub consent: Consent,
}

impl Default for CommandRules {
    fn default() -> CommandRules {
        CommandRules {
            words: ["changing", "change", "changed"],
            scope: CommandScope::Memories,
            is_repeatable: false,
            binds_to_seen: false,
            is_of_other_sessions: false,
            is_written: false,
            gives_ids: false,
            is_counted: false,
            hides_texts: false,
            names_each: false,
            shown_first: ShownFirst::Several,
            consent: Consent::Key,
        }
    }
}

impl CommandRules {
    /// The rules of a change of one store as a whole.
    pub fn of_store(number: usize) -> CommandRules {
        CommandRules { scope: CommandScope::Stores(vec![number]), ..CommandRules::default() }
    }

    /// The rules of what takes memories from their place, or brings them there.
    pub fn repeated_as_seen() -> CommandRules {
        CommandRules { is_repeatable: true, binds_to_seen: true, ..CommandRules::default() }
    }
}

/// What the plan of a command for memories is made of.
pub struct MemoryInput<'a> {
    /// The store, and what a plan needs besides.
    pub context: WriteContext<'a>,
    /// Its chosen memories, in the order of the store.
    pub entries: &'a [Entry],
    /// What was erased, for a command that [brings back](Command::brings_back).
    pub erased: &'a ErasedRecords,
    /// Ids of deleted and erased memories, for a command that [gives ids](CommandRules::gives_ids).
    pub given_ids: &'a HashSet<String>,
    /// The progress, for those who wait.
    pub progress: &'a Progress,
}

impl MemoryInput<'_> {
    /// The only memory.
    pub fn one(&self) -> Result<&Entry> {
        match self.entries {
            [one] => Ok(one),
            _ => Err(Refusal::unfit("that can be done with one memory at a time.")),
        }
    }
}

/// What the plan of a command for a store as a whole is made of.
pub struct StoreInput<'a> {
    /// The disk, the machine and palimp's own data.
    pub host: Host<'a>,
    pub store: &'a Arc<Store>,
    /// Its number in the snapshot.
    pub number: usize,
    /// True if no other store is open.
    pub is_only: bool,
    /// The random bytes of new ids.
    pub random: [u8; 16],
}

impl<'a> StoreInput<'a> {
    /// What a plan of this store is made of.
    pub fn context(&self) -> WriteContext<'a> {
        WriteContext::of(self.store, self.host.now, self.random)
    }

    /// This plan of the store, to be written as it is.
    pub fn planned(&self, plan: Plan) -> Vec<StorePlan> {
        vec![StorePlan::of(self.number, plan)]
    }
}

/// How a plan is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WriteWay {
    /// As it was planned.
    #[default]
    AsPlanned,
    /// Planned again if the store changed: a new id is only surely free while no other palimp writes.
    PlannedAgain,
    /// Planned again in any case, because it depends on what no other palimp may change meanwhile.
    PlannedLocked,
    /// From a backup of a file.
    Restored,
    /// As the undo or redo of a step.
    Reversed(UndoRedo),
    /// After these pieces were kept in quarantine.
    Repaired(Vec<QuarantinePiece>),
}

/// The plan of a command for one store.
#[derive(Clone)]
pub struct StorePlan {
    /// The store's number in the snapshot.
    pub store: usize,
    /// The changes.
    pub plan: Plan,
    /// How it is written.
    pub way: WriteWay,
}

impl StorePlan {
    /// A plan that is written as it is.
    pub fn of(store: usize, plan: Plan) -> StorePlan {
        StorePlan { store, plan, way: WriteWay::AsPlanned }
    }

    /// The first line of the plan, without its verb. Untrusted text.
    pub fn described(&self) -> &str {
        let line = self.plan.lines.first().map_or("", String::as_str);
        line.split_once(' ').map_or("", |(_, described)| described)
    }
}

/// A change that can be asked for.
pub trait Command: Any + Debug + Send + Sync {
    /// What has to be known of it.
    fn rules(&self) -> CommandRules {
        CommandRules::default()
    }

    /// Checks that it is allowed for this memory, by default as an edit is. The plan can still be refused.
    fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<()> {
        may(store, entry, Operation::Edit)
    }

    /// True if its plan has to see what is deleted or archived in palimp's own data.
    fn brings_back(&self, _: &Store) -> bool {
        false
    }

    /// Plans it for the chosen memories of a store.
    /// A refusal names the memories at fault, if others could be changed without them.
    fn plan_memories(&self, _: &MemoryInput<'_>) -> Result<Plan> {
        Err(nothing_to_plan())
    }

    /// Plans it for a store as a whole: several plans are carried out one after the other.
    fn plan_store(&self, _: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        Err(nothing_to_plan().into())
    }

    /// What happens to one memory, in a few words; `None` if the verb says it all. Untrusted text.
    fn effect_on(&self, _: &Store, _: &Entry, _: &StoredMemory) -> Option<String> {
        None
    }

    /// The value that it gives to memories. Untrusted text.
    fn new_value(&self) -> Option<String> {
        None
    }

    /// The end of a question about it: what it changes. Untrusted text.
    fn change_in_words(&self) -> String {
        self.new_value().map(|value| format!(" to {value}")).unwrap_or_default()
    }
}

fn nothing_to_plan() -> Refusal {
    Refusal::unfit("there is nothing to plan.")
}

impl dyn Command {
    /// The command as a struct of this type, if it is one.
    pub fn get<C: Command>(&self) -> Option<&C> {
        (self as &dyn Any).downcast_ref()
    }

    /// True if it is a struct of this type.
    pub fn is<C: Command>(&self) -> bool {
        self.get::<C>().is_some()
    }

    /// Its words, see [`CommandRules::words`].
    pub fn words(&self) -> [&'static str; 3] {
        self.rules().words
    }

    /// True if it is about chosen memories.
    pub fn is_of_memories(&self) -> bool {
        self.rules().scope == CommandScope::Memories
    }
}
