//! Sets up a case on the disk in memory, the same each time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::faulty::{Faulty, Lie};
use palimp::disk::Disk;
use palimp::disk::host::Host;
use palimp::model::{CommitReceipt, Extent, Plan, Store, UndoRedo};
use palimp::ops::{self, WriteContext};
use palimp::store::write::Writer;
use palimp::store::{CommitError, Place, load_from};

use super::cases::{Case, Do};
use super::machine::{NOW, Still};

pub const ROOT: &str = "/store";
/// The folder of palimp's data.
pub const DATA: &str = "/data";

/// Files by their absolute paths.
pub type Bytes = BTreeMap<PathBuf, Vec<u8>>;

/// A case, ready to run.
pub struct Bench {
    pub format: &'static str,
    /// The name of the case in messages.
    pub title: String,
    start: Bytes,
    folders: BTreeSet<PathBuf>,
    act: Do,
    /// A plan to apply instead of the operation's own.
    other: Option<fn(&WriteContext<'_>) -> Plan>,
}

/// The input of a run: the store as it was read.
pub struct Prepared {
    pub store: Store,
    plan: Option<Plan>,
    act: Do,
}

pub fn host<'a>(disk: &'a dyn Disk, machine: &'a Still) -> Host<'a> {
    Host { disk, machine, data: Path::new(DATA), now: NOW }
}

pub fn load(disk: &dyn Disk, format: &'static str) -> Store {
    let place = Place::whole(ROOT.into(), format);
    load_from(disk, &place, Extent::All, None, NOW)
}

pub fn context(store: &Store) -> WriteContext<'_> {
    WriteContext::of(store, NOW, [7; 16])
}

/// Does what the next start does: settles an interrupted change.
pub fn next_start(disk: &dyn Disk, format: &'static str, machine: &Still) -> Result<(), CommitError> {
    let store = load(disk, format);
    Writer::open(host(disk, machine), &store).map(drop)
}

impl Bench {
    /// Prepares the case, with its earlier steps.
    pub fn of(case: &'static Case) -> Bench {
        let files: Vec<_> =
            (case.files)().into_iter().map(|(path, own)| (Path::new(ROOT).join(path), own)).collect();
        let mut bench = Bench {
            format: case.format,
            title: format!("{} {}", case.format, case.name),
            start: files.into_iter().collect(),
            folders: BTreeSet::from([ROOT.into()]),
            act: case.act,
            other: None,
        };
        bench.index();
        for act in case.first {
            bench.go_through(*act);
        }
        bench
    }

    /// Like `of`, with another plan.
    pub fn with_plan(case: &'static Case, plan: fn(&WriteContext<'_>) -> Plan) -> Bench {
        Bench { other: Some(plan), ..Bench::of(case) }
    }

    /// Builds the derived files, unless the case has its own.
    fn index(&mut self) {
        if self.start.keys().any(|path| path.ends_with("index.json")) {
            return;
        }
        let store = load(&self.disk(), self.format);
        let plan = ops::reindex::reindex(&context(&store)).unwrap();
        for change in &plan.derived {
            self.start.insert(store.root.join(&change.path), change.after().unwrap().to_vec());
        }
    }

    fn go_through(&mut self, act: Do) {
        let disk = self.disk();
        let machine = Still::first();
        let own = Bench {
            act,
            start: self.start.clone(),
            folders: self.folders.clone(),
            title: String::new(),
            ..*self
        };
        run(&disk, &machine, &own.prepare(&disk)).unwrap();
        next_start(&disk, self.format, &Still::next()).unwrap();
        self.start = disk.files().into_iter().filter(|(path, _)| !path.ends_with(".lock")).collect();
        self.folders = disk.folders();
    }

    pub fn disk(&self) -> Faulty {
        let disk = Faulty::new();
        self.folders.iter().for_each(|folder| disk.put_folder(folder, 0o700));
        self.start.iter().for_each(|(path, bytes)| disk.put(path, bytes.clone(), 0o600));
        disk
    }

    /// Like `disk`, with lies.
    pub fn disk_with(&self, lies: &[Lie]) -> Faulty {
        let disk = self.disk();
        lies.iter().for_each(|lie| disk.lie(*lie));
        disk
    }

    pub fn prepare(&self, disk: &Faulty) -> Prepared {
        let store = load(disk, self.format);
        let plan = match (self.other, self.act) {
            (Some(other), _) => Some(other(&context(&store))),
            (None, Do::Plan(make)) => Some(make(&context(&store)).unwrap()),
            _ => None,
        };
        Prepared { store, plan, act: self.act }
    }

    pub fn back(&self) -> Do {
        match self.act {
            Do::Undo => Do::Redo,
            _ => Do::Undo,
        }
    }

    pub fn plan(&self) -> Plan {
        let disk = self.disk();
        let prepared = self.prepare(&disk);
        prepared.plan.clone().unwrap_or_else(|| {
            let machine = Still::first();
            let writer = Writer::open(host(&disk, &machine), &prepared.store).unwrap();
            planned(&writer, self.act).unwrap().0
        })
    }
}

fn planned(writer: &Writer<'_>, act: Do) -> Result<(Plan, UndoRedo), CommitError> {
    match act {
        Do::Redo => writer.redo(None),
        _ => writer.undo(None),
    }
}

pub fn run(disk: &dyn Disk, machine: &Still, prepared: &Prepared) -> Result<CommitReceipt, CommitError> {
    let writer = Writer::open(host(disk, machine), &prepared.store)?;
    match &prepared.plan {
        Some(plan) => writer.commit(plan),
        None => {
            let (plan, turn) = planned(&writer, prepared.act)?;
            writer.commit_undo_redo(&plan, turn)
        }
    }
}

/// Undoes or redoes the last step.
pub fn turn(
    disk: &dyn Disk,
    format: &'static str,
    machine: &Still,
    act: Do,
) -> Result<CommitReceipt, CommitError> {
    let prepared = Prepared { store: load(disk, format), plan: None, act };
    run(disk, machine, &prepared)
}
