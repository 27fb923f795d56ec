//! The editor on a real pseudo-terminal, and the files afterwards.

use crate::support;

use std::path::{Path, PathBuf};

use serde_json::json;
use support::terminal::{Modes, Program, Signal};
use support::{SOON, StoreBuilder, TempStore, Terminal, Tree, assert_untouched, run};

const NOW: &str = "2026-02-01T12:00:00Z";
const LOG: &str = "sessions/s/memory.jsonl";
const SIZES: [(u16, u16); 2] = [(36, 120), (24, 80)];

fn said(id: &str, text: &str, when: &str) -> serde_json::Value {
    json!({"id": id, "type": "conversation", "timestamp": when, "tags": ["pool"],
        "content": {"role": "user", "message": text}})
}

fn two() -> TempStore {
    let one = said("mem_1", "the oldest about pools", "2026-01-01T00:00:00Z");
    let other = said("mem_2", "the newest about tea", "2026-01-30T00:00:00Z");
    StoreBuilder::session_log().session("s").entry(one).entry(other).build()
}

fn open_at(root: &Path, desk: &Path, editor: &Path, (rows, columns): (u16, u16)) -> Terminal {
    let data = desk.join("data");
    let args = [root.to_str().unwrap(), "--now", NOW, "--data-dir", data.to_str().unwrap()];
    let program = Program::new(env!("CARGO_BIN_EXE_palimp"), args).env("EDITOR", editor);
    program.env("TMPDIR", desk).spawn(rows, columns)
}

fn open(store: &TempStore, desk: &Path, editor: &Path, size: (u16, u16)) -> Terminal {
    let terminal = open_at(&store.path, desk, editor, size);
    terminal.wait_for_text("1 of 2", SOON);
    terminal
}

/// Opens the form of the first memory and goes to the end of its text.
fn edit(terminal: &mut Terminal) {
    terminal.send_and_see("e", "▶content.message");
    terminal.send_bytes(b"\x1b[1;5F");
}

fn leave(mut terminal: Terminal) {
    let was = terminal.modes();
    terminal.quit();
    terminal.screen(|screen| {
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
        assert!(!screen.application_cursor() && !screen.application_keypad());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    });
    // The screens read single keys; a shell wants lines, echo, and keys that interrupt.
    assert_eq!((was, terminal.modes()), (Modes::raw(), Modes::cooked()));
}

fn read(store: &TempStore) -> String {
    store.text(LOG)
}

/// Returns the files below a folder with this part in their names.
fn named(folder: &Path, part: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        match item.file_type().unwrap().is_dir() {
            true => found.extend(named(&item.path(), part)),
            false if item.file_name().to_string_lossy().contains(part) => found.push(item.path()),
            false => {}
        }
    }
    found
}

/// Returns every file of a store, except those that palimp checks for late lines for a minute.
fn contents(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = named(root, "");
    files.retain(|path| !path.to_string_lossy().contains(".palimp-"));
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn a_memory_of_the_demo_is_edited_and_the_edit_undone() {
    for size in crate::support::tries::some(SIZES, &[0]) {
        let desk = support::folder::new();
        let demo = desk.path().join("demo");
        crate::support::demo::lay_out(&demo, NOW);
        let root = demo.join("ops/memory");
        let before = contents(&root);
        let mut terminal = open_at(&root, desk.path(), Path::new("false"), size);
        terminal.wait_for_text("memories", SOON);
        terminal.send_and_see("/id:mem_no_retries\r", "1 of 1");
        terminal.send_and_see("e", "▶content.decision");
        terminal.send_bytes(b"\x1b[1;5F");
        terminal.send_and_see("\x1b[200~ Pasted\nin two lines — 接続.\x1b[201~", "in two lines");
        terminal.send_and_see("\x1bOQ", "Saved \"No retries of tests in CI Pasted\" · u to undo");
        let log = std::fs::read_to_string(root.join("sessions/checkout_rework/memory.jsonl")).unwrap();
        assert!(log.contains("No retries of tests in CI Pasted\\nin two lines — 接続."), "{log}");
        terminal.send_and_see("u", "Undid: saved \"No retries of tests in CI Pasted\"");
        leave(terminal);
        assert!(contents(&root) == before);
    }
}

#[test]
fn what_another_program_wrote_meanwhile_is_never_lost() {
    for size in crate::support::tries::some(SIZES, &[1]) {
        let (store, desk) = (two(), support::folder::new());
        let mut terminal = open(&store, desk.path(), Path::new("false"), size);
        edit(&mut terminal);
        terminal.send_and_see(", mine", "mine");
        let theirs = read(&store).replace("the newest about tea", "the newest, theirs");
        store.write(LOG, theirs.as_bytes());
        terminal.wait_for_text("Changed on disk meanwhile", SOON);
        terminal.send_and_see("\x1bOQ", "both sides changed it");
        terminal.send_and_see("b\r", "taken into the form");
        assert_eq!(read(&store), theirs);
        terminal.send_and_see("\x1bOQ", "Saved \"the newest");
        assert!(read(&store).contains("the newest, theirs\\nthe newest about tea, mine"), "{}", read(&store));
        leave(terminal);
    }
}

#[test]
fn what_was_typed_outlives_a_kill_and_a_hang_up_and_goes_once_it_is_saved_or_erased() {
    for (size, signal) in SIZES.into_iter().zip([Signal::KILL, Signal::HUP]) {
        let (store, desk) = (two(), support::folder::new());
        let before = Tree::of(store.around());
        let mut terminal = open(&store, desk.path(), Path::new("false"), size);
        edit(&mut terminal);
        terminal.send_and_see(" and not saved", "draft kept · ✖0");
        terminal.signal(signal);
        terminal.wait_exit(SOON);
        assert_untouched(store.around(), &before);
        let drafts = named(&desk.path().join("data"), "form-");
        assert_eq!(drafts.len(), 1);
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&drafts[0]).unwrap().permissions().mode() & 0o777, 0o600);

        let mut terminal = open(&store, desk.path(), Path::new("false"), size);
        terminal.send_and_see("e", "Enter goes on, x drops it");
        terminal.send_and_see("\r", "the newest about tea and not saved");
        if signal == Signal::KILL {
            terminal.send_and_see("\x1bOQ", "Saved \"the newest");
            assert!(read(&store).contains("tea and not saved"));
            leave(terminal);
        } else {
            terminal.send_and_see("\x1b", "what was typed is kept");
            leave(terminal);
            let data = desk.path().join("data");
            let (root, data) = (store.path.to_str().unwrap(), data.to_str().unwrap());
            run(["erase", "mem_2", "--store", root, "--yes", "--now", NOW, "--data-dir", data])
                .expect_status(0);
        }
        assert_eq!(named(&desk.path().join("data"), "form-"), Vec::<PathBuf>::new());
    }
}

/// Presses Ctrl-c until the editor has ended. Quick signals may count as one, so each waits until
/// the editor has received the one before.
fn interrupt(terminal: &mut Terminal) {
    for number in 1..300 {
        terminal.send_bytes(b"\x03");
        let is_heard = |s: &vt100::Screen| s.contents().matches("HEARD").count() >= number;
        terminal.wait_for(|s| s.alternate_screen() || is_heard(s), SOON);
        if number >= 3 && terminal.screen(|screen| screen.alternate_screen()) {
            return;
        }
    }
}

#[test]
fn whatever_an_editor_does_the_terminal_is_whole_and_nothing_is_left_or_lost() {
    let hangs = "trap 'printf HEARD' INT; printf 'HANGS HERE'; while :; do sleep 1; done";
    let cases = [
        ("exit 1", "ended with"),
        ("stty raw -echo; printf '\\033[?25l\\033[?1000h'; kill -9 $$", "SIGKILL"),
        ("printf '\\377\\376' > \"$1\"", "not UTF-8"),
        (hangs, "SIGKILL"),
        (": > \"$1\"", "taken into the form"),
        ("rm \"$1\"; mkfifo \"$1\"", "not a regular file any more"),
        ("rm \"$1\"; ln -s /etc/passwd \"$1\"", "not a regular file any more"),
        ("printf replaced > \"$1.new\"; mv \"$1.new\" \"$1\"", "taken into the form"),
    ];
    for ((text, expected), size) in cases.iter().flat_map(|case| SIZES.map(|size| (*case, size))) {
        let (store, desk) = (two(), support::folder::new());
        let before = Tree::of(store.around());
        let mut terminal = open(&store, desk.path(), &support::script(desk.path(), "editor", text), size);
        edit(&mut terminal);
        terminal.send_bytes(b"\x05");
        if text == hangs {
            terminal.wait_for(|s| s.contents().contains("HANGS HERE") && !s.alternate_screen(), SOON);
            interrupt(&mut terminal);
        }
        let is_back = |s: &vt100::Screen| {
            let contents = s.contents();
            s.alternate_screen() && (contents.contains(expected) || contents.contains("Ctrl-c once more"))
        };
        terminal.wait_for(is_back, SOON);
        terminal.send_and_see("\x1b", "1 of 2");
        leave(terminal);
        assert_untouched(store.around(), &before);
        let mut left: Vec<String> = std::fs::read_dir(desk.path())
            .unwrap()
            .map(|own| own.unwrap().file_name().into_string().unwrap())
            .collect();
        // The folder for temporary files has the script, and palimp's data if something was kept.
        left.retain(|name| name != "data");
        assert_eq!(left, ["editor"], "{text} at {size:?}");
    }
}

#[test]
fn the_whole_record_goes_through_an_editor_and_what_is_no_record_is_kept() {
    let (store, desk) = (two(), support::folder::new());
    let good = support::script(
        desk.path(),
        "editor",
        "sed -i 's/about tea/about coffee/; s/\"pool\"/\"pool\",\"new\"/' \"$1\"",
    );
    let mut terminal = open(&store, desk.path(), &good, SIZES[0]);
    terminal.send_and_see(":edit json\r", "taken into the form");
    terminal.send_and_see("\x1bOQ", "Saved \"the newest");
    let current = read(&store);
    assert!(current.contains("about coffee") && current.contains("[\"pool\",\"new\"]"), "{current}");
    support::script(desk.path(), "editor", "printf '{\"id\": \"mem_2\", oops' > \"$1\"");
    terminal.send_and_see(":edit json\r", "not a JSON object");
    terminal.wait_for_text("What you wrote is kept", SOON);
    terminal.send_and_see("\x1b", "1 of 2");
    leave(terminal);
    assert_eq!(read(&store), current);
    assert_eq!(named(&desk.path().join("data"), "memory.md").len(), 1);
}

#[test]
fn an_editor_that_leaves_no_text_empties_no_memory() {
    for size in crate::support::tries::some(SIZES, &[0]) {
        let (store, desk) = (two(), support::folder::new());
        let before = Tree::of(store.around());
        let mut terminal =
            open(&store, desk.path(), &support::script(desk.path(), "editor", ": > \"$1\""), size);
        terminal.send_and_see("E", "The editor left no text; nothing was changed");
        leave(terminal);
        assert_untouched(store.around(), &before);
    }
}
