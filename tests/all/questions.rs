//! Verbs that ask on a terminal, and the effect of the answer.

use std::fs;

use crate::support::{DemoStore, Exit, SOON, Terminal, run};

const NOW: &str = "2026-02-01T12:00:00Z";

#[test]
fn an_empty_store_is_made_where_there_is_no_folder_yet_once_the_answer_is_yes() {
    // The stores of agent-memory are made by its own tool.
    for format in ["memory-server", "session-log", "bmad", "a-mem"] {
        for answer in ["n", "y"] {
            let folder = crate::support::folder::new();
            let (root, data) = (folder.path().join("new/store"), folder.path().join("data"));
            let (root_text, data) = (root.to_str().unwrap(), data.to_str().unwrap());
            let args = ["init", format, root_text, "--data-dir", data, "--now", NOW];
            let mut terminal = Terminal::spawn(env!("CARGO_BIN_EXE_palimp"), args, 36, 120);
            terminal.wait_for_text("anything else cancels", SOON);
            assert!(!root.parent().unwrap().exists(), "nothing is made before the answer");
            terminal.send_keys(&format!("{answer}\r"));
            let exit = terminal.wait_exit(SOON);
            match answer {
                "y" => {
                    assert_eq!(exit, Exit::Status(0), "{format}: {}", terminal.screen_text());
                    run(["stores", root_text, "--as", format]).expect_status(0);
                }
                _ => {
                    assert_eq!(exit, Exit::Status(3), "{format}");
                    assert!(!root.parent().unwrap().exists());
                }
            }
        }
    }
}

#[test]
fn where_what_was_shown_is_gone_and_so_is_its_session_both_are_told_in_one_sentence() {
    let demo = DemoStore::at("shop/.bmad/memory", NOW);
    let words = demo.words(&["session", "unarchive", "search-latency"]);
    let mut terminal = Terminal::palimp(words, 36, 240);
    terminal.wait_for_text("anything else cancels", SOON);
    fs::remove_file(demo.store.join("archive/search-latency.tar.gz")).unwrap();
    terminal.send_keys("y\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(3));
    let screen = terminal.screen_text();
    let told = "gone, …; there is no session \"search-latency\". Nothing was changed. (E_SESSION_NOT_FOUND)";
    assert!(screen.contains("Changed meanwhile: 44 of 44 — ") && screen.contains(told), "{screen}");
}
