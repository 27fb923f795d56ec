//! The journal with keys on a real pseudo-terminal; then the demo's files.

use crate::support;

use std::path::{Path, PathBuf};

use support::terminal::Program;
use support::{Exit, SOON, Terminal};

const NOW: &str = "2026-02-01T12:00:00Z";
const SIZES: [(u16, u16); 2] = [(36, 120), (24, 80)];

/// The demo, with a folder for palimp's data.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        let folder = crate::support::folder::new();
        let demo = folder.path().join("demo");
        crate::support::demo::lay_out(&demo, NOW);
        Desk { folder }
    }

    fn store(&self, name: &str) -> PathBuf {
        self.folder.path().join("demo").join(name)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn open(&self, store: &Path, (rows, columns): (u16, u16)) -> Terminal {
        let data = self.data();
        let args = [store.to_str().unwrap(), "--now", NOW, "--data-dir", data.to_str().unwrap()];
        let terminal = Program::new(env!("CARGO_BIN_EXE_palimp"), args).spawn(rows, columns);
        terminal.wait_for(|screen| screen.contents().contains("memories  ✖"), SOON);
        terminal
    }

    fn verb(&self, store: &Path, args: &[&str]) -> support::Output {
        let data = self.data();
        let own = ["--store", store.to_str().unwrap(), "--now", NOW, "--data-dir", data.to_str().unwrap()];
        let args = args.iter().chain(&own).copied();
        support::run(args.map(str::to_owned).collect::<Vec<_>>())
    }
}

fn leave(mut terminal: Terminal) {
    terminal.send_keys("Q");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn an_older_step_is_undone_and_done_again_after_a_restart() {
    for size in crate::support::tries::some(SIZES, &[1]) {
        let desk = Desk::new();
        let store = desk.store("team/memories");
        let log = store.join("learnings.jsonl");
        let whole = read(&log);
        let ids: Vec<String> = [5, 8]
            .map(|at| {
                let line: serde_json::Value = serde_json::from_str(whole.lines().nth(at).unwrap()).unwrap();
                line["id"].as_str().unwrap().to_owned()
            })
            .into();
        for id in &ids {
            desk.verb(&store, &["delete", id, "--yes"]).expect_status(0);
        }
        let both = read(&log);
        let mut terminal = desk.open(&store, size);
        terminal.send_keys("gu");
        terminal.wait_for_text("1 of 2", SOON);
        terminal.send_keys("Gu");
        terminal.wait_for_text("Undo step 1?", SOON);
        assert_eq!(read(&log), both);
        terminal.send_keys("y");
        terminal.wait_for_text("Undid step 1", SOON);
        let one = read(&log);
        assert!(one.contains(&ids[0]) && !one.contains(&ids[1]));
        leave(terminal);
        let mut terminal = desk.open(&store, size);
        terminal.send_keys("gu");
        terminal.wait_for_text("undone by step 3", SOON);
        terminal.send_keys("Gu");
        terminal.wait_for_text("was undone by step 3", SOON);
        terminal.send_keys("U");
        terminal.wait_for_text("Redo step 1?", SOON);
        terminal.send_keys("y");
        terminal.wait_for_text("Redid step 1", SOON);
        assert_eq!(read(&log), both);
        leave(terminal);
    }
}
