//! An open store adds a record without a new read, knows what one would find, and the indexes follow.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use palimp::disk::{RealDisk, ThisMachine};
use palimp::memory::{Memory, New};
use palimp::model::{Code, Extent, Moment, Store};
use palimp::store::{Place, load};
use tempfile::TempDir;

use crate::support::{Verb, files_below};

/// Formats with a type whose memories are lines, and whether those have a session.
const LOGS: [(&str, &str, bool); 4] = [
    ("session-log", "finding", true),
    ("bmad", "finding", true),
    ("memory-server", "core", false),
    ("a-mem", "event", false),
];

struct Desk {
    folder: TempDir,
    memory: Memory,
    session: Option<String>,
    format: &'static str,
    kind: &'static str,
}

impl Desk {
    fn new((format, kind, has_sessions): (&'static str, &'static str, bool)) -> Desk {
        let folder = crate::support::folder::new();
        let (root, data) = (folder.path().join("store"), folder.path().join("data"));
        drop(Memory::create(format, &root, &data).unwrap());
        let place = Place::whole(root, format);
        let mut memory = Memory::at(Box::new(RealDisk), Box::new(ThisMachine::new()), place, &data);
        let session = has_sessions.then(|| memory.create_session(None, "tester").unwrap());
        // Events of one trace.
        let session = session.or((format == "a-mem").then(|| "trace-1".to_owned()));
        Desk { folder, memory, session, format, kind }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn add(&mut self, text: &str) -> String {
        let new = New { session: self.session.as_deref(), kind: self.kind, text, ..New::default() };
        self.memory.add(&new).unwrap_or_else(|error| panic!("{}: {error}", self.format)).id
    }

    fn read(&self) -> Store {
        let place = Place::whole(self.root(), self.memory.store().format);
        load(&place, Extent::All, None, Moment(1_900_000_000_000_000))
    }

    fn run(&self, words: &[&str]) -> Vec<serde_json::Value> {
        let (root, data) = (self.root(), self.folder.path().join("data"));
        let own = ["--store", root.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        Verb::new([words, &own].concat()).run().json_lines()
    }

    /// The log with its memories.
    fn log(&self) -> PathBuf {
        let store = self.memory.store();
        let entry = store.entries.last().unwrap();
        self.root().join(&store.document(entry).path)
    }
}

fn told(store: &Store) -> Vec<String> {
    let entry = |entry: &palimp::model::Entry| {
        let (document, record) = (store.document(entry), store.record(entry));
        format!(
            "{:?} {:?} line {} {:?} {:?} {}",
            document.path,
            record.span,
            record.line,
            entry.state,
            store.session(entry).map(|own| (&own.name, own.size)),
            String::from_utf8_lossy(&store.raw(entry))
        )
    };
    let documents = store.documents.iter().filter(|own| palimp::model::is_log(&own.path));
    let documents = documents.map(|own| format!("{:?} {} {}", own.path, own.len, own.records.len()));
    store.entries.iter().map(entry).chain(documents).collect()
}

#[test]
fn what_an_open_store_knows_after_each_record_is_what_a_fresh_read_finds() {
    for own in crate::support::tries::some(LOGS, &[0, 2]) {
        let mut desk = Desk::new(own);
        for number in 0..6 {
            desk.add(&format!("memory {number}: ünï → {{}} \"quoted\""));
            assert_eq!(told(desk.memory.store()), told(&desk.read()), "{}, {number}", desk.format);
        }
    }
}

#[test]
fn derived_files_that_wait_are_called_due_and_are_right_when_the_store_is_closed() {
    for own in crate::support::tries::some(LOGS, &[0, 2]) {
        let mut desk = Desk::new(own);
        desk.add("memory 0");
        desk.memory.flush().unwrap();
        for number in 1..4 {
            desk.add(&format!("memory {number}"));
        }
        let codes = |rows: &[serde_json::Value]| -> Vec<String> {
            rows.iter().filter_map(|row| Some(row["code"].as_str()?.to_owned())).collect()
        };
        let waiting = codes(&desk.run(&["check", "--readonly", "--json"]));
        let has_index = desk.format != "a-mem";
        assert_eq!(waiting.iter().any(|code| code == "index-due"), has_index, "{}: {waiting:?}", desk.format);
        assert!(!waiting.iter().any(|code| code == "index-stale"), "{}: {waiting:?}", desk.format);
        desk.memory.flush().unwrap();
        assert_eq!(codes(&desk.run(&["check", "--readonly", "--json"])), [""; 0], "{}", desk.format);
        // A rebuild from nothing gives the same.
        let before = derived(&desk.root());
        desk.run(&["reindex", "--yes", "--json"]);
        assert_eq!(derived(&desk.root()), before, "{}", desk.format);
    }
}

fn derived(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let names = ["index.json", "manifest.json", "metadata.json"];
    let is_derived = |own: &(PathBuf, Vec<u8>)| names.iter().any(|name| own.0.ends_with(name));
    files_below(root).into_iter().filter(is_derived).collect()
}

#[test]
fn many_records_are_one_step_and_each_has_an_id_of_its_own() {
    for own in crate::support::tries::some(LOGS, &[1, 3]) {
        let mut desk = Desk::new(own);
        desk.add("the first one");
        let log = desk.log();
        let before = std::fs::read(&log).unwrap();
        let texts: Vec<String> = (0..20).map(|number| format!("memory {number} of many")).collect();
        let all: Vec<New<'_>> = texts
            .iter()
            .map(|text| New { session: desk.session.as_deref(), kind: desk.kind, text, ..New::default() })
            .collect();
        let added = desk.memory.add_all(&all).unwrap();
        let mut ids: Vec<String> = added.into_iter().map(|own| own.id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), texts.len(), "{}", desk.format);
        assert_eq!(told(desk.memory.store()), told(&desk.read()), "{}", desk.format);
        desk.memory.flush().unwrap();
        assert_eq!(desk.run(&["check", "--readonly", "--json"]), [""; 0], "{}", desk.format);
        desk.run(&["undo", "--yes", "--json"]);
        assert_eq!(std::fs::read(&log).unwrap(), before, "{}", desk.format);
    }
}

#[test]
fn of_many_records_none_is_added_if_one_is_refused_and_the_refusal_says_which() {
    let mut desk = Desk::new(LOGS[0]);
    desk.add("the first one");
    let before = std::fs::read(desk.log()).unwrap();
    let record = |id: &str| format!("{{\"id\":\"{id}\",\"content\":{{\"finding\":\"mine\"}}}}");
    let records = [record("mem_one"), record("mem_two"), record("mem_one")];
    let session = desk.session.clone();
    let new =
        |record| New { session: session.as_deref(), kind: "finding", record: Some(record), ..New::default() };
    let all: Vec<New<'_>> = records.iter().map(|record| new(record)).collect();
    let error = desk.memory.add_all(&all).unwrap_err();
    assert!(error.message.starts_with("memory 3: ") && error.message.contains("already exists"), "{error}");
    assert_eq!(std::fs::read(desk.log()).unwrap(), before);
    desk.memory.add_all(&all[..2]).unwrap();
    let error = desk.memory.add_all(&all[1..2]).unwrap_err();
    assert!(error.message.contains("already exists"), "{error}");
}

#[test]
fn the_next_start_brings_up_to_date_what_a_store_that_was_never_closed_left() {
    for own in LOGS.into_iter().filter(|own| own.0 != "a-mem") {
        let mut desk = Desk::new(own);
        (0..3).for_each(|number| drop(desk.add(&format!("memory {number}"))));
        // The process is killed: nothing is dropped.
        let Desk { folder, memory, format, .. } = desk;
        std::mem::forget(memory);
        let (root, data) = (folder.path().join("store"), folder.path().join("data"));
        let words =
            ["check", "--json", "--store", root.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        Verb::new(words).run();
        assert_eq!(Verb::new(words).run().json_lines(), [""; 0], "{format}");
    }
}

#[test]
fn lines_that_others_add_meanwhile_are_kept_and_no_id_is_given_twice() {
    for own in crate::support::tries::some(LOGS, &[0, 2]) {
        let mut desk = Desk::new(own);
        (0..3).for_each(|number| drop(desk.add(&format!("memory {number}"))));
        let log = desk.log();
        for number in 3..9 {
            let text = std::fs::read_to_string(&log).unwrap();
            let last = text.lines().last().unwrap();
            // The other agent continues the numbers, as palimp would.
            let others = last.replace(&format!("memory {}", number - 1), &format!("another {number}"));
            let others = match others.find("finding-") {
                Some(at) => {
                    let next = others[at + 8..at + 11].parse::<u32>().unwrap() + 1;
                    format!("{}finding-{next:03}{}", &others[..at], &others[at + 11..])
                }
                None => others,
            };
            let mut file = OpenOptions::new().append(true).open(&log).unwrap();
            writeln!(file, "{others}").unwrap();
            desk.add(&format!("memory {number}"));
        }
        let text = std::fs::read_to_string(&log).unwrap();
        for number in 3..9 {
            assert!(text.contains(&format!("memory {number}")), "{}: {text}", desk.format);
            assert!(text.contains(&format!("another {number}")), "{}: {text}", desk.format);
        }
        assert_eq!(told(desk.memory.store()), told(&desk.read()), "{}", desk.format);
        let again = desk.read().problems.into_iter().filter(|own| own.code == Code::DuplicateId).count();
        assert!(desk.format != "bmad" || again == 0, "{text}");
    }
}

#[test]
fn each_record_is_a_step_that_undo_takes_back() {
    for own in crate::support::tries::some(LOGS, &[1, 3]) {
        let mut desk = Desk::new(own);
        desk.add("memory 0");
        let log = desk.log();
        let before = std::fs::read(&log).unwrap();
        (1..4).for_each(|number| drop(desk.add(&format!("memory {number}"))));
        let after = std::fs::read(&log).unwrap();
        assert!(after.starts_with(&before) && after.len() > before.len());
        (1..4).for_each(|_| drop(desk.run(&["undo", "--yes", "--json"])));
        assert_eq!(std::fs::read(&log).unwrap(), before, "{}", desk.format);
        (1..4).for_each(|_| drop(desk.run(&["redo", "--yes", "--json"])));
        assert_eq!(std::fs::read(&log).unwrap(), after, "{}", desk.format);
        // Another process changed palimp's data, so palimp does not trust its knowledge of it.
        desk.add("memory 4");
        assert_eq!(told(desk.memory.store()), told(&desk.read()), "{}", desk.format);
    }
}

#[test]
fn two_agents_that_have_a_store_open_at_once_give_no_id_twice() {
    for own in crate::support::tries::some(LOGS, &[0, 2]) {
        let mut one = Desk::new(own);
        let (root, data) = (one.root(), one.folder.path().join("data"));
        let mut other = Memory::open(&root, &data).unwrap();
        let mut ids = Vec::new();
        for number in 0..6 {
            ids.push(one.add(&format!("memory {number} of one")));
            let text = format!("memory {number} of the other");
            let new = New { session: one.session.as_deref(), kind: one.kind, text: &text, ..New::default() };
            ids.push(other.add(&new).unwrap().id);
            // Twice in a row, without a new read.
            ids.push(other.add(&New { text: "once more, \u{1f600}", ..new }).unwrap().id);
        }
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count, "{}", one.format);
        drop(other);
        one.memory.flush().unwrap();
        assert_eq!(one.run(&["check", "--readonly", "--json"]), [""; 0], "{}", one.format);
    }
}
