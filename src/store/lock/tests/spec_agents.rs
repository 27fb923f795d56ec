//! Agents that follow their specifications to the letter, beside palimp.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::fake_machine::Hurried;
use super::*;
use crate::disk::Machine;

/// What agents and palimp do under the lock: only one may be inside.
#[derive(Default)]
struct Room {
    inside: AtomicUsize,
    overlaps: AtomicUsize,
    entered: AtomicUsize,
    closed: AtomicBool,
}

impl Room {
    fn enter(&self) {
        if self.inside.fetch_add(1, Ordering::SeqCst) > 0 {
            self.overlaps.fetch_add(1, Ordering::SeqCst);
        }
        self.entered.fetch_add(1, Ordering::SeqCst);
    }

    fn work(&self) {
        self.enter();
        thread::yield_now();
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }

    fn is_open(&self) -> bool {
        !self.closed.load(Ordering::SeqCst)
    }
}

/// Closes the room even if the test fails: otherwise the agents would never end.
struct Closing<'a>(&'a Room);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::SeqCst);
    }
}

fn rounds() -> usize {
    if is_long() { 20_000 } else { 60 }
}

fn nap() {
    thread::sleep(Duration::from_millis(2));
}

/// Takes and releases the lock while the agents work, then ends them.
fn take_turns(site: &Site, protocol: &Lock, room: &Room, mut work: impl FnMut(&LockGuard<'_>)) {
    let machine = Hurried::new();
    let closing = Closing(room);
    for _ in 0..rounds() {
        let patience = WaitPolicy::of(Duration::from_secs(600));
        let held = acquire(&RealDisk, &machine, protocol, patience).unwrap();
        work(&held);
        drop(held);
        machine.sleep(Duration::from_millis(25));
    }
    drop(closing);
    assert!(site.names().iter().all(|name| !name.starts_with(".lock.")), "{:?}", site.names());
}

/// session-log §17.1, `lockFile` and its release: created with `wx`, written after that, parsed by
/// whoever finds it, unlinked if it is over.
fn session_log_agent(lock: &Path, room: &Room) {
    while room.is_open() {
        match OpenOptions::new().write(true).create_new(true).open(lock) {
            Ok(mut file) => {
                thread::yield_now();
                let (since, until) = (Moment::of_the_clock(), Moment::of_the_clock().plus(5_000_000));
                let (since, until) = (stamp(since), stamp(until));
                let text = format!(
                    r#"{{"pid":1,"timestamp":"{since}","operation":"write","expires_at":"{until}"}}"#
                );
                file.write_all(text.as_bytes()).unwrap();
                room.work();
                fs::remove_file(lock).unwrap();
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::AlreadyExists);
                // It was released in between. Agents do that to one another as well.
                let Ok(text) = fs::read_to_string(lock) else { continue };
                let found: Value = serde_json::from_str(&text).expect("a lock that JSON.parse throws at");
                let (until, _) = Moment::parse(found["expires_at"].as_str().unwrap()).unwrap();
                if until < Moment::of_the_clock() {
                    fs::remove_file(lock).unwrap();
                }
            }
        }
        nap();
    }
}

#[test]
fn a_session_log_agent_can_parse_whatever_it_finds_of_ours() {
    let site = Site::new();
    let room = Room::default();
    thread::scope(|scope| {
        scope.spawn(|| session_log_agent(&site.path("lock"), &room));
        take_turns(&site, &site.lease(), &room, |held| {
            room.work();
            assert!(held.still_ours());
        });
    });
    assert_eq!(room.overlaps.into_inner(), 0);
    assert_eq!(site.names(), [""; 0]);
}

/// bmad §4.2, `acquireLock` and `releaseLock`.
fn bmad_agent(lock: &Path, room: &Room) {
    while room.is_open() {
        match OpenOptions::new().write(true).create_new(true).open(lock) {
            Ok(mut file) => {
                let since = stamp(Moment::of_the_clock());
                thread::yield_now();
                write!(file, r#"{{"pid":1,"agent_id":"dev","acquired_at":"{since}"}}"#).unwrap();
                room.work();
                drop(file);
                fs::remove_file(lock).unwrap();
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::AlreadyExists),
        }
        nap();
    }
}

#[test]
fn bmad_agents_that_take_either_lock_and_we_take_turns() {
    for name in [".lock", "log.jsonl.lock"] {
        let site = Site::new();
        let room = Room::default();
        thread::scope(|scope| {
            scope.spawn(|| bmad_agent(&site.path(name), &room));
            scope.spawn(|| bmad_agent(&site.path(name), &room));
            take_turns(&site, &site.exclusive(), &room, |_| room.work());
        });
        assert_eq!(room.overlaps.into_inner(), 0);
        assert_eq!(site.names(), [""; 0]);
    }
}

/// memory-server, "Lock Acquisition" and "Lock Release".
fn memory_server_agent(lock: &Path, room: &Room) {
    while room.is_open() {
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(lock).unwrap();
        flock(&file, FlockOperation::LockExclusive).unwrap();
        room.work();
        flock(&file, FlockOperation::Unlock).unwrap();
        drop(file);
        fs::remove_file(lock).expect("an exception in os.remove");
        nap();
    }
}

#[test]
fn a_memory_server_agent_never_enters_while_a_lock_is_still_ours() {
    let site = Site::new();
    let room = Room::default();
    thread::scope(|scope| {
        scope.spawn(|| memory_server_agent(&site.path(".lock"), &room));
        take_turns(&site, &site.flock(), &room, |held| {
            let before = (room.inside.load(Ordering::SeqCst), room.entered.load(Ordering::SeqCst));
            thread::yield_now();
            let after = (room.inside.load(Ordering::SeqCst), room.entered.load(Ordering::SeqCst));
            // The agent may remove the file late. The last look is for that.
            assert!(!held.still_ours() || (before == after && after.0 == 0));
        });
    });
    assert!(site.names().iter().all(|name| name == ".lock"));
}
