//! A change from the request to the report: it is asked for, planned, shown, checked again, carried
//! out and reported. Verbs, screens and programs all use this module. They differ in who is asked
//! and how it is reported: [`Requester`] and [`ChangeObserver`].

mod append;
mod check_stores;
mod command;
mod deleted_records;
mod drafts;
mod erase;
mod execute;
mod failure;
mod pane_layout;
mod plan_change;
mod plan_repair;
mod plan_stores;
mod request;
mod revalidate;
mod screen_state;
mod undo_redo;
mod visits;

pub use append::{append, append_all, plan_all, refusal_of_all};
pub use check_stores::{CheckCache, CheckedSnapshot, CheckedStore, check_store, mark_due_indexes};
pub use command::{BackupRestore, ChangeCommand, DeleteOptions, NewRecord, SessionCommand};
pub use deleted_records::{deleted_count, with_deleted};
pub use drafts::{failure_with_draft, keep_draft, keep_store_draft};
pub use erase::{ERASED_MEANWHILE, PlannedErasure, is_erased, unless_erased};
pub use execute::{
    ChangeObserver, ChangeReport, ExecuteOutcome, HistoryEffect, SilentObserver, execute, execute_shown,
    execute_unshown, memory_count, plan_and_execute,
};
pub use failure::{ChangeFailure, FailureCause, FailureKind};
pub use pane_layout::{PaneBorder, PaneLayout};
pub use plan_change::{PlannedChange, name_of, plan, preview};
pub use plan_repair::{QuarantineFile, QuarantineRestore, fixes_of, in_quarantine, repair_sources};
pub use plan_stores::plans_due;
pub use request::{ChangeRequest, Requester};
pub use revalidate::{
    ConcurrentChange, ConcurrentChanges, add_rule_lines, add_touched_lines, count_changed_since,
    find_unchanged, snapshot_with_bytes, store_with_bytes,
};
pub use screen_state::ScreenState;
pub use undo_redo::{RecentStep, RecentSteps, undo_or_redo};
pub use visits::Visits;
