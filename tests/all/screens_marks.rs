//! Marked memories, changed many at once on a real pseudo-terminal, and the demo's stores afterwards.

use crate::support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use support::terminal::Program;
use support::{Exit, SOON, Terminal, run};

const NOW: &str = "2026-02-01T12:00:00Z";

/// The demo's stores, and a folder for palimp's data.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        let folder = crate::support::folder::new();
        let desk = Desk { folder };
        crate::support::demo::lay_out(&desk.stores(), NOW);
        desk
    }

    fn stores(&self) -> PathBuf {
        self.folder.path().join("demo")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn open(&self, (rows, cols): (u16, u16)) -> Terminal {
        let (stores, data) = (self.stores(), self.data());
        let args = [stores.to_str().unwrap(), "--now", NOW, "--data-dir", data.to_str().unwrap()];
        let terminal = Program::new(env!("CARGO_BIN_EXE_palimp"), args).spawn(rows, cols);
        terminal.wait_for_text(&format!("1 of {}", self.list(&["list"]).len()), SOON);
        terminal
    }

    fn verb(&self, words: &[&str]) -> support::Output {
        let (stores, data) = (self.stores(), self.data());
        let options =
            ["--store", stores.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--now", NOW];
        run([words, &options].concat())
    }

    fn list(&self, words: &[&str]) -> Vec<Value> {
        let output = self.verb(&[words, &["--json"]].concat());
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The files of the stores, except those that stay on purpose: locks, backups and palimp's own.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        support::lasting(&self.stores())
    }

    fn differing(&self, before: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
        let now = self.files();
        let paths = before.keys().chain(now.keys());
        paths.filter(|path| before.get(*path) != now.get(*path)).cloned().collect()
    }
}

fn leave(mut terminal: Terminal) {
    terminal.send_keys("Q");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
    terminal.screen(|screen| {
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
    });
}

/// Both sizes in the long form; in the short form, some tests have one and some the other.
fn sizes(number: usize) -> Vec<(u16, u16)> {
    let both = vec![(36, 120), (24, 80)];
    crate::support::tries::count(vec![both[number % 2]], both)
}

#[test]
fn two_hundred_are_tagged_and_a_topic_of_a_time_is_deleted_and_all_of_it_undone() {
    for size in sizes(0) {
        let desk = Desk::new();
        let before = desk.files();
        let mut terminal = desk.open(size);
        terminal.send_keys("/(type:finding OR type:learning OR type:decision) limit:200\r");
        terminal.wait_for_text("1 of 200", SOON);
        terminal.send_keys("*");
        terminal.wait_for_text("200 marked", SOON);
        terminal.send_keys("t+reviewed\r");
        terminal.wait_for_text("Tag 200 memories +reviewed?", SOON);
        assert_eq!(desk.differing(&before), Vec::<PathBuf>::new());
        terminal.send_keys("y");
        terminal.wait_for_text("Tagged 200 memories · u to undo", SOON);
        assert_eq!(desk.list(&["list", "tag:reviewed"]).len(), 200);
        terminal.send_keys("\x1b");
        terminal.wait_for(|s| !s.contents().contains("200 marked"), SOON);

        let query = "category:performance since:2025-10-01 until:2026-01-31";
        let found = desk.list(&["list", query]);
        assert!(found.len() > 2, "{query} finds {}", found.len());
        let tagged = desk.files();
        terminal.send_keys(&format!("/{query}\r"));
        terminal.wait_for_text(&format!("1 of {}", found.len()), SOON);
        terminal.send_keys("*d");
        terminal.wait_for_text(&format!("Remove {} memories", found.len()), SOON);
        terminal.send_keys("d");
        terminal.send_keys("x");
        terminal.wait_for_text(&format!("Delete {} memories?", found.len()), SOON);
        assert_eq!(desk.differing(&tagged), Vec::<PathBuf>::new());
        terminal.send_keys("y");
        terminal.wait_for_text(&format!("Deleted {} memories", found.len()), SOON);
        assert_eq!(desk.list(&["list", query]).len(), 0);
        let live = desk.list(&["list"]);
        assert!(found.iter().all(|own| live.iter().all(|one| one["id"] != own["id"])));

        terminal.send_keys("u");
        terminal.wait_for_text(&format!("Undid: deleted {} memories", found.len()), SOON);
        assert_eq!(desk.differing(&tagged), Vec::<PathBuf>::new());
        terminal.send_keys("u");
        terminal.wait_for_text("Undid: tagged 200 memories", SOON);
        assert_eq!(desk.differing(&before), Vec::<PathBuf>::new());
        leave(terminal);

        // After a restart it is still one change of all its stores.
        let mut terminal = desk.open(size);
        terminal.send_keys("U");
        terminal.wait_for_text("Redid step", SOON);
        assert_eq!(desk.differing(&tagged), Vec::<PathBuf>::new());
        terminal.send_keys("u");
        terminal.wait_for_text("Undid", SOON);
        assert_eq!(desk.differing(&before), Vec::<PathBuf>::new());
        leave(terminal);
    }
}

#[test]
fn all_that_a_search_shows_is_deleted_from_the_menu_and_the_verb_makes_the_same_plan() {
    for size in sizes(1) {
        let desk = Desk::new();
        let query = "category:performance since:2025-10-01 until:2026-01-31";
        let count = desk.list(&["list", query]).len();
        let plan = desk.verb(&["delete", "--query", query, "--dry-run", "--json"]).expect_status(0);
        let plans: Vec<Value> = plan.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let records: u64 = plans.iter().map(|own| own["plan"]["records"].as_u64().unwrap()).sum();
        assert_eq!(records, count as u64);
        let mut terminal = desk.open(size);
        terminal.send_keys(&format!("/{query}\r"));
        terminal.wait_for_text(&format!("1 of {count}"), SOON);
        terminal.send_keys("d");
        terminal.wait_for_text(&format!("{count} memories: all that"), SOON);
        terminal.send_keys("X");
        terminal.wait_for_text(&format!("Delete {count} memories?"), SOON);
        terminal.send_keys("y");
        terminal.wait_for_text(&format!("Deleted {count} memories"), SOON);
        leave(terminal);
        let by_keys = desk.files();
        let other = Desk::new();
        other.verb(&["delete", "--query", query, "--yes"]).expect_status(0);
        let relative = |desk: &Desk, files: BTreeMap<PathBuf, Vec<u8>>| -> BTreeMap<PathBuf, Vec<u8>> {
            let own = files.into_iter();
            own.map(|(path, bytes)| (path.strip_prefix(desk.stores()).unwrap().to_owned(), bytes)).collect()
        };
        assert_eq!(relative(&desk, by_keys), relative(&other, other.files()));
    }
}
