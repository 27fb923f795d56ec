//! Of a line that starts torn only what is erased goes: a whole record behind it is another's.

use crate::support::Verb;

use serde_json::Value;

const STORES: [(&str, &str); 4] = [
    ("agents/memories", "type:learning"),
    ("project/memory", "session:sess_today type:finding"),
    ("project/.bmad/memory", "session:sess-review-orders type:finding"),
    ("project/.chora/memory", "type:event"),
];

struct Desk {
    folder: tempfile::TempDir,
    store: std::path::PathBuf,
}

impl Desk {
    fn new(store: &str) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let demo = folder.path().join("demo");
        Verb::new(["demo", demo.to_str().unwrap()]).run().expect_status(0);
        Desk { store: demo.join(store), folder }
    }

    fn run(&self, words: &[&str]) -> crate::support::Output {
        let data = self.folder.path().join("data");
        let own = ["--yes", "--store", self.store.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        Verb::new([words, &own].concat()).run()
    }

    /// Live records of one log that are alone on their lines.
    fn rows(&self, query: &str) -> Vec<Value> {
        let mut rows = self.run(&["list", query, "--json"]).expect_status(0).json_lines();
        let is_log = |row: &Value| row["file"].as_str().is_some_and(|file| file.ends_with(".jsonl"));
        rows.retain(|row| is_log(row) && row["state"] == "live" && row["record"].is_null());
        let file = rows[0]["file"].clone();
        rows.retain(|row| row["file"] == file);
        rows
    }

    fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.store.join(file)).unwrap()
    }
}

fn text<'r>(row: &'r Value, name: &str) -> &'r str {
    row[name].as_str().unwrap_or_else(|| panic!("{name}: {row}"))
}

/// The record without its end.
fn torn(raw: &str) -> &str {
    let at = (raw.len() * 3 / 4..).find(|at| raw.is_char_boundary(*at)).unwrap();
    &raw[..at]
}

#[test]
fn a_whole_record_behind_a_torn_one_that_is_erased_stays() {
    for (store, query) in STORES {
        let desk = Desk::new(store);
        let rows = desk.rows(query);
        let is_named = |row: &&Value| row["id"].as_str().is_some_and(|id| text(row, "raw").contains(id));
        let Some(erased) = rows.iter().find(is_named) else { continue };
        let other = rows.iter().rfind(|row| row["id"] != erased["id"]).unwrap();
        let file = text(erased, "file");
        let fresh = match other["id"].as_str() {
            Some(id) => text(other, "raw").replacen(id, &format!("{id}-own"), 1),
            None => text(other, "raw").to_owned(),
        };
        let line = format!("{}{fresh}\n", torn(text(erased, "raw")));
        std::fs::write(desk.store.join(file), desk.text(file) + &line).unwrap();
        desk.run(&["erase", text(erased, "key")]).expect_status(0);
        let left = desk.text(file);
        assert!(left.lines().any(|line| line == fresh), "{store}: {left}");
        assert!(!left.contains(torn(text(erased, "raw"))), "{store}");
    }
}

#[test]
fn a_torn_stretch_before_a_record_that_is_erased_stays() {
    for (store, query) in STORES {
        let desk = Desk::new(store);
        let rows = desk.rows(query);
        let (erased, other) = (&rows[0], rows.last().unwrap());
        let file = text(erased, "file");
        let other = torn(text(other, "raw")).replacen(":\"", ":\"own-", 1);
        let line = format!("{other}{}\n", text(erased, "raw"));
        std::fs::write(desk.store.join(file), desk.text(file) + &line).unwrap();
        let keys = desk.run(&["list", query, "--json"]).expect_status(0).json_lines();
        let key = keys.iter().find(|row| row["raw"] == erased["raw"]).unwrap();
        desk.run(&["erase", text(key, "key")]).expect_status(0);
        let left = desk.text(file);
        assert!(left.contains(other.as_str()), "{store}: {other}\n{left}");
        assert!(!left.contains(text(erased, "raw")), "{store}");
    }
}
