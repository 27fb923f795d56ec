//! Writing, against the bare system calls, alternating in one run. Prints medians and ratios.
//!
//! `cargo bench --no-default-features --bench writing [folder]`; `folder` selects the file system.
#![allow(clippy::unwrap_used)]

#[path = "../tests/all/support/passed_on.rs"]
mod passed_on;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use palimp::disk::host::Host;
use palimp::disk::{Disk, Flock, Item, Machine, ProcessState, RealDisk, ThisMachine, WritableFile};
use palimp::model::Generation;
use palimp::model::{Change, Extent, Moment, Plan, Store, Verb};
use palimp::store::write::Writer;
use palimp::store::{Place, load};
use passed_on::passed_on;

const RUNS: usize = 25;
const ENTRY: usize = 1_100;

/// The real disk. It records when a lock was requested and released.
#[derive(Default)]
struct Timed {
    marks: Mutex<Marks>,
}

#[derive(Clone, Copy, Default)]
struct Marks {
    temp: Option<Instant>,
    asked: Option<Instant>,
    free: Option<Instant>,
}

struct TimedLock<'a> {
    lock: Option<Box<dyn Flock + 'a>>,
    disk: &'a Timed,
    counts: bool,
}

impl Flock for TimedLock<'_> {
    fn generation(&self) -> io::Result<Generation> {
        self.lock.as_ref().unwrap().generation()
    }

    fn fill(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.lock.as_mut().unwrap().fill(bytes)
    }
}

impl Drop for TimedLock<'_> {
    fn drop(&mut self) {
        drop(self.lock.take());
        if self.counts {
            self.disk.marks.lock().unwrap().free = Some(Instant::now());
        }
    }
}

impl Disk for Timed {
    passed_on! {
        self => RealDisk;
        list look real_path read blank rename_new exchange append make_folder
        open_folder link rename remove remove_folder sync_folder
    }

    fn create(&self, file: &Path, mode: u32) -> io::Result<Box<dyn WritableFile + '_>> {
        if file.to_string_lossy().contains(".palimp-tmp") {
            self.marks.lock().unwrap().temp = Some(Instant::now());
        }
        RealDisk.create(file, mode)
    }

    fn flock(&self, path: &Path, create: Option<u32>) -> io::Result<Option<Box<dyn Flock + '_>>> {
        let counts = path.ends_with(".lock");
        if counts {
            self.marks.lock().unwrap().asked = Some(Instant::now());
        }
        let lock = RealDisk.flock(path, create)?;
        Ok(lock.map(|lock| Box::new(TimedLock { lock: Some(lock), disk: self, counts }) as Box<dyn Flock>))
    }
}

/// This machine without sleep: the pause before a lock counts is no work.
struct Awake(ThisMachine);

impl Machine for Awake {
    fn random(&self) -> [u8; 16] {
        [7; 16]
    }

    fn now(&self) -> Moment {
        self.0.now()
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    fn sleep(&self, _time: Duration) {}

    fn own_process(&self) -> u32 {
        self.0.own_process()
    }

    fn process(&self, number: i32) -> ProcessState {
        self.0.process(number)
    }
}

fn entry(number: usize) -> String {
    let id = format!("00000000-0000-4000-8000-{number:012x}");
    let when = "2026-01-10T12:00:00.000000Z";
    let times = format!(r#""created_at":"{when}","updated_at":"{when}","accessed_at":"{when}""#);
    let rest = r#""access_count":0,"tags":[],"importance":"medium","archived":false"#;
    let text = "x".repeat(ENTRY - 280);
    format!("{{\"id\":\"{id}\",\"type\":\"learning\",\"content\":\"{text}\",{times},{rest}}}\n")
}

/// A store in its own folder. Its one log has about `bytes` bytes.
struct Room {
    _folder: tempfile::TempDir,
    root: PathBuf,
    data: PathBuf,
    bare: PathBuf,
}

impl Room {
    fn new(within: &Path, bytes: usize) -> Room {
        let folder = tempfile::tempdir_in(within).unwrap();
        let [root, data, bare] = ["store", "data", "bare"].map(|name| folder.path().join(name));
        [&root, &data, &bare].into_iter().for_each(|path| fs::create_dir(path).unwrap());
        let log: String = (0..bytes / entry(0).len()).map(entry).collect();
        for file in [root.join("learnings.jsonl"), bare.join("log")] {
            fs::write(&file, &log).unwrap();
            File::open(&file).unwrap().sync_all().unwrap();
        }
        Room { _folder: folder, root, data, bare }
    }

    fn load(&self) -> Store {
        let place = Place::whole(self.root.clone(), "memory-server");
        load(&place, Extent::All, None, Moment::of_the_clock())
    }

    fn plan(&self, store: &Store, change: impl FnOnce(&[u8]) -> Change) -> Plan {
        let log = store.documents.iter().find(|document| document.path.ends_with("learnings.jsonl")).unwrap();
        let change = change(&log.bytes);
        Plan {
            records: 1,
            changes: vec![change],
            ..Plan::of_unread_store(Verb::Edit, &store.root, store.format)
        }
    }
}

/// Runs one commit. Returns its time, and the marks in it.
fn commit(
    room: &Room,
    disk: &Timed,
    machine: &Awake,
    change: impl FnOnce(&[u8]) -> Change,
) -> (Duration, Marks) {
    let store = room.load();
    let plan = room.plan(&store, change);
    let host = Host { disk, machine, data: &room.data, now: machine.now() };
    let writer = Writer::open(host, &store).unwrap();
    let began = Instant::now();
    writer.commit(&plan).unwrap();
    (began.elapsed(), *disk.marks.lock().unwrap())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn line(what: &str, ours: Vec<Duration>, bare: f64, goal: &str) {
    let ours = median(ours);
    println!("{what:<52} {ours:>9.0} µs  bare {bare:>9.0} µs  ratio {:.2}  {goal}", ours / bare);
}

fn appends(within: &Path) {
    let (room, disk, machine) = (Room::new(within, 1 << 20), Timed::default(), Awake(ThisMachine::new()));
    let (mut held, mut whole, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..RUNS {
        let added = entry(1_000_000 + run);
        let began = Instant::now();
        let mut file = OpenOptions::new().append(true).open(room.bare.join("log")).unwrap();
        file.write_all(added.as_bytes()).unwrap();
        file.sync_all().unwrap();
        drop(file);
        bare.push(began.elapsed());
        let change = |base: &[u8]| Change::append("learnings.jsonl", added.as_bytes(), Some(base.into()));
        let (took, marks) = commit(&room, &disk, &machine, change);
        held.push(marks.free.unwrap() - marks.asked.unwrap());
        whole.push(took);
    }
    let bare = median(bare);
    line("append, from asking for the lock to its release", held, bare, "(goal 1.1)");
    line("append, the whole commit with undo and journal", whole, bare, "");
}

fn rewrites(within: &Path) {
    let (room, disk, machine) = (Room::new(within, 10 << 20), Timed::default(), Awake(ThisMachine::new()));
    let (mut write, mut held, mut whole, mut bare) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for run in 0..RUNS {
        let bytes = fs::read(room.bare.join("log")).unwrap();
        let began = Instant::now();
        let temp = room.bare.join("log.tmp");
        let mut file = File::create(&temp).unwrap();
        file.write_all(&bytes).unwrap();
        file.sync_all().unwrap();
        drop(file);
        // The replaced file stays, as palimp's does: freeing it is not measured.
        fs::hard_link(room.bare.join("log"), room.bare.join(format!("old-{run}"))).unwrap();
        fs::rename(&temp, room.bare.join("log")).unwrap();
        File::open(&room.bare).unwrap().sync_all().unwrap();
        bare.push(began.elapsed());
        let edit = |base: &[u8]| {
            let at = base.len() / 2;
            let at = at + base[at..].windows(9).position(|found| found == b"\"medium\",").unwrap();
            Change::edits("learnings.jsonl", base.into(), vec![(at..at + 8, b"\"high\"".to_vec())])
        };
        let (took, marks) = commit(&room, &disk, &machine, edit);
        write.push(marks.free.unwrap() - marks.temp.unwrap());
        held.push(marks.free.unwrap() - marks.asked.unwrap());
        whole.push(took);
        // Both reuse memory: on some machines the first touch of a page costs more than all else.
        fs::remove_file(room.bare.join(format!("old-{run}"))).unwrap();
        let is_old = |path: &PathBuf| path.to_string_lossy().contains(".palimp-old");
        let items = fs::read_dir(&room.root).unwrap().map(|item| item.unwrap().path());
        items.filter(is_old).for_each(|path| fs::remove_file(path).unwrap());
    }
    let bare = median(bare);
    line("rewrite of 10 MB, from the new file to the release", write, bare, "(goal 1.3)");
    line("rewrite of 10 MB, while the lock is held", held, bare, "");
    line("rewrite of 10 MB, the whole commit", whole, bare, "");
}

fn main() {
    let within = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let within = within.map_or_else(std::env::temp_dir, PathBuf::from);
    appends(&within);
    rewrites(&within);
}
