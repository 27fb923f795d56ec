//! The one way in which palimp changes a user's files, for all formats.
//!
//! New bytes are durable beside the file before palimp waits for a lock. The format's lock is held only for
//! the commit. Lines that others append are taken over, before and after the rename. A change in several
//! files is undone in full if it can't be finished. Undo data is durable before anything is changed.

mod apply;
mod commit_context;
mod commit_plan;
mod derive;
mod error;
mod handover;
pub(crate) mod history;
mod open_writer;
mod recovery;
pub mod scrub;
pub(crate) mod vault;
mod writer;

pub use crate::store::commit::history::step_history::StepHistory;
pub use crate::store::commit::history::undo_redo::{plan_redo, plan_undo};
pub use apply::rebase_splices::merge;
pub use error::{CommitError, FilesState};
pub use handover::left_files::take_left_files;
pub use history::deleted_records::{
    Deletions, DeletionsCache, held_bytes, with_archived, with_deleted, with_deleted_without, without_deleted,
};
pub use recovery::leftover_files::is_left_over;
pub use vault::backups::{QuarantinedPiece, list_backups};
pub use vault::drafts::{draft_kept_note, draft_lost_note, drop_form, find_form, keep_form, keep_text};
pub use vault::erasure_checks::ErasureCheckLine;
pub use vault::store_registry::{interrupted_stores, is_settled};
pub use vault::undo_step::UndoStep;
pub use vault::verify_backup::verify_backup;
pub use vault::{Vault, make_folders};
pub use writer::Writer;

use commit_context::{CommitContext, sync_each};
