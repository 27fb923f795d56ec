//! Removed memories in the screens: the same ones as the verbs list, and a key restores them.

use crate::support;

use std::path::PathBuf;

use serde_json::Value;
use support::terminal::Program;
use support::{Exit, Output, SOON, Terminal, run};
use tempfile::TempDir;

const NOW: &str = "2026-02-01T12:00:00Z";

struct Desk {
    folder: TempDir,
    store: PathBuf,
}

impl Desk {
    fn new(name: &str) -> Desk {
        let folder = crate::support::folder::new();
        let demo = folder.path().join("demo");
        crate::support::demo::lay_out(&demo, NOW);
        Desk { store: demo.join(name), folder }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn verb(&self, words: &[&str]) -> Output {
        let (store, data) = (self.store.to_str().unwrap(), self.data());
        let options = ["--store", store, "--data-dir", data.to_str().unwrap(), "--now", NOW, "--yes"];
        run([words, &options].concat())
    }

    /// Returns what the verb lists, by the bytes of each.
    fn raws(&self, query: &str) -> Vec<String> {
        let rows = self.verb(&["list", query, "--json"]).stdout;
        let raw = |line: &str| serde_json::from_str::<Value>(line).unwrap()["raw"].to_string();
        let mut raws: Vec<String> = rows.lines().map(raw).collect();
        raws.sort();
        raws
    }

    fn open(&self, (rows, columns): (u16, u16)) -> Terminal {
        let data = self.data();
        let args = [self.store.to_str().unwrap(), "--now", NOW, "--data-dir", data.to_str().unwrap()];
        let mut terminal = Program::new(env!("CARGO_BIN_EXE_palimp"), args).spawn(rows, columns);
        terminal.wait_for_text("1 of ", SOON);
        terminal.send_keys("/is:deleted\r");
        terminal
    }
}

/// Stores of the demo, and verbs that remove records from them.
const CASES: [(&str, &[&[&str]]); 5] = [
    ("team/memories", &[&["delete", "--query", "type:learning limit:3"]]),
    (
        "ops/memory",
        &[
            &["delete", "--remove", "--query", "session:release_4_3 type:finding limit:2"],
            &["session", "delete", "checkout_rework"],
        ],
    ),
    ("web/.agent-memory", &[&["delete", "gotchas.0", "gotchas.1"]]),
    ("shop/.bmad/memory", &[&["delete", "--query", "type:finding limit:3"]]),
    ("notes/.chora/memory", &[&["delete", "--remove", "--query", "type:note limit:2"]]),
];

#[test]
fn what_was_removed_is_listed_as_the_verb_lists_it_and_comes_back_with_a_key_and_undo_takes_that_back() {
    for (at, (store, deletions)) in crate::support::tries::some(CASES, &[1]).into_iter().enumerate() {
        let desk = Desk::new(store);
        deletions.iter().for_each(|words| drop(desk.verb(words).expect_status(0)));
        let (gone, live) = (desk.raws("is:deleted"), desk.raws("is:live"));
        let all = gone.len();
        assert!(all >= 2, "{store}");
        let mut terminal = desk.open(if at % 2 == 0 { (36, 120) } else { (24, 80) });
        terminal.wait_for_text(&format!("1 of {all}"), SOON);
        // One, and undo.
        terminal.send_keys("dr");
        terminal.wait_for_text("Restored ", SOON);
        terminal.wait_until(|| desk.raws("is:deleted").len() < all, SOON);
        terminal.wait_for_text(&format!("of {}", desk.raws("is:deleted").len()), SOON);
        terminal.send_keys("u");
        terminal.wait_for_text("Undid: restored", SOON);
        terminal.wait_for_text(&format!("of {all}"), SOON);
        assert_eq!((desk.raws("is:deleted"), desk.raws("is:live")), (gone.clone(), live), "{store}");
        // All of them: a plan first.
        terminal.send_keys("*d");
        terminal.wait_for_text("Remove ", SOON);
        terminal.send_keys("r");
        terminal.wait_for_text(&format!("Restore {all} memories"), SOON);
        terminal.send_keys("y");
        terminal.wait_for_text("Restored ", SOON);
        assert_eq!(desk.raws("is:deleted"), Vec::<String>::new(), "{store}");
        let back = desk.raws("is:live");
        assert!(gone.iter().all(|raw| back.contains(raw)), "{store}");
        terminal.send_keys("u");
        terminal.wait_for_text("Undid: restored", SOON);
        assert_eq!(desk.raws("is:deleted"), gone, "{store}");
        terminal.send_keys("Q");
        assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
    }
}
