//! Writes of agents between a question of a verb and its answer, on a pseudo-terminal.

use crate::support;

use std::path::PathBuf;

use serde_json::json;
use support::terminal::Program;
use support::{Exit, Output, SOON, StoreBuilder, TempStore, Terminal};

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
}

impl Desk {
    fn new() -> Desk {
        Desk { store: store() }
    }

    fn data(&self) -> PathBuf {
        self.store.data()
    }

    fn run(&self, words: &[&str], size: (u16, u16)) -> Terminal {
        self.store.on_terminal(words, size)
    }

    /// Runs another palimp, which asks nothing.
    fn other(&self, words: &[&str]) -> Output {
        self.store.at_now(words).expect_status(0)
    }

    /// An agent changes a part of the log, and adds lines.
    fn writes(&self, from: &str, to: &str, more: &str) -> String {
        let log = self.log();
        assert!(log.contains(from), "{from} in {log}");
        let now = log.replacen(from, to, 1) + more;
        self.store.write(LOG, now.as_bytes());
        now
    }

    /// Makes a backup of the log, and returns its path.
    fn backup(&self) -> String {
        self.other(&["backup", "create", "--yes"]);
        let rows = self.other(&["backup", "list", "--json"]).json_lines();
        rows.iter().find(|row| row["file"] == LOG).unwrap()["backup"].as_str().unwrap().to_owned()
    }

    fn log(&self) -> String {
        self.store.text(LOG)
    }

    /// An agent makes one memory more important, removes one and adds one.
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

    fn tagged(&self, tag: &str) -> Vec<String> {
        let records = self.log();
        let records = records.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let has = |own: &serde_json::Value| own["tags"].as_array().unwrap().iter().any(|own| own == tag);
        records.filter(has).map(|own| own["id"].as_str().unwrap().to_owned()).collect()
    }
}

/// Waits for the last row of a question.
#[track_caller]
fn wait_for_question(terminal: &Terminal, question: &str) {
    let is_asked = |screen: &str| {
        let behind = screen.rsplit_once(question).map_or("", |(_, behind)| behind);
        behind.contains("anything else cancels")
    };
    terminal.wait_for(|screen| is_asked(&screen.contents()), SOON);
}

#[test]
fn where_a_verb_asks_what_an_agent_changed_meanwhile_is_asked_for_again() {
    for answer in ["y", "n"] {
        let desk = Desk::new();
        let mut terminal = desk.run(&["tag", "+seen", "--query", "tag:pool"], SIZES[0]);
        wait_for_question(&terminal, "Tag 6 memories?");
        let theirs = desk.agent();
        terminal.send_keys("y\r");
        wait_for_question(&terminal, "Tag 5 memories?");
        let screen = terminal.screen_text();
        assert!(screen.contains("Changed meanwhile: 2 of 6"), "{screen}");
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
fn where_a_verb_erases_the_words_are_typed_again_with_the_new_count() {
    let desk = Desk::new();
    let mut terminal = desk.run(&["erase", "--query", "tag:pool"], SIZES[0]);
    terminal.wait_for_text("Type erase 6 to go on", SOON);
    desk.agent();
    terminal.send_and_see("erase 6\r", "Type erase 5 to go on");
    terminal.send_keys("erase 5\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
    assert!(desk.log().lines().count() == 1 && desk.log().contains("mem_late"), "{}", desk.log());
}

const FIRST: &str = "\"decision number 0\"";

fn late(id: &str, text: &str) -> String {
    let own = json!({"id": id, "type": "decision", "timestamp": "2026-01-31T00:00:00Z", "tags": ["pool"],
        "content": {"decision": text}});
    format!("{own}\n")
}

#[test]
fn the_second_question_of_a_whole_file_names_what_came_meanwhile_and_would_be_lost() {
    let desk = Desk::new();
    let copy = desk.backup();
    desk.writes(FIRST, "\"another decision\"", "");
    let mut terminal = desk.run(&["backup", "restore", &copy, "--replace"], SIZES[0]);
    wait_for_question(&terminal, "Restore 1 memory?");
    let theirs = desk.writes("\"another decision\"", "\"a third decision\"", &late("mem_late", "late"));
    terminal.send_keys("y\r");
    wait_for_question(&terminal, "Restore 2 memories?");
    let screen = terminal.screen_text();
    assert!(screen.contains("Changed meanwhile: 1 of 1"), "{screen}");
    assert!(screen.contains("The plan is not as it was shown") && screen.contains("late  LOST"), "{screen}");
    terminal.send_keys("n\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(3));
    assert_eq!(desk.log(), theirs);
}

#[test]
fn an_undo_that_is_asked_for_again_undoes_the_step_that_was_shown_and_no_newer_one() {
    let desk = Desk::new();
    desk.other(&["tag", "+seen", "mem_1", "--yes"]);
    let mut terminal = desk.run(&["undo"], SIZES[0]);
    wait_for_question(&terminal, "Undo step");
    desk.other(&["tag", "+other", "mem_5", "--yes"]);
    let one = desk.log().lines().find(|line| line.contains("mem_1")).unwrap().to_owned();
    desk.writes(&one, &one.replace("\"importance\":0.5", "\"importance\":0.7"), "");
    terminal.send_and_see("y\r", "not as it was shown");
    terminal.wait_for(|screen| screen.contents().matches("Undo step").count() == 2, SOON);
    terminal.wait_for(|screen| screen.contents().matches("undo step 1").count() == 2, SOON);
    terminal.send_keys("y\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
    assert!(desk.tagged("seen").is_empty());
    assert_eq!(desk.tagged("other"), ["mem_5"], "what another palimp did since stays");
}

#[test]
fn an_edit_by_a_key_whose_record_changed_meanwhile_is_asked_for_again_and_hits_no_other() {
    let desk = Desk::new();
    let rows = desk.other(&["list", "--json"]).json_lines();
    let key = rows.iter().find(|row| row["id"] == "mem_1").unwrap()["key"].as_str().unwrap().to_owned();
    let mut terminal = desk.run(&["edit", &key, "--set", "importance=0.9"], SIZES[0]);
    wait_for_question(&terminal, "Edit 1 memory?");
    let first = desk.log().split_inclusive('\n').next().unwrap().to_owned();
    desk.writes(&first, "", "");
    let theirs = desk.writes("\"decision number 1\"", "\"another decisions\"", "");
    terminal.send_and_see("y\r", "Changed meanwhile: 1 of 1");
    terminal.wait_for(|screen| screen.contents().matches("Edit 1 memory?").count() == 2, SOON);
    terminal.send_keys("n\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(3));
    assert_eq!(desk.log(), theirs);
}

#[test]
fn where_a_verb_asks_a_memory_that_was_merely_read_meanwhile_asks_no_second_question() {
    let editor = crate::support::folder::new();
    let script = support::script(editor.path(), "editor", "printf 'quite another text' > \"$1\"");
    let verbs: [(&[&str], &str, &str); 3] = [
        (&["tag", "+seen", "mem_0"], "Tag 1 memory?", "\"seen\""),
        (&["edit", "mem_0", "--set", "importance=0.9"], "Edit 1 memory?", "\"importance\":0.9"),
        (&["edit", "mem_0", "--editor"], "Edit 1 memory?", "quite another text"),
    ];
    for (words, question, done) in verbs {
        let desk = Desk::new();
        let (root, data) = (desk.store.path.to_str().unwrap().to_owned(), desk.data());
        let own = ["--store", &root, "--now", NOW, "--data-dir", data.to_str().unwrap()];
        let args: Vec<String> = words.iter().chain(&own).map(|word| (*word).to_owned()).collect();
        let program = Program::new(env!("CARGO_BIN_EXE_palimp"), args);
        let mut terminal = program.env("EDITOR", &script).env("VISUAL", &script).spawn(36, 120);
        wait_for_question(&terminal, question);
        desk.writes("\"id\":\"mem_0\"", "\"access_count\":3,\"id\":\"mem_0\"", "");
        terminal.send_keys("y\r");
        assert_eq!(terminal.wait_exit(SOON), Exit::Status(0), "{words:?}: {}", terminal.screen_text());
        let (log, screen) = (desk.log(), terminal.screen_text());
        let one = log.lines().find(|line| line.contains("\"mem_0\"")).unwrap();
        assert!(one.contains(done) && one.contains("\"access_count\":3"), "{one}");
        assert_eq!(screen.matches("anything else cancels").count(), 1, "{screen}");
    }
}

#[test]
fn what_was_kept_of_an_edit_that_is_saved_after_all_is_kept_no_longer() {
    let desk = Desk::new();
    let set = ["edit", "mem_1", "--set", "text=Kept until it is saved."];
    let mut terminal = desk.run(&set, SIZES[0]);
    wait_for_question(&terminal, "Edit 1 memory?");
    let one = desk.log().lines().find(|line| line.contains("mem_1")).unwrap().to_owned();
    desk.writes(&one, &one.replacen('{', "{\"access_count\":9,", 1), "");
    terminal.send_and_see("y\r", "undoes it");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
    assert!(desk.log().contains("Kept until it is saved.") && desk.log().contains("\"access_count\":9"));
    assert!(!terminal.screen_text().contains("is kept in"), "{}", terminal.screen_text());
    let stores =
        std::fs::read_dir(desk.data().join("stores")).unwrap().map(|own| own.unwrap().path().join("drafts"));
    let drafts = stores.filter_map(|own| std::fs::read_dir(own).ok()).flatten().count();
    assert_eq!(drafts, 0);
}
