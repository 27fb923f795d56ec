//! Our own data about a store: the journal, what undo needs, drafts, backups, quarantine.
//!
//! Each store has one folder, in the user's data folder or in `--data-dir`, never in the store.
//! The journal holds numbers and file names, no content. Undo data is content: one file per step,
//! removed after 30 days or above 256 MB. The archive is content, too, and does not expire.

pub mod archive;
pub mod backups;
pub mod drafts;
pub mod erasure_checks;
pub mod folder;
pub mod journal;
pub mod pending_erasure;
pub mod retention;
pub mod settled;
pub mod step_segments;
pub mod store_registry;
pub mod undo_step;
pub mod undo_steps;
pub mod value_key;
pub mod verify_backup;

pub use folder::{Vault, make_folders, make_folders_as};
pub(super) use folder::{real_of, way_to};
pub(super) use journal::JOURNAL;
