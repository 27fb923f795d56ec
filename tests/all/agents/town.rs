//! A store, palimp's data folder, and palimp in this process.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use palimp::disk::host::Host;
use palimp::disk::{Machine, RealDisk};
use palimp::model::{Change, CommitReceipt, Entry, Extent, Moment, Plan, Store, Verb};
use palimp::ops::{self, FieldAssignment, Refusal, WriteContext};
use palimp::store::hidden_names::is_ours;
use palimp::store::write::Writer;
use palimp::store::{CommitError, Place, load};
use serde_json::{Value, json};

use super::clock::Clock;
use super::part::{self, Part};
use crate::support::{MemoryServerBuilder, SessionLogBuilder, TempStore};

pub struct Town {
    pub store: TempStore,
    pub format: &'static str,
    pub room: PathBuf,
    pub clock: Clock,
}

/// The only record that no agent changes.
const CORE: &str = "cccccccc-0000-4000-8000-000000000000";

impl Town {
    /// A store with `seeds` records in its first log.
    pub fn new(format: &'static str, seeds: usize) -> Town {
        let (one, _) = logs(format);
        let name = |number: usize| match format {
            "memory-server" => format!("00000000-0000-4000-8000-{number:012x}"),
            _ => format!("seed_{number:06}"),
        };
        let lines: String = (0..seeds)
            .map(|number| part::line(format, &name(number), &format!("Seed {number}."), one) + "\n")
            .collect();
        let store = match format {
            "memory-server" => {
                let healthy = MemoryServerBuilder::new().core(json!({"id": CORE}));
                healthy.bytes("learnings.jsonl", &lines).index(b"{}").build()
            }
            "session-log" => {
                let config = json!({"version": "1.0", "storage": {"max_session_size_mb": 1000}});
                let store = SessionLogBuilder::new().config(config).session("one").session("two").build();
                store.append(one, lines.as_bytes());
                store
            }
            _ => bmad(&lines),
        };
        let room = store.around().join("room");
        fs::create_dir(&room).unwrap();
        Town { format, room, clock: Clock::real(), store }
    }

    /// Settings of an agent that appends to the first log.
    pub fn part(&self, name: &'static str, count: usize, rewrites: usize) -> Part {
        Part {
            name,
            format: self.format,
            root: self.store.path.clone(),
            file: self.store.file(logs(self.format).0),
            room: self.room.clone(),
            count,
            mark: name.replace(' ', "_"),
            rewrites,
        }
    }

    /// Settings of an agent that appends to the second log, where it is alone.
    pub fn part_alone(&self, name: &'static str, count: usize, rewrites: usize) -> Part {
        Part { file: self.store.file(logs(self.format).1), ..self.part(name, count, rewrites) }
    }

    pub fn logs(&self) -> [PathBuf; 2] {
        let (one, two) = logs(self.format);
        [self.store.file(one), self.store.file(two)]
    }

    pub fn load(&self) -> Store {
        load_at(self.format, &self.store.path, self.clock.now())
    }

    /// Applies a plan with a new writer.
    pub fn commit(&self, store: &Store, plan: &Plan) -> Result<CommitReceipt, CommitError> {
        commit_on(&self.clock, &self.data(), store, plan)
    }

    pub fn data(&self) -> PathBuf {
        data_beside(&self.room)
    }

    /// Opens writers until none of palimp's files is left. Two minutes pass before each.
    #[track_caller]
    pub fn settle(&self) {
        for _ in 0..4 {
            self.clock.turn(std::time::Duration::from_secs(120));
            let store = self.load();
            drop(Writer::open(host(&self.clock, &self.data()), &store).unwrap());
        }
        assert_eq!(self.ours(), Vec::<String>::new(), "files of ours were left behind");
    }

    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.store.path.clone()];
        while let Some(folder) = folders.pop() {
            for item in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                match item.file_type().unwrap().is_dir() {
                    true => folders.push(item.path()),
                    false => drop(found.insert(item.path(), fs::read(item.path()).unwrap())),
                }
            }
        }
        found
    }

    /// The names of palimp's own files in the store's folders.
    pub fn ours(&self) -> Vec<String> {
        let name = |path: PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_ours = |name: &String| is_ours(name.as_ref());
        self.files().into_keys().map(name).filter(is_ours).collect()
    }

    /// Shows the agents that one more rewrite is done.
    pub fn one_more(&self) {
        let progress = self.room.join("progress");
        let mut file = fs::OpenOptions::new().append(true).create(true).open(progress).unwrap();
        file.write_all(b".").unwrap();
    }

    /// Returns every record of both logs by id, with repeats. Panics at a line that is no record.
    #[track_caller]
    pub fn records(&self) -> BTreeMap<String, Vec<Value>> {
        let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for file in self.logs() {
            for line in fs::read(file).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
                let text = String::from_utf8_lossy(line);
                let record: Value =
                    serde_json::from_str(&text).unwrap_or_else(|e| panic!("torn: {e}: {text}"));
                assert!(text.ends_with('\n'), "{text}");
                found.entry(record["id"].as_str().unwrap().to_owned()).or_default().push(record);
            }
        }
        found
    }
}

pub fn data_beside(room: &Path) -> PathBuf {
    room.join("data")
}

pub fn load_at(format: &'static str, root: &Path, now: Moment) -> Store {
    load(&Place::whole(root.to_owned(), format), Extent::All, None, now)
}

pub fn host<'a>(clock: &'a Clock, data: &'a Path) -> Host<'a> {
    Host { disk: &RealDisk, machine: clock, data, now: clock.now() }
}

pub fn commit_on(
    clock: &Clock,
    data: &Path,
    store: &Store,
    plan: &Plan,
) -> Result<CommitReceipt, CommitError> {
    Writer::open(host(clock, data), store)?.commit(plan)
}

/// The two logs of a store, relative to its root.
pub fn logs(format: &str) -> (&'static Path, &'static Path) {
    let (one, two) = match format {
        "memory-server" => ("learnings.jsonl", "tasks.jsonl"),
        "session-log" => ("sessions/one/memory.jsonl", "sessions/two/memory.jsonl"),
        _ => ("sessions/one/findings.jsonl", "sessions/two/findings.jsonl"),
    };
    (Path::new(one), Path::new(two))
}

fn bmad(lines: &str) -> TempStore {
    let manifest = |name: &str| {
        json!({"session_id": name, "created_at": "2026-01-11T10:00:00Z", "updated_at": "2026-01-11T14:30:00Z",
            "user_id": "user", "agent_ids": [], "metadata": {}, "statistics": {}, "version": "1.0"})
    };
    let config = json!({"memory_config": {"storage": {"max_session_size_mb": 1000}}});
    let mut files: Vec<(PathBuf, Vec<u8>)> = vec![("config.json".into(), config.to_string().into_bytes())];
    for (name, text) in [("one", lines), ("two", "")] {
        let folder = Path::new("sessions").join(name);
        files.push((folder.join("manifest.json"), manifest(name).to_string().into_bytes()));
        files.push((folder.join("findings.jsonl"), text.as_bytes().to_vec()));
    }
    TempStore::of_files("memory", &files)
}

/// The main text of a record.
pub fn text_of(record: &Value) -> &str {
    let found = [&record["content"], &record["content"]["finding"], &record["description"]];
    found.into_iter().find_map(Value::as_str).unwrap_or_default()
}

/// A change of one record.
#[derive(Clone, Copy)]
pub enum Deed<'a> {
    Text(&'a str),
    Tag(&'a str),
    /// Removes its bytes.
    Delete,
    /// Deletes it as its format does.
    Bury,
}

/// Plans a change of one record like a verb; by hand for a format without verbs.
pub fn planned(context: &WriteContext<'_>, entry: &Entry, deed: Deed<'_>) -> Result<Plan, Refusal> {
    let store = context.store;
    if ops::writes(store).is_ok() {
        let gone = ops::delete::DeleteOptions { remove: true, ..Default::default() };
        return match deed {
            Deed::Text(text) => {
                ops::edit::edit(context, entry, &[FieldAssignment { name: "text", value: text }])
            }
            Deed::Tag(tag) => crate::support::plans::tag(context, &[*entry], &[tag.to_owned()], &[]),
            Deed::Delete => ops::delete::delete(context, &[*entry], &gone),
            Deed::Bury => ops::delete::delete(context, &[*entry], &ops::delete::DeleteOptions::default()),
        };
    }
    let document = store.document(entry);
    let span = store.record(entry).span;
    let mut record: Value = serde_json::from_slice(&store.raw(entry)).unwrap();
    let (end, bytes) = match deed {
        Deed::Text(text) => {
            record["description"] = json!(text);
            (span.end as usize, record.to_string().into_bytes())
        }
        Deed::Tag(tag) => {
            record["tags"].as_array_mut().unwrap().push(json!(tag));
            (span.end as usize, record.to_string().into_bytes())
        }
        Deed::Delete | Deed::Bury => (span.end as usize + 1, Vec::new()),
    };
    let change =
        Change::edits(&document.path, (&*document.bytes).into(), vec![(span.start as usize..end, bytes)]);
    Ok(Plan { records: 1, changes: vec![change], ..Plan::of(Verb::Edit, store.whole()?) })
}
