//! No key is lost, however many come at once. The terminal is restored, whatever ends the screens.

use crate::support;

use support::terminal::{Modes, Program, Signal};
use support::tries::count;
use support::{Exit, SOON, StoreBuilder, TempStore, Terminal};

const NOW: &str = "2026-02-01T12:00:00Z";
const COUNT: u32 = 200;

fn store() -> TempStore {
    StoreBuilder::session_log().session("s").entries(COUNT).build()
}

fn palimp(store: &TempStore, editor: &str) -> Program {
    let data = store.around().join("data");
    let args =
        [store.path.as_os_str(), "--now".as_ref(), NOW.as_ref(), "--data-dir".as_ref(), data.as_os_str()];
    Program::new(env!("CARGO_BIN_EXE_palimp"), args).env("EDITOR", editor)
}

fn wait_for_place(terminal: &Terminal, place: u32) {
    terminal.wait_for_text(&format!(" {place} of {COUNT}"), SOON);
}

/// Moves that end `rounds` below the first memory if no key is lost. Each round goes to the last
/// memory but one, and all but one step back.
fn moves(rounds: u32) -> String {
    let down = COUNT as usize - 1 - rounds as usize;
    let round = "j".repeat(down) + &"k".repeat(down - 1);
    round.repeat(rounds as usize)
}

/// Sends rounds of keys in one write, resizes the terminal at the same time, and sees that no key is lost.
fn flood(terminal: &mut Terminal, rounds: u32) {
    terminal.send_keys("gg");
    wait_for_place(terminal, 1);
    let sent = terminal.send_in_background(moves(rounds).into_bytes());
    for round in 0..10 {
        terminal.resize(20 + round % 17, 70 + round % 70);
    }
    sent.recv_timeout(SOON).expect("the terminal takes all keys");
    wait_for_place(terminal, 1 + rounds);
}

#[test]
fn more_keys_than_a_terminal_holds_are_all_heard_with_resizes_between() {
    let store = store();
    let mut terminal = palimp(&store, "false").spawn(24, 80);
    wait_for_place(&terminal, 1);
    for _ in 0..count(1, 100) {
        flood(&mut terminal, 40);
    }
    terminal.quit();
}

#[test]
fn keys_are_heard_after_the_program_was_stopped_by_itself_or_from_outside() {
    let store = store();
    let run = format!("{} {} --now {NOW}", env!("CARGO_BIN_EXE_palimp"), store.path.display());
    let script = format!("set -m; {run}; stty sane; fg; stty sane; fg; echo end");
    let mut terminal = Program::new("/bin/bash", ["--norc", "-c", &script]).spawn(24, 80);
    wait_for_place(&terminal, 1);
    for signal in [None, Some(Signal::STOP)] {
        let seen = terminal.raw_len();
        match signal {
            None => terminal.send_bytes(b"\x1a"),
            Some(signal) => support::terminal::signal(terminal.child(), signal),
        }
        // It is drawn again, on the alternate screen and with raw keys.
        terminal.wait_for(|screen| screen.alternate_screen() && screen.contents().contains("▶"), SOON);
        terminal.wait_until(|| terminal.raw_len() > seen && terminal.modes() == Modes::raw(), SOON);
        terminal.send_keys("ggj");
        wait_for_place(&terminal, 2);
        flood(&mut terminal, count(3, 40));
    }
    terminal.send_and_see("Q", "end");
}

#[test]
fn a_long_paste_is_text_wherever_it_is_cut() {
    let store = store();
    let mut terminal = palimp(&store, "false").spawn(24, 80);
    wait_for_place(&terminal, 1);
    terminal.send_keys("/");
    let paste = format!("\x1b[200~{}\x1b[201~ OR 1199", "entry q x d ".repeat(500));
    let sent = terminal.send_in_background(paste.into_bytes());
    sent.recv_timeout(SOON).expect("the terminal takes all of it");
    terminal.wait_for_text("OR 1199", SOON);
}

/// The terminal is as a shell needs it.
fn assert_whole(terminal: &Terminal, signal: impl std::fmt::Debug) {
    terminal.screen(|screen| {
        assert!(
            !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste(),
            "{signal:?}"
        );
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "{signal:?}");
    });
    assert_eq!(terminal.modes(), Modes::cooked(), "{signal:?}");
}

#[test]
fn the_terminal_is_whole_after_every_signal_that_ends_the_program() {
    let store = StoreBuilder::session_log().session("s").entries(2).build();
    let orderly = [
        Signal::TERM,
        Signal::HUP,
        Signal::INT,
        Signal::QUIT,
        Signal::USR1,
        Signal::USR2,
        Signal::ALARM,
        Signal::VTALARM,
        Signal::PROF,
        Signal::XCPU,
        Signal::IO,
        Signal::POWER,
        Signal::STKFLT,
    ];
    for signal in orderly {
        let terminal = palimp(&store, "false").spawn(24, 80);
        terminal.wait_for_text("1 of 2", SOON);
        terminal.signal(signal);
        assert_eq!(terminal.wait_exit(SOON), Exit::Status(128 + signal.as_raw() as u32), "{signal:?}");
        assert_whole(&terminal, signal);
    }
    for signal in [Signal::ABORT, Signal::BUS, Signal::TRAP, Signal::SYS] {
        let terminal = palimp(&store, "false").spawn(24, 80);
        terminal.wait_for_text("1 of 2", SOON);
        terminal.signal(signal);
        assert!(matches!(terminal.wait_exit(SOON), Exit::Signal(_)), "{signal:?}");
        assert_whole(&terminal, signal);
    }
}

#[test]
fn the_terminal_is_whole_after_real_time_signals() {
    let store = StoreBuilder::session_log().session("s").entries(2).build();
    let is_long = crate::support::tries::is_long();
    for number in (34..=64).filter(|number| is_long || [34, 47, 64].contains(number)) {
        let terminal = palimp(&store, "false").spawn(24, 80);
        terminal.wait_for_text("1 of 2", SOON);
        // `Signal` has no names for them.
        let words = [format!("-{number}"), terminal.pid().to_string()];
        assert!(std::process::Command::new("kill").args(words).status().unwrap().success());
        assert_eq!(terminal.wait_exit(SOON), Exit::Status(128 + number), "{number}");
        assert_whole(&terminal, number);
    }
}

#[test]
fn a_file_size_limit_ends_nothing() {
    let store = StoreBuilder::session_log().session("s").entries(2).build();
    let mut terminal = palimp(&store, "false").spawn(24, 80);
    terminal.wait_for_text("1 of 2", SOON);
    terminal.signal(Signal::XFSZ);
    terminal.send_and_see("j", "2 of 2");
}
