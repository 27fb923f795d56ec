//! One store of the demo, with palimp's own data beside it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::{Output, run};

/// What the screens say of the number of memories when so many of the demo's are gone.
pub fn memories(gone: usize) -> String {
    let all = DemoStore::new("").run(&["list", "--json"]).json_lines().len();
    format!("{} memories", all - gone)
}

/// A store of a demo of its own.
pub struct DemoStore {
    folder: TempDir,
    pub store: PathBuf,
}

impl DemoStore {
    /// The store of that name.
    pub fn new(name: &str) -> DemoStore {
        let folder = tempfile::tempdir().unwrap();
        let demo = folder.path().join("demo");
        run(["demo", demo.to_str().unwrap()]).expect_status(0);
        DemoStore { store: demo.join(name), folder }
    }

    /// All of the demo, and palimp's own data.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where palimp's own data is.
    pub fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// Runs a verb on it.
    pub fn run(&self, words: &[&str]) -> Output {
        let data = self.data();
        let options = ["--store", self.store.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        run([words, &options].concat())
    }

    /// The same for a verb that asks: yes.
    pub fn change(&self, words: &[&str]) -> Output {
        self.run(&[words, &["--yes"]].concat())
    }

    /// What a file of the store says.
    pub fn text_of(&self, file: &str) -> String {
        std::fs::read_to_string(self.store.join(file)).unwrap()
    }

    /// What a query lists.
    pub fn list(&self, query: &str) -> Vec<Value> {
        let output = self.run(&["list", query, "--json"]);
        assert!(matches!(output.status, Some(0 | 1)), "{}", output.stderr);
        output.json_lines()
    }

    /// Whether a query lists a record of that id.
    pub fn has(&self, query: &str, id: &str) -> bool {
        self.list(query).iter().any(|row| row["id"] == id)
    }
}
