//! Indexes that wait since records were added, written while an open store is idle: by a thread of its own,
//! as late as the store's config has it (2 §7.1), as a process does it that outlives a verb.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::disk::{Machine, RealDisk, ThisMachine};
use crate::store::Place;
use crate::store::commit::{Host, VaultState, derive_at_once};

/// The thread of an open store. It starts when something waits for the first time.
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
    /// How often records were added after which something waits.
    additions: u64,
    /// When it is to be written; nothing waits where there is none.
    due: Option<Instant>,
    /// How long it waits.
    after: Duration,
    /// What was written: of how many additions, and our own data as that left it.
    written: Option<(u64, Option<VaultState>)>,
    is_over: bool,
}

impl IndexWriter {
    pub fn new() -> IndexWriter {
        IndexWriter { shared: Arc::default(), thread: None }
    }

    /// Something waits since now, to be written after that time, unless more is added until then.
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
            // Without a thread they are written when the store is closed.
            self.thread = thread.spawn(move || run(&shared, &place, &data)).ok();
        }
    }

    /// Whether all that waited was written meanwhile; then our own data as that left it.
    pub fn written(&mut self) -> Option<Option<VaultState>> {
        let mut waiting = self.shared.waiting.lock().ok()?;
        let additions = waiting.additions;
        waiting.written.take().filter(|(of, _)| *of == additions).map(|(_, left)| left)
    }

    /// Nothing waits any more.
    pub fn done(&mut self) {
        if let Ok(mut waiting) = self.shared.waiting.lock() {
            waiting.due = None;
        }
    }

    /// Ends the thread; what it is writing is written then.
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
        // Nobody waits for it meanwhile but for palimp's own lock.
        let written = derive_at_once(host, place);
        let Ok(mut waiting) = shared.waiting.lock() else { return };
        match written {
            Some(left) => {
                if waiting.additions == additions {
                    waiting.due = None;
                }
                waiting.written = Some((additions, left));
            }
            // Another is at it, or the lock is held: it is tried again.
            None => waiting.due = Instant::now().checked_add(waiting.after),
        }
    }
}

/// Waits until something is to be written: of how many additions; none when the store is closed.
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
