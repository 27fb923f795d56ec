//! Undo and redo, restore from a backup, and records that only undo data or backups still have.

pub mod deleted_records;
pub mod restore_backup;
pub mod restore_filter;
pub mod step_history;
pub mod subsequent_steps;
pub mod undo_redo;
