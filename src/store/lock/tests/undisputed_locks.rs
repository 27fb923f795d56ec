//! Locks without competitors: what they look like, when they are lost, what is refused.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;

use super::*;
use crate::disk::{Machine, ProcessState};

#[test]
fn a_lease_looks_as_an_agent_would_write_it_and_is_gone_after_release() {
    let site = Site::new();
    let held = site.acquire(&site.lease()).unwrap();
    let text = site.text("lock");
    assert!(text.starts_with(r#"{"pid":4711,"timestamp":""#), "{text}");
    let lock: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(lock["operation"], "write");
    let time = |name: &str| Moment::parse(lock[name].as_str().unwrap()).unwrap().0;
    assert_eq!(time("expires_at").0 - time("timestamp").0, 5_000_000);
    assert_eq!(lock["expires_at"].as_str().unwrap().len(), "2026-01-10T14:30:05.000Z".len());
    let mode = fs::metadata(site.path("lock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o644);
    held.release();
    assert_eq!(site.names(), [""; 0]);
}

#[test]
fn exclusive_locks_are_taken_all_together_and_are_gone_when_dropped() {
    let site = Site::new();
    let held = site.acquire(&site.exclusive()).unwrap();
    for name in [".lock", "log.jsonl.lock"] {
        let lock: Value = serde_json::from_str(&site.text(name)).unwrap();
        assert_eq!((&lock["pid"], &lock["agent_id"]), (&4711.into(), &"palimp".into()));
        assert!(Moment::parse(lock["acquired_at"].as_str().unwrap()).is_some());
    }
    assert!(held.still_ours());
    drop(held);
    assert_eq!(site.names(), [""; 0]);
}

#[test]
fn the_kernels_lock_names_its_holder_and_stays_empty_after_release() {
    let site = Site::new();
    let held = site.acquire(&site.flock()).unwrap();
    assert!(site.text(".lock").starts_with("4711 20"));
    assert!(held.still_ours());
    held.release();
    assert_eq!((site.names(), site.text(".lock")), (vec![".lock".into()], String::new()));
}

#[test]
fn without_a_protocol_nothing_is_touched() {
    let site = Site::new();
    assert!(site.acquire(&Lock::None).unwrap().still_ours());
    assert_eq!(site.names(), [""; 0]);
}

#[test]
fn a_held_lock_makes_others_time_out_with_the_holders_name() {
    for protocol in [Site::lease, Site::exclusive, Site::flock] {
        let site = Site::new();
        let protocol = protocol(&site);
        let held = site.acquire(&protocol).unwrap();
        let before = site.machine.monotonic();
        let patience = WaitPolicy::of(Duration::from_secs(2));
        let Err(error) = site.acquire_with(&protocol, patience).map(drop) else { panic!("both hold it") };
        let LockError::Busy { holder: Some(holder), waited, .. } = &error else { panic!("{error}") };
        assert_eq!((holder.pid, holder.alive), (Some(4711), Some(true)));
        assert!(*waited >= patience.wait && *waited < patience.wait + Duration::from_millis(100));
        assert!(site.machine.monotonic() - before < Duration::from_secs(3));
        assert!(
            error.to_string().contains("process 4711") && error.to_string().contains("Nothing was changed")
        );
        assert!(held.still_ours(), "{protocol:?}");
    }
}

#[test]
fn no_patience_is_one_try() {
    let site = Site::new();
    site.put_lease(OTHER, -60);
    let before = site.machine.monotonic();
    let error = site.acquire_with(&site.lease(), WaitPolicy::of(Duration::ZERO)).map(drop).unwrap_err();
    assert!(matches!(error, LockError::Busy { waited: Duration::ZERO, .. }));
    assert_eq!(site.machine.monotonic(), before);
}

#[test]
fn of_several_locks_all_are_taken_or_none() {
    let site = Site::new();
    site.put("log.jsonl.lock", r#"{"pid":815,"agent_id":"dev","acquired_at":"2026-01-01T00:00:00Z"}"#);
    site.machine.has(OTHER, ProcessState::Alive(None));
    let holder = site.assert_busy(&site.exclusive());
    assert_eq!((holder.pid, holder.agent.as_deref()), (Some(OTHER), Some("dev")));
    assert_eq!(site.names(), ["log.jsonl.lock"]);
}

#[test]
fn what_is_no_file_is_refused_at_once_and_left_alone() {
    type Make = fn(&std::path::Path);
    let folder: Make = |path| fs::create_dir(path).unwrap();
    let link: Make = |path| symlink("elsewhere", path).unwrap();
    let pipe: Make = |path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    for (make, expected) in
        [(folder, "a folder"), (link, "a symbolic link"), (pipe, "a pipe, socket or device")]
    {
        for protocol in [Site::lease, Site::exclusive, Site::flock] {
            let site = Site::new();
            make(&site.path(".lock"));
            make(&site.path("lock"));
            let before = (site.names(), site.machine.monotonic());
            match site.acquire(&protocol(&site)).map(drop) {
                Err(LockError::NotALock(_, what)) => assert_eq!(what, expected),
                other => panic!("{expected}: {other:?}"),
            }
            assert_eq!((site.names(), site.machine.monotonic()), before);
        }
    }
}

#[test]
fn a_link_to_a_file_is_neither_followed_nor_replaced() {
    let site = Site::new();
    site.put("target", "text");
    symlink(site.path("target"), site.path(".lock")).unwrap();
    let error = site.acquire(&site.flock()).map(drop).unwrap_err();
    assert!(matches!(error, LockError::NotALock(_, "a symbolic link")), "{error}");
    assert_eq!(site.text("target"), "text");
}

#[test]
fn a_folder_that_is_not_there_is_an_error_that_says_so() {
    let site = Site::new();
    for protocol in [Lock::Lease(site.path("no/lock")), Lock::Flock(site.path("no/.lock"))] {
        let error = site.acquire(&protocol).map(drop).unwrap_err();
        assert!(matches!(error, LockError::Io(..)) && error.to_string().contains("no/"), "{error}");
    }
    assert_eq!(site.names(), [""; 0]);
}

#[test]
fn a_removed_lock_is_no_longer_ours() {
    for (protocol, name) in
        [(Site::lease as fn(&Site) -> Lock, "lock"), (Site::exclusive, ".lock"), (Site::flock, ".lock")]
    {
        let site = Site::new();
        let held = site.acquire(&protocol(&site)).unwrap();
        fs::remove_file(site.path(name)).unwrap();
        assert!(!held.still_ours());
    }
}

#[test]
fn a_lock_that_another_put_in_place_of_ours_survives_our_release() {
    for (protocol, name) in [(Site::lease as fn(&Site) -> Lock, "lock"), (Site::exclusive, ".lock")] {
        let site = Site::new();
        let held = site.acquire(&protocol(&site)).unwrap();
        fs::remove_file(site.path(name)).unwrap();
        site.put(name, "another's");
        assert!(!held.still_ours());
        held.release();
        assert_eq!((site.names(), site.text(name)), (vec![name.to_owned()], "another's".into()));
    }
}

#[test]
fn a_lease_is_given_up_half_a_second_before_it_ends() {
    let site = Site::new();
    let held = site.acquire(&site.lease()).unwrap();
    site.machine.sleep(Duration::from_millis(4_400));
    assert!(held.still_ours());
    site.machine.sleep(Duration::from_millis(200));
    assert!(!held.still_ours());
}

#[test]
fn a_clock_set_forward_or_back_does_not_lengthen_a_lease() {
    let site = Site::new();
    let held = site.acquire(&site.lease()).unwrap();
    site.machine.turn(-3600);
    assert!(held.still_ours());
    site.machine.sleep(Duration::from_secs(5));
    assert!(!held.still_ours());
    drop(held);
    let held = site.acquire(&site.lease()).unwrap();
    site.machine.turn(3600);
    assert!(!held.still_ours());
}

#[test]
fn left_overs_of_dead_processes_are_removed_and_nothing_else() {
    let site = Site::new();
    site.machine.has(OTHER, ProcessState::Alive(None));
    site.machine.has(99, ProcessState::Alive(Some(site.machine.at(60))));
    let kept = [".lock.own.815-1-1", ".lock.own.x", ".lock.stale.4711-1-1", "memory.jsonl", "other.tmp"];
    for name in kept {
        site.put(name, "");
    }
    let swept = [".lock.own.816-1-1", ".lock.stale.816-2-1", ".lock.own.99-1-1", ".lock.takeover"];
    for name in swept {
        site.put(name, "");
    }
    site.acquire(&site.lease()).unwrap().release();
    assert_eq!(site.names(), kept);
}

#[test]
fn the_takeover_of_a_living_process_is_left_to_it() {
    let site = Site::new();
    let context = LockScene { disk: &RealDisk, machine: &site.machine };
    let entered = leftover_names::Takeover::enter(context, &site.path("lock")).unwrap().unwrap();
    assert!(leftover_names::Takeover::enter(context, &site.path("lock")).unwrap().is_none());
    leftover_names::sweep(context, &site.path("lock"));
    assert_eq!(site.names(), [".lock.takeover"]);
    drop(entered);
    assert_eq!(site.names(), [""; 0]);
}
