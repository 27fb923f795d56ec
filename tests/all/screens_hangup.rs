//! Terminals that disappear, or stop reading, under the screens.

use crate::support;

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use support::{SOON, StoreBuilder, TempStore};

/// A program that can lose its terminal.
struct Bare {
    master: Box<dyn MasterPty + Send>,
    pid: u32,
    ended: Receiver<ExitStatus>,
    seen: Receiver<()>,
    store: TempStore,
}

/// Opens the screens, and stops reading their output once the first line is there.
fn open(controlling: bool) -> Bare {
    open_until(controlling, "false", &["the first line"])
}

/// Like `open`, for several texts: waits for the first, and stops reading at the last.
fn open_until(controlling: bool, editor: &str, texts: &'static [&str]) -> Bare {
    let entry = serde_json::json!({"type": "conversation", "timestamp": "2026-01-01T00:00:00Z",
        "content": {"role": "user", "message": "the first line"}});
    let store = StoreBuilder::session_log().session("s").entry(entry).build();
    let pair = native_pty_system().openpty(size(40)).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_palimp"));
    command.arg(&store.path);
    command.env_clear();
    command.env("HOME", &store.path);
    command.env("TERM", "xterm-256color");
    command.env("EDITOR", editor);
    command.set_controlling_tty(controlling);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let pid = child.process_id().unwrap();
    let mut reader = pair.master.try_clone_reader().unwrap();
    let (drawn, seen) = channel();
    thread::spawn(move || {
        for text in texts {
            until_drawn(&mut reader, text);
            let _ = drawn.send(());
        }
    });
    seen.recv_timeout(SOON).expect("the first screen");
    let (tell, ended) = channel();
    thread::spawn(move || tell.send(child.wait().unwrap()));
    Bare { master: pair.master, pid, ended, seen, store }
}

fn size(rows: u16) -> PtySize {
    PtySize { rows, cols: 140, pixel_width: 0, pixel_height: 0 }
}

fn until_drawn(reader: &mut impl Read, text: &str) {
    let mut raw = Vec::new();
    let mut block = [0; 4096];
    while !String::from_utf8_lossy(&raw).contains(text) {
        match reader.read(&mut block) {
            Ok(count @ 1..) => raw.extend_from_slice(&block[..count]),
            _ => return,
        }
    }
}

impl Bare {
    /// Returns how many bytes the program has written to any file.
    fn written(&self) -> u64 {
        let io = std::fs::read_to_string(format!("/proc/{}/io", self.pid)).unwrap_or_default();
        let count = io.lines().find_map(|line| line.strip_prefix("wchar: "));
        count.and_then(|count| count.parse().ok()).unwrap_or_default()
    }

    /// Makes it draw frames until the terminal accepts no more.
    fn fill(&self) {
        let end = Instant::now() + SOON;
        let mut still = 0;
        for round in 0.. {
            let before = self.written();
            self.master.resize(size(30 + round % 20)).unwrap();
            let _ = self.ended.recv_timeout(Duration::from_millis(40));
            still = if self.written() == before { still + 1 } else { 0 };
            if still == 20 {
                return;
            }
            assert!(Instant::now() < end, "the terminal takes everything");
        }
    }
}

#[test]
fn a_terminal_that_is_closed_ends_the_screens_like_a_hang_up() {
    for controlling in [true, false] {
        let bare = open(controlling);
        drop(bare.master);
        let status = bare.ended.recv_timeout(SOON).expect("the program ends");
        assert_eq!((status.exit_code(), status.signal()), (129, None), "controlling: {controlling}");
        drop(bare.store);
    }
}

#[test]
fn a_terminal_that_is_closed_while_an_editor_has_it_is_a_hang_up_too() {
    let desk = crate::support::folder::new();
    let text = "trap '' HUP\nprintf 'EDITOR RUNS'\nwhile :; do sleep 1; done";
    let editor = support::script(desk.path(), "editor", text);
    for controlling in [true, false] {
        let bare = open_until(controlling, editor.to_str().unwrap(), &["used", "EDITOR RUNS"]);
        let mut keys = bare.master.take_writer().unwrap();
        keys.write_all(b"E").unwrap();
        bare.seen.recv_timeout(SOON).expect("the editor runs");
        drop((keys, bare.master));
        let status = bare.ended.recv_timeout(SOON).expect("the program ends");
        assert_eq!((status.exit_code(), status.signal()), (129, None), "controlling: {controlling}");
        drop(bare.store);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_takes_no_more_output_keeps_nobody_from_ending_the_program() {
    let bare = open(true);
    bare.fill();
    kill_process(Pid::from_raw(bare.pid as i32).unwrap(), Signal::TERM).unwrap();
    let status = bare.ended.recv_timeout(SOON).expect("the program ends");
    assert_eq!(status.exit_code(), 143);
}
