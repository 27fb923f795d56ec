//! The settings of the screens, from a file.

use std::path::PathBuf;

use crate::support::terminal::Program;
use crate::support::{SOON, run};

fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = crate::support::folder::new();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, text).unwrap();
    (folder, file)
}

#[test]
fn settings_that_are_printed_are_settings_again() {
    let (_folder, own) = file("theme = \"light\"\n[keys]\narchive = [\"F9\", \"Ctrl-t\"]\n");
    let printed = run(["--config", own.to_str().unwrap(), "--print-config"]).expect_status(0);
    assert!(
        printed.stdout.contains("theme = \"light\"")
            && printed.stdout.contains("\"archive\" = [\"F9\", \"Ctrl-t\"]")
    );
    let (_folder, again) = file(&printed.stdout);
    let again = run(["--config", again.to_str().unwrap(), "--print-config"]);
    // The first line names the usual place, which is another in each run.
    let without_place = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_owned());
    assert_eq!(without_place(&again.stdout), without_place(&printed.stdout));
}

#[test]
fn a_wrong_setting_is_told_with_its_line_and_nothing_is_opened() {
    for (text, said) in [
        (
            "ascii = true\nthem = \"dark\"\n",
            ":2: \"them\" is no setting. Did you mean \"theme\"? No store was opened.",
        ),
        ("[keys]\narchive = \"g\"\n", ":2: keys of \"archive\": g can't be pressed alone"),
        ("theme = \"dark\n", ":1: "),
        ("# archive is my key\n[keys]\n\"archive\" = \"g\"\n", ":3: keys of"),
    ] {
        let (_folder, own) = file(text);
        let told = run(["--config", own.to_str().unwrap(), "--demo"]).expect_status(2);
        assert!(told.stderr.contains(said) && told.stdout.is_empty(), "{}", told.stderr);
    }
    run(["--config", "/nowhere/config.toml"]).expect_status(4);
}

#[test]
fn a_key_of_ones_own_does_what_it_is_given_to_and_is_what_the_help_says() {
    let (folder, own) = file("preset = \"arrows\"\n[keys]\nundo = \"F9\"\n");
    let words = ["--config", own.to_str().unwrap(), "--demo", "--now", "2026-02-01T12:00:00Z"];
    let program = Program::new(env!("CARGO_BIN_EXE_palimp"), words).env("TMPDIR", folder.path());
    let mut terminal = program.spawn(36, 120);
    terminal.wait_for_text("1 of 548", SOON);
    terminal.send_and_see("\x1b[B\x1b[B\x1b[B", "4 of 548");
    terminal.send_and_see("t+own\r", "F9 to undo");
    terminal.send_and_see("\x1b[20~", "Undid: tagged");
    terminal.send_and_see("?undo", "F9            undo");
    terminal.send_keys("\x1b");
    terminal.wait_for(|screen| !screen.contents().contains("Help"), SOON);
    terminal.quit();
}
