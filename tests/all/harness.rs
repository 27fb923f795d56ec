//! Tests of the test harness.

use crate::support;

use std::time::Duration;

use rustix::process::Signal;
use support::{Exit, SOON, StoreBuilder, Terminal, Tree, assert_untouched};

fn shell(script: &str) -> Terminal {
    Terminal::spawn("/bin/sh", ["-c", script], 10, 40)
}

#[test]
fn a_program_draws_on_the_screen_reads_keys_and_ends() {
    let mut terminal = shell(r#"printf 'name? '; read name; printf 'hello %s' "$name"; exit 3"#);
    terminal.wait_for_text("name?", SOON);
    terminal.send_keys("memory\n");
    terminal.wait_for(|screen| screen.contents().contains("hello memory"), SOON);
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(3));
    assert!(terminal.screen_text().starts_with("name? memory"));
}

#[test]
fn raw_output_keeps_the_bytes_that_the_screen_does_not_show() {
    let terminal = shell(r"printf '\033[31mred\033[0m'");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
    assert_eq!(terminal.screen_text(), "red");
    assert_eq!(terminal.raw_output(), b"\x1b[31mred\x1b[0m");
}

#[test]
fn a_frame_is_shown_only_once_it_has_come_whole() {
    let script = r"stty -echo; printf 'before\033[?2026h half'; read x; printf ' whole\033[?20'; read x; printf '26l'; read x";
    let mut terminal = shell(script);
    terminal.wait_until(|| terminal.raw_output().ends_with(b"half"), SOON);
    assert_eq!(terminal.screen_text(), "before");
    terminal.send_keys("\n");
    terminal.wait_until(|| terminal.raw_output().ends_with(b"[?20"), SOON);
    assert_eq!(terminal.screen_text(), "before");
    terminal.send_keys("\n");
    terminal.wait_for_text("whole", SOON);
    assert!(terminal.screen_text().starts_with("before half"), "{}", terminal.screen_text());
}

#[test]
fn a_program_learns_of_a_new_size() {
    let mut terminal = shell("trap 'stty size' WINCH; printf ready; while :; do read line; done");
    terminal.wait_for_text("ready", SOON);
    terminal.resize(12, 50);
    // Some shells run the trap only after `read` returns.
    terminal.send_keys("\n");
    terminal.wait_for_text("12 50", SOON);
}

#[test]
fn a_signal_reaches_the_program() {
    let terminal = shell("trap 'printf bye; exit 7' TERM; printf ready; while :; do read line; done");
    terminal.wait_for_text("ready", SOON);
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(7));
    assert!(terminal.screen_text().contains("bye"));
}

#[test]
fn a_wait_that_fails_prints_the_screen() {
    let terminal = shell("printf 'something else'; read x");
    terminal.wait_for_text("something", SOON);
    let wait = || terminal.wait_for_text("expected", Duration::from_millis(50));
    let failure = std::panic::catch_unwind(std::panic::AssertUnwindSafe(wait)).unwrap_err();
    let message = failure.downcast_ref::<String>().unwrap();
    assert!(message.contains("\"expected\" was never on the screen"), "{message}");
    assert!(message.contains("│something else"), "{message}");
}

#[test]
fn a_wait_for_a_program_that_has_ended_does_not_last_until_the_deadline() {
    let terminal = shell("exit 0");
    let wait = || terminal.wait_for_text("expected", Duration::from_secs(3600));
    let failure = std::panic::catch_unwind(std::panic::AssertUnwindSafe(wait)).unwrap_err();
    assert!(failure.downcast_ref::<String>().unwrap().contains("the program ended"));
}

#[test]
fn the_environment_of_a_program_is_clean() {
    let terminal = shell(r#"printf '%s|%s|%s' "$TERM" "$CARGO_MANIFEST_DIR" "$(ls -A "$HOME" | wc -l)""#);
    terminal.wait_exit(SOON);
    assert_eq!(terminal.screen_text().replace(' ', ""), "xterm-256color||0");
}

#[test]
fn an_untouched_tree_is_told_from_a_touched_one() {
    let store = StoreBuilder::session_log().session("s1").entries(2).build();
    let before = Tree::of(store.around());
    store.read("sessions/s1/memory.jsonl");
    assert_untouched(store.around(), &before);

    store.chmod("sessions/s1/memory.jsonl", 0o644);
    let changes = Tree::of(store.around()).changes_since(&before);
    assert!(changes.starts_with("changed: memory/sessions/s1/memory.jsonl"), "{changes}");

    store.write("new", b"");
    store.remove("sessions/s1/index.json");
    let changes = Tree::of(store.around()).changes_since(&before);
    assert!(changes.contains("new: memory/new") && changes.contains("gone: memory/sessions/s1/index.json"));
}
