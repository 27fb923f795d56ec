//! The screens on a real pseudo-terminal, as a person uses them.

use crate::support;

use std::time::{Duration, Instant};

use serde_json::json;
use support::terminal::Program;
use support::{Exit, SOON, StoreBuilder, TempStore, Terminal, Tree, assert_untouched};

const NOW: &str = "2026-02-01T12:00:00Z";

fn said(text: &str, when: &str) -> serde_json::Value {
    json!({"type": "conversation", "timestamp": when, "content": {"role": "user", "message": text}})
}

fn three() -> TempStore {
    StoreBuilder::session_log()
        .session("s")
        .entry(said("the oldest about pools", "2026-01-01T00:00:00Z"))
        .entry(said("the middle about OAuth", "2026-01-15T00:00:00Z"))
        .entry(said("the newest about Café", "2026-01-30T00:00:00Z"))
        .build()
}

fn open(store: &TempStore, rows: u16, cols: u16) -> Terminal {
    let terminal = Terminal::palimp([store.path.to_str().unwrap(), "--now", NOW], rows, cols);
    terminal.wait_for_text("1 of 3", SOON);
    terminal
}

#[test]
fn it_opens_lists_newest_first_searches_as_you_type_and_quits() {
    let store = three();
    let before = Tree::of(store.around());
    for (rows, cols) in [(36, 120), (24, 80)] {
        let mut terminal = open(&store, rows, cols);
        let text = terminal.screen_text();
        assert!(text.find("the newest").unwrap() < text.find("the middle").unwrap(), "{text}");
        terminal.send_keys("/cafe");
        terminal.wait_for(|screen| screen.contents().contains("1 of 1"), SOON);
        assert!(!terminal.screen_text().contains("the oldest"));
        terminal.send_keys("\r\x1b");
        terminal.wait_for(|screen| !screen.contents().contains("/cafe"), SOON);
        terminal.send_keys("q");
        assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
    }
    assert_untouched(store.around(), &before);
}

#[test]
fn each_frame_reaches_the_terminal_whole() {
    let mut terminal = open(&three(), 36, 120);
    terminal.send_keys("jkQ");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
    let sent = terminal.raw_output();
    let sent = String::from_utf8_lossy(&sent);
    let mut frames = sent.split("\x1b[?2026h");
    // Before the first frame, the terminal is set up and nothing is drawn.
    assert!(!frames.next().unwrap().contains("the newest"));
    let mut drawn = 0;
    for frame in frames {
        let (whole, between) = frame.split_once("\x1b[?2026l").expect("each frame has an end");
        drawn += usize::from(whole.contains("the newest"));
        assert!(!between.contains("the "), "{between:?}");
    }
    assert!(drawn > 0);
}

#[test]
fn what_an_agent_appends_shows_up_and_the_cursor_stays_on_its_memory() {
    let store = three();
    let mut terminal = open(&store, 24, 80);
    terminal.send_and_see("j", "2 of 3");
    let line = json!({"id": "mem_new", "session_id": "s", "timestamp": "2026-01-31T00:00:00Z", "type": "finding",
        "content": {"finding": "appended just now"}, "importance": 0.5, "tags": [], "references": []});
    store.append("sessions/s/memory.jsonl", format!("{line}\n").as_bytes());
    terminal.wait_for_text("appended just now", SOON);
    terminal.wait_for_text("3 of 4", SOON);
    let text = terminal.screen_text();
    assert!(text.lines().any(|line| line.contains('▶') && line.contains("the middle")), "{text}");
}

#[test]
fn pointing_at_one_session_shows_that_session() {
    let store = StoreBuilder::session_log().session("one").entries(2).session("other").entries(3).build();
    let session = store.file("sessions/one");
    let mut terminal = Terminal::palimp([session.to_str().unwrap()], 24, 80);
    terminal.wait_for_text("1 of 2", SOON);
    terminal.send_and_see("\x1b", "1 of 5");
}

#[test]
fn a_store_that_vanishes_is_no_crash() {
    let store = three();
    let mut terminal = open(&store, 24, 80);
    std::fs::remove_dir_all(&store.path).unwrap();
    terminal.wait_for(|screen| !screen.contents().contains("1 of 3"), SOON);
    terminal.send_keys("jkG/x\r\x1bgpq");
    terminal.quit();
}

#[test]
fn the_first_run_says_where_it_looked_and_opens_the_demo() {
    let mut terminal = Terminal::palimp(["--now", NOW], 24, 80);
    terminal.wait_for_text("These places were looked at", SOON);
    assert!(terminal.screen_text().contains(".claude/agents/memories"));
    terminal.send_and_see("d", &support::demo::memories(0));
    terminal.quit();
}

#[test]
fn secrets_are_masked_and_a_held_key_shows_them() {
    let secret = ["ghp", "_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(said("hello", "2026-01-01T00:00:00Z"))
        .entry(said("hello", "2026-01-02T00:00:00Z"))
        .entry(said(&format!("use {secret} for it"), "2026-01-30T00:00:00Z"))
        .build();
    let mut terminal = open(&store, 36, 120);
    terminal.wait_for_text("••••", SOON);
    terminal.send_and_see("}", "5 In the file");
    assert!(!String::from_utf8_lossy(&terminal.raw_output()).contains(&secret[4..20]));
    terminal.send_keys("X");
    // It is masked again in less than a second, so a busy machine may miss it on the screen.
    terminal.wait_until(|| String::from_utf8_lossy(&terminal.raw_output()).contains(&secret[4..20]), SOON);
    terminal.wait_for(|screen| !screen.contents().contains(&secret[4..20]), SOON);
}

#[test]
fn off_a_terminal_the_first_screen_is_printed_as_plain_text() {
    let store = three();
    for args in [vec![store.path.to_str().unwrap()], vec!["--demo"]] {
        let output = support::run([args, vec!["--now", NOW]].concat()).expect_status(0);
        assert!(output.stdout.contains("Memories"), "{}", output.stdout);
        assert!(!output.stdout.contains('\u{1b}'));
        assert!(output.stderr.contains("need a terminal"));
    }
}

#[test]
fn an_idle_screen_uses_no_processor() {
    let store = three();
    let terminal = open(&store, 24, 80);
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", terminal.pid())).unwrap_or_default();
        let after_name = stat.rsplit(')').next().unwrap_or_default().to_owned();
        let fields: Vec<u64> =
            after_name.split_whitespace().skip(11).take(2).filter_map(|f| f.parse().ok()).collect();
        fields.iter().sum::<u64>()
    };
    let seconds = Duration::from_secs(crate::support::tries::count(2, 10));
    // Nothing visible happens, so there is nothing to wait for.
    let used = || {
        let (before, end) = (ticks(), Instant::now() + seconds);
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            std::thread::park_timeout(left);
        }
        ticks() - before
    };
    // On a busy machine it may still read for a while.
    assert!((0..10).any(|_| used() <= 1), "it never rests");
}

#[test]
fn suspending_gives_the_terminal_back_and_returning_takes_it_again() {
    let store = three();
    let command = format!(
        "set -m; {} {} --now {NOW}; echo back $?; fg; echo end",
        env!("CARGO_BIN_EXE_palimp"),
        store.path.display()
    );
    let mut terminal = Program::new("/bin/bash", ["--norc", "-c", &command]).spawn(24, 80);
    terminal.wait_for_text("1 of 3", SOON);
    terminal.send_bytes(b"\x1a");
    // The shell takes over and continues the program, which draws itself again.
    let raw = || String::from_utf8_lossy(&terminal.raw_output()).into_owned();
    terminal.wait_until(|| raw().contains("back 14"), SOON);
    terminal.wait_for(|screen| screen.alternate_screen() && screen.contents().contains("1 of 3"), SOON);
    assert!(raw().split("back 14").next().unwrap().contains("\u{1b}[?1049l"), "{:?}", raw());
    terminal.send_and_see("Q", "end");
}
