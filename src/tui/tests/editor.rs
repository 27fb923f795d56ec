//! The editor: forms, drafts and files.

use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::changes::{differing, files, notice, on};
use super::marks::search;
use super::{Desk, Happening, now, stable, update};
use crate::tui::message::Msg;
use crate::tui::state::app::Screen;
use crate::tui::view::view;

fn with(code: KeyCode, modifiers: KeyModifiers) -> Msg {
    Msg::Key(KeyEvent::new(code, modifiers))
}

fn alt(c: char) -> Msg {
    with(KeyCode::Char(c), KeyModifiers::ALT)
}

fn control(c: char) -> Msg {
    with(KeyCode::Char(c), KeyModifiers::CONTROL)
}

fn go_to(desk: &mut Desk, name: &str) {
    let at = desk.app.editor.as_ref().unwrap().form.find(name).unwrap_or_else(|| panic!("no field {name}"));
    desk.app.editor.as_mut().unwrap().field = at;
    desk.send(Msg::Tick);
}

fn value(desk: &Desk, name: &str) -> String {
    let editor = desk.app.editor.as_ref().unwrap();
    editor.texts[editor.form.find(name).unwrap()].as_str().to_owned()
}

#[test]
fn every_format_has_a_form() {
    let mut desk = Desk::new(100, 36);
    for (name, query) in [
        ("memory", "type:learning"),
        ("bmad", "type:finding agent:architect"),
        ("part", "type:gotchas"),
        ("note", "type:note"),
        ("profile", "type:profile"),
    ] {
        desk.restart(100, 36);
        search(&mut desk, query);
        desk.type_keys("e");
        assert_eq!(desk.app.screen, Screen::Editor, "{query}: {}", notice(&desk));
        insta::assert_snapshot!(format!("edit-{name}"), stable(&desk.screen()));
    }
}

#[test]
fn what_check_says_of_a_memory_is_in_its_form_until_the_text_has_it_no_more() {
    let files = [
        (".serena/project.yml", "project_name: till\n"),
        (".serena/memories/texts.md", "# Texts\n\nThe texts are in `src/texts.rs`.\n"),
        ("src/main.rs", "fn main() {}\n"),
    ];
    let mut desk = Desk::of_files(&files, (100, 30));
    desk.type_keys("e");
    let screen = desk.screen();
    assert!(screen.contains("stale-claim") && !screen.contains("`check` finds this clean"), "{screen}");
    desk.send(with(KeyCode::End, KeyModifiers::CONTROL));
    desk.type_and_see("more", &["stale-claim"]);
    desk.send(control('u'));
    while value(&desk, "text").contains("src/texts.rs") {
        desk.press(KeyCode::Backspace);
    }
    assert!(!desk.screen().contains("stale-claim"), "{}", desk.screen());
}

/// Changes the memory on disk, as another program does.
fn meanwhile(desk: &mut Desk, from: &str, to: &str) {
    let file = desk.file();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from}");
    std::fs::write(&file, text.replacen(from, to, 1)).unwrap();
    desk.send(Msg::StoresChanged);
}

#[test]
fn what_was_typed_is_found_again_and_dropped_once_it_is_saved() {
    let mut desk = on("type:decision session:checkout_rework is:live", 100, 30);
    let before = files(&desk);
    desk.type_keys("e");
    desk.send(with(KeyCode::End, KeyModifiers::CONTROL));
    desk.type_keys(" Not done yet.");
    desk.press(KeyCode::Esc);
    assert!(notice(&desk).contains("what was typed is kept"), "{}", notice(&desk));
    assert_eq!(files(&desk), before);
    desk.type_keys("e");
    assert!(desk.screen().contains("draft of 2026-02-01 12:00: Enter goes on, x drops it"));
    desk.type_keys("not typed into the form yet");
    assert!(notice(&desk).contains("Enter goes on with it, x drops it"), "{}", notice(&desk));
    desk.enter("");
    assert!(value(&desk, "content.decision").ends_with(" Not done yet."));
    desk.press(KeyCode::F(2));
    assert!(notice(&desk).starts_with("saved"), "{}", notice(&desk));
    desk.type_keys("e");
    assert!(desk.app.editor.as_ref().unwrap().found_draft.is_none());
    desk.type_keys("x");
    desk.press(KeyCode::Esc);
    desk.type_keys("ex");
    assert_eq!(notice(&desk), "The draft is dropped.");
    desk.press(KeyCode::Esc);
    desk.type_keys("e");
    assert!(desk.app.editor.as_ref().unwrap().found_draft.is_none());
}

/// Returns a form whose text and tags another program changed, too.
pub(super) fn typed_on_both_sides(width: u16, height: u16) -> Desk {
    let mut desk = on("id:mem_no_retries", width, height);
    desk.type_keys("e");
    desk.send(with(KeyCode::End, KeyModifiers::CONTROL));
    desk.type_keys(", mine");
    go_to(&mut desk, "tags");
    desk.press(KeyCode::End);
    desk.type_keys(", mine");
    meanwhile(&mut desk, "No retries of tests in CI\"", "Retries, theirs\"");
    assert!(notice(&desk).starts_with("changed on disk meanwhile"), "{}", notice(&desk));
    meanwhile(&mut desk, "[\"ci.flaky\"]", "[\"ci.flaky\",\"theirs\"]");
    desk
}

#[test]
fn a_memory_that_changed_meanwhile_is_told_at_once_and_settled_field_by_field() {
    let mut desk = typed_on_both_sides(120, 36);
    let on_disk = std::fs::read(desk.file()).unwrap();
    desk.press(KeyCode::F(2));
    insta::assert_snapshot!("conflict-120x36", stable(&desk.screen()));
    assert_eq!(std::fs::read(desk.file()).unwrap(), on_disk);
    desk.type_keys("b");
    desk.enter("jb");
    assert_eq!(value(&desk, "content.decision"), "Retries, theirs\nNo retries of tests in CI, mine");
    assert_eq!(value(&desk, "tags"), "ci.flaky, theirs, mine");
    desk.press(KeyCode::F(2));
    assert!(notice(&desk).starts_with("saved \"Retries, theirs\""), "{}", notice(&desk));
    let text = std::fs::read_to_string(desk.file()).unwrap();
    assert!(text.contains("[\"ci.flaky\",\"theirs\",\"mine\"]"));
}

#[test]
fn of_a_conflict_mine_can_become_a_memory_of_its_own() {
    let mut desk = on("id:mem_no_retries", 80, 24);
    let listed = desk.app.snapshot.entries().count();
    desk.type_keys("e");
    desk.send(with(KeyCode::End, KeyModifiers::CONTROL));
    desk.type_keys(", mine");
    meanwhile(&mut desk, "No retries of tests in CI\"", "Retries, theirs\"");
    desk.send(alt('c'));
    insta::assert_snapshot!("conflict-80x24", stable(&desk.screen()));
    let before = files(&desk);
    desk.type_and_see("c", &["becomes a new memory"]);
    assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new(), "nothing is written yet");
    desk.press(KeyCode::F(2));
    assert!(notice(&desk).starts_with("saved as a new memory"), "{}", notice(&desk));
    assert_eq!(desk.app.snapshot.entries().count(), listed + 1);
    let text = std::fs::read_to_string(desk.file()).unwrap();
    assert!(text.contains("Retries, theirs\"") && text.contains("No retries of tests in CI, mine\""));
}

#[test]
fn what_others_change_beside_it_is_no_conflict() {
    let mut desk = on("id:mem_no_retries", 100, 30);
    desk.type_keys("e");
    desk.send(with(KeyCode::End, KeyModifiers::CONTROL));
    desk.type_keys(", mine");
    let file = desk.file();
    let text = std::fs::read_to_string(&file).unwrap();
    let line = "{\"id\":\"mem_late\",\"type\":\"finding\",\"timestamp\":\"2026-02-01T00:00:00Z\",\"content\":\"x\"}\n";
    std::fs::write(&file, format!("{line}{text}")).unwrap();
    desk.send(Msg::StoresChanged);
    assert!(desk.app.editor.as_ref().unwrap().theirs.is_none());
    desk.press(KeyCode::F(2));
    assert!(notice(&desk).starts_with("saved"), "{}", notice(&desk));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with(line) && text.contains("No retries of tests in CI, mine"));
}

#[test]
fn errors_are_not_saved_warnings_are_after_they_were_shown_and_a_key_fixes_both() {
    let mut desk = on("id:mem_no_retries", 120, 36);
    let before = files(&desk);
    desk.type_keys("e");
    go_to(&mut desk, "timestamp");
    desk.send(control('u'));
    desk.send(with(KeyCode::End, KeyModifiers::NONE));
    desk.send(control('u'));
    desk.type_keys("someday");
    desk.press(KeyCode::F(2));
    assert!(notice(&desk).contains("bad-timestamp"), "{}", notice(&desk));
    desk.send(alt('f'));
    assert!(value(&desk, "timestamp").starts_with("2026-01-"));
    desk.press(KeyCode::End);
    desk.send(control('u'));
    desk.type_keys("2026-01-11T10:10:00");
    desk.press(KeyCode::F(2));
    assert!(notice(&desk).contains("once more saves it all the same"), "{}", notice(&desk));
    assert_eq!(files(&desk), before);
    desk.send(alt('f'));
    assert_eq!(value(&desk, "timestamp"), "2026-01-11T10:10:00Z");
    desk.send(alt('u'));
    desk.press(KeyCode::F(2));
    desk.press(KeyCode::F(2));
    assert!(notice(&desk).starts_with("saved"), "{}", notice(&desk));
    let raw = std::fs::read_to_string(desk.file()).unwrap();
    assert!(raw.contains("\"2026-01-11T10:10:00\""));
}

#[test]
fn a_link_is_completed_from_the_notes_of_the_store() {
    let mut desk = on("type:note", 100, 30);
    desk.type_keys("e");
    desk.send(with(KeyCode::End, KeyModifiers::CONTROL));
    desk.type_keys("See [[retries");
    desk.press(KeyCode::Tab);
    assert!(value(&desk, "text").ends_with("See [[retries-with-jitter]]"), "{}", value(&desk, "text"));
}

#[test]
fn a_secret_is_masked_while_it_is_edited() {
    let mut desk = on("is:sensitive is:live session:checkout_rework", 100, 30);
    desk.type_and_see("e", &["•••••••"]);
    desk.send(alt('x'));
    assert!(!desk.screen().contains("•••••••"), "{}", desk.screen());
}

/// Returns any event that neither saves nor quits.
fn happening() -> impl Strategy<Value = Happening> {
    let code = prop_oneof![
        6 => any::<char>().prop_map(KeyCode::Char),
        6 => proptest::sample::select("abc [],\"{}x接 ".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
        8 => proptest::sample::select(vec![
            KeyCode::Enter, KeyCode::Tab, KeyCode::BackTab, KeyCode::Backspace, KeyCode::Delete, KeyCode::Up,
            KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End, KeyCode::PageDown,
            KeyCode::PageUp, KeyCode::Esc, KeyCode::F(1),
        ]),
        4 => proptest::sample::select("fnpzucUwukxe".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
    ];
    let modifiers = prop_oneof![
        6 => Just(KeyModifiers::NONE), 1 => Just(KeyModifiers::CONTROL), 2 => Just(KeyModifiers::ALT)
    ];
    let saves = |code: &KeyCode, modifiers: KeyModifiers| {
        matches!(code, KeyCode::Char('s' | 'c' | 'S' | 'C')) && modifiers == KeyModifiers::CONTROL
    };
    prop_oneof![
        30 => (code, modifiers)
            .prop_filter("it saves", move |(code, modifiers)| !saves(code, *modifiers))
            .prop_map(|(code, modifiers)| Happening::Key(KeyEvent::new(code, modifiers))),
        2 => (1..140_u16, 1..50_u16).prop_map(|(width, height)| Happening::Resize(width, height)),
        2 => "(?s).{0,40}".prop_map(Happening::Paste),
        1 => Just(Happening::Keep),
        1 => Just(Happening::Changed),
    ]
}

proptest! {
    #![proptest_config(crate::tries::config(2, 200))]

    /// 200 events a case: 100,000 with `PALIMP_LONG=1`.
    #[test]
    fn any_keys_pastes_and_sizes_in_the_editor_change_no_byte_that_is_not_saved(
        which in 0..5_usize, happenings in proptest::collection::vec(happening(), crate::tries::count(100, 200))
    ) {
        let query = ["id:mem_no_retries", "type:learning", "type:note", "type:gotchas", "type:profile"][which];
        let mut desk = on(query, 100, 30);
        let before = files(&desk);
        for happening in happenings {
            if desk.app.screen != Screen::Editor || desk.app.prompt.is_some() {
                desk.app.prompt = None;
                desk.app.screen = Screen::Memories;
                desk.app.key_sequence.clear();
                desk.type_keys("e");
            }
            desk.send(happening.into());
            desk.screen();
        }
        prop_assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new());
    }
}

/// A megabyte of text needs less than 16 ms from a key to the frame, at the 99th percentile. This prints the
/// time, for one line and for many: `PALIMP_LONG=1 cargo test --release --lib a_megabyte -- --nocapture`
#[test]
fn a_megabyte_of_text_edits_at_under_16_ms_a_key() {
    if !crate::tries::is_long() {
        return eprintln!("skipped: it measures time, with PALIMP_LONG=1 and --release");
    }
    let (size, keys) = if cfg!(debug_assertions) { (1, 12) } else { (10, 1_000) };
    for (name, text) in [
        ("one line of plain text", "use a pool of 20 ".repeat(size * 5_800)),
        ("many lines", "use a pool of 20, 接続プール\n".repeat(size * 2_700)),
        ("one line of other scripts", "接続プールのタイムアウト調査 ".repeat(size * 2_300)),
        ("one word", "x".repeat(size * 100_000)),
        ("one word of other scripts", "接続プールのタイムアウト調査".repeat(size * 2_300)),
        ("pictures and marks", "👩‍💻e\u{301}ﷺ\u{202e}".repeat(size * 5_000)),
    ] {
        let record = serde_json::json!({"id": "mem_1", "session_id": "s", "type": "conversation",
            "timestamp": "2026-01-01T00:00:00Z", "content": {"role": "user", "message": text}});
        let mut desk = Desk::of_log(&format!("{record}\n"), (120, 36));
        desk.type_keys("e");
        assert_eq!(desk.app.screen, Screen::Editor, "{}", notice(&desk));
        let mut terminal = Terminal::new(TestBackend::new(120, 36)).unwrap();
        let (mut times, mut updated) = (Vec::new(), std::time::Duration::ZERO);
        for number in 0..keys {
            let code = match number % 12 {
                0 => KeyCode::Down,
                3 => KeyCode::Backspace,
                6 => KeyCode::PageDown,
                9 => KeyCode::Char(' '),
                _ => KeyCode::Char('x'),
            };
            // The cursor jumps to the end of the text at the keys 250 and 750.
            if number % 500 == 250 {
                desk.app.editor.as_mut().unwrap().texts[0].last();
            }
            let started = std::time::Instant::now();
            // The jobs for the workers are not run: they run at the same time.
            let _effects = update(&mut desk.app, with(code, KeyModifiers::NONE), now());
            updated += started.elapsed();
            terminal.draw(|frame| view(&desk.app, frame)).unwrap();
            times.push(started.elapsed());
        }
        times.sort();
        let worst = times[times.len() * 99 / 100];
        let started = std::time::Instant::now();
        desk.type_keys("y");
        let judged = started.elapsed();
        let (median, update) = (times[times.len() / 2], updated / keys);
        println!(
            "{name}: median {median:?}, 99th {worst:?}; of it the update {update:?}; judged in {judged:?}"
        );
        assert!(cfg!(debug_assertions) || worst.as_millis() < 16, "{name}: {worst:?}");
    }
}
