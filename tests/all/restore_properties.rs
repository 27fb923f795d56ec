//! Restoring as a property, in every format: what the comparison said of each record is what
//! becomes of it, what agents append meanwhile stays, nothing else changes, and undo gives the
//! bytes back.

use crate::support;

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use palimp::model::time::DAY;
use palimp::model::{EntryRef, Moment, Role, Snapshot, State};
use palimp::ops::restore::{Comparison, Item, Kind};
use palimp::work::{
    ChangeRequest, Changed, Done, Inspect, InspectRequest, Inspected, Job, Kept, Opened, Planned, Restoring,
    Wanted, perform,
};
use palimp::{demo, store};
use proptest::prelude::*;

/// Files by their paths.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// One store of the demo, and what is needed to change it.
struct Desk {
    folder: tempfile::TempDir,
    places: Vec<store::Place>,
    kept: Kept,
    now: Moment,
    snapshot: Arc<Snapshot>,
}

impl Desk {
    fn new(seed: u64, format: &str) -> Desk {
        let now = Moment::parse("2026-02-01T12:00:00Z").unwrap().0;
        let folder = tempfile::Builder::new().prefix("palimp-restore-").tempdir().unwrap();
        for (path, bytes) in demo::stores(seed, now) {
            let path = folder.path().join("demo").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let found = store::look_at(&folder.path().join("demo"), None).found.unwrap();
        let places = found.into_iter().filter(|place| place.format == format).take(1).collect();
        let mut desk =
            Desk { folder, places, kept: Kept::default(), now, snapshot: Arc::new(Snapshot::default()) };
        desk.load();
        desk
    }

    fn root(&self) -> PathBuf {
        self.places[0].root.clone()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn perform(&mut self, job: Job) -> Done {
        perform(job, &mut self.kept, &Default::default()).unwrap()
    }

    fn load(&mut self) {
        let job =
            Job::Load { places: self.places.clone(), previous: Arc::clone(&self.snapshot), now: self.now };
        let Done::Loaded(loaded) = self.perform(job) else { panic!("nothing was read") };
        self.snapshot = loaded.snapshot;
    }

    fn request(&self, wanted: Wanted, at: Vec<EntryRef>) -> Box<ChangeRequest> {
        Box::new(ChangeRequest {
            snapshot: Arc::clone(&self.snapshot),
            at,
            name: "some".into(),
            hidden: Vec::new(),
            progress: Arc::default(),
            wanted,
            data: self.data(),
            now: self.now,
        })
    }

    fn plan(&mut self, wanted: Wanted, at: Vec<EntryRef>) -> Result<Planned, String> {
        let request = self.request(wanted, at);
        let Done::Planned(planned) = self.perform(Job::Plan(request)) else { panic!("no plan") };
        *planned
    }

    fn commit(&mut self, planned: Planned) -> Result<Changed, String> {
        let Done::Changed(changed) = self.perform(Job::Commit(Box::new(planned))) else {
            panic!("no change")
        };
        self.now = self.now.plus(DAY / 1_440);
        self.load();
        *changed
    }

    /// Plans a change and makes it; what is refused is not made.
    fn change(&mut self, wanted: Wanted, at: Vec<EntryRef>) {
        if let Ok(planned) = self.plan(wanted, at) {
            let _ = self.commit(planned);
        }
    }

    fn verb(&mut self, words: &[&str]) {
        let (root, data, now) = (self.root(), self.data(), self.now.to_rfc3339());
        let own = ["--store", root.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--now", &now];
        support::run(words.iter().chain(&own).copied());
        self.now = self.now.plus(DAY / 1_440);
        self.load();
    }

    fn inspect(&mut self, what: Inspect) -> Inspected {
        let (snapshot, data) = (Arc::clone(&self.snapshot), self.data());
        let request = InspectRequest { snapshot, data, now: self.now, what };
        let Done::Inspected(seen) = self.perform(Job::Inspect(Box::new(request))) else { panic!("nothing") };
        *seen
    }

    fn open(&mut self, pick: usize) -> Option<Opened> {
        let Inspected::Backups(list, None) = self.inspect(Inspect::Backups) else { panic!("no list") };
        let own = list.get(pick.checked_rem(list.len())?)?;
        let Inspected::Opened(opened) = self.inspect(Inspect::Backup(own.store, own.copy.clone(), None))
        else {
            panic!("not opened")
        };
        opened.ok()
    }

    /// Every file around the store, but for locks, copies, and second names of files.
    fn files(&self) -> Files {
        let mut files = Files::new();
        gather(&self.folder.path().join("demo"), &mut files);
        files
    }

    fn role(&self, path: &Path) -> Option<Role> {
        let relative = path.strip_prefix(self.root()).ok()?;
        let own = self.snapshot.stores[0].documents.iter().find(|own| own.path == relative)?;
        Some(own.role)
    }
}

fn gather(folder: &Path, files: &mut Files) {
    for item in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = item.file_name();
        let name = name.to_string_lossy();
        match item.file_type().unwrap().is_dir() {
            true if name == ".backup" => {}
            true => gather(&item.path(), files),
            false if name.ends_with("lock") || name.ends_with(".palimp-old") => {}
            false => drop(files.insert(item.path(), std::fs::read(item.path()).unwrap())),
        }
    }
}

/// What happens to a store between its copy and the restore.
#[derive(Clone, Debug)]
enum Happening {
    Delete(Vec<u16>),
    Erase(u16),
    Tag(Vec<u16>),
    Edit(u16),
    Archive(Vec<u16>),
    Compact,
    /// Somebody takes lines out of a log, and writes one otherwise.
    ByHand(u16, Vec<u16>),
    /// An agent appends to a log.
    Append(u16),
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
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
    fn some(&self, picks: &[u16]) -> Vec<EntryRef> {
        let own = &self.snapshot.stores[0];
        let live = (0_u32..).zip(&own.entries).filter(|(_, entry)| entry.state == State::Live);
        let live: Vec<u32> = live.map(|(at, _)| at).collect();
        let at = picks.iter().filter_map(|pick| live.get(usize::from(*pick).checked_rem(live.len())?));
        let mut at: Vec<u32> = at.copied().collect();
        at.sort_unstable();
        at.dedup();
        at.into_iter().map(|entry| EntryRef { store: 0, entry }).collect()
    }

    /// The logs of memories.
    fn logs(&self) -> Vec<PathBuf> {
        let own = &self.snapshot.stores[0];
        let is_log = |path: &Path| path.extension().is_some_and(|end| end == "jsonl");
        let logs = own.documents.iter().filter(|own| own.role == Role::Records && is_log(&own.path));
        logs.map(|own| self.root().join(&own.path)).collect()
    }

    fn log(&self, pick: u16) -> Option<PathBuf> {
        let logs = self.logs();
        logs.get(usize::from(pick).checked_rem(logs.len())?).cloned()
    }

    /// Does it. What is erased is returned, as it stood in which file.
    fn happens(&mut self, what: &Happening, number: usize) -> Vec<Vec<u8>> {
        let mut erased = Vec::new();
        match what {
            Happening::Delete(some) => self.change(Wanted::Delete, self.some(some)),
            Happening::Archive(some) => self.change(Wanted::Archive, self.some(some)),
            Happening::Tag(some) => {
                let wanted = Wanted::Tag { add: vec![format!("tag{number}")], remove: Vec::new() };
                self.change(wanted, self.some(some));
            }
            Happening::Edit(one) => {
                let wanted = Wanted::Text(format!("another text {number}"));
                self.change(wanted, self.some(&[*one]));
            }
            Happening::Erase(one) => {
                let at = self.some(&[*one]);
                let own = at.first().map(|at| self.snapshot.stores[0].raw(self.snapshot.get(*at).1).to_vec());
                if let Ok(planned) = self.plan(Wanted::Erase, at)
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

fn by_hand(path: &Path, picks: &[u16]) {
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

/// An agent adds a line like those that stand there; what it adds.
fn append(path: &Path, number: usize) -> Vec<u8> {
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

fn one_line(raw: &[u8]) -> Vec<u8> {
    raw.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect()
}

/// The file as the comparison says that it will be, worked out of nothing but that.
fn expected(now: &[u8], compared: &Comparison, chosen: &HashSet<u64>) -> Vec<u8> {
    let own = |kind: Kind| {
        let is = move |item: &&Item| item.kind == kind && item.can_come && chosen.contains(&item.at);
        let mut own: Vec<&Item> = compared.items.iter().filter(is).collect();
        own.sort_by_key(|item| item.at);
        own
    };
    let mut bytes = now.to_vec();
    for item in own(Kind::Changed) {
        let at = memchr::memmem::find(&bytes, &item.is).unwrap();
        bytes.splice(at..at + item.is.len(), one_line(&item.was));
    }
    let missing = own(Kind::Missing);
    if !missing.is_empty() && !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    for item in missing {
        bytes.extend(one_line(&item.was));
        bytes.push(b'\n');
    }
    bytes
}

/// A file without the lines that agents added meanwhile; whether all of them were there.
fn without(bytes: &[u8], late: &[u8]) -> (Vec<u8>, bool) {
    let late = late.strip_prefix(b"\n").unwrap_or(late);
    match memchr::memmem::rfind(bytes, late).filter(|_| !late.is_empty()) {
        Some(at) => ([&bytes[..at], &bytes[at + late.len()..]].concat(), true),
        None => (bytes.to_vec(), late.is_empty()),
    }
}

/// The lines that one has and the other lacks, and how each ends.
fn differing(is: &[u8], should: &[u8]) -> String {
    let lines = |bytes: &[u8]| -> Vec<String> {
        bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| format!("{:?}", String::from_utf8_lossy(line)))
            .collect()
    };
    let (is, should) = (lines(is), lines(should));
    let more = is.iter().filter(|line| !should.contains(line)).map(|line| format!("is:        {line}\n"));
    let less = should.iter().filter(|line| !is.contains(line)).map(|line| format!("should be: {line}\n"));
    let order = format!("{} lines, not {}", is.len(), should.len());
    more.chain(less).chain([order]).collect()
}

/// The long form tells what it has tried.
fn told(format: &str, whole: bool, late: &BTreeMap<PathBuf, Vec<u8>>, compared: &Comparison) {
    if crate::support::tries::is_long() {
        let kinds: Vec<String> = Kind::ALL
            .iter()
            .map(|&kind| (kind, compared.count(kind)))
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| format!("{count} {}", kind.as_str()))
            .collect();
        let way = if whole { "whole" } else { "records" };
        println!("restored: {format} {way}, {} late, of {}", late.len(), kinds.join(", "));
    }
}

const FORMATS: [&str; 5] = ["memory-server", "session-log", "agent-memory", "bmad", "a-mem"];

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 60, ..crate::support::tries::config(16, 400) })]

    #[test]
    fn what_is_said_of_each_record_is_what_a_restore_does_in_every_format(
        seed in 0..1000_u64, format in proptest::sample::select(FORMATS.to_vec()), happenings in happenings(),
        pick in any::<u16>(), chosen in proptest::collection::vec(any::<bool>(), 24),
        whole in proptest::bool::weighted(0.3), appends in any::<bool>(), beside in any::<u16>()
    ) {
        let mut desk = Desk::new(seed, format);
        desk.verb(&["backup", "create", "--yes"]);
        let mut erased: Vec<Vec<u8>> = Vec::new();
        for (number, what) in happenings.iter().enumerate() {
            erased.extend(desk.happens(what, number));
        }
        let Some(opened) = desk.open(usize::from(pick)) else { return Ok(()) };
        let compared = opened.compared.clone();
        let whole = whole || compared.whole_only.is_some();
        let path = desk.root().join(&compared.file);
        let before = desk.files();
        let mut picks = chosen.iter().cycle();
        let can_come: Vec<&Item> = compared.items.iter().filter(|item| item.can_come).collect();
        let chosen: HashSet<u64> = can_come.iter().filter(|_| *picks.next().unwrap()).map(|item| item.at).collect();
        let restoring = Restoring {
            store: 0, copy: opened.copy.clone(), bytes: Arc::clone(&opened.bytes),
            chosen: (!whole).then(|| chosen.clone()),
        };
        let planned = desk.plan(Wanted::Restore(restoring), Vec::new());
        prop_assert_eq!(&desk.files(), &before, "a plan writes nothing");
        let Ok(planned) = planned else { return Ok(()) };
        if planned.plans.iter().all(|(_, plan)| plan.is_empty()) {
            return Ok(());
        }
        let plan = planned.plans[0].1.clone();
        let mut late: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
        if appends {
            for log in [path.clone()].into_iter().chain(desk.log(beside)) {
                if log.extension().is_some_and(|end| end == "jsonl") && log.exists() && !late.contains_key(&log) {
                    let line = append(&log, 1000 + late.len());
                    late.insert(log, line);
                }
            }
        }
        let meanwhile = desk.files();
        let outcome = desk.commit(planned);
        let after = desk.files();
        if let Err(why) = &outcome {
            prop_assert!(why.contains("Nothing was changed"), "{}", why);
            prop_assert_eq!(&after, &meanwhile, "{}", why);
            return Ok(());
        }
        told(format, whole, &late, &compared);
        // The file itself.
        let none = Vec::new();
        let own_late = late.get(&path).unwrap_or(&none);
        let now = before.get(&path).cloned().unwrap_or_default();
        let is = after.get(&path).cloned().unwrap_or_default();
        let (is_own, kept) = without(&is, own_late);
        prop_assert!(kept, "an agent's line is lost of {}", path.display());
        let should = match whole {
            false => expected(&now, &compared, &chosen),
            true => plan.changes.iter().find(|own| own.path == compared.file).and_then(|own| own.after()).unwrap_or(now),
        };
        // An agent's line end for a last line that had none may come with its line.
        let counts = desk.role(&path) == Some(Role::Metadata) && !late.is_empty();
        let alike = is_own == should || counts || own_late.starts_with(b"\n")
            && is_own.strip_suffix(b"\n").unwrap_or(&is_own) == should.strip_suffix(b"\n").unwrap_or(&should);
        prop_assert!(alike, "{}\n{}", path.display(), differing(&is_own, &should));
        if whole && desk.role(&path) != Some(Role::Metadata) {
            for item in compared.items.iter().filter(|item| item.kind != Kind::Erased && item.kind != Kind::Newer) {
                let has = memchr::memmem::find(&is, &item.was).is_some();
                prop_assert!(has, "{:?} {:?} is not as it was", item.kind, item.id);
            }
            for item in compared.items.iter().filter(|item| item.kind == Kind::Newer) {
                let copied = memchr::memmem::find(&opened.bytes, &item.is).is_some();
                prop_assert!(copied || memchr::memmem::find(&is, &item.is).is_none(), "{:?} is not lost", item.id);
            }
        }
        for own in &erased {
            prop_assert!(memchr::memmem::find(&is_own, own).is_none(), "{} is back", String::from_utf8_lossy(own));
        }
        // Everything else.
        let planned: HashSet<PathBuf> = plan.all().map(|own| desk.root().join(&own.path)).collect();
        for (other, bytes) in meanwhile.iter().filter(|(other, _)| **other != path) {
            let is_derived = matches!(desk.role(other), Some(Role::Index | Role::Metadata)) || plan.derive_after;
            let same = after.get(other) == Some(bytes);
            prop_assert!(same || planned.contains(other) || is_derived, "{} is another", other.display());
        }
        // What the comparison says afterwards.
        if let (Some(again), false) = (desk.open_same(&opened), whole) {
            let left = |item: &Item| chosen.contains(&item.at) && item.can_come;
            let left: Vec<_> = again.compared.items.iter().filter(|item| left(item)).map(|item| item.id.clone()).collect();
            prop_assert!(left.is_empty(), "still to come: {:?}", left);
        }
        // And back.
        let undo = desk.request(Wanted::Undo, Vec::new());
        let Done::Changed(undone) = desk.perform(Job::Change(undo)) else { panic!("no undo") };
        if counts && undone.is_err() {
            // What counts the agent's line too is not what the restore left.
            prop_assert_eq!(desk.files(), after);
            return Ok(());
        }
        prop_assert!(undone.is_ok(), "{:?}", undone);
        let back = desk.files();
        for (other, bytes) in &meanwhile {
            let is_derived = matches!(desk.role(other), Some(Role::Index | Role::Metadata)) && !late.is_empty();
            let is = back.get(other).cloned().unwrap_or_default();
            prop_assert!(
                is == *bytes || is_derived || other.to_string_lossy().contains("/docs/") && !late.is_empty(),
                "{} is not as it was before the restore:\n{}",
                other.display(), differing(&is, bytes)
            );
        }
    }
}

impl Desk {
    fn open_same(&mut self, own: &Opened) -> Option<Opened> {
        let what = Inspect::Backup(own.store, own.copy.clone(), Some(Arc::clone(&own.bytes)));
        let Inspected::Opened(opened) = self.inspect(what) else { panic!("not opened") };
        opened.ok()
    }
}
