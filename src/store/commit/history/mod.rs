//! What was done before: undo and redo, the journal as it is shown, and records that only undo data still has.

pub(super) mod deleted_records;
pub(super) mod equal_records;
pub(super) mod journal_view;
pub(super) mod last_change;
pub(super) mod rebuild_derived;
pub(super) mod record_digests;
pub(super) mod record_tracker;
pub(super) mod restore_filter;
pub(super) mod subsequent_steps;
pub(super) mod undo_redo;
