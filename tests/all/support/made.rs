//! A small store of one format, made and filled by verbs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::{Output, Verb};

/// The formats to which verbs add records, each with a kind of record.
pub const KINDS: [(&str, &str); 4] =
    [("session-log", "decision"), ("memory-server", "learning"), ("bmad", "finding"), ("a-mem", "note")];

/// A store with palimp's data beside it.
pub struct MadeStore {
    pub folder: TempDir,
    kind: &'static str,
    session: Option<String>,
}

impl MadeStore {
    pub fn new((format, kind): (&str, &'static str)) -> MadeStore {
        let mut made = MadeStore { folder: super::folder::new(), kind, session: None };
        let root = made.root();
        made.raw(&["init", format, root.to_str().unwrap()]).expect_status(0);
        if matches!(format, "session-log" | "bmad") {
            let told = made.run(&["session", "new", "s1"]).expect_status(0).stdout;
            let name = told.lines().find_map(|line| line.strip_prefix("new session ")).unwrap();
            assert!(root.join("sessions").join(name).is_dir(), "{told}");
            made.session = Some(name.to_owned());
        }
        made
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Runs a verb without a store option; its questions are answered with yes.
    pub fn raw(&self, args: &[&str]) -> Output {
        let data = self.folder.path().join("data");
        Verb::new([args, &["--yes", "--data-dir", data.to_str().unwrap()]].concat()).run()
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.raw(&[args, &["--store", self.root().to_str().unwrap()]].concat())
    }

    pub fn add(&self, text: &str) {
        let session = self.session.iter().flat_map(|name| ["--session", name]);
        let args = ["add", "--type", self.kind, "--text", text].into_iter().chain(session);
        self.run(&args.collect::<Vec<_>>()).expect_status(0);
    }

    pub fn rows(&self) -> Vec<Value> {
        self.run(&["list", "--json"]).expect_status(0).json_lines()
    }

    /// Returns the key of the record whose title has that text.
    #[track_caller]
    pub fn key(&self, text: &str) -> String {
        let rows = self.rows();
        let is_it = |row: &&Value| row["title"].as_str().is_some_and(|title| title.contains(text));
        let row = rows.iter().find(is_it).unwrap_or_else(|| panic!("{text}: {rows:?}"));
        row["key"].as_str().unwrap().to_owned()
    }

    pub fn holding(&self, text: &str) -> PathBuf {
        let holds = |path: &PathBuf| {
            let is_of_records = path.extension().is_some_and(|end| end == "jsonl" || end == "md");
            is_of_records && fs::read_to_string(path).is_ok_and(|own| own.contains(text))
        };
        files_below(&self.root()).into_keys().find(holds).unwrap()
    }

    /// Writes the record with a text again with some replacements, like another program.
    pub fn write_another(&self, text: &str, replaced: &[(&str, &str)]) -> String {
        let file = self.holding(text);
        let own = fs::read_to_string(&file).unwrap();
        let is_note = file.extension().is_some_and(|end| end == "md");
        let record = match is_note {
            true => own.clone(),
            false => format!("{}\n", own.lines().find(|line| line.contains(text)).unwrap()),
        };
        let record = if is_note { record } else { without_checksum(&record) };
        let record = replaced.iter().fold(record, |record, (from, to)| record.replace(from, to));
        match is_note {
            true => fs::write(file.with_file_name("zz-another.md"), &record).unwrap(),
            false => fs::write(&file, own + &record).unwrap(),
        }
        record
    }
}

fn without_checksum(line: &str) -> String {
    let mut record: Value = serde_json::from_str(line).unwrap();
    record.as_object_mut().unwrap().remove("checksum");
    format!("{record}\n")
}

pub fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files_below(&path)),
            false => drop(all.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    all
}
