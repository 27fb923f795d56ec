//! Erases records and every copy of them, then searches every byte.
//!
//! An entry without content is written before any change and removed after the search. After an
//! interruption the next start finishes the erasure: it knows the erased records by their ids and
//! reads their texts from the versions that still exist. An erasure keeps no undo data.

pub mod byte_search;
pub mod erase_records;
pub mod erasure_list;
pub mod erasure_receipt;
pub mod finish_erasure;
pub mod git_history;
pub mod receipt_files;
pub mod replaced_files;
pub mod restore_guard;
pub mod scrub_vault;
pub mod scrubbed_copies;
pub mod stale_plan_guard;
pub mod torn_tombstones;
pub mod unread_sources;
pub mod value_search;

pub use crate::store::steps::pending_erasure::PendingErasure;
pub use byte_search::{SearchReport, files_with};
pub use erasure_list::ErasureLine;
pub use erasure_receipt::{ErasureReceipt, cannot_reach};
pub use git_history::GitHistory;
pub use scrub_vault::dropped_steps;
pub use scrubbed_copies::CopyDoubt;

pub use erase_records::finish_erasing;
use unread_sources::each_within;
pub use unread_sources::{UnreadSources, count_versions, gather};
