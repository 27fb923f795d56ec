//! The progress of a change, and the way to stop it before anything is written.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

use super::{Refusal, Result};
use crate::query::CancelToken;

const OPEN: u8 = 0;
const STOPPED: u8 = 1;
const WRITING: u8 = 2;

/// The progress of a change. The thread that makes the change counts; another thread reads, or stops it.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicUsize,
    of: AtomicUsize,
    searched: AtomicU64,
    state: AtomicU8,
    searches: CancelToken,
}

impl Progress {
    /// Begins a part of `of` steps.
    pub fn begin(&self, of: usize) {
        self.done.store(0, Ordering::Relaxed);
        self.of.store(of, Ordering::Relaxed);
    }

    /// Counts a step. Refuses if the change was stopped.
    pub fn step(&self) -> Result<()> {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.go_on()
    }

    /// Refuses if the change was stopped.
    pub fn go_on(&self) -> Result<()> {
        match self.state.load(Ordering::Relaxed) {
            STOPPED => Err(Refusal { stops: true, ..Refusal::new("E_STOPPED", "it was stopped.") }),
            _ => Ok(()),
        }
    }

    /// Returns the token of searches for the change: it is cancelled when the change is stopped.
    pub fn searches(&self) -> &CancelToken {
        &self.searches
    }

    /// Returns the number of steps that are done, and of all steps.
    pub fn figure(&self) -> (usize, usize) {
        let of = self.of.load(Ordering::Relaxed);
        (self.done.load(Ordering::Relaxed).min(of), of)
    }

    /// Counts bytes that were searched. False if the change was stopped.
    pub fn search(&self, bytes: u64) -> bool {
        self.searched.fetch_add(bytes, Ordering::Relaxed);
        self.go_on().is_ok()
    }

    /// Returns the number of bytes that were searched.
    pub fn searched(&self) -> u64 {
        self.searched.load(Ordering::Relaxed)
    }

    /// Stops the change. Returns false if it is being written; then it is finished.
    pub fn stop(&self) -> bool {
        let turned = self.state.compare_exchange(OPEN, STOPPED, Ordering::SeqCst, Ordering::SeqCst);
        let is_stopped = turned.is_ok() || turned == Err(STOPPED);
        if is_stopped {
            drop(self.searches.next());
        }
        is_stopped
    }

    /// True if the change is being written and can't be stopped.
    pub fn is_writing(&self) -> bool {
        self.state.load(Ordering::SeqCst) == WRITING
    }

    /// Marks the change as being written; after that it can't be stopped. Refuses if it was stopped before.
    pub fn write(&self) -> Result<()> {
        let _ = self.state.compare_exchange(OPEN, WRITING, Ordering::SeqCst, Ordering::SeqCst);
        self.go_on()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_stopped_before_it_is_written_and_not_afterwards() {
        let early = Progress::default();
        assert!(!early.searches().is_cancelled());
        assert!(early.stop());
        assert!(early.searches().is_cancelled());
        assert!(early.step().is_err_and(|refusal| refusal.stops));
        assert!(early.write().is_err());
        let late = Progress::default();
        late.begin(3);
        assert!(late.write().is_ok());
        assert!(!late.stop());
        assert!(late.step().is_ok());
        assert_eq!(late.figure(), (1, 3));
    }
}
