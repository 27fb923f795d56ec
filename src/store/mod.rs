//! Finds stores, loads them, and keeps writers apart.

pub mod commit;
pub mod compressed_files;
pub mod derived_files;
mod discovery;
pub mod erase;
mod freshness;
pub mod git_work_tree;
mod grown_log;
pub mod hidden_names;
mod incremental_read;
pub mod instruction_files;
mod large_file;
mod load;
mod load_settings;
pub mod lock;
mod log_chunks;
pub mod log_ends;
mod long_log;
pub mod memory_append;
mod one_record;
mod own_files;
pub mod parallel;
pub mod referenced_files;
mod store_walk;
pub mod surroundings;

pub use compressed_files::{FileCompression, packed_bytes};
pub use discovery::{
    BELOW_HOME, DiscoveryResult, DiskProbe, Place, look_around, look_at, unique_places, with_sources,
};
pub use freshness::is_as_read;
pub use grown_log::verify_reused;
pub use load::{empty_store, load, load_each, load_from, of_documents};
pub use long_log::LONG_LOG;
pub use store_walk::session_files;
