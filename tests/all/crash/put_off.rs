//! Derived files of a large log that others write to: palimp puts them off until the writes pause.
//! Then the background process, or the next start, rebuilds them.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::faulty::Faulty;
use palimp::disk::host::Host;
use palimp::disk::{Disk, Machine, ProcessState};
use palimp::model::{CommitReceipt, Moment, Store};
use palimp::ops;
use palimp::store::Place;
use palimp::store::commit::{Vault, Writer, take_stores_to_watch, watch};

use super::bench::{DATA, context};
use super::stores;

/// The process notes left-over work by the store's root. No other test has this root.
const ROOT: &str = "/put-off";
const SECOND: i64 = 1_000_000;

fn place() -> Place {
    Place::whole(ROOT.into(), "session-log")
}

fn log() -> PathBuf {
    Path::new(ROOT).join("sessions/sess_a/memory.jsonl")
}

fn line(id: &str, text: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"session_id\":\"sess_a\",\"timestamp\":\"1970-01-15T12:00:00.000Z\",\
         \"type\":\"finding\",\"content\":{{\"finding\":\"{text}\"}},\"importance\":0.5,\
         \"decay_factor\":1.0,\"tags\":[\"late\"],\"references\":[]}}\n"
    )
}

/// Returns sessions, one with a log of this length, and correct indexes.
fn sessions(len: usize) -> Faulty {
    let disk = Faulty::new();
    disk.put_folder(DATA, 0o700);
    for (path, mut bytes) in stores::sessions() {
        if path.ends_with("sess_a/memory.jsonl") {
            bytes.extend(line("mem_800", &"x".repeat(len)).into_bytes());
        }
        disk.put(Path::new(ROOT).join(path), bytes, 0o600);
    }
    let machine = Passing::on(&disk, 60);
    let store = load(&disk);
    let plan = ops::reindex::reindex(&context(&store)).unwrap();
    Writer::open(host(&disk, &machine), &store).unwrap().commit(&plan).unwrap();
    disk
}

fn load(disk: &Faulty) -> Store {
    palimp::store::load_from(disk, &place(), palimp::model::Extent::All, None, super::machine::NOW)
}

fn host<'a>(disk: &'a Faulty, machine: &'a Passing) -> Host<'a> {
    Host { disk, machine, data: Path::new(DATA), now: machine.now() }
}

/// Tags an entry. An agent adds an entry right before the log changes.
fn tagged_beside_an_agent(disk: &Faulty) -> CommitReceipt {
    let machine = Passing::on(disk, 0);
    let store = load(disk);
    let is_it =
        |own: &&palimp::model::Entry| store.memory(own).is_some_and(|view| view.id() == Some("mem_001"));
    let entries: Vec<_> = store.entries.iter().filter(is_it).copied().collect();
    let plan = crate::support::plans::tag(&context(&store), &entries, &["brandnew".to_owned()], &[]).unwrap();
    let writer = Writer::open(host(disk, &machine), &store).unwrap();
    let mut wrote = false;
    disk.before(move |_, other| {
        if !std::mem::replace(&mut wrote, true) {
            other.append(&log()).unwrap().write(line("mem_900", "Late.").as_bytes()).unwrap();
        }
    });
    writer.commit(&plan).unwrap()
}

/// True if the index has the agent's entry.
fn is_indexed(disk: &Faulty) -> bool {
    let index = &disk.files()[&Path::new(ROOT).join("sessions/sess_a/index.json")];
    memchr::memmem::find(index, b"mem_900").is_some()
}

fn is_pending(disk: &Faulty) -> bool {
    Vault::open_read_only(disk, Path::new(DATA), Path::new(ROOT)).is_unfinished().unwrap()
}

/// A machine on which the log was written just now, and time passes while a process sleeps.
struct Passing {
    began: Moment,
    passed: AtomicI64,
    disk: Faulty,
    /// For each sleep, the time that had passed, and whether the index was right.
    seen: Mutex<Vec<(i64, bool)>>,
}

impl Passing {
    /// Starts this many seconds after the write.
    fn on(disk: &Faulty, seconds: i64) -> Passing {
        let modified = disk.another().look(&log()).unwrap().generation.modified;
        let began = Moment((modified / 1000) as i64).plus(1 + seconds * SECOND);
        Passing { began, passed: AtomicI64::new(0), disk: disk.another(), seen: Mutex::default() }
    }
}

impl Machine for Passing {
    fn now(&self) -> Moment {
        self.began.plus(self.passed.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(1 + self.passed.load(Ordering::SeqCst) as u64)
    }

    fn sleep(&self, time: Duration) {
        let passed = self.passed.fetch_add(time.as_micros() as i64, Ordering::SeqCst);
        self.seen.lock().unwrap().push((passed, is_indexed(&self.disk)));
    }

    fn own_process(&self) -> u32 {
        100
    }

    fn random(&self) -> [u8; 16] {
        [7; 16]
    }

    fn process(&self, number: i32) -> ProcessState {
        if number == 100 { ProcessState::Alive(None) } else { ProcessState::Gone }
    }

    fn may_be_open(&self, files: &[&Path]) -> Vec<bool> {
        vec![false; files.len()]
    }
}

fn is_left() -> bool {
    take_stores_to_watch().iter().any(|own| own.place == place() && own.is_due)
}

#[test]
fn an_index_of_a_large_log_that_others_write_to_is_rebuilt_when_they_pause() {
    let disk = sessions(1 << 20);
    let receipt = tagged_beside_an_agent(&disk);
    let disk = disk.restart();
    assert!(receipt.notes.iter().any(|note| note.contains("rebuilt when they pause")), "{:?}", receipt.notes);
    assert!(!is_indexed(&disk) && is_pending(&disk), "it waits");
    assert!(is_left(), "whoever runs the verb starts a process that looks after it");

    // A start while agents still write leaves it.
    let (machine, store) = (Passing::on(&disk, 0), load(&disk));
    drop(Writer::open(host(&disk, &machine), &store).unwrap());
    assert!(!is_indexed(&disk) && is_pending(&disk), "it waits still");

    let later = disk.restart();
    watch(host(&disk, &machine), &[place()]);
    assert!(is_indexed(&disk) && !is_pending(&disk), "the process that looks after it rebuilt it");
    let seen = machine.seen.into_inner().unwrap();
    assert!(seen.iter().any(|(passed, _)| *passed < SECOND), "{seen:?}");
    assert!(seen.iter().all(|(passed, is_right)| *passed > SECOND || !is_right), "{seen:?}");

    let (machine, store) = (Passing::on(&later, 60), load(&later));
    drop(Writer::open(host(&later, &machine), &store).unwrap());
    assert!(is_indexed(&later) && !is_pending(&later), "the next start rebuilt it");
}

#[test]
fn an_index_of_a_small_log_is_rebuilt_at_once() {
    let disk = sessions(16);
    let receipt = tagged_beside_an_agent(&disk);
    assert!(receipt.notes.iter().all(|note| !note.contains("stale")), "{:?}", receipt.notes);
    assert!(is_indexed(&disk) && !is_pending(&disk));
}
