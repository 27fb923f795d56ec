//! An open store adds a record and reads only the ends of logs: each of its calls fails, or the
//! process is killed there. A record that was reported as added is there, and a refused one is not.
//! Derived files that are wrong are noted as due until the next start rebuilds them.

use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use palimp::disk::{Machine, ProcessState};
use palimp::memory::{Memory, New};
use palimp::model::{Moment, Role, Store, is_log};
use palimp::ops::WriteContext;
use palimp::store::write::Writer;
use palimp::store::{Place, Vault};
use palimp::usecase::NewRecord;

use super::bench::{DATA, host};
use super::every_verb::stale;
use super::foreign::begun;
use super::foreign::deeds::DEEDS;
use super::foreign::town::{load, minutes_later, root};
use super::machine::{NOW, Still};
use crate::faulty::{Errno, Fault, Faulty};
use crate::support::tries;

/// Formats, and a type whose memories are lines in them.
const LOGS: [(&str, &str); 4] =
    [("session-log", "finding"), ("bmad", "finding"), ("memory-server", "core"), ("a-mem", "event")];

/// A machine with another random number at each call.
struct Numbers(Still, AtomicU8);

impl Machine for Numbers {
    fn random(&self) -> [u8; 16] {
        [self.1.fetch_add(1, Ordering::SeqCst); 16]
    }

    fn now(&self) -> Moment {
        self.0.now()
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    fn sleep(&self, time: Duration) {
        self.0.sleep(time);
    }

    fn own_process(&self) -> u32 {
        self.0.own_process()
    }

    fn process(&self, number: i32) -> ProcessState {
        self.0.process(number)
    }
}

/// Adds two records. Returns whether each was reported as added.
fn add_two(disk: &Faulty, (format, kind): (&'static str, &str), fault: Option<(usize, Fault)>) -> [bool; 2] {
    let place = Place::whole(root(format).into(), format);
    let machine = Numbers(Still::first(), AtomicU8::new(20));
    let mut memory = Memory::at(Box::new(disk.clone()), Box::new(machine), place, Path::new(DATA));
    let session = memory.store().sessions.first().map(|own| own.name.clone());
    let session = session.or((format == "a-mem").then(|| "trace-1".to_owned()));
    let mut add =
        |text: &str| memory.add(&New { session: session.as_deref(), kind, text, ..New::default() }).is_ok();
    assert!(add("the first of two"), "{format}");
    let begins = disk.steps();
    if let Some((step, fault)) = fault {
        disk.fail_at(begins + step, fault);
    }
    let both = [begins > 0, add("the second of two")];
    drop(memory);
    both
}

fn has(store: &Store, text: &str) -> bool {
    store.entries.iter().any(|entry| String::from_utf8_lossy(&store.raw(entry)).contains(text))
}

fn is_wrong(own: (&'static str, &str), step: usize, fault: Fault) -> Option<String> {
    let format = own.0;
    let disk = begun(format, &DEEDS[0]).unwrap().restart();
    let [_, is_added] = add_two(&disk, own, Some((step, fault)));
    let disk = disk.restart();
    let vault = Vault::open_read_only(&disk, Path::new(DATA), root(format));
    let is_known = vault.is_unfinished().is_ok_and(|is| is);
    if !stale(&disk, format).is_empty() && !is_known {
        return Some(format!("{:?} are stale, and nothing says so", stale(&disk, format)));
    }
    if !has(&load(&disk, format), "the second of two") && is_added && !matches!(fault, Fault::Crash) {
        return Some("it was said to be added, and is not there".into());
    }
    if let Err(why) = minutes_later(&disk, format) {
        return Some(format!("the next start fails: {why}"));
    }
    let store = load(&disk, format);
    if !has(&store, "the first of two") {
        return Some("the record before it is gone".into());
    }
    if has(&store, "the second of two") != is_added && !matches!(fault, Fault::Crash) {
        return Some(format!("said to be added: {is_added}, and the next start changed that"));
    }
    let stale = stale(&disk, format);
    (!stale.is_empty()).then(|| format!("{stale:?} are not right after the next start"))
}

#[test]
fn a_record_that_an_open_store_adds_is_there_or_not_whatever_call_fails() {
    let (mut count, mut wrong) = (0, Vec::new());
    for own in crate::support::tries::some(LOGS, &[1, 3]) {
        let disk = begun(own.0, &DEEDS[0]).unwrap().restart();
        add_two(&disk, own, None);
        let steps = disk.steps();
        for step in tries::spread(steps, 7) {
            for fault in [Fault::Crash, Fault::Error(Errno::IO)] {
                count += 1;
                let what = is_wrong(own, step, fault);
                wrong.extend(what.map(|what| format!("{} {fault:?} at {step}: {what}", own.0)));
            }
        }
    }
    assert!(count > 15, "{count}");
    assert!(wrong.is_empty(), "{} of {count}: {}", wrong.len(), wrong.join("\n"));
}

/// Returns the number of calls of each addition, and of fsyncs among them.
fn calls(own: (&'static str, &str), records: usize) -> Vec<(usize, usize)> {
    let (format, kind) = own;
    let disk = begun(format, &DEEDS[0]).unwrap().restart();
    let place = Place::whole(root(format).into(), format);
    let machine = Numbers(Still::first(), AtomicU8::new(20));
    let mut memory = Memory::at(Box::new(disk.clone()), Box::new(machine), place, Path::new(DATA));
    let session = memory.store().sessions.first().map(|own| own.name.clone());
    let session = session.or((format == "a-mem").then(|| "trace-1".to_owned()));
    let add = |number: usize| {
        let (before, log) = (disk.steps() + disk.reads().len(), disk.log().len());
        let text = format!("memory {number}");
        memory.add(&New { session: session.as_deref(), kind, text: &text, ..New::default() }).unwrap();
        let syncs = disk.log()[log..].iter().filter(|call| call.starts_with("sync")).count();
        (disk.steps() + disk.reads().len() - before, syncs)
    };
    (0..records).map(add).collect()
}

/// The undo data and the log are made durable; of an event also the file of its trace.
#[test]
fn a_record_takes_as_many_calls_onto_many_as_onto_few_and_two_or_three_fsyncs() {
    for (number, own) in LOGS.into_iter().enumerate() {
        let calls = calls(own, 60);
        assert_eq!(calls[2].1, [2, 2, 2, 3][number], "{}", own.0);
        // The first one reads the store, and the second notes what is due.
        assert!(calls[2..].iter().all(|count| *count == calls[2]), "{}: {calls:?}", own.0);
        assert!(calls[2].0 < calls[0].0, "{}: {calls:?}", own.0);
    }
}

/// A store with a large log and a correct index.
pub fn large(format: &'static str) -> Faulty {
    let disk = begun(format, &DEEDS[0]).unwrap().restart();
    let store = load(&disk, format);
    let logs = store.documents.iter().filter(|own| own.role == Role::Records && is_log(&own.path));
    let log = logs.max_by_key(|own| own.len).unwrap();
    let line = String::from_utf8_lossy(&log.bytes).lines().next().unwrap_or_default().to_owned();
    let id = log.records.iter().find_map(|record| record.id()).unwrap_or_default().to_owned();
    let long = "x".repeat(2_000);
    let all = (0..40).map(|number| {
        let own = line.replacen(&id, &format!("many_{number:04}"), usize::from(!id.is_empty()));
        own.replacen("\"tags\":[", &format!("\"more\":\"{long}\",\"tags\":["), 1) + "\n"
    });
    disk.put(root(format).join(&log.path), all.collect::<String>(), 0o600);
    let store = load(&disk, format);
    let writer = Writer::open(host(&disk, &Still::first()), &store).map(drop);
    writer.unwrap();
    let store = load(&disk, format);
    let context = WriteContext::of(&store, NOW, [9; 16]);
    let plan = palimp::ops::reindex::reindex(&context).unwrap();
    let machine = Still::first();
    Writer::open(host(&disk, &machine), &store).unwrap().commit(&plan).unwrap();
    disk.restart()
}

/// Runs the verb, which reads nothing of the store. Returns whether it reported the memory as added.
fn add_one(disk: &Faulty, (format, kind): (&'static str, &str), fault: Option<(usize, Fault)>) -> bool {
    let place = Place::whole(root(format).into(), format);
    let session = load(disk, format).sessions.first().map(|own| own.name.clone());
    let text = Some("the only one".to_owned());
    let new = NewRecord { session, kind: kind.to_owned(), text, ..NewRecord::default() };
    let machine = Still::first();
    if let Some((step, fault)) = fault {
        disk.fail_at(disk.steps() + step, fault);
    }
    let added = palimp::usecase::append(&place, &new, host(disk, &machine));
    match added {
        Ok(added) => {
            assert!(added.is_some() || fault.is_some(), "{format}: it was read");
            added.is_some()
        }
        Err(_) => false,
    }
}

/// Returns what is wrong after the verb failed or was killed at a step.
fn is_wrong_of_one(begin: &Faulty, step: usize, fault: Fault) -> Option<String> {
    let own = LOGS[0];
    let disk = begin.restart();
    let is_added = add_one(&disk, own, Some((step, fault)));
    let disk = disk.restart();
    let was_there = has(&load(&disk, own.0), "the only one");
    let vault = Vault::open_read_only(&disk, Path::new(DATA), root(own.0));
    let is_untold = !stale(&disk, own.0).is_empty() && !vault.is_unfinished().is_ok_and(|is| is);
    let later = minutes_later(&disk, own.0);
    let is_there = has(&load(&disk, own.0), "the only one");
    let is_false = !matches!(fault, Fault::Crash) && (is_added != is_there || is_added && !was_there);
    let stale = stale(&disk, own.0);
    (later.is_err() || is_untold || is_false || !stale.is_empty()).then(|| {
        format!(
            "{fault:?} at {step}: said {is_added}, there {was_there} and later {is_there}, untold {is_untold}, \
             {later:?}, stale {stale:?}"
        )
    })
}

#[test]
fn a_memory_that_is_added_to_a_log_that_is_not_read_is_there_or_not_whatever_call_fails() {
    let begin = large(LOGS[0].0);
    let disk = begin.restart();
    let before = disk.steps();
    assert!(add_one(&disk, LOGS[0], None));
    let steps = tries::spread(disk.steps() - before, 6);
    let both = steps.flat_map(|step| [Fault::Crash, Fault::Error(Errno::IO)].map(|fault| (step, fault)));
    let states: Vec<(usize, Fault)> = both.collect();
    let is_wrong = |own: &(usize, Fault)| is_wrong_of_one(&begin, own.0, own.1);
    let wrong: Vec<String> = states.iter().filter_map(is_wrong).collect();
    assert!(states.len() > 10, "{}", states.len());
    assert!(wrong.is_empty(), "{} of {}: {}", wrong.len(), states.len(), wrong.join("\n"));
}
