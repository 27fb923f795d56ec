//! Reads what an open view needs and the stores do not hold: backups, due tasks, the journal.

mod step_detail;
pub(super) mod upkeep;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::host::Host;
use crate::disk::{Disk, RealDisk};
use crate::model::{
    BackupCheck, BackupCopy, Moment, PathText, Plan, Problem, ProjectInstructions, Snapshot, State, Store,
    container,
};
use crate::ops::archive::is_in_own_data;
use crate::ops::backup_restore::comparison::{BackupComparison, DifferenceKind};
use crate::ops::effect_lines::TouchedMemory;
use crate::ops::repair::FixPreview;
use crate::query::{FadeForecast, Ranking, forecast};
use crate::usecase::clean_up::SavedRules;
use crate::usecase::verify_erased::{ErasureChoice, keep_check, verify_erased};
use crate::usecase::{
    BackupComparer, FindingList, JournalView, check_backup, current_snapshot, fixes_of, list_backups,
    project_instructions, with_deleted,
};

pub struct InspectRequest {
    /// The stores as the user sees them.
    pub snapshot: Arc<Snapshot>,
    pub data: PathBuf,
    pub now: Moment,
    pub what: Inspect,
}

#[derive(Clone)]
pub enum Inspect {
    /// The backups of every store, without their content.
    Backups,
    /// One backup compared with its file, with its bytes if they were read before.
    Backup(usize, BackupCopy, Option<Arc<[u8]>>),
    /// A check of every byte of one backup.
    Verify(usize, BackupCopy, BackupCompareMode),
    /// What is due now and later, what a compaction would remove, what fades, and what is archived.
    Upkeep(Ranking),
    Journal,
    Step(usize, u64),
    /// The fixes of a problem of a store. A newer request replaces it.
    Fixes(usize, Box<Problem>),
    /// Every finding of every store. A newer request replaces it.
    Secrets,
    /// The files of instructions of the projects, and of this home folder.
    Instructions(Option<PathBuf>),
    /// Whether what a step of a store erased is anywhere again.
    Erased(usize, u64),
    CleanUpRules,
}

/// Which verified backups are also compared with their files. A comparison reads the whole store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BackupCompareMode {
    Each,
    Intact,
}

pub enum Inspected {
    /// The backups, the newest first, and what could not be read of palimp's own data.
    Backups(Vec<BackupRow>, Option<String>),
    Opened(Box<Result<OpenedBackup, String>>),
    /// The result of verifying a backup: the store's number, its place, what was found, and what differs.
    Verified(usize, PathBuf, BackupCheck, Option<BackupSummary>),
    Upkeep(Box<Upkeep>),
    /// The steps of each store, and what the newest steps changed.
    Journal(Vec<JournalView>, Vec<StepDetail>),
    /// What a step changed, or why that is unknown.
    Step(Box<StepDetail>),
    /// The fixes of a problem of a store, or why they are unknown.
    Fixes(usize, Box<Problem>, Result<FixPreview, String>),
    Secrets(Result<FindingList, String>),
    Instructions(Vec<ProjectInstructions>),
    /// What a step of a store erased was searched for: the result in lines, or why it is unknown.
    Erased(usize, u64, Result<Vec<String>, String>),
    CleanUpRules(Result<SavedRules, String>),
}

#[derive(Clone, Debug)]
pub struct BackupRow {
    pub store: usize,
    pub copy: BackupCopy,
    pub verified: Option<BackupCheck>,
    /// How it differed from its file at that time.
    pub differs: Option<BackupSummary>,
}

/// At most this many memories are named.
const NAMED: usize = 24;

/// The number of memories that differ between a backup and its file, and the first ones that can be restored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupSummary {
    pub counts: Vec<(DifferenceKind, usize)>,
    /// The first memories that can be restored, with their titles. Untrusted text.
    pub first: Vec<(DifferenceKind, String)>,
}

impl BackupSummary {
    pub fn of(compared: &BackupComparison) -> BackupSummary {
        let counts = DifferenceKind::ALL.into_iter().map(|kind| (kind, compared.count(kind)));
        let coming = compared.items.iter().filter(|item| item.can_come);
        BackupSummary {
            counts: counts.filter(|(_, count)| *count > 0).collect(),
            first: coming.take(NAMED).map(|item| (item.kind, item.title.clone())).collect(),
        }
    }

    pub fn coming(&self) -> usize {
        let kinds = [DifferenceKind::Missing, DifferenceKind::Changed, DifferenceKind::Deleted];
        self.counts.iter().filter(|(kind, _)| kinds.contains(kind)).map(|(_, count)| count).sum()
    }
}

pub struct OpenedBackup {
    pub store: usize,
    /// The stores that it was compared with.
    pub snapshot: Arc<Snapshot>,
    pub copy: BackupCopy,
    pub bytes: Arc<[u8]>,
    pub compared: BackupComparison,
    pub verified: BackupCheck,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChoreKind {
    /// Due by a rule.
    Due,
    /// Due within this many days.
    Soon(i64),
    Compact,
}

/// A task that keeps a store in order, and what it would do.
pub struct Chore {
    pub store: usize,
    pub task: ChoreKind,
    /// What it does, in a few words. Untrusted text.
    pub what: String,
    /// The rule, in words.
    pub rule: String,
    pub touched: Vec<TouchedMemory>,
    /// The plan to carry out; `None` if it is not due yet, or refused.
    pub plan: Option<Plan>,
    pub refused: Option<String>,
}

pub struct Upkeep {
    /// The stores that the tasks were made from.
    pub snapshot: Arc<Snapshot>,
    pub chores: Vec<Chore>,
    /// The memories that fade to the floor soon.
    pub fading: Vec<FadeForecast>,
    pub batches: Vec<ArchiveBatch>,
}

/// Archived memories in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveBatch {
    pub store: usize,
    /// A file, or a folder of files, relative to the store's root.
    pub path: PathBuf,
    pub entries: Vec<u32>,
    /// Its size on disk, in bytes.
    pub bytes: u64,
}

/// What a step changed, file by file.
pub struct StepDetail {
    pub store: usize,
    pub step: u64,
    /// Its files, or why nothing is known except what the journal has.
    pub files: Result<Vec<StepFile>, String>,
    /// The receipt in lines, if the step is an erasure. Untrusted text.
    pub receipt: Option<Vec<String>>,
}

#[derive(Clone, Debug)]
pub struct StepFile {
    /// Relative to the store's root.
    pub path: String,
    /// The numbers of lines that were removed and added.
    pub gone: usize,
    pub come: usize,
    /// The first of these lines: true if it was added, and its bytes. Untrusted text.
    pub lines: Vec<(bool, Vec<u8>)>,
    /// The titles of the lines that are memories, and true if the line was added. Untrusted text.
    pub titles: Vec<(bool, String)>,
    /// The tags that these memories got (true) and lost (false). Untrusted text.
    pub tags: Vec<(bool, String)>,
}

pub fn inspect(request: InspectRequest, known: &mut BackupComparer) -> Inspected {
    let InspectRequest { snapshot: listed, data, now, what } = request;
    let host = Host::here(&data, now);
    let mut snapshot = match what {
        // These are compared with the files, byte by byte.
        Inspect::Backup(..) | Inspect::Upkeep(_) | Inspect::Step(..) | Inspect::Erased(..) => {
            current_snapshot(&listed, host)
        }
        _ => Arc::clone(&listed),
    };
    // Palimp's own data may be the archive of a store.
    if matches!(what, Inspect::Upkeep(_)) && snapshot.stores.iter().any(|own| is_in_own_data(own)) {
        snapshot = with_deleted(&snapshot, host).unwrap_or(snapshot);
    }
    let look = Inspector { listed: &listed, snapshot: &snapshot, data: &data, now };
    match what {
        Inspect::Backups => look.backups(),
        Inspect::Backup(store, copy, bytes) => {
            Inspected::Opened(Box::new(look.open((store, copy, bytes), known)))
        }
        Inspect::Verify(store, copy, compares) => {
            let (verified, differs) = look.verify((store, &copy), compares, known);
            Inspected::Verified(store, copy.path, verified, differs)
        }
        Inspect::Upkeep(ranking) => Inspected::Upkeep(Box::new(Upkeep {
            chores: look.chores(),
            fading: forecast(&snapshot, ranking, now),
            batches: look.batches(),
            snapshot: Arc::clone(&snapshot),
        })),
        Inspect::Journal => {
            let account = |store: &Arc<Store>| JournalView::of(store, &data, now);
            let accounts: Vec<JournalView> = snapshot.stores.iter().map(account).collect();
            let newest = look.newest_steps(&accounts);
            Inspected::Journal(accounts, newest)
        }
        Inspect::Step(store, step) => Inspected::Step(Box::new(look.step(store, step))),
        Inspect::Fixes(store, problem) => {
            let fixes = look
                .store(store)
                .and_then(|own| fixes_of(host, own, &problem).map_err(|failed| failed.told()));
            Inspected::Fixes(store, problem, fixes)
        }
        Inspect::Secrets => Inspected::Secrets(FindingList::of(&listed, host)),
        Inspect::Instructions(home) => {
            Inspected::Instructions(project_instructions(&RealDisk, &listed, home.as_deref()))
        }
        Inspect::CleanUpRules => Inspected::CleanUpRules(SavedRules::kept_in(&data)),
        Inspect::Erased(store, step) => Inspected::Erased(store, step, look.erased(host, store, step)),
    }
}

struct Inspector<'a> {
    listed: &'a Arc<Snapshot>,
    /// The same stores with their bytes, if these are needed.
    snapshot: &'a Arc<Snapshot>,
    data: &'a Path,
    now: Moment,
}

impl<'a> Inspector<'a> {
    fn erased(&self, host: Host<'_>, number: usize, step: u64) -> Result<Vec<String>, String> {
        let store = self.store(number)?;
        match verify_erased(host, (store, &self.snapshot.stores), &ErasureChoice::Step(step), &|_| true) {
            Ok(Some(check)) => {
                // What was found counts, also if it can't be kept.
                let kept = keep_check(host, store, &check).err();
                let kept = kept.map(|error| format!("the check can't be kept with its receipt: {error}"));
                Ok([check.told(), check.unread, kept.into_iter().collect()].concat())
            }
            Ok(None) => Err(format!("Step {step} has no receipt: what it erased can't be searched for.")),
            Err(error) => Err(error.to_string()),
        }
    }

    fn backups(&self) -> Inspected {
        let (mut found, mut unread) = (Vec::new(), None);
        for (number, store) in self.snapshot.stores.iter().enumerate() {
            match list_backups(self.data, store) {
                Ok(own) => {
                    let listed = |copy| BackupRow { store: number, copy, verified: None, differs: None };
                    found.extend(own.into_iter().map(listed));
                }
                Err(failed) => unread = Some(failed.message),
            }
        }
        found.sort_by_key(|own| std::cmp::Reverse(own.copy.at));
        Inspected::Backups(found, unread)
    }

    fn store(&self, number: usize) -> Result<&'a Arc<Store>, String> {
        self.snapshot.stores.get(number).ok_or_else(not_open)
    }

    fn read(&self, store: &Store, copy: &BackupCopy) -> Result<Arc<[u8]>, String> {
        let path = store.root.join(&copy.path);
        let read = RealDisk.read(&path, 0, None).map(|(bytes, _)| bytes.into());
        read.map_err(|error| format!("{} can't be read: {error}.", path.to_text()))
    }

    fn open(
        &self,
        (number, copy, bytes): (usize, BackupCopy, Option<Arc<[u8]>>),
        known: &mut BackupComparer,
    ) -> Result<OpenedBackup, String> {
        let store = self.store(number)?;
        let bytes = bytes.map_or_else(|| self.read(store, &copy), Ok)?;
        let compared = self.compared((number, store), (&copy, &bytes), known)?;
        let verified = check_backup(self.data, store, (&copy, &bytes), self.now);
        let snapshot = Arc::clone(self.snapshot);
        Ok(OpenedBackup { store: number, snapshot, copy, bytes, compared, verified })
    }

    fn compared(
        &self,
        (number, store): (usize, &Store),
        (copy, bytes): (&BackupCopy, &[u8]),
        known: &mut BackupComparer,
    ) -> Result<BackupComparison, String> {
        let listed = self.listed.stores.get(number).ok_or_else(not_open)?;
        let host = Host::here(self.data, self.now);
        let compared = known.compare(host, (listed, store), (copy, bytes));
        compared.map_err(|failed| failed.why().to_owned())
    }

    fn verify(
        &self,
        (number, copy): (usize, &BackupCopy),
        compares: BackupCompareMode,
        known: &mut BackupComparer,
    ) -> (BackupCheck, Option<BackupSummary>) {
        let store = self.store(number);
        let read = store.and_then(|store| Ok((store, self.read(store, copy)?)));
        let (store, bytes) = match read {
            Ok(read) => read,
            Err(found) => return (BackupCheck { is_whole: false, found }, None),
        };
        let verified = check_backup(self.data, store, (copy, &bytes), self.now);
        if compares == BackupCompareMode::Intact && !verified.is_whole {
            return (verified, None);
        }
        let compared = self.compared((number, store), (copy, &bytes), known);
        (verified, compared.ok().map(|own| BackupSummary::of(&own)))
    }

    fn batches(&self) -> Vec<ArchiveBatch> {
        let mut batches = Vec::new();
        for (number, store) in self.snapshot.stores.iter().enumerate() {
            let mut places: BTreeMap<PathBuf, Vec<u32>> = BTreeMap::new();
            let entries = (0_u32..).zip(&store.entries);
            for (at, entry) in entries.filter(|(_, entry)| entry.state == State::Archived) {
                // The file or folder that the archived file is in.
                let path = &*store.document(entry).path;
                let is_alone = path.extension().is_some_and(|end| end == "gz" || end == "jsonl");
                let place = match container(path) {
                    Some(archive) => archive,
                    None if is_alone => path,
                    None => path.parent().unwrap_or(path),
                };
                places.entry(place.into()).or_default().push(at);
            }
            for (path, entries) in places {
                let on_disk = store.documents.iter().filter(|file| file.path.starts_with(&path));
                let on_disk: u64 = on_disk.map(|file| file.generation.len).sum();
                // What is in palimp's own archive is no file of the store.
                let aside = store.documents.iter().filter(|file| container(&file.path) == Some(&path));
                let bytes = if on_disk > 0 { on_disk } else { aside.map(|file| file.len).sum() };
                batches.push(ArchiveBatch { store: number, path, entries, bytes });
            }
        }
        batches
    }
}

fn not_open() -> String {
    "the store is not open any more".to_owned()
}
