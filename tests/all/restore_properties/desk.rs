//! Stores of every format, changes of other programs in them, and restores from their backups.

use super::*;
use crate::support::lasting;
use palimp::ops::delete::DeleteOptions;
use palimp::ops::tag::ChangeTags;

pub(super) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// One store of the demo, and what is needed to change it.
pub(super) struct Desk {
    pub(super) folder: tempfile::TempDir,
    pub(super) places: Vec<store::Place>,
    pub(super) kept: WorkerState,
    pub(super) now: Moment,
    pub(super) snapshot: Arc<Snapshot>,
}

impl Desk {
    pub(super) fn new(seed: u64, format: &str) -> Desk {
        let now = Moment::parse("2026-02-01T12:00:00Z").unwrap().0;
        let folder = crate::support::folder::new();
        for (path, bytes) in demo::stores(seed, now) {
            let path = folder.path().join("demo").join(path);
            crate::support::write(&path, bytes);
        }
        let found = store::look_at(&folder.path().join("demo"), None).found.unwrap();
        let places = found.into_iter().filter(|place| place.format == format).take(1).collect();
        let mut desk = Desk {
            folder,
            places,
            kept: WorkerState::default(),
            now,
            snapshot: Arc::new(Snapshot::default()),
        };
        desk.load();
        desk
    }

    pub(super) fn root(&self) -> PathBuf {
        self.places[0].root.clone()
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(super) fn perform(&mut self, job: Job) -> JobResult {
        run_job(job, &mut self.kept, &Default::default()).unwrap()
    }

    pub(super) fn load(&mut self) {
        let job = Job::Load {
            places: self.places.clone(),
            previous: Arc::clone(&self.snapshot),
            data: None,
            is_urgent: true,
            changes: 0,
            now: self.now,
        };
        let JobResult::Loaded(loaded) = self.perform(job) else { panic!("nothing was read") };
        self.snapshot = loaded.snapshot;
    }

    pub(super) fn request(&self, command: impl Command, at: Vec<EntryRef>) -> Box<ChangeRequest> {
        let snapshot = Arc::clone(&self.snapshot);
        let request =
            ChangeRequest::new(snapshot, Requester::Screen, Arc::new(command), self.data(), self.now);
        Box::new(ChangeRequest { at, name: "some".into(), ..request })
    }

    pub(super) fn plan(&mut self, command: impl Command, at: Vec<EntryRef>) -> Result<PlannedChange, String> {
        let request = self.request(command, at);
        let JobResult::Planned(planned) = self.perform(Job::Plan(request)) else { panic!("no plan") };
        *planned
    }

    pub(super) fn commit(&mut self, planned: PlannedChange) -> Result<ChangeReport, String> {
        let JobResult::ChangeDone(changed) = self.perform(Job::Commit(Box::new(planned))) else {
            panic!("no change")
        };
        self.now = self.now.plus(DAY / 1_440);
        self.load();
        *changed
    }

    /// Plans a change and makes it, unless it is refused.
    pub(super) fn change(&mut self, command: impl Command, at: Vec<EntryRef>) {
        if let Ok(planned) = self.plan(command, at) {
            let _ = self.commit(planned);
        }
    }

    pub(super) fn verb(&mut self, words: &[&str]) {
        let (root, data, now) = (self.root(), self.data(), self.now.to_rfc3339());
        let own = ["--store", root.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--now", &now];
        support::run(words.iter().chain(&own).copied());
        self.now = self.now.plus(DAY / 1_440);
        self.load();
    }

    pub(super) fn inspect(&mut self, what: Inspect) -> Inspected {
        let (snapshot, data) = (Arc::clone(&self.snapshot), self.data());
        let request = InspectRequest { snapshot, data, now: self.now, what };
        let JobResult::Inspected(seen) = self.perform(Job::Inspect(Box::new(request))) else {
            panic!("nothing")
        };
        *seen
    }

    pub(super) fn open(&mut self, pick: usize) -> Option<OpenedBackup> {
        let Inspected::Backups(list, None) = self.inspect(Inspect::Backups) else { panic!("no list") };
        let own = list.get(pick.checked_rem(list.len())?)?;
        let Inspected::Opened(opened) = self.inspect(Inspect::Backup(own.store, own.copy.clone(), None))
        else {
            panic!("not opened")
        };
        opened.ok()
    }

    /// Every file around the store, except locks, copies, and second names of files.
    pub(super) fn files(&self) -> Files {
        lasting(&self.folder.path().join("demo"))
    }

    pub(super) fn role(&self, path: &Path) -> Option<Role> {
        let relative = path.strip_prefix(self.root()).ok()?;
        let own = self.snapshot.stores[0].documents.iter().find(|own| own.path == relative)?;
        Some(own.role)
    }
}

/// What happens to a store between its copy and the restore.
#[derive(Clone, Debug)]
pub(super) enum Happening {
    Delete(Vec<u16>),
    Erase(u16),
    Tag(Vec<u16>),
    Edit(u16),
    Archive(Vec<u16>),
    Compact,
    /// A user removes lines of a log, and changes one.
    ByHand(u16, Vec<u16>),
    Append(u16),
}

pub(super) fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let some = || proptest::collection::vec(any::<u16>(), 1..6);
    let one = prop_oneof![
        3 => some().prop_map(Happening::Delete),
        2 => any::<u16>().prop_map(Happening::Erase),
        1 => some().prop_map(Happening::Tag),
        2 => any::<u16>().prop_map(Happening::Edit),
        1 => some().prop_map(Happening::Archive),
        1 => Just(Happening::Compact),
        4 => (any::<u16>(), some()).prop_map(|(file, lines)| Happening::ByHand(file, lines)),
        2 => any::<u16>().prop_map(Happening::Append),
    ];
    proptest::collection::vec(one, 1..6)
}

impl Desk {
    pub(super) fn some(&self, picks: &[u16]) -> Vec<EntryRef> {
        let own = &self.snapshot.stores[0];
        let live = (0_u32..).zip(&own.entries).filter(|(_, entry)| entry.state == State::Live);
        let live: Vec<u32> = live.map(|(at, _)| at).collect();
        let at = picks.iter().filter_map(|pick| live.get(usize::from(*pick).checked_rem(live.len())?));
        let mut at: Vec<u32> = at.copied().collect();
        at.sort_unstable();
        at.dedup();
        at.into_iter().map(|entry| EntryRef { store: 0, entry }).collect()
    }

    pub(super) fn logs(&self) -> Vec<PathBuf> {
        let own = &self.snapshot.stores[0];
        let is_log = |path: &Path| path.extension().is_some_and(|end| end == "jsonl");
        let logs = own.documents.iter().filter(|own| own.role == Role::Records && is_log(&own.path));
        logs.map(|own| self.root().join(&own.path)).collect()
    }

    pub(super) fn log(&self, pick: u16) -> Option<PathBuf> {
        let logs = self.logs();
        logs.get(usize::from(pick).checked_rem(logs.len())?).cloned()
    }

    /// Does it. Returns the bytes of erased records.
    pub(super) fn happens(&mut self, what: &Happening, number: usize) -> Vec<Vec<u8>> {
        let mut erased = Vec::new();
        match what {
            Happening::Delete(some) => self.change(DeleteOptions::default(), self.some(some)),
            Happening::Archive(some) => self.change(ArchiveMemories, self.some(some)),
            Happening::Tag(some) => {
                let tag = ChangeTags { add: vec![format!("tag{number}")], remove: Vec::new() };
                self.change(tag, self.some(some));
            }
            Happening::Edit(one) => {
                let edit = EditMemory::text(format!("another text {number}"));
                self.change(edit, self.some(&[*one]));
            }
            Happening::Erase(one) => {
                let at = self.some(&[*one]);
                let own = at.first().map(|at| self.snapshot.stores[0].raw(self.snapshot.get(*at).1).to_vec());
                if let Ok(planned) = self.plan(EraseOptions::default(), at)
                    && self.commit(planned).is_ok()
                {
                    erased.extend(own);
                }
            }
            Happening::Compact => self.verb(&["compact", "--yes"]),
            Happening::ByHand(file, lines) => {
                if let Some(path) = self.log(*file) {
                    by_hand(&path, lines);
                    self.load();
                }
            }
            Happening::Append(file) => {
                if let Some(path) = self.log(*file) {
                    append(&path, number);
                    self.load();
                }
            }
        }
        erased
    }
}

pub(super) fn by_hand(path: &Path, picks: &[u16]) {
    let text = std::fs::read(path).unwrap();
    let mut lines: Vec<Vec<u8>> = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for (number, pick) in picks.iter().enumerate() {
        if lines.len() < 3 {
            break;
        }
        let at = usize::from(*pick) % lines.len();
        match (number, serde_json::from_slice::<serde_json::Value>(&lines[at])) {
            (0, Ok(mut value)) if value.is_object() => {
                value["tags"] = serde_json::json!(["otherwise"]);
                lines[at] = format!("{value}\n").into_bytes();
            }
            _ => drop(lines.remove(at)),
        }
    }
    std::fs::write(path, lines.concat()).unwrap();
}

/// An agent adds a line like the existing ones. Returns the added bytes.
pub(super) fn append(path: &Path, number: usize) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let lines = bytes.split(|byte| *byte == b'\n');
    let mut objects = lines.filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    let Some(mut value) = objects.rfind(serde_json::Value::is_object) else { return Vec::new() };
    for name in ["id", "event_id", "trace_id"] {
        if value.get(name).is_some() {
            value[name] = serde_json::json!(format!("late_{number}"));
        }
    }
    let end = if bytes.is_empty() || bytes.ends_with(b"\n") { "" } else { "\n" };
    let line = format!("{end}{value}\n").into_bytes();
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(&line).unwrap();
    line
}

pub(super) fn one_line(raw: &[u8]) -> Vec<u8> {
    raw.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect()
}

impl Desk {
    pub(super) fn open_same(&mut self, own: &OpenedBackup) -> Option<OpenedBackup> {
        let what = Inspect::Backup(own.store, own.copy.clone(), Some(Arc::clone(&own.bytes)));
        let Inspected::Opened(opened) = self.inspect(what) else { panic!("not opened") };
        opened.ok()
    }
}
