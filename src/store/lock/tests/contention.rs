//! Several threads that want the same lock.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::fake_machine::Hurried;
use super::*;
use crate::disk::Machine;

const THREADS: usize = 4;

/// Takes the lock many times in several threads, and asserts that two never hold it at once.
#[track_caller]
fn assert_exclusion(protocol: fn(&Site) -> Lock, left: &[&str]) {
    let site = Site::new();
    let protocol = protocol(&site);
    let machine = Hurried::new();
    let (inside, overlaps, done) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let wanted = if is_long() { 100_000 } else { 80 };
    let work = || {
        let patience = WaitPolicy::of(Duration::from_secs(600));
        while done.load(Ordering::SeqCst) < wanted {
            let held = acquire(&RealDisk, &machine, &protocol, patience).unwrap();
            if inside.fetch_add(1, Ordering::SeqCst) > 0 {
                overlaps.fetch_add(1, Ordering::SeqCst);
            }
            thread::yield_now();
            inside.fetch_sub(1, Ordering::SeqCst);
            done.fetch_add(1, Ordering::SeqCst);
            held.release();
        }
    };
    thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(work))));
    assert_eq!(overlaps.into_inner(), 0);
    assert_eq!(site.names(), left);
}

#[test]
fn two_never_hold_a_lock_at_once() {
    assert_exclusion(Site::flock, &[".lock"]);
    assert_exclusion(Site::lease, &[]);
    assert_exclusion(Site::exclusive, &[]);
}

/// Six threads find the same stale lock. The one that gets it holds it until all have given up.
#[track_caller]
fn assert_one_winner(protocol: fn(&Site) -> Lock, put: fn(&Site)) {
    let rounds = if is_long() { 1000 } else { 15 };
    for round in 0..rounds {
        let site = Site::new();
        put(&site);
        let (barrier, winners) = (Barrier::new(6), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    barrier.wait();
                    let patience = WaitPolicy::of(Duration::from_millis(500));
                    let held = site.acquire_with(&protocol(&site), patience);
                    winners.fetch_add(usize::from(held.is_ok()), Ordering::SeqCst);
                    barrier.wait();
                    assert!(matches!(held, Ok(_) | Err(LockError::Busy { .. })));
                });
            }
        });
        assert_eq!(winners.into_inner(), 1, "round {round}");
        assert_eq!(site.names(), [""; 0], "round {round}");
    }
}

#[test]
fn of_six_that_take_over_a_lock_one_wins() {
    assert_one_winner(Site::lease, |site| site.put_lease(OTHER, -60));
    assert_one_winner(Site::exclusive, |site| site.put_exclusive(OTHER, 60));
}

#[test]
fn a_lock_is_free_for_the_next_as_soon_as_it_is_released() {
    let site = Site::new();
    for protocol in [site.lease(), site.exclusive(), site.flock()] {
        let before = site.machine.monotonic();
        for _ in 0..5 {
            site.acquire(&protocol).unwrap().release();
        }
        assert!(site.machine.monotonic() - before <= Duration::from_millis(100));
        let _ = fs::remove_file(site.path(".lock"));
    }
}
