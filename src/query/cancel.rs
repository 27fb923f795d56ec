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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_search_cancels_those_before_it() {
        let root = CancelToken::default();
        let first = root.next();
        assert!(!first.is_cancelled());
        let second = first.next();
        assert!(first.is_cancelled());
        assert!(!second.is_cancelled());
    }
}
