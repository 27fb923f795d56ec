//! Folders that are no store, or hardly one: a clear message or a working screen, and nothing is written.

use crate::support;

use std::time::{Duration, Instant};

use serde_json::json;
use support::{SOON, StoreBuilder, TempStore, Terminal, Tree, Verb, assert_untouched, run};

#[test]
fn a_path_that_holds_no_store_gets_a_reason() {
    let folder = crate::support::folder::new();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "hello").unwrap();
    let fifo = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let before = Tree::of(folder.path());
    for (path, status, said) in [
        (folder.path().to_owned(), 1, "no store"),
        (file, 1, "a file, and the folder"),
        (fifo, 1, "not opened"),
        (folder.path().join("gone"), 1, "no such file or folder"),
    ] {
        for verb in ["stores", "list", "check"] {
            let output = run([verb, "--store", path.to_str().unwrap()]).expect_status(status);
            assert_eq!(output.stdout, "");
            assert!(output.stderr.contains(said), "{verb} {}: {}", path.display(), output.stderr);
        }
        run([path.to_str().unwrap()]).expect_status(status).expect_stderr(said);
    }
    assert_untouched(folder.path(), &before);
}

#[test]
fn wrong_usage_is_told_apart_from_nothing_found() {
    let store = StoreBuilder::session_log().session("s").entries(2).build();
    let path = store.path.to_str().unwrap();
    let wrong = "list colour:red|list importance:>=lots|list (unclosed|list --as no-format|list --now noon|\
        search|frobnicate --nonsense";
    for (lines, status) in [(wrong, 2), ("list no_such_word_anywhere|show no_such_id", 1)] {
        for line in lines.split('|') {
            run(line.split(' ').chain(["--store", path])).expect_status(status);
        }
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let store = StoreBuilder::session_log().session("s").entries(3000).build();
    let args = ["list", "--json", "--store", store.path.to_str().unwrap()];
    let (status, stderr) = Verb::new(args).run_into_closed_pipe();
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
}

#[test]
fn an_empty_store_and_one_line_of_many_megabytes_open() {
    let empty = StoreBuilder::session_log().session("s").build();
    let mut terminal = Terminal::palimp([empty.path.to_str().unwrap()], 24, 80);
    terminal.wait_for_text("There is no memory here yet", SOON);
    terminal.send_keys("Q");

    let size = crate::support::tries::count(2 << 20, 100 << 20);
    let line = json!({"id": "long", "type": "finding", "timestamp": "2026-01-01T00:00:00Z",
        "content": {"finding": "x".repeat(size)}});
    let store = StoreBuilder::session_log()
        .session("s")
        .entries(1)
        .line(line.to_string())
        .without("index.json")
        .build();
    let mut terminal = Terminal::palimp([store.path.to_str().unwrap()], 24, 80);
    terminal.wait_for_text("1 of 2", Duration::from_secs(60));
    terminal.send_keys("jk}}w");
    terminal.send_keys("Q");
    assert_eq!(terminal.wait_exit(SOON), support::Exit::Status(0));
}

#[test]
fn a_great_many_records_open_and_scroll() {
    let count = crate::support::tries::count(5_000, 200_000);
    let mut log = String::new();
    for number in 0..count {
        log.push_str(&format!(
            "{{\"id\":\"m{number}\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"type\":\"finding\",\"content\":{{\"finding\":\"n {number}\"}}}}\n"
        ));
    }
    let store = TempStore::of_files("memory", &[("sessions/s/memory.jsonl".into(), log.into_bytes())]);
    let mut terminal = Terminal::palimp([store.path.to_str().unwrap()], 24, 80);
    terminal.wait_for_text(&format!("1 of {count}"), Duration::from_secs(120));
    terminal.send_and_see("G", &format!("{count} of {count}"));
    let begun = Instant::now();
    terminal.send_keys("/n 777\r");
    terminal.wait_for_text("best first", Duration::from_secs(60));
    assert!(begun.elapsed() < Duration::from_secs(60));
    terminal.send_keys("Q");
    assert_eq!(terminal.wait_exit(SOON), support::Exit::Status(0));
}
