//! Cancels a search when a newer one starts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A signal to a running search that a newer search was requested.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    newest: Arc<AtomicU64>,
    own: u64,
}

impl CancelToken {
    /// Returns a token for a new search and cancels all earlier tokens.
    pub fn next(&self) -> CancelToken {
        let own = self.newest.fetch_add(1, Ordering::Relaxed) + 1;
        CancelToken { newest: Arc::clone(&self.newest), own }
    }

    /// True if a newer search was requested.
    pub fn is_cancelled(&self) -> bool {
        self.newest.load(Ordering::Relaxed) != self.own
    }

    /// Returns `None` if the search is cancelled, so that `?` leaves a loop.
    pub(super) fn check(&self) -> Option<()> {
        (!self.is_cancelled()).then_some(())
    }
}
