//! The journal with keys on a real pseudo-terminal; then the demo's files.

use crate::support;

use std::path::Path;

use support::{DemoStore, SOON};

const NOW: &str = "2026-02-01T12:00:00Z";
const SIZES: [(u16, u16); 2] = [(36, 120), (24, 80)];

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn an_older_step_is_undone_and_done_again_after_a_restart() {
    for size in crate::support::tries::some(SIZES, &[1]) {
        let desk = DemoStore::at("team/memories", NOW);
        let log = desk.store.join("learnings.jsonl");
        let whole = read(&log);
        let ids: Vec<String> = [5, 8]
            .map(|at| {
                let line: serde_json::Value = serde_json::from_str(whole.lines().nth(at).unwrap()).unwrap();
                line["id"].as_str().unwrap().to_owned()
            })
            .into();
        for id in &ids {
            desk.change(&["delete", id]).expect_status(0);
        }
        let both = read(&log);
        let mut terminal = desk.open(size);
        terminal.wait_for_text("memories  ✖", SOON);
        terminal.send_and_see("gu", "1 of 2");
        terminal.send_and_see("Gu", "Undo step 1?");
        assert_eq!(read(&log), both);
        terminal.send_and_see("y", "Undid step 1");
        let one = read(&log);
        assert!(one.contains(&ids[0]) && !one.contains(&ids[1]));
        terminal.quit();
        let mut terminal = desk.open(size);
        terminal.wait_for_text("memories  ✖", SOON);
        terminal.send_and_see("gu", "undone by step 3");
        terminal.send_and_see("Gu", "was undone by step 3");
        terminal.send_and_see("U", "Redo step 1?");
        terminal.send_and_see("y", "Redid step 1");
        assert_eq!(read(&log), both);
        terminal.quit();
    }
}
