//! Agents that never pause: their lock is free only for moments.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::fake_machine::Beside;
use super::*;
use crate::disk::ProcessState;

/// How long such an agent holds the lock and leaves it free.
const HELD: Duration = Duration::from_micros(19_800);
const FREE: Duration = Duration::from_micros(200);

/// Waits half a second by the fake clock beside an agent that takes the lock again and again.
fn waited_beside(site: &Site) -> Result<(), LockError> {
    site.machine.has(OTHER, ProcessState::Alive(None));
    let takes_or_frees = || {
        if site.machine.monotonic().as_nanos() % (HELD + FREE).as_nanos() < HELD.as_nanos() {
            site.put_exclusive(OTHER, 0);
        } else if let Err(error) = fs::remove_file(site.path(".lock")) {
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
    };
    takes_or_frees();
    let machine = Beside { machine: &site.machine, at_sleep: &takes_or_frees };
    let lock = Lock::Exclusive(vec![site.path(".lock")]);
    acquire(&RealDisk, &machine, &lock, WaitPolicy::of(Duration::from_millis(500))).map(drop)
}

#[test]
fn a_lock_that_is_free_for_a_fifth_of_a_millisecond_is_taken() {
    waited_beside(&Site::new()).unwrap();
}

#[test]
fn a_lock_that_is_never_free_is_not_looked_at_all_the_time() {
    let site = Site::new();
    site.machine.has(OTHER, ProcessState::Alive(None));
    site.put_exclusive(OTHER, 0);
    let before = site.machine.monotonic();
    let sleeps = AtomicUsize::new(0);
    let counted = || {
        sleeps.fetch_add(1, Ordering::SeqCst);
    };
    let machine = Beside { machine: &site.machine, at_sleep: &counted };
    let busy =
        acquire(&RealDisk, &machine, &site.exclusive(), WaitPolicy::of(Duration::from_secs(5))).map(drop);
    assert!(matches!(busy, Err(LockError::Busy { .. })));
    assert!(site.machine.monotonic() - before >= Duration::from_secs(5));
    let looks = sleeps.into_inner();
    assert!((50..500).contains(&looks), "{looks} looks in five seconds");
}
