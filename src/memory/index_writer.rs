//! A thread that writes waiting indexes while an open store is idle, as late as the store's config
//! says (2 §7.1).

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::disk::host::Host;
use crate::disk::{Machine, RealDisk, ThisMachine};
use crate::store::Place;
use crate::store::commit::{VaultState, derive_at_once};

/// The thread of an open store. It starts when indexes wait for the first time.
pub(super) struct IndexWriter {
    shared: Arc<IndexQueue>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct IndexQueue {
    waiting: Mutex<WaitingIndexes>,
    changed: Condvar,
}

#[derive(Default)]
struct WaitingIndexes {
    /// How many additions have made indexes wait.
    additions: u64,
    /// When the indexes are written; `None` if none wait.
    due: Option<Instant>,
    /// How long the indexes wait.
    after: Duration,
    /// The last write: the additions that it covers, and palimp's own data after it.
    written: Option<(u64, Option<VaultState>)>,
    is_over: bool,
}

impl IndexWriter {
    pub fn new() -> IndexWriter {
        IndexWriter { shared: Arc::default(), thread: None }
    }

    /// Notes that indexes wait: they are written after this time. Another call starts the time again.
    pub fn wait(&mut self, place: &Place, data: &Path, after: Duration) {
        if let Ok(mut waiting) = self.shared.waiting.lock() {
            waiting.additions += 1;
            waiting.after = after;
            waiting.due = Instant::now().checked_add(after);
        }
        self.shared.changed.notify_one();
        if self.thread.is_none() {
            let (shared, place, data) = (Arc::clone(&self.shared), place.clone(), data.to_owned());
            let thread = Builder::new().name("palimp-indexes".into());
            // Without a thread, the indexes are written when the store is closed.
            self.thread = thread.spawn(move || run(&shared, &place, &data)).ok();
        }
    }

    /// Returns palimp's own data after the last write, if that write covers all additions.
    pub fn written(&mut self) -> Option<Option<VaultState>> {
        let mut waiting = self.shared.waiting.lock().ok()?;
        let additions = waiting.additions;
        waiting.written.take().filter(|(of, _)| *of == additions).map(|(_, left)| left)
    }

    /// Notes that no indexes wait.
    pub fn done(&mut self) {
        if let Ok(mut waiting) = self.shared.waiting.lock() {
            waiting.due = None;
        }
    }

    /// Ends the thread. A write that has begun is finished.
    pub fn end(&mut self) {
        if let Ok(mut waiting) = self.shared.waiting.lock() {
            waiting.is_over = true;
        }
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(shared: &IndexQueue, place: &Place, data: &PathBuf) {
    let machine = ThisMachine::new();
    while let Some(additions) = next(shared) {
        let host = Host { disk: &RealDisk, machine: &machine, data, now: machine.now() };
        // The mutex is not held here: others wait only for palimp's own lock.
        let written = derive_at_once(host, place);
        let Ok(mut waiting) = shared.waiting.lock() else { return };
        match written {
            Some(left) => {
                if waiting.additions == additions {
                    waiting.due = None;
                }
                waiting.written = Some((additions, left));
            }
            // Another program is in the way: palimp tries again later.
            None => waiting.due = Instant::now().checked_add(waiting.after),
        }
    }
}

/// Waits until indexes are due, and returns the number of additions; `None` when the store is closed.
fn next(shared: &IndexQueue) -> Option<u64> {
    let mut waiting = shared.waiting.lock().ok()?;
    loop {
        if waiting.is_over {
            return None;
        }
        let Some(due) = waiting.due else {
            waiting = shared.changed.wait(waiting).ok()?;
            continue;
        };
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Some(waiting.additions);
        }
        waiting = shared.changed.wait_timeout(waiting, left).ok()?.0;
    }
}
