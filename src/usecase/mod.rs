//! A change from the request to the report: it is asked for, planned, shown, checked again, carried
//! out and reported. Verbs, screens and programs all use this module. They differ in who is asked
//! and how it is reported: [`Requester`] and [`ChangeObserver`].

mod agents_at_work;
mod append;
mod backups;
mod budget;
mod check_stores;
pub mod clean_up;
mod copies_beside;
mod data_file;
mod deleted_records;
mod drafts;
mod erase;
mod erasure_receipts;
mod erasure_report;
mod execute;
pub mod export;
mod failure;
mod finding_list;
mod first_change;
mod form_save;
mod hidden_values;
mod instructions;
mod journal_stores;
mod journal_view;
mod name_list;
mod outcome;
mod plan_change;
mod plan_repair;
mod planned_change;
mod project_standing;
mod record_tracker;
mod recovery;
mod request;
mod revalidate;
mod stale_claims;
pub mod surroundings;
pub mod surroundings_check;
mod triage;
mod undo_redo;
mod undone_changes;
pub mod value_holders;
mod value_places;
pub mod verify_erased;
mod visits;
mod write;

pub use crate::ops::add::NewRecord;
pub use crate::ops::add_many::AddMemories;
pub use crate::ops::archive::{ArchiveMemories, UnarchiveMemories};
pub use crate::ops::backup_restore::BackupRestore;
pub use crate::ops::command::Command;
pub use crate::ops::delete::DeleteOptions;
pub use crate::ops::edit::EditMemory;
pub use crate::ops::erase::EraseOptions;
pub use crate::ops::undelete::UndeleteMemories;
pub use crate::store::given_ids::last_given_id;
pub use crate::usecase::outcome::{
    ChangeObserver, ChangeReport, ExecuteOutcome, HistoryEffect, SilentObserver,
};
pub use crate::usecase::planned_change::{PlannedChange, PlannedErasure, memory_count, name_of};
pub use crate::usecase::revalidate::concurrent_changes::{ConcurrentChange, ConcurrentChanges};
pub use agents_at_work::agents_at_work;
pub use append::append;
pub use backups::{BackupComparer, check_backup, create_backups, files_to_back_up, list_backups};
pub use budget::{
    ListedLine, StoreBudget, budgets, empty_lines, is_long_index, limit_lines, listed_lines, loaded_lines,
    loaded_size,
};
pub use check_stores::{CheckCache, CheckedSnapshot, CheckedStore, check_store, mark_due_indexes};
pub use copies_beside::each_copy;
pub use deleted_records::{
    SetAsideCount, deleted_count, set_aside_count, store_with_archived, store_with_deleted, with_deleted,
};
pub use drafts::{drop_form_draft, failure_with_draft, find_form_draft, keep_draft, keep_form_draft};
pub use erasure_receipts::{LaterCheck, ReceiptRow, erasure_receipts, receipt_lines};
pub use erasure_report::ErasureReport;
pub use execute::{execute_shown, execute_unshown, plan_and_execute};
pub use failure::{ChangeFailure, FailureKind, HeldLock, without_untouched};
pub use finding_list::{FindingList, ListedFinding, keep_verdict};
pub use form_save::{FormCopy, save_form, save_form_copy};
pub use hidden_values::HiddenValues;
pub use instructions::{instruction_lines, instruction_text, instructions_size, project_instructions};
pub use journal_stores::{with_emptied_store, with_interrupted_stores};
pub use journal_view::{ForeignChanges, JournalRow, JournalView, StepOutcome, inverse_of_step};
pub use name_list::read_name_list;
pub use plan_change::{merge_apart, plan, preview, with_key};
pub use plan_repair::{QuarantineFile, QuarantineRestore, Repair, fixes_of, in_quarantine, repair_sources};
pub use project_standing::not_loaded;
pub use record_tracker::RecordTracker;
pub use recovery::{
    RecoveryMode, RecoveryReport, finish_erasure, is_erasing, is_settled, place_of_new, recover,
    recover_stores, rescue_late_lines,
};
pub use request::{ChangeRequest, Requester};
pub use revalidate::{count_changed_since, current_snapshot, execute, find_unchanged};
pub use surroundings::not_reached_lines;
pub use triage::{Triage, Verdict};
pub use undo_redo::{
    RecentSteps, ReverseLast, ReverseSteps, files_as_left, files_of_step, steps_of, steps_to_reverse,
    store_of_step, undo_or_redo,
};
pub use value_holders::{DetectedValues, erasable};
pub use visits::Visits;
pub use write::{Appended, make_batch_durable, write_at_ends, write_derived};
