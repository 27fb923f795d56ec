//! Locks that go from agent to agent, and are free for an instant in between.

use std::fs::File;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{FlockOperation, flock};

use super::*;
use crate::disk::{Machine, ProcessState};
use crate::passed_on::passed_on;

/// How long an agent holds the lock, how long it is then free, and when it is first free.
const HELD: Duration = Duration::from_micros(2_300);
const FREE: Duration = Duration::from_micros(150);
const BEGINS: Duration = Duration::from_secs(1);

/// A machine on which memory-server's agents use a lock during sleeps. Each creates its file and removes it.
struct Lively {
    turned: Turned,
    lock: PathBuf,
    /// The file of the agent that has the lock, and the number of its turn.
    agent: Mutex<(Option<File>, u128)>,
    sleeps: AtomicUsize,
    is_handed_on: bool,
}

impl Lively {
    fn new(site: &Site, is_handed_on: bool) -> Lively {
        let lively = Lively {
            turned: Turned::new(OWN),
            lock: site.path(".lock"),
            agent: Mutex::default(),
            sleeps: AtomicUsize::new(0),
            is_handed_on,
        };
        lively.take(0);
        lively
    }

    fn take(&self, turn: u128) {
        let file = File::options().write(true).create(true).truncate(true).open(&self.lock).unwrap();
        // A lock that palimp holds keeps them waiting.
        let is_theirs = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
        *self.agent.lock().unwrap() = (is_theirs.then_some(file), turn);
    }

    fn let_go(&self) {
        if self.agent.lock().unwrap().0.take().is_some() {
            fs::remove_file(&self.lock).unwrap();
        }
    }

    fn act(&self, now: Duration) {
        let (cycle, turn) = ((HELD + FREE).as_nanos(), now.as_nanos() / (HELD + FREE).as_nanos());
        let is_free = now > BEGINS && now.as_nanos() % cycle >= HELD.as_nanos();
        let is_next = self.agent.lock().unwrap().1 != turn;
        if is_free || is_next {
            self.let_go();
        }
        if is_next && !is_free {
            self.take(turn);
        }
    }
}

impl Machine for Lively {
    passed_on! { self => self.turned; now monotonic own_process random process }

    fn sleep(&self, time: Duration) {
        self.turned.sleep(time);
        self.sleeps.fetch_add(1, Ordering::SeqCst);
        if self.is_handed_on {
            self.act(self.turned.monotonic());
        }
    }
}

#[test]
fn a_lock_that_agents_hand_on_is_taken_soon_after_it_is_free_for_an_instant() {
    let site = Site::new();
    let machine = Lively::new(&site, true);
    let held = acquire(&RealDisk, &machine, &site.flock(), WaitPolicy::of(Duration::from_secs(5))).unwrap();
    assert!(held.still_ours());
    assert!(machine.monotonic() - BEGINS < Duration::from_millis(100), "{:?}", machine.monotonic());
}

#[test]
fn a_lock_that_one_agent_holds_for_long_is_looked_at_seldom() {
    let site = Site::new();
    let machine = Lively::new(&site, false);
    let result = acquire(&RealDisk, &machine, &site.flock(), WaitPolicy::of(Duration::from_secs(5)));
    assert!(matches!(result.map(drop), Err(LockError::Busy { .. })));
    let sleeps = machine.sleeps.into_inner();
    assert!(sleeps < 300, "{sleeps} looks in five seconds");
}
