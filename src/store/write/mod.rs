//! The one way in which palimp changes a user's files, for all formats.
//!
//! New bytes are durable beside the file before palimp waits for a lock. The format's lock is held only for
//! the commit. Lines that others append are taken over, before and after the rename. A change in several
//! files is undone in full if it can't be finished. Undo data is durable before anything is changed.

mod apply;
mod commit_context;
mod commit_plan;
mod derive;
mod handover;
mod history;
mod open_writer;
mod recovery;
pub mod scrub;
mod writer;

pub use apply::rebase_splices::merge;
pub use handover::rescue::take_left_files;
pub use history::undo_redo::{plan_redo, plan_undo};
pub use recovery::leftover_files::is_left_over;
pub use writer::Writer;

use crate::store::steps::UndoStep;
use crate::store::{CommitError, FilesState, Vault};
use commit_context::{CommitContext, sync_each};
