//! Builds a store in memory with palimp's own verbs. Only damage is done to the bytes directly.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::damage::{damaged, member};
use super::demo_memory::DemoMemory;
use super::rng::DemoRng;
use crate::format::writing::{RecordDraft, Result, WriteContext};
use crate::model::{Act, Bytes, Change, Code, Entry, Moment, Plan, State, Store, Verb};
use crate::store::{Place, derived_files, of_documents};
use crate::text::json_edit::quoted;
use crate::{format, ops};

/// A file of the demo: its path below the demo's folder, and its bytes.
pub type DemoFile = (PathBuf, Vec<u8>);

/// A planted problem: its file, its line (if it has one), its code.
pub type PlantedProblem = (PathBuf, Option<u32>, Code);

pub struct StoreBuilder {
    place: Place,
    store: Store,
    files: BTreeMap<PathBuf, Bytes>,
    labels: HashMap<String, String>,
    /// The number of memories by session and prefix of the id.
    counts: HashMap<String, usize>,
    /// The randomness for ids.
    chance: DemoRng,
    planted: Vec<PlantedProblem>,
    now: Moment,
}

impl StoreBuilder {
    /// Makes an empty store of this format in a folder of the demo.
    pub fn new(format: &'static str, root: &str, chance: DemoRng, now: Moment) -> Result<StoreBuilder> {
        let place = Place::whole(root.into(), format);
        let store = of_documents(&place, Vec::new(), now)?;
        let (files, labels) = (BTreeMap::new(), HashMap::new());
        let (counts, planted) = (HashMap::new(), Vec::new());
        let mut desk = StoreBuilder { place, store, files, labels, counts, chance, planted, now };
        desk.carry_out(&ops::init::init(format, Path::new(root), now)?)?;
        Ok(desk)
    }

    fn context(&mut self, now: Moment) -> WriteContext<'_> {
        let random = u128::from(self.chance.bits()) << 64 | u128::from(self.chance.bits());
        WriteContext::of(&self.store, now, random.to_be_bytes())
    }

    fn carry_out(&mut self, plan: &Plan) -> Result<()> {
        let changes: Vec<Change> = plan.all().cloned().collect();
        for change in changes.iter().filter(|own| own.act != Act::MakeFolder) {
            match change.after() {
                Some(bytes) => self.files.insert(change.path.clone(), bytes),
                None => self.files.remove(&change.path),
            };
        }
        let documents = derived_files::documents_after(&self.store, &changes, self.now);
        self.store = of_documents(&self.place, documents, self.now)?;
        Ok(())
    }

    pub fn verb(&mut self, now: Moment, plan: impl FnOnce(&WriteContext<'_>) -> Result<Plan>) -> Result<()> {
        let plan = plan(&self.context(now))?;
        self.carry_out(&plan)
    }

    /// Adds memories, each at its own time.
    pub fn tell(&mut self, mut told: Vec<DemoMemory>) -> Result<()> {
        told.sort_by_key(|own| own.when);
        let mut changes: Vec<Change> = Vec::new();
        for own in &told {
            for change in self.added(own)? {
                let same = changes.iter_mut().find(|known| known.path == change.path);
                match (same.map(|known| &mut known.act), change.act) {
                    (Some(Act::Append(lines)), Act::Append(more)) => lines.extend(more),
                    (_, act) => changes.push(Change { act, ..change }),
                }
            }
        }
        let last = told.last().map_or(self.now, |own| own.when);
        self.verb(last, |context| ops::plan(Verb::Add, context, told.len(), changes))
    }

    fn added(&mut self, own: &DemoMemory) -> Result<Vec<Change>> {
        let (id, refers) = self.named(own);
        let record = own.record(self.place.format, &id, &refers, self.now, &mut self.chance).to_string();
        let (_, writes) = ops::writes(&self.store)?;
        let draft = RecordDraft {
            session: Some(&own.session),
            kind: &own.kind,
            text: own.text(self.place.format),
            tags: own.tags(),
            importance: own.importance(self.place.format),
            record: Some(&record),
        };
        writes.add(&self.context(own.when), &draft)
    }

    /// Returns the id of a new memory, and the ids that it refers to.
    fn named(&mut self, own: &DemoMemory) -> (String, Vec<String>) {
        let of = |kind: &str| format!("{} {kind}", own.session);
        let prefix = own.prefix(self.place.format);
        let is_named = self.place.format == "session-log" && !own.label.is_empty();
        let count = self.counts.entry(of(&prefix)).or_default();
        *count += 1;
        let id = match prefix.as_str() {
            "" => self.chance.uuid(),
            _ if is_named => format!("mem_{}", own.label),
            prefix => format!("{prefix}{count:03}"),
        };
        let called = |label: &str| if label == "last" { of(label) } else { label.to_owned() };
        let refers = own.refers.iter().filter_map(|label| self.labels.get(&called(label)).cloned()).collect();
        self.labels.insert(called(&own.label), id.clone());
        self.labels.insert(called("last"), id.clone());
        (id, refers)
    }

    /// Returns the memories whose title starts like this.
    pub fn titled(&self, title: &str) -> Vec<Entry> {
        let is_it = |own: &&Entry| format::title(&self.store, own).raw().starts_with(title);
        self.store.entries.iter().filter(is_it).copied().collect()
    }

    /// Returns the live memories of a session, or of a store without sessions if `session` is empty.
    pub fn live(&self, session: &str) -> Vec<Entry> {
        let is_it = |own: &&Entry| {
            own.state == State::Live && self.store.session(own).map_or("", |own| &own.name) == session
        };
        self.store.entries.iter().filter(is_it).copied().collect()
    }

    pub fn file(&self, path: &str) -> Bytes {
        self.files.get(Path::new(path)).cloned().unwrap_or_default()
    }

    /// Writes a file directly, without a verb.
    pub fn put(&mut self, path: &str, bytes: impl Into<Bytes>) -> Result<()> {
        let mut plan = Plan::of_unread_store(Verb::Add, &self.place.root, self.place.format);
        plan.changes = vec![Change::create(path, bytes)];
        self.carry_out(&plan)
    }

    pub fn remove(&mut self, folder: &str) -> Result<()> {
        let mut plan = Plan::of_unread_store(Verb::Delete, &self.place.root, self.place.format);
        let below = self.files.iter().filter(|(path, _)| path.starts_with(folder));
        plan.changes = below.map(|(path, bytes)| Change::remove(path, bytes.clone())).collect();
        self.carry_out(&plan)
    }

    /// Damages lines of a file. Each is the first one from its number (from 0) on to which no line refers.
    pub fn damage(&mut self, path: &str, wounds: &[(usize, Code, &str)]) -> Result<()> {
        let old = self.file(path);
        let text = String::from_utf8_lossy(&old).into_owned();
        let first = text.lines().next().unwrap_or_default();
        let count = text.lines().count();
        let mut bytes = Vec::new();
        let mut wounds = wounds.iter().peekable();
        for (number, line) in text.lines().enumerate() {
            let is_alone = || text.matches(&*quoted(&member(line, "id"))).count() == 1;
            let Some(&(_, code, words)) = wounds.next_if(|(at, ..)| *at <= number && is_alone()) else {
                bytes.extend(line.as_bytes());
                bytes.push(b'\n');
                continue;
            };
            let at = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
            bytes.extend(damaged(line, (code, words), first, number + 1 == count));
            self.plant(path, Some(at as u32), code);
            if !bytes.ends_with(b"\n") && number + 1 == count {
                self.plant(path, Some(at as u32), Code::NoFinalNewline);
            }
        }
        self.put(path, bytes)
    }

    pub fn plant(&mut self, path: &str, line: Option<u32>, code: Code) {
        self.planted.push((self.place.root.join(path), line, code));
    }

    /// Restores the index from before the last memories. The counts in a file are then wrong, too.
    pub fn make_stale(&mut self, path: &str, old: Bytes, counts: &str) -> Result<()> {
        self.plant(path, None, Code::IndexStale);
        self.plant(counts, None, Code::CountMismatch);
        self.put(path, old)
    }

    pub fn done(self) -> (Vec<DemoFile>, Vec<PlantedProblem>) {
        let root = self.place.root;
        let files = self.files.into_iter().filter(|(path, _)| path.extension().is_some());
        (files.map(|(path, bytes)| (root.join(path), bytes.to_vec())).collect(), self.planted)
    }
}
