//! What an open store knows besides its records.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::memory::cache::MemoryCache;
use crate::model::Generation;
use crate::store::commit::VaultState;

#[derive(Default)]
pub struct HandleState {
    /// palimp's own data, as this process left it.
    pub vault: Option<VaultState>,
    pub(super) last: HashMap<String, SessionLastIds>,
    /// Whether derived files wait for a rebuild, and the number of records added since.
    pub is_due: bool,
    pub(super) waiting: usize,
    pub cache: MemoryCache,
}

/// The ids that were given last, by session and type.
pub type LastIdMap = HashMap<(String, String), String>;

pub type LogGenerations = Vec<(PathBuf, Generation)>;

/// The ids that were given last in a session, by type, and its logs at that time.
pub struct SessionLastIds {
    pub(super) ids: HashMap<String, String>,
    pub(super) logs: LogGenerations,
    /// When they were read, by the monotonic clock.
    pub(super) read: Duration,
}
