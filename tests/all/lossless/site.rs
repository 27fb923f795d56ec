//! A store on a disk in memory, with a clock.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::faulty::Faulty;
use palimp::disk::host::Host;
use palimp::disk::{Disk, Machine, ProcessState};
use palimp::model::{Code, CommitReceipt, Extent, JournalLine, Moment, Plan, Store, UndoRedo};
use palimp::ops::WriteContext;
use palimp::store::hidden_names::is_ours;
use palimp::store::{CommitError, Place, load_from, write::Writer};

use super::chance::Chance;
use super::expected::assert_effects;
use super::stores::{Files, START};

/// A clock that moves while a thread waits.
pub struct Clock(AtomicI64);

impl Clock {
    pub fn pass(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }
}

impl Machine for Clock {
    fn random(&self) -> [u8; 16] {
        [7; 16]
    }

    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::SeqCst) as u64)
    }

    fn sleep(&self, time: Duration) {
        self.0.fetch_add(time.as_micros() as i64, Ordering::SeqCst);
    }

    fn own_process(&self) -> u32 {
        4711
    }

    fn process(&self, _number: i32) -> ProcessState {
        ProcessState::Gone
    }
}

pub struct Site {
    pub disk: Faulty,
    pub clock: Clock,
    pub place: Place,
    data: PathBuf,
}

impl Site {
    pub fn new(format: &'static str, files: &Files) -> Site {
        let root = PathBuf::from("/home/store");
        let disk = Faulty::new();
        disk.put_folder("/home", 0o700);
        disk.put_folder(&root, 0o700);
        if format == "session-log" {
            disk.put_folder(root.join("sessions"), 0o700);
        }
        for (path, bytes) in files {
            disk.put(root.join(path), bytes.clone(), 0o600);
        }
        let place = Place::whole(root, format);
        Site { disk, clock: Clock(AtomicI64::new(START.0)), place, data: "/data".into() }
    }

    pub fn host(&self) -> Host<'_> {
        Host { disk: &self.disk, machine: &self.clock, data: &self.data, now: self.clock.now() }
    }

    pub fn store(&self) -> Store {
        load_from(&self.disk, &self.place, Extent::All, None, self.clock.now())
    }

    pub fn context<'a>(&self, store: &'a Store, chance: &mut Chance) -> WriteContext<'a> {
        WriteContext::of(store, self.clock.now(), chance.bytes())
    }

    pub fn commit(&self, plan: &Plan) -> Result<CommitReceipt, CommitError> {
        let store = self.store();
        Writer::open(self.host(), &store)?.commit(plan)
    }

    pub fn last_step(&self) -> JournalLine {
        let store = self.store();
        Writer::open(self.host(), &store).unwrap().vault().journal().unwrap().pop().unwrap()
    }

    pub fn turn(&self, wanted: impl FnOnce(&Writer<'_>) -> Planned) -> Result<CommitReceipt, CommitError> {
        let store = self.store();
        let writer = Writer::open(self.host(), &store)?;
        let (plan, turn) = wanted(&writer)?;
        let before = writer.load();
        let receipt = writer.commit_undo_redo(&plan, turn)?;
        assert_effects(&plan, &before, &self.store());
        Ok(receipt)
    }

    pub fn undo(&self) -> Result<CommitReceipt, CommitError> {
        self.turn(|writer| writer.undo(None))
    }

    pub fn redo(&self) -> Result<CommitReceipt, CommitError> {
        self.turn(|writer| writer.redo(None))
    }

    /// Every file of the store that other programs know: neither palimp's own, nor locks.
    pub fn everything(&self) -> Files {
        let known = |path: &Path| {
            let name = path.file_name().unwrap();
            !is_ours(name) && !name.to_string_lossy().starts_with(".lock") && name != "lock"
        };
        let files = self.disk.files().into_iter();
        files
            .filter_map(|(path, bytes)| Some((path.strip_prefix(&self.place.root).ok()?.to_owned(), bytes)))
            .filter(|(path, _)| known(path))
            .collect()
    }

    /// The same without copies, whose number is limited.
    pub fn files(&self) -> Files {
        self.everything().into_iter().filter(|(path, _)| !path.starts_with(".backup")).collect()
    }

    pub fn data(&self) -> Files {
        self.files().into_iter().filter(|(path, _)| is_data(path)).collect()
    }

    /// An agent appends to a file without a lock.
    pub fn append(&self, file: &str, bytes: &[u8]) {
        let agent = self.disk.another();
        let mut out = agent.append(&self.place.root.join(file)).unwrap();
        out.write(bytes).unwrap();
    }

    /// An agent rewrites a file.
    pub fn write(&self, file: &str, bytes: impl Into<Vec<u8>>) {
        self.disk.another().put(self.place.root.join(file), bytes, 0o600);
    }
}

type Planned = Result<(Plan, UndoRedo), CommitError>;

pub fn is_data(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl") || path.ends_with("agent.json")
}

/// Returns the reports that indexes and counts disagree with the records, by file.
pub fn disagreements(store: &Store) -> Vec<(Code, PathBuf)> {
    let codes = [Code::IndexStale, Code::IndexBroken, Code::CountMismatch];
    let own = store.problems.iter().filter(|problem| codes.contains(&problem.code));
    own.map(|problem| (problem.code, problem.file.clone())).collect()
}

/// Fails if an index or a count disagrees that agreed before.
#[track_caller]
pub fn assert_agreeing(before: &Store, after: &Store) {
    let known = disagreements(before);
    let new: Vec<_> = disagreements(after).into_iter().filter(|own| !known.contains(own)).collect();
    assert!(new.is_empty(), "{new:?}: {:#?}", after.problems);
}
