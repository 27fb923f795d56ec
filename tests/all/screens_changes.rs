//! Changes of memories with keys on a real pseudo-terminal, and the files afterwards.

use crate::support;

use std::path::Path;

use serde_json::json;
use support::terminal::{Program, Signal};
use support::{Exit, SOON, StoreBuilder, TempStore, Terminal, Tree, assert_untouched};

const NOW: &str = "2026-02-01T12:00:00Z";
const LOG: &str = "sessions/s/memory.jsonl";

fn said(id: &str, text: &str, when: &str) -> serde_json::Value {
    json!({"id": id, "type": "conversation", "timestamp": when, "content": {"role": "user", "message": text}})
}

fn three() -> TempStore {
    StoreBuilder::session_log()
        .session("s")
        .entry(said("mem_1", "the oldest about pools", "2026-01-01T00:00:00Z"))
        .entry(said("mem_2", "the middle about OAuth", "2026-01-15T00:00:00Z"))
        .entry(said("mem_3", "the newest about tea", "2026-01-30T00:00:00Z"))
        .build()
}

/// Opens the screens on a store, with `$EDITOR`.
fn open(store: &TempStore, desk: &Path, more: &[&str], editor: &Path) -> Terminal {
    open_with(store, desk, more, ("EDITOR", editor))
}

/// Opens the screens on a store, with one of the user's programs in a variable.
fn open_with(store: &TempStore, desk: &Path, more: &[&str], (name, own): (&str, &Path)) -> Terminal {
    let data = desk.join("data");
    let mut args = vec![store.path.to_str().unwrap(), "--now", NOW, "--data-dir", data.to_str().unwrap()];
    args.extend(more);
    let program = Program::new(env!("CARGO_BIN_EXE_palimp"), args).env(name, own);
    let terminal = program.env("TMPDIR", desk).spawn(36, 120);
    terminal.wait_for_text("1 of 3", SOON);
    terminal
}

fn read(store: &TempStore) -> String {
    store.text(LOG)
}

fn leave(mut terminal: Terminal) {
    terminal.quit();
    terminal.screen(|screen| {
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
    });
}

#[test]
fn a_text_is_edited_in_the_users_editor_and_the_terminal_is_whole() {
    let (store, desk) = (three(), support::folder::new());
    // After it reads a line of keys, it replaces the file, as many editors do.
    let script = "printf 'EDITOR HERE '; read word; printf 'written with %s' \"$word\" > \"$1.new\"; \
                  mv \"$1.new\" \"$1\"; ls -ld \"$(dirname \"$1\")\" \"$1\" > \"$0.modes\"";
    let mut terminal = open(&store, desk.path(), &[], &support::script(desk.path(), "editor", script));
    terminal.send_keys("E");
    terminal.wait_for(|s| s.contents().contains("EDITOR HERE") && !s.alternate_screen(), SOON);
    terminal.send_and_see("jjQQ\r", "Saved \"the newest about tea\" · u to undo");
    assert!(terminal.screen(|screen| screen.alternate_screen()));
    assert!(read(&store).contains("written with jjQQ"), "{}", read(&store));
    terminal.wait_for_text("1 of 3", SOON);
    let modes = std::fs::read_to_string(desk.path().join("editor.modes")).unwrap();
    assert!(modes.contains("drwx------"), "{modes}");
    // palimp reads the keys again, and no copy of the text is left.
    terminal.send_and_see("j", "2 of 3");
    let left: Vec<_> =
        std::fs::read_dir(desk.path()).unwrap().map(|item| item.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("palimp-edit")), "{left:?}");
    leave(terminal);
}

#[test]
fn a_memory_is_read_in_the_users_pager_and_the_terminal_is_whole() {
    let (store, desk) = (three(), support::folder::new());
    let before = Tree::of(&store.path);
    let pager = support::script(desk.path(), "editor", "cat; printf 'PAGER HERE'; read word < /dev/tty");
    let mut terminal = open_with(&store, desk.path(), &[], ("PAGER", &pager));
    terminal.send_keys(":pager\r");
    terminal.wait_for(|s| s.contents().contains("PAGER HERE") && !s.alternate_screen(), SOON);
    assert!(terminal.screen(|screen| screen.contents().contains("the newest about tea")));
    terminal.send_keys("jjQQ\r");
    terminal.wait_for(|s| s.alternate_screen() && s.contents().contains("1 of 3"), SOON);
    terminal.send_and_see("j", "2 of 3");
    leave(terminal);
    assert_untouched(&store.path, &before);
}

#[test]
fn ctrl_c_in_an_editor_is_for_the_editor() {
    let (store, desk) = (three(), support::folder::new());
    let script = "trap 'echo interrupted >> \"$1\"; exit 0' INT; printf 'EDITOR HERE'; read word; read word";
    let mut terminal = open(&store, desk.path(), &[], &support::script(desk.path(), "editor", script));
    terminal.send_keys("E");
    terminal.wait_for(|s| s.contents().contains("EDITOR HERE") && !s.alternate_screen(), SOON);
    terminal.send_and_see("\x03", "Saved \"the newest about tea\"");
    assert!(read(&store).contains("interrupted"));
    leave(terminal);
}

#[test]
fn the_demo_is_archived_and_deleted_in_and_nothing_of_it_stays() {
    let desk = support::folder::new();
    let program = Program::new(env!("CARGO_BIN_EXE_palimp"), ["--demo", "--now", NOW]);
    let mut terminal = program.env("TMPDIR", desk.path()).spawn(36, 120);
    terminal.wait_for_text(&support::demo::memories(0), SOON);
    // The key waits for the results of the search, however long they take.
    terminal.send_and_see("/type:learning\ra", "Archived \"");
    terminal.wait_for_text(&support::demo::memories(1), SOON);
    terminal.send_and_see("u", "Undid: archived");
    terminal.wait_for_text(&support::demo::memories(0), SOON);
    terminal.send_and_see("d", "Remove");
    terminal.send_and_see("x", "Deleted ");
    terminal.wait_for_text(&support::demo::memories(1), SOON);
    leave(terminal);
    assert_eq!(std::fs::read_dir(desk.path()).unwrap().count(), 0);
}

#[test]
fn a_signal_during_a_change_leaves_it_made_or_not_made() {
    let (store, desk) = (three(), support::folder::new());
    let before = read(&store);
    let mut terminal = open(&store, desk.path(), &[], Path::new("false"));
    terminal.send_keys("t+reviewed\r");
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(143));
    let after = read(&store);
    assert!(after == before || after.contains("\"reviewed\""));
    let check = support::run(["check", "--store", store.path.to_str().unwrap(), "--now", NOW]);
    assert!(check.stdout.is_empty(), "{}", check.stdout);
}

#[test]
fn ctrl_z_in_an_editor_stops_both_and_fg_brings_both_back() {
    let (store, desk) = (three(), support::folder::new());
    // Like editors, it stops the whole foreground job.
    let editor = support::script(desk.path(), "editor", "kill -TSTP 0; echo continued >> \"$1\"");
    let command = format!(
        "set -m; {} {} --now {NOW} --data-dir data; echo back $?; fg; echo end",
        env!("CARGO_BIN_EXE_palimp"),
        store.path.display()
    );
    let program = Program::new("/bin/bash", ["--norc", "-c", &command]).env("EDITOR", editor);
    let mut terminal = program.in_folder(desk.path()).spawn(36, 120);
    terminal.wait_for_text("1 of 3", SOON);
    terminal.send_and_see("E", "Saved \"the newest about tea\"");
    assert!(String::from_utf8_lossy(&terminal.raw_output()).contains("back 14"));
    assert!(read(&store).contains("continued"));
    terminal.send_and_see("Q", "end");
}
