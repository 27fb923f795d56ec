//! Borders between panes: dragged on a real pseudo-terminal, and kept at the next start.

use crate::support;

use support::terminal::Program;
use support::{Exit, SOON, StoreBuilder, TempStore, Terminal};

fn open(store: &TempStore, more: &[&str]) -> Terminal {
    let data = store.around().join("data");
    let (stores, data) = (store.path.to_str().unwrap(), data.to_str().unwrap());
    let words = [&[stores, "--now", "2026-02-01T12:00:00Z", "--data-dir", data], more].concat();
    let terminal = Program::new(env!("CARGO_BIN_EXE_palimp"), words).spawn(36, 120);
    terminal.wait_for_text("1 of 30", SOON);
    terminal
}

/// True if the line at the left of the list is in that column of every row.
fn has_line(screen: &vt100::Screen, column: u16) -> bool {
    (4..30).all(|row| screen.cell(row, column).is_some_and(|cell| cell.contents() == "│"))
}

/// Mouse columns and rows count from 1.
fn mouse(button: u8, column: u16, end: char) -> String {
    format!("\x1b[<{button};{};11{end}", column + 1)
}

fn leave(mut terminal: Terminal) {
    terminal.send_keys("Q");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0));
}

#[test]
fn a_border_that_was_dragged_is_where_it_was_let_go_at_the_next_start() {
    let store = StoreBuilder::session_log().session("s").entries(30).build();
    let kept = store.around().join("data/layout.json");
    let mut terminal = open(&store, &[]);
    terminal.wait_for(|screen| has_line(screen, 22), SOON);
    terminal.send_keys(&(mouse(0, 22, 'M') + &mouse(32, 25, 'M') + &mouse(32, 29, 'M')));
    terminal.wait_for(|screen| has_line(screen, 29), SOON);
    terminal.send_keys(&mouse(0, 29, 'm'));
    leave(terminal);
    assert!(kept.exists());
    let mut terminal = open(&store, &["--readonly"]);
    terminal.wait_for(|screen| has_line(screen, 29), SOON);
    terminal.send_keys("z=");
    terminal.wait_for(|screen| has_line(screen, 22), SOON);
    leave(terminal);
    let terminal = open(&store, &[]);
    terminal.wait_for(|screen| has_line(screen, 29), SOON);
    leave(terminal);
    std::fs::write(&kept, "{\"borders\": {\"sides\": \"wide\"").unwrap();
    let terminal = open(&store, &[]);
    terminal.wait_for(|screen| has_line(screen, 22), SOON);
    leave(terminal);
}
