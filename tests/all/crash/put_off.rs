//! Derived files of a log that others write to: agents read by the places in an index, so it is right when the change ends.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::faulty::Faulty;
use palimp::disk::host::Host;
use palimp::disk::{Disk, Machine, ProcessState};
use palimp::model::{CommitReceipt, Moment, Store};
use palimp::ops;
use palimp::store::write::Writer;
use palimp::store::{Place, Vault};

use super::bench::{DATA, context};
use super::stores;

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
}

impl Passing {
    /// Starts this many seconds after the write.
    fn on(disk: &Faulty, seconds: i64) -> Passing {
        let modified = disk.another().look(&log()).unwrap().generation.modified;
        let began = Moment((modified / 1000) as i64).plus(1 + seconds * SECOND);
        Passing { began, passed: AtomicI64::new(0) }
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
        self.passed.fetch_add(time.as_micros() as i64, Ordering::SeqCst);
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

#[test]
fn an_index_of_a_log_that_others_write_to_is_rebuilt_before_the_change_ends() {
    for len in [16, 1 << 20] {
        let disk = sessions(len);
        let receipt = tagged_beside_an_agent(&disk);
        assert!(receipt.notes.iter().all(|note| !note.contains("stale")), "{:?}", receipt.notes);
        assert!(is_indexed(&disk) && !is_pending(&disk), "a line of {len} characters");
    }
}
