//! Stopping a search that a newer one has overtaken.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells a running search that a newer one has been asked for.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    newest: Arc<AtomicU64>,
    own: u64,
}

impl CancelToken {
    /// A token for a new search; every token given out before is cancelled by it.
    pub fn next(&self) -> CancelToken {
        let own = self.newest.fetch_add(1, Ordering::Relaxed) + 1;
        CancelToken { newest: Arc::clone(&self.newest), own }
    }

    /// Whether a newer search has been asked for.
    pub fn is_cancelled(&self) -> bool {
        self.newest.load(Ordering::Relaxed) != self.own
    }

    /// `None` once a newer search has been asked for, so that `?` leaves a loop.
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
