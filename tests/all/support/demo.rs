//! The demo for tests, and one store of it with palimp's data beside it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use palimp::demo::DemoFile;
use palimp::model::Moment;
use serde_json::Value;
use tempfile::TempDir;

use super::{Output, Terminal, run};

/// Writes what `palimp demo` writes at that time. Generates it once for all tests, which takes a second.
pub fn lay_out(folder: &Path, now: &str) {
    write(folder, Moment::parse(now).unwrap().0);
}

/// Writes the demo as of the start of the tests.
pub fn lay_out_of_today(folder: &Path) {
    static TODAY: LazyLock<Moment> = LazyLock::new(Moment::of_the_clock);
    write(folder, *TODAY);
}

fn write(folder: &Path, now: Moment) {
    static MADE: Mutex<Option<HashMap<i64, Arc<Vec<DemoFile>>>>> = Mutex::new(None);
    let make = || Arc::new(palimp::demo::stores(1, now));
    let files = Arc::clone(MADE.lock().unwrap().get_or_insert_default().entry(now.0).or_insert_with(make));
    for (path, bytes) in files.iter() {
        palimp::disk::write_new(&folder.join(path), bytes).unwrap();
    }
}

/// Returns the screens' count of memories when `gone` of the demo's are gone.
pub fn memories(gone: usize) -> String {
    static ALL: LazyLock<usize> = LazyLock::new(|| {
        let folder = super::folder::new();
        for (path, bytes) in palimp::demo::files(1, Moment::of_the_clock()) {
            palimp::disk::write_new(&folder.path().join(path), &bytes).unwrap();
        }
        run(["list", "--json", "--store", folder.path().to_str().unwrap()]).json_lines().len()
    });
    format!("{} memories", *ALL - gone)
}

/// A store in its own copy of the demo.
pub struct DemoStore {
    folder: TempDir,
    pub store: PathBuf,
    now: Option<&'static str>,
}

impl DemoStore {
    pub fn new(name: &str) -> DemoStore {
        let folder = super::folder::new();
        lay_out_of_today(&folder.path().join("demo"));
        DemoStore { store: folder.path().join("demo").join(name), folder, now: None }
    }

    /// Returns a store of the demo of another day. Its verbs run at that time.
    pub fn at(name: &str, now: &'static str) -> DemoStore {
        let folder = super::folder::new();
        lay_out(&folder.path().join("demo"), now);
        DemoStore { store: folder.path().join("demo").join(name), folder, now: Some(now) }
    }

    /// The folder of the demo and of palimp's data.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of palimp's data.
    pub fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// Returns words with the options for the store, palimp's data and the time.
    pub fn words(&self, words: &[&str]) -> Vec<String> {
        let data = self.data();
        let own = ["--store", self.store.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        let now = self.now.iter().flat_map(|now| ["--now", now]);
        words.iter().copied().chain(own).chain(now).map(str::to_owned).collect()
    }

    pub fn run(&self, words: &[&str]) -> Output {
        run(self.words(words))
    }

    /// Runs a verb at a time on any store, with palimp's data of this demo.
    pub fn run_on(&self, store: impl AsRef<Path>, now: &str, words: &[&str]) -> Output {
        let (store, data) = (store.as_ref().to_str().unwrap(), self.data());
        run([words, &["--store", store, "--data-dir", data.to_str().unwrap(), "--now", now]].concat())
    }

    /// Opens the screens on the store, which they get without an option.
    pub fn open(&self, (rows, cols): (u16, u16)) -> Terminal {
        Terminal::palimp(self.words(&[]).into_iter().skip(1), rows, cols)
    }

    /// Runs a verb that asks, with the answer yes.
    pub fn change(&self, words: &[&str]) -> Output {
        self.run(&[words, &["--yes"]].concat())
    }

    pub fn text_of(&self, file: &str) -> String {
        std::fs::read_to_string(self.store.join(file)).unwrap()
    }

    pub fn list(&self, query: &str) -> Vec<Value> {
        let output = self.run(&["list", query, "--json"]);
        assert!(matches!(output.status, Some(0 | 1)), "{}", output.stderr);
        output.json_lines()
    }

    /// True if a query lists a record with that id.
    pub fn has(&self, query: &str, id: &str) -> bool {
        self.list(query).iter().any(|row| row["id"] == id)
    }
}
