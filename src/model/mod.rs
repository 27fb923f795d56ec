//! What a memory is: plain data that the other modules pass to each other.

pub mod archived_item;
pub mod backup;
pub mod bytes;
pub mod decay;
pub mod document;
pub mod draft;
pub mod durability;
pub mod entry_time;
pub mod entry_tracker;
pub mod instruction_file;
pub mod journal_line;
pub mod key;
pub mod loaded_file;
pub mod memory_name;

pub mod not_reached;
pub mod owner;
pub mod path_text;
pub mod pinning;
pub mod plan;
pub mod problem;
pub mod project;
pub mod record;
pub mod record_name;
pub mod references;
pub mod secret_values;
pub mod snapshot;
pub mod standing;
pub mod stored_memory;
pub mod surroundings;
pub mod time;
pub mod untrusted_text;
pub mod whole_store;
pub mod words;

pub use crate::model::plan::change::{Act, Change};
pub use crate::model::record_name::{Name, NameKind, Reference};
pub use archived_item::{ArchivedItem, RemovedLine};
pub use backup::{BackupCheck, BackupCopy, BackupReason};
pub use bytes::Bytes;
pub use decay::{DecayRule, DecayTable};
pub use document::{Document, Generation, Role};
pub use draft::{DraftField, FormDraft};
pub use durability::Durability;
pub use entry_time::EntryTime;
pub use entry_tracker::EntryTracker;
pub use instruction_file::{InstructionContent, InstructionFile, ProjectInstructions};
pub use journal_line::{FileLine, JournalLine, UndoRedo};
pub use key::{Key, short_digest};
pub use loaded_file::{LoadExcess, LoadLimit, LoadSettings, LoadedExtent, LoadedFile};
pub use memory_name::{MemoryName, Renaming};
pub use not_reached::{NotReached, ProviderKeys};
pub use path_text::{PathText, archived_from, container, deleted_from, is_file_name, is_log, path_from_text};
pub use pinning::{KEEP_UNTIL, Keep, PINNED, is_kept, names_no_day, tag_until};
pub use plan::{CommitReceipt, Lock, Plan, Splice};
pub use problem::{Code, Problem, Severity};
pub use project::{Project, ProjectRelation};
pub use record::{Record, RecordBody, RecordText, Span};
pub use references::{EntryLink, ReferenceIndex};
pub use secret_values::SecretValues;
pub use snapshot::{Entry, EntryRef, Extent, Lifecycle, Session, Snapshot, State, Store, UNSEEN};
pub use standing::{AgentHome, KnownBy, Unloaded};
pub use stored_memory::{StoredMemory, USUAL_IMPORTANCE};
pub use surroundings::{
    PatternBase, SurroundingFinding, SurroundingKind, SurroundingPattern, SurroundingReport,
};
pub use time::{Moment, Zone};
pub use untrusted_text::UntrustedText;
pub use whole_store::{NotWhole, UnreadPath, WholeStore};
pub use words::{ChangeKind, ErasureState, Verb};

/// A map with a fast hash, for many short keys. Each has its own random seed, so that no store can make it slow.
pub type FastMap<K, V> = std::collections::HashMap<K, V, foldhash::quality::RandomState>;
/// The same for a set.
pub type FastSet<K> = std::collections::HashSet<K, foldhash::quality::RandomState>;
