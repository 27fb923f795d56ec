//! What was done before: undo and redo, the journal as it is shown, and records that only undo data still has.

pub mod deleted_records;
pub mod journal_view;
pub mod last_change;
pub mod record_tracker;
pub mod restore_backup;
pub mod restore_filter;
pub mod step_history;
pub mod subsequent_steps;
pub mod undo_redo;
