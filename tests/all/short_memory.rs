//! If memory is short, the screens say so and end, or continue. They never panic.

use crate::support::terminal::Program;
use crate::support::{SOON, StoreBuilder};

#[test]
fn the_screens_end_with_a_sentence_where_memory_is_too_short_for_them() {
    let store = StoreBuilder::session_log().session("s").entries(20).build();
    let program = env!("CARGO_BIN_EXE_palimp");
    let mut said = 0;
    for megabytes in (34..=90).step_by(4) {
        let path = store.path.display();
        let line = format!("ulimit -v {}; {program} {path}; echo ended", megabytes * 1024);
        let mut terminal = Program::new("/bin/sh", ["-c", &line]).spawn(24, 100);
        let has = |screen: &vt100::Screen, text: &str| screen.contents().contains(text);
        terminal.wait_for(|screen| has(screen, "ended") || has(screen, "/ search"), SOON);
        while terminal.screen(|screen| !has(screen, "ended")) {
            terminal.send_keys("q");
            terminal.wait_for(|screen| has(screen, "ended") || has(screen, "search"), SOON);
        }
        let text = String::from_utf8_lossy(&terminal.raw_output()).into_owned();
        // Before `main`, the standard library ends the process itself.
        let is_begun = !text.contains("failed to allocate an alternative stack");
        assert!(!(is_begun && text.contains("panicked")), "{megabytes} MB: {text}");
        said += usize::from(text.contains("memory or threads are short"));
        terminal.wait_exit(SOON);
    }
    assert!(said > 0, "it was never too short");
}
