//! Erasing: records, every copy of them, and then the search of every byte.
//!
//! An entry without content says "erasing" before anything is changed and is gone when the
//! search is over. Whatever cuts this short, the next start finishes it: what is erased is
//! known by its id, and what it said is taken from the versions that are still there. No step
//! keeps what an erasure takes out, so nothing undoes it.

pub mod byte_search;
pub mod count_versions;
pub mod erase_records;
pub mod erasure_list;
pub mod erasure_receipt;
pub mod finish_erasure;
pub mod git_history;
pub mod replaced_files;
pub mod restore_guard;
pub mod scrub_vault;
pub mod scrubbed_copies;
pub mod stale_plan_guard;
pub mod torn_tombstones;
pub mod unread_sources;

pub use crate::store::commit::vault::pending_erasure::PendingErasure;
pub use byte_search::SearchReport;
pub use count_versions::count_versions;
pub use erasure_list::ErasureLine;
pub use erasure_receipt::{ErasureReceipt, cannot_reach};
pub use git_history::GitHistory;
pub use scrubbed_copies::CopyDoubt;

pub use erase_records::{erase, finish_erasing};
pub use unread_sources::{UnreadSources, gather};
use unread_sources::{each_within, is_unread};
