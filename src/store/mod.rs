//! Finds stores, loads them, and keeps writers apart.

pub mod compressed_files;
pub mod derived_files;
mod discovery;
pub mod erase;
mod freshness;
pub mod git_work_tree;
pub mod given_ids;
pub mod hidden_names;
mod incremental_read;
pub mod instruction_files;
mod load;
pub mod lock;
pub mod log_ends;
pub mod memory_append;
mod own_files;
pub mod parallel;
mod parallel_read;
pub mod plan_effects;
pub mod referenced_files;
pub mod steps;
mod store_walk;
pub mod surroundings;
pub mod write;
mod write_error;

pub use compressed_files::{FileCompression, packed_bytes};
pub use discovery::{
    BELOW_HOME, DiscoveryResult, DiskProbe, Place, look_around, look_at, unique_places, with_sources,
};
pub use freshness::{has_misread, is_as_read};
pub use load::{empty_store, load, load_each, load_from, of_documents};
pub use steps::Vault;
pub use store_walk::session_files;
pub use write_error::{CommitError, FilesState};
