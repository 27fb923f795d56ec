//! What a user can do: one file per verb, from a store in memory to a plan. All of it is pure: time
//! and random bytes are parameters, and nothing is written.

pub mod access;
pub mod add;
pub mod add_many;
pub mod archive;
mod auto_redaction;
pub mod backup_restore;
pub mod bulk;
mod change_plan;
pub mod command;
pub mod compact;
pub mod copy_records;
pub mod delete;
pub mod edit;
pub mod effect_lines;
pub mod erase;
pub mod form;
pub mod init;
pub mod maintain;
pub mod merge;
pub mod move_records;
pub mod progress;
pub mod redact;
pub mod reindex;
pub mod repair;
pub mod session;
pub mod set_field;
pub mod tag;
pub mod undelete;

pub use crate::ops::change_plan::{
    ASIDE, check, check_brought, config_is_known, is_json, may, may_change, plan, plan_and_after,
    session_folder, way_back, with_backups, writable, writes,
};
pub use command::{
    Command, CommandRules, CommandScope, Consent, MemoryInput, ShownFirst, StoreInput, StorePlan, WriteWay,
};

pub use crate::format::writing::{
    ChangesResult, FieldAssignment, NO_COMPRESSED_FILES, Operation, RecordDraft, Refusal, Result,
    WriteContext,
};
pub use progress::Progress;

use change_plan::{breaks, own_operations, refused_for, with_derived};
