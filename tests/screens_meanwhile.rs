//! What agents write between a question and its answer, on a real pseudo-terminal: in the screens,
//! and where a verb asks.

mod support;

use std::path::PathBuf;

use serde_json::json;
use support::terminal::Program;
use support::{Exit, SOON, StoreBuilder, TempStore, Terminal};

const NOW: &str = "2026-02-01T12:00:00Z";
const LOG: &str = "sessions/s/memory.jsonl";
const SIZES: [(u16, u16); 2] = [(36, 120), (24, 80)];

fn store() -> TempStore {
    let session = (0..6).fold(StoreBuilder::session_log().session("s"), |session, n| {
        session.entry(json!({"id": format!("mem_{n}"), "type": "decision", "importance": 0.5,
            "timestamp": format!("2026-01-0{}T00:00:00Z", n + 1), "tags": ["pool"],
            "content": {"decision": format!("decision number {n}"), "rationale": "because"}}))
    });
    session.build()
}

struct Desk {
    store: TempStore,
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::Builder::new().prefix("palimp-desk-").tempdir().unwrap();
        Desk { store: store(), folder }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn run(&self, words: &[&str], (rows, columns): (u16, u16)) -> Terminal {
        let (root, data) = (self.store.path.to_str().unwrap().to_owned(), self.data());
        let own = ["--store", &root, "--now", NOW, "--data-dir", data.to_str().unwrap()];
        let args: Vec<String> = words.iter().chain(&own).map(|word| (*word).to_owned()).collect();
        Program::new(env!("CARGO_BIN_EXE_palimp"), args).spawn(rows, columns)
    }

    fn log(&self) -> String {
        String::from_utf8(self.store.read(LOG)).unwrap()
    }

    /// An agent makes one memory more important, takes one away and adds one.
    fn agent(&self) -> String {
        let all = self.log();
        let line = |line: &str| match line {
            line if line.contains("\"mem_1\"") => {
                Some(line.replace("\"importance\":0.5", "\"importance\":0.7"))
            }
            line if line.contains("\"mem_2\"") => None,
            line => Some(line.to_owned()),
        };
        let mut lines: Vec<String> = all.lines().filter_map(line).collect();
        lines.push(
            json!({"id": "mem_late", "type": "decision", "timestamp": "2026-01-31T00:00:00Z",
            "tags": ["pool"], "content": {"decision": "late"}})
            .to_string(),
        );
        let now = lines.join("\n") + "\n";
        self.store.write(LOG, now.as_bytes());
        now
    }

    /// The ids of the memories that have a tag.
    fn tagged(&self, tag: &str) -> Vec<String> {
        let records = self.log();
        let records = records.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let has = |own: &serde_json::Value| own["tags"].as_array().unwrap().iter().any(|own| own == tag);
        records.filter(has).map(|own| own["id"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn in_the_screens_what_an_agent_changed_meanwhile_is_asked_for_again() {
    for size in SIZES {
        let desk = Desk::new();
        let mut terminal = desk.run(&[], size);
        terminal.wait_for_text("1/6", SOON);
        terminal.send_keys("*");
        terminal.wait_for_text("6 marked", SOON);
        terminal.send_keys("t+seen\r");
        terminal.wait_for_text("tag 6 memories +seen?", SOON);
        let theirs = desk.agent();
        terminal.wait_for_text("Others changed 2 of them since", SOON);
        terminal.send_keys("y");
        terminal.wait_for_text("tag 5 memories +seen?", SOON);
        terminal.wait_for_text("changed meanwhile: 2 of 6", SOON);
        let screen = terminal.screen_text();
        assert!(screen.contains("mem_1  importance 0.5 → 0.7") && screen.contains("mem_2  gone"), "{screen}");
        assert!(desk.log() == theirs, "nothing is written before the second yes");
        terminal.send_keys("y");
        terminal.wait_for_text("tagged 5 memories", SOON);
        assert_eq!(desk.tagged("seen"), ["mem_0", "mem_1", "mem_3", "mem_4", "mem_5"]);
        terminal.send_keys("Q");
        assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
        terminal.screen(|screen| assert!(!screen.alternate_screen() && !screen.hide_cursor()));
    }
}

#[test]
fn where_a_verb_asks_what_an_agent_changed_meanwhile_is_asked_for_again() {
    for answer in ["y", "n"] {
        let desk = Desk::new();
        let mut terminal = desk.run(&["tag", "+seen", "--query", "tag:pool"], SIZES[0]);
        terminal.wait_for_text("tag 6 records? [y/N]", SOON);
        let theirs = desk.agent();
        terminal.send_keys("y\r");
        terminal.wait_for_text("tag 5 records? [y/N]", SOON);
        let screen = terminal.screen_text();
        assert!(screen.contains("changed meanwhile: 2 of 6"), "{screen}");
        assert!(screen.contains("mem_1  importance 0.5 → 0.7") && screen.contains("mem_2  gone"), "{screen}");
        assert!(desk.log() == theirs);
        terminal.send_keys(&format!("{answer}\r"));
        match answer {
            "y" => {
                assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
                assert_eq!(desk.tagged("seen"), ["mem_0", "mem_1", "mem_3", "mem_4", "mem_5"]);
            }
            _ => {
                assert_eq!(terminal.wait_exit(SOON), Exit::Status(3));
                assert!(desk.log() == theirs);
            }
        }
    }
}

#[test]
fn where_a_verb_erases_the_words_are_typed_anew_with_the_new_count() {
    let desk = Desk::new();
    let mut terminal = desk.run(&["erase", "--query", "tag:pool"], SIZES[0]);
    terminal.wait_for_text("Type `erase 6`", SOON);
    desk.agent();
    terminal.send_keys("erase 6\r");
    terminal.wait_for_text("Type `erase 5`", SOON);
    terminal.send_keys("erase 5\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
    assert!(desk.log().lines().count() == 1 && desk.log().contains("mem_late"), "{}", desk.log());
}

#[test]
fn where_nothing_is_left_of_what_was_shown_the_verb_says_so() {
    let desk = Desk::new();
    let mut terminal = desk.run(&["delete", "mem_2"], SIZES[0]);
    terminal.wait_for_text("delete 1 record? [y/N]", SOON);
    let theirs = desk.agent();
    terminal.send_keys("y\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(3));
    assert!(terminal.screen_text().contains("Nothing of it remains"), "{}", terminal.screen_text());
    assert!(desk.log() == theirs);
}
