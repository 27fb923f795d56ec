//! Agents that act between two steps of palimp.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::disk::{Flock, Item, Machine, WritableFile};
use crate::model::snapshot::Generation;
use crate::passed_on::passed_on;

/// The real disk, with an action before a file is moved, or after one is locked.
struct Meddled<'a> {
    before_rename: &'a (dyn Fn(&Path) + Sync),
    after_flock: &'a (dyn Fn(&Path) + Sync),
}

fn nothing(_: &Path) {}

#[test]
fn a_lock_that_is_swapped_between_the_look_and_the_move_goes_back() {
    let site = Site::new();
    site.put_lease(OTHER, -60);
    let lock = site.path("lock");
    // An agent unlinks a lock that is over, and makes its own.
    let swap = |from: &Path| {
        if from == lock {
            fs::remove_file(from).unwrap();
            site.put_lease(OTHER + 1, 5);
        }
    };
    let disk = Meddled { before_rename: &swap, after_flock: &nothing };
    let patience = WaitPolicy::of(Duration::from_secs(3));
    let result = acquire(&disk, &site.machine, &site.lease(), patience);
    assert!(matches!(result.map(drop), Err(LockError::Busy { .. })));
    assert!(site.text("lock").contains(":816,"));
    assert_eq!(site.names(), ["lock"]);
}

#[test]
fn a_lock_that_changed_since_it_was_shown_is_not_even_moved() {
    let site = Site::new();
    site.put_exclusive(OTHER, 0);
    let holder = site.assert_busy(&site.exclusive());
    site.put_exclusive(OTHER + 1, 0);
    let moves = AtomicUsize::new(0);
    let count = |_: &Path| {
        moves.fetch_add(1, Ordering::SeqCst);
    };
    let disk = Meddled { before_rename: &count, after_flock: &nothing };
    assert!(!break_by_choice(&disk, &site.machine, &site.path(".lock"), &holder).unwrap());
    assert_eq!(moves.into_inner(), 0);
}

#[test]
fn a_file_that_an_agent_removes_as_we_lock_it_is_locked_again() {
    let site = Site::new();
    let calls = AtomicUsize::new(0);
    let remove = |path: &Path| {
        if calls.fetch_add(1, Ordering::SeqCst) == 0 {
            fs::remove_file(path).unwrap();
        }
    };
    let disk = Meddled { before_rename: &nothing, after_flock: &remove };
    let before = site.machine.monotonic();
    let held = acquire(&disk, &site.machine, &site.flock(), WaitPolicy::of(Duration::from_secs(5))).unwrap();
    assert!(held.still_ours());
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    assert!(site.machine.monotonic() - before < Duration::from_millis(25));
}

#[test]
fn a_file_that_an_agent_removes_a_little_late_is_locked_again() {
    let site = Site::new();
    let lock = site.path(".lock");
    site.machine.at_next_sleep(move || {
        fs::remove_file(&lock).unwrap();
        fs::write(&lock, "another agent's").unwrap();
    });
    let held = site.acquire(&site.flock()).unwrap();
    assert!(held.still_ours());
    assert!(site.text(".lock").starts_with("4711 "));
}

#[test]
fn a_takeover_that_was_removed_keeps_nobody_out_and_so_is_none() {
    let site = Site::new();
    let remove = |path: &Path| fs::remove_file(path).unwrap();
    let disk = Meddled { before_rename: &nothing, after_flock: &remove };
    let context = LockScene { disk: &disk, machine: &site.machine };
    assert!(leftover_names::Takeover::enter(context, &site.path("lock")).unwrap().is_none());
}

impl Disk for Meddled<'_> {
    passed_on! {
        self => RealDisk;
        list look real_path read blank rename_new exchange create append make_folder
        open_folder link remove remove_folder sync_folder
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.before_rename)(from);
        RealDisk.rename(from, to)
    }

    fn flock(&self, path: &Path, create: Option<u32>) -> io::Result<Option<Box<dyn Flock + '_>>> {
        let lock = RealDisk.flock(path, create)?;
        if lock.is_some() {
            (self.after_flock)(path);
        }
        Ok(lock)
    }
}
