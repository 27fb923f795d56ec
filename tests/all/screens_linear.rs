//! Lines instead of screens: output for a screen reader is appended, and never drawn over.

use crate::support::SOON;
use crate::support::terminal::Program;

#[test]
fn lines_are_appended_without_a_control_sequence_and_the_shell_goes_on_below() {
    for (options, term) in crate::support::tries::some([(vec!["--linear"], "xterm"), (vec![], "dumb")], &[1])
    {
        let desk = crate::support::folder::new();
        let words = [vec!["--demo", "--now", "2026-02-01T12:00:00Z"], options].concat();
        let program = Program::new(env!("CARGO_BIN_EXE_palimp"), words);
        let program = program.env("TMPDIR", desk.path()).env("TERM", term);
        let mut terminal = program.spawn(24, 80);
        terminal.wait_for_text("1 of 548.", SOON);
        terminal.send_and_see("j", "2 of 548.");
        terminal.send_and_see("d", "x delete");
        terminal.send_and_see("x", "Deleted \"");
        terminal.send_and_see("u", "Undid: deleted");
        terminal.quit();
        let output = String::from_utf8(terminal.raw_output()).unwrap();
        assert!(!output.contains('\x1b'), "{output}");
    }
}
