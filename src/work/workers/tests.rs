use std::cell::RefCell;

use super::*;
use crate::model::{EntryRef, Extent, Moment, Snapshot};
use crate::query::Ranking;
use crate::store::{Place, load};
use crate::usecase::SetAsideCount;
use crate::work::form_jobs::{FORM, FormRequest};
use crate::work::inspect::InspectRequest;

const NOW: &str = "2026-02-01T12:00:00Z";

fn moment() -> Moment {
    Moment::parse(NOW).unwrap().0
}

fn check() -> Job {
    Job::Check { snapshot: Arc::default(), data: None, now: moment() }
}

fn read(is_urgent: bool) -> Job {
    let (places, previous, now) = (Vec::new(), Arc::default(), moment());
    Job::Load { places, previous, data: None, is_urgent, changes: 0, now }
}

fn long_ago() -> Instant {
    Instant::now().checked_sub(LONGEST * 2).unwrap()
}

#[test]
fn a_check_waits_for_the_user_to_pause_and_a_read_does_not() {
    let (acts, pauses) = (Mutex::new(Instant::now()), Mutex::new(long_ago()));
    let (now, own) = (Instant::now(), PendingCheck(Some(Instant::now())));
    assert!(!own.patience(&check(), now, &acts).is_zero());
    assert!(own.patience(&check(), now, &pauses).is_zero());
    assert!(own.patience(&read(false), now, &acts).is_zero());
    let rested = now + LONGEST;
    assert!(!own.patience(&read(false), rested, &pauses).is_zero());
    assert!(!own.patience(&check(), rested, &pauses).is_zero());
    assert!(own.patience(&read(true), rested, &acts).is_zero());
}

#[test]
fn a_check_that_reads_replace_again_and_again_is_done_at_the_limit() {
    let (acts, came) = (Mutex::new(Instant::now()), long_ago());
    let mut own = PendingCheck(Some(came));
    let mut job = check();
    for next in [read(false), check(), read(true), check()] {
        job = own.newer(job, next);
    }
    assert!(matches!(job, Job::Load { is_urgent: true, .. }));
    assert_eq!(own.0, Some(came), "the first check that waits counts");
    assert!(own.patience(&check(), Instant::now() + LONGEST, &acts).is_zero());
    let mut own = PendingCheck::default();
    own.newer(read(false), check());
    assert!(own.0.is_some(), "a check that gives way to a read waits, too");
}

#[test]
fn what_the_screens_ask_for_themselves_is_no_act_of_the_user() {
    let (done, happens) = channel();
    let mut workers = Workers::start(move |own| drop(done.send(own))).unwrap();
    let long_ago = long_ago();
    *workers.acted.lock().unwrap() = long_ago;
    workers.give(Job::CountStatistics(Arc::default(), moment()));
    workers.give(check());
    let both = [happens.recv().unwrap(), happens.recv().unwrap()];
    assert!(both.iter().any(|done| matches!(done, JobResult::Counted(..))));
    assert!(both.iter().any(|done| matches!(done, JobResult::Checked(_))));
    assert_eq!(*workers.acted.lock().unwrap(), long_ago);
    workers.user_acted();
    assert_ne!(*workers.acted.lock().unwrap(), long_ago);
}

#[test]
fn deleted_memories_are_counted_once_and_after_what_a_view_waits_for() {
    let folder = crate::folder::new();
    let data = || folder.path().join("data");
    let count = || Job::CountDeleted { snapshot: Arc::default(), data: data(), now: moment() };
    let what = Inspect::Journal;
    let view = InspectRequest { snapshot: Arc::default(), data: data(), now: moment(), what };
    let (jobs, to_look) = channel();
    for job in [count(), count(), Job::Inspect(Box::new(view)), count()] {
        jobs.send(job).unwrap();
    }
    drop(jobs);
    let done = RefCell::new(Vec::new());
    look(&to_look, &|own| done.borrow_mut().push(own));
    assert!(matches!(
        &done.borrow()[..],
        [JobResult::Inspected(_), JobResult::DeletedCounted(Some(SetAsideCount { deleted: 0, .. }))]
    ));
}

/// Returns the job that keeps what was typed into a form, by the numbers of the form and of its state.
fn typed(folder: &std::path::Path, form: u64, state: u64, text: &str) -> Job {
    let now = Moment::parse(NOW).unwrap().0;
    let place = Place::whole(folder.join("store"), "session-log");
    let store = Arc::new(load(&place, Extent::All, None, now));
    let at = EntryRef { store: 0, entry: form as u32 - 1 };
    let own = crate::ops::form::form(&store, &store.entries[at.entry as usize], now).unwrap();
    let mut values = own.values();
    values[0] = text.to_owned();
    Job::KeepDraft(Box::new(FormRequest {
        snapshot: Arc::new(Snapshot::of(vec![store])),
        at,
        name: format!("m{form}"),
        form: Arc::new(own),
        values,
        version: form << FORM | state,
        data: folder.join("data"),
        query: String::new(),
        ranking: Ranking::Product,
        now,
    }))
}

#[test]
fn of_what_waits_to_be_kept_the_newest_of_every_form_is() {
    let folder = crate::folder::new();
    let line = |n: usize| {
        format!(
            "{{\"id\":\"m{n}\",\"session_id\":\"s\",\"type\":\"conversation\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
             \"content\":{{\"role\":\"user\",\"message\":\"first\"}}}}\n"
        )
    };
    let log = folder.path().join("store/sessions/s/memory.jsonl");
    crate::disk::write_new(&log, (1..3).map(line).collect::<String>().as_bytes()).unwrap();
    let (jobs, to_keep) = channel();
    for (form, state, text) in [(1, 1, "one"), (1, 2, "one, later"), (2, 1, "another")] {
        jobs.send(typed(folder.path(), form, state, text)).unwrap();
    }
    drop(jobs);
    let kept = RefCell::new(Vec::new());
    newest(&to_keep, &|done| match done {
        JobResult::DraftKept(version, Ok(_)) => kept.borrow_mut().push((version >> FORM, version & 0xff)),
        _ => panic!("every form is kept"),
    });
    assert_eq!(*kept.borrow(), [(1, 2), (2, 1)]);
}
