//! Locks that are left over, and locks that only look so.

use std::sync::atomic::{AtomicI32, Ordering};

use super::fake_machine::Beside;
use super::*;
use crate::disk::{Machine, ProcessState};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_lease_that_is_over_is_taken_after_two_seconds_whoever_holds_it() {
    for holder in [ProcessState::Gone, ProcessState::Alive(None)] {
        let site = Site::new();
        site.machine.has(OTHER, holder);
        site.put_lease(OTHER, -3);
        let took = site.time_to_take(&site.lease());
        assert!(took >= 2 * SECOND && took < 3 * SECOND, "{took:?}");
        assert_eq!(site.names(), [""; 0]);
    }
}

#[test]
fn a_lease_is_granted_two_more_seconds_for_clocks_that_differ() {
    let site = Site::new();
    site.put_lease(OTHER, -1);
    let took = site.time_to_take(&site.lease());
    assert!(took >= 2 * SECOND, "{took:?}");
}

#[test]
fn the_time_out_pauses_while_a_lock_is_judged() {
    let site = Site::new();
    site.put_lease(OTHER, -60);
    site.acquire_with(&site.lease(), WaitPolicy::of(SECOND)).unwrap().release();
    site.put_exclusive(OTHER, 60);
    site.acquire_with(&site.exclusive(), WaitPolicy::of(SECOND)).unwrap().release();
}

#[test]
fn a_lock_that_changes_while_it_is_judged_is_not_broken() {
    let site = Site::new();
    site.put_lease(OTHER, -60);
    let turns = AtomicI32::new(0);
    // Each second, another agent whose clock is behind takes it again.
    let takes = || {
        let turn = turns.fetch_add(1, Ordering::SeqCst);
        if turn % 20 == 19 {
            site.put_lease(OTHER + turn + 1, -60);
        }
    };
    let machine = Beside { machine: &site.machine, at_sleep: &takes };
    let error = acquire(&RealDisk, &machine, &site.lease(), WaitPolicy::of(SECOND)).map(drop).unwrap_err();
    assert!(matches!(error, LockError::Busy { .. }), "{error}");
    let turns = turns.into_inner();
    assert!(turns > 100, "{turns}");
    assert_eq!(site.names(), ["lock"]);
}

#[test]
fn a_lease_that_ends_an_hour_ahead_is_not_broken_while_its_process_lives() {
    let site = Site::new();
    site.machine.has(OTHER, ProcessState::Alive(Some(site.machine.at(-600))));
    site.put_lease(OTHER, 3600);
    let holder = site.assert_busy(&site.lease());
    assert_eq!((holder.pid, holder.alive), (Some(OTHER), Some(true)));
    assert_eq!(site.names(), ["lock"]);
}

#[test]
fn a_process_that_was_started_after_the_lock_is_another_one() {
    let site = Site::new();
    site.put_lease(OTHER, 3600);
    site.machine.sleep(60 * SECOND);
    site.machine.has(OTHER, ProcessState::Alive(Some(site.machine.at(-30))));
    assert!(site.time_to_take(&site.lease()) >= 10 * SECOND);
    site.machine.has(OTHER, ProcessState::Alive(Some(site.machine.at(-40))));
    site.put_exclusive(OTHER, 60);
    assert!(site.time_to_take(&site.exclusive()) >= 5 * SECOND);
}

#[test]
fn empty_and_half_written_locks_are_waited_for_and_never_broken() {
    for text in ["", "{", r#"{"pid":815,"timest"#, "\u{0}\u{0}\u{0}", "not JSON", "[1]", "\"x\""] {
        let site = Site::new();
        for name in ["lock", ".lock"] {
            site.put(name, text);
            site.age(name, 86_400);
        }
        let holder = site.assert_busy(&site.lease());
        assert_eq!(holder.pid, None, "{text}");
        assert!(holder.age >= Some(86_404 * SECOND), "{text}");
        assert_eq!(site.assert_busy(&site.exclusive()).pid, None, "{text}");
        assert_eq!((site.text("lock"), site.text(".lock")), (text.into(), text.into()));
        assert_eq!(site.names(), [".lock", "lock"]);
    }
}

#[test]
fn a_lock_that_gets_its_text_while_we_wait_is_waited_for() {
    let site = Site::new();
    site.put("lock", "");
    let turns = AtomicI32::new(0);
    let writes = || match turns.fetch_add(1, Ordering::SeqCst) {
        1 => site.put("lock", r#"{"pid":"#),
        2 => site.put_lease(OTHER, 4),
        20 => fs::remove_file(site.path("lock")).unwrap(),
        _ => {}
    };
    let machine = Beside { machine: &site.machine, at_sleep: &writes };
    acquire(&RealDisk, &machine, &site.lease(), WaitPolicy::of(Duration::from_secs(5))).unwrap().release();
    assert!(turns.into_inner() >= 21);
    assert_eq!(site.names(), [""; 0]);
}

#[test]
fn unknown_fields_and_shapes_are_no_hindrance() {
    let site = Site::new();
    let until = stamp(site.machine.at(-60));
    site.put(
        "lock",
        format!("{{\n  \"x\": {{\"y\": [1]}}, \"pid\": 815.0,\n  \"expires_at\": \"{until}\"\n}}\n"),
    );
    assert!(site.time_to_take(&site.lease()) >= 2 * SECOND);
    for until in ["null", "5", "\"soon\"", "{}"] {
        site.put("lock", format!(r#"{{"pid":815,"expires_at":{until}}}"#));
        assert!(site.time_to_take(&site.lease()) >= 10 * SECOND, "{until}");
    }
}

#[test]
fn a_number_that_no_process_can_have_proves_nobody_dead() {
    for pid in ["0", "-1", "1.5", "4294967296", "1e300", "null", "\"815\"", "[815]"] {
        let site = Site::new();
        site.put_exclusive(pid, 86_400);
        let holder = site.assert_busy(&site.exclusive());
        assert_eq!((holder.pid, holder.alive, holder.agent.as_deref()), (None, None, Some("dev")), "{pid}");
        site.put_lease(pid, 3600);
        assert_eq!(site.assert_busy(&site.lease()).alive, None, "{pid}");
        site.put_lease(pid, -60);
        assert!(site.time_to_take(&site.lease()) >= 2 * SECOND, "{pid}");
    }
}

#[test]
fn a_lock_whose_process_is_gone_goes_if_it_is_old_or_ends_an_hour_ahead_and_is_unchanged() {
    let site = Site::new();
    site.put_exclusive(OTHER, 31);
    site.put_lease(OTHER, 3600);
    for (lock, wait) in [(site.exclusive(), 5), (site.lease(), 10)] {
        let took = site.time_to_take(&lock);
        assert!(took >= wait * SECOND && took < (wait + 1) * SECOND, "{took:?}");
    }
    assert_eq!(site.names(), [""; 0]);
}

#[test]
fn an_exclusive_lock_of_a_dead_process_is_waited_for_until_it_is_old() {
    let site = Site::new();
    site.put_exclusive(OTHER, 10);
    let holder = site.assert_busy(&site.exclusive());
    assert_eq!((holder.pid, holder.alive), (Some(OTHER), Some(false)));
    assert_eq!(site.names(), [".lock"]);
}

#[test]
fn a_living_holder_is_never_broken_however_old_its_lock_is() {
    let site = Site::new();
    for started in [None, Some(site.machine.at(-100_000))] {
        site.machine.has(OTHER, ProcessState::Alive(started));
        site.put_exclusive(OTHER, 86_400);
        for _ in 0..20 {
            assert_eq!(site.assert_busy(&site.exclusive()).alive, Some(true));
        }
        assert!(site.text(".lock").contains("815"));
    }
}

#[test]
fn a_living_holder_whose_clock_is_an_hour_off_is_not_broken() {
    let site = Site::new();
    // Local time written as UTC: the lock seems older than its process.
    site.machine.has(OTHER, ProcessState::Alive(Some(site.machine.at(-60))));
    for ago in [3600, -3600] {
        site.put_exclusive(OTHER, ago);
        site.age(".lock", 1);
        for _ in 0..5 {
            assert_eq!(site.assert_busy(&site.exclusive()).alive, Some(true), "{ago}");
        }
    }
}

#[test]
fn a_dead_holders_lock_from_the_future_is_old_once_we_have_watched_it() {
    let site = Site::new();
    site.put_exclusive(OTHER, -3600);
    let took = site.time_to_take(&site.exclusive());
    assert!(took >= 30 * SECOND && took < 31 * SECOND, "{took:?}");
}

#[test]
fn a_lock_is_broken_by_choice_only_if_it_is_the_one_that_was_shown() {
    let site = Site::new();
    site.machine.has(OTHER, ProcessState::Alive(None));
    site.put_exclusive(OTHER, 60);
    let holder = site.assert_busy(&site.exclusive());
    assert!(holder.is_breakable() && holder.age >= Some(60 * SECOND));
    site.put_exclusive(OTHER, 0);
    let choose = |holder| break_by_choice(&RealDisk, &site.machine, &site.path(".lock"), holder).unwrap();
    assert!(!choose(&holder));
    assert_eq!(site.names(), [".lock"]);
    let holder = site.assert_busy(&site.exclusive());
    assert!(choose(&holder));
    assert!(!choose(&holder));
    assert_eq!(site.names(), [""; 0]);
}

#[test]
fn the_kernels_lock_is_never_broken() {
    let site = Site::new();
    let held = site.acquire(&site.flock()).unwrap();
    let holder = site.assert_busy(&site.flock());
    assert!(!holder.is_breakable());
    assert!(!break_by_choice(&RealDisk, &site.machine, &site.path(".lock"), &holder).unwrap());
    assert!(held.still_ours());
}

#[test]
fn the_text_of_a_dead_process_in_the_kernels_lock_hinders_nobody() {
    let site = Site::new();
    site.put(".lock", "815 2026-01-01T00:00:00Z and much more text than we write ourselves");
    assert!(site.time_to_take(&site.flock()) < SECOND);
    assert_eq!(site.text(".lock"), "");
}

#[test]
fn a_dead_holders_lock_that_holds_only_its_number_is_taken_over_after_half_a_minute() {
    let site = Site::new();
    site.put(".lock", format!("{OTHER}\n"));
    site.age(".lock", 60);
    let took = site.time_to_take(&site.exclusive());
    assert!(took >= 5 * SECOND && took < 6 * SECOND, "{took:?}");
    site.machine.has(OTHER, ProcessState::Alive(None));
    site.put(".lock", OTHER.to_string());
    site.age(".lock", 60);
    assert_eq!(site.assert_busy(&site.exclusive()).pid, Some(OTHER));
}

#[test]
fn a_lock_that_was_left_goes_if_its_agent_and_process_are_known_and_the_process_is_gone() {
    let site = Site::new();
    site.put_exclusive(OTHER, 60);
    let removes = |known| {
        let is_known = |process| process == known;
        remove_left(&RealDisk, &site.machine, &site.path(".lock"), &is_known).unwrap()
    };
    assert!(!removes(OTHER), "it is another agent's");
    site.put(".lock", site.text(".lock").replace("dev", "palimp"));
    site.age(".lock", 60);
    assert!(!removes(OTHER + 1));
    site.machine.has(OTHER, ProcessState::Alive(Some(site.machine.at(-100))));
    assert!(!removes(OTHER), "it works");
    site.machine.has(OTHER, ProcessState::Alive(Some(site.machine.at(-10))));
    assert!(removes(OTHER), "it was started after the lock was taken");
    assert_eq!(site.names(), [""; 0]);
}
