//! Undo and redo, and restore from a backup.

pub mod restore_backup;
pub mod restore_filter;
pub mod subsequent_steps;
pub mod undo_redo;
