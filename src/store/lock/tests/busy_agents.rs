//! Agents that never pause: their lock is free only for moments.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::disk::{Machine, ProcessState};

/// How long such an agent holds the lock and leaves it free.
const HELD: Duration = Duration::from_micros(19_800);
const FREE: Duration = Duration::from_micros(200);

/// The fake machine, beside an agent that takes the lock again and again.
struct Flooded<'a> {
    site: &'a Site,
    sleeps: AtomicUsize,
}

impl Flooded<'_> {
    fn agent(&self) {
        let turn = (HELD + FREE).as_nanos();
        let lock = self.site.path(".lock");
        if self.site.machine.monotonic().as_nanos() % turn < HELD.as_nanos() {
            self.site.put_exclusive(OTHER, 0);
        } else if let Err(error) = fs::remove_file(lock) {
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
    }
}

impl Machine for Flooded<'_> {
    fn now(&self) -> Moment {
        self.site.machine.now()
    }

    fn monotonic(&self) -> Duration {
        self.site.machine.monotonic()
    }

    fn sleep(&self, time: Duration) {
        self.sleeps.fetch_add(1, Ordering::SeqCst);
        self.site.machine.sleep(time);
        self.agent();
    }

    fn own_process(&self) -> u32 {
        OWN
    }

    fn random(&self) -> [u8; 16] {
        [7; 16]
    }

    fn process(&self, number: i32) -> ProcessState {
        self.site.machine.process(number)
    }
}

/// Waits half a second by the fake clock beside such an agent.
fn waited_beside(site: &Site, sleeps: &AtomicUsize) -> Result<(), LockError> {
    site.machine.has(OTHER, ProcessState::Alive(None));
    let machine = Flooded { site, sleeps: AtomicUsize::new(0) };
    machine.agent();
    let patience = WaitPolicy::of(Duration::from_millis(500));
    let lock = LockProtocol::Exclusive(vec![site.path(".lock")]);
    let taken = acquire(&RealDisk, &machine, &lock, "write", "palimp", &patience).map(drop);
    sleeps.store(machine.sleeps.into_inner(), Ordering::SeqCst);
    taken
}

#[test]
fn a_lock_that_is_free_for_a_fifth_of_a_millisecond_is_taken() {
    let sleeps = AtomicUsize::new(0);
    waited_beside(&Site::new(), &sleeps).unwrap();
}

#[test]
fn a_lock_that_is_never_free_is_not_looked_at_all_the_time() {
    let site = Site::new();
    site.machine.has(OTHER, ProcessState::Alive(None));
    site.put_exclusive(OTHER, 0);
    let before = site.machine.monotonic();
    let patience = WaitPolicy::of(Duration::from_secs(5));
    let sleeps = AtomicUsize::new(0);
    let counted = || {
        sleeps.fetch_add(1, Ordering::SeqCst);
        true
    };
    let patience = WaitPolicy { go_on: Some(&counted), ..patience };
    let busy = site.acquire_with(&site.exclusive(), &patience).map(drop);
    assert!(matches!(busy, Err(LockError::Busy { .. })));
    assert!(site.machine.monotonic() - before >= Duration::from_secs(5));
    let looks = sleeps.into_inner();
    assert!((50..500).contains(&looks), "{looks} looks in five seconds");
}
