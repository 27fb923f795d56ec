//! A session log whose backups are made and restored.

use serde_json::json;
use tempfile::TempDir;

use super::files::NOW;
use super::{Output, StoreBuilder, TempStore, run};

/// The log, relative to the store's root.
pub const LOG: &str = "sessions/s/memory.jsonl";

pub struct KeptLog {
    pub store: TempStore,
    pub data: TempDir,
}

impl KeptLog {
    pub fn of(lines: &[String]) -> KeptLog {
        let store = StoreBuilder::session_log().session("s").build();
        store.write(LOG, lines.concat().as_bytes());
        KeptLog { store, data: super::folder::new() }
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.at(NOW, words)
    }

    pub fn at(&self, now: &str, words: &[&str]) -> Output {
        let data = self.data.path().to_str().unwrap();
        let own = ["--store", self.store.path.to_str().unwrap(), "--now", now, "--data-dir", data];
        run(words.iter().chain(&own).copied())
    }

    /// Makes backups. Returns that of a file.
    pub fn backup(&self, now: &str, file: &str) -> String {
        self.at(now, &["backup", "create", "--yes"]).expect_status(0);
        let rows = self.run(&["backup", "list", "--json"]).json_lines();
        rows.iter().find(|row| row["file"] == file).unwrap()["backup"].as_str().unwrap().to_owned()
    }

    /// Makes a backup of the log with other lines. Returns its name.
    pub fn keep(&self, lines: &[String]) -> String {
        let path = self.backup(NOW, LOG);
        std::fs::write(&path, lines.concat()).unwrap();
        path
    }

    pub fn lines(&self) -> Vec<String> {
        self.store.text(LOG).split_inclusive('\n').map(str::to_owned).collect()
    }
}

pub fn line(number: usize, text: &str) -> String {
    let entry = json!({
        "id": format!("mem_{number}"), "type": "conversation",
        "timestamp": format!("2026-01-{:02}T00:00:00Z", number % 28 + 1),
        "content": {"role": "user", "message": text},
    });
    format!("{entry}\n")
}
