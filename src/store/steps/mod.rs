//! Our own data about a store: steps and the journal, drafts, backups, quarantine; and what it says: which steps are applied,
//! what was deleted.
//!
//! Each store has one folder, in the user's data folder or in `--data-dir`, never in the store.
//! The journal holds numbers and file names, no content. Undo data is content: entries of segments,
//! removed after 30 days or above 256 MB. The archive is content, too, and does not expire.

pub(super) mod archive;
pub(super) mod backups;
mod deleted_records;
mod drafts;
mod erasure_checks;
mod folder;
mod journal;
pub(super) mod pending_erasure;
pub(super) mod retention;
pub(super) mod step_history;
mod step_segments;
mod store_registry;
pub(super) mod undo_step;
pub(super) mod undo_steps;

pub use backups::{QuarantinedPiece, list_backups, verify_backup};
pub use deleted_records::{
    Deletions, DeletionsCache, held_bytes, with_archived, with_deleted, without_deleted,
};
pub use drafts::{
    draft_kept_note, draft_lost_note, draft_of, drop_form, find_form, is_text_of, keep_form, keep_text,
};
pub use erasure_checks::ErasureCheckLine;
pub use folder::{Vault, make_folders, make_folders_as};
pub use step_history::StepHistory;
pub use store_registry::{interrupted_stores, is_settled};
pub use undo_step::UndoStep;

use folder::{real_of, way_to};
pub(super) use journal::JOURNAL;
