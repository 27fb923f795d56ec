//! The demo with untrusted text in its memories, tags and names of sessions.

use std::path::Path;

use super::every_view::{VIEWS, go};
use super::*;
use crate::tui::linear;

/// Characters that terminals don't show as text, between letters.
const UNSAFE: &str = "ju\u{202e}qa\u{1b}zu\u{2028}xo\u{2029}ke\u{85}wy\u{200b}vi\u{e0041}";
/// The letters of that text, as they would be if the characters between them were passed on or left out.
const LEFT_OUT: [&str; 9] = ["juqa", "qazu", "zuxo", "zu xo", "xoke", "xo ke", "kewy", "ke wy", "wyvi"];

impl Desk {
    /// Returns the demo with `text` for each "the", and in tags, agents and the name of a session.
    pub(super) fn with(text: &str, (width, height): (u16, u16)) -> Desk {
        let folder = crate::folder::new();
        demo::lay_out(folder.path(), now());
        put_into(folder.path(), text);
        let sessions = folder.path().join("ops/memory/sessions");
        std::fs::rename(sessions.join("ci_cleanup"), sessions.join(format!("ci_{text}"))).unwrap();
        Desk::of(folder, width, height)
    }
}

fn put_into(folder: &Path, text: &str) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            put_into(&path, text);
        } else if let Ok(content) = std::fs::read_to_string(&path) {
            let own =
                if path.extension().is_some_and(|end| end == "md") { text.to_owned() } else { quoted(text) };
            let content = content
                .replace(" the ", &format!(" {own} "))
                .replace("\"tags\":[\"", &format!("\"tags\":[\"{own}\",\""))
                .replace("\"made_by\":\"", &format!("\"made_by\":\"{own} "))
                .replace("The ", &format!("{own} "));
            std::fs::write(&path, content).unwrap();
        }
    }
}

fn quoted(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Returns all views. The short form of the test takes every third view.
pub(super) fn some_views() -> impl Iterator<Item = (&'static str, &'static str)> {
    VIEWS.into_iter().step_by(if crate::tries::is_long() { 1 } else { 3 })
}

/// Finds forbidden text on a screen, or in lines for a screen reader.
fn raw(shown: &str) -> Option<String> {
    let raw = |c: &char| {
        c.is_control() && !matches!(c, '\n' | '\r')
            || "\u{202e}\u{2028}\u{2029}\u{200b}\u{e0041}".contains(*c)
    };
    let line = |line: &&str| line.chars().any(|c| raw(&c)) || LEFT_OUT.iter().any(|own| line.contains(own));
    shown.lines().find(line).map(|line| line.escape_debug().to_string())
}

#[test]
fn no_view_sends_a_character_of_which_terminals_make_what_they_like_nor_leaves_it_out() {
    let mut desk = Desk::with(UNSAFE, (120, 36));
    for (name, keys) in some_views() {
        for size in [(120, 36), (80, 24), (200, 50)] {
            desk.send(Msg::Resize(size.0, size.1));
            assert_eq!(raw(&desk.screen()), None, "{name} {size:?}");
        }
        desk.send(Msg::Resize(120, 36));
        go(&mut desk, keys);
        assert_eq!(raw(&desk.screen()), None, "{name}");
        (0..4).for_each(|_| desk.press(KeyCode::Esc));
    }
}

#[test]
fn the_line_that_matched_is_as_safe_as_what_else_is_shown() {
    let mut desk = Desk::with(UNSAFE, (120, 36));
    for keys in ["/ju", "/qa", "/xo OR qa OR vi", "/~zu"] {
        go(&mut desk, &format!("{keys}⏎"));
        assert!(
            desk.app.match_lines.values().any(Option::is_some) && desk.screen().contains("‹U+202E›"),
            "{keys}"
        );
        assert_eq!(raw(&desk.screen()), None, "{keys}: {}", desk.screen());
    }
}

#[test]
fn what_is_typed_or_pasted_is_as_safe_as_what_is_stored() {
    for keys in ["/", ":", "?", "t", "i", "gp/", "gu/", "e", "*tx⏎", "r/", "/type:"] {
        let mut desk = Desk::small(80, 24);
        go(&mut desk, keys);
        desk.send(Msg::Paste(UNSAFE.into()));
        assert_eq!(raw(&desk.screen()), None, "{keys}");
        for c in UNSAFE.chars() {
            desk.send(Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
        }
        assert_eq!(raw(&desk.screen()), None, "{keys}");
        desk.press(KeyCode::Enter);
        assert_eq!(raw(&desk.screen()), None, "{keys}");
    }
}

#[test]
fn lines_for_a_screen_reader_are_as_safe_as_screens_and_so_are_the_keys_that_they_echo() {
    let mut desk = Desk::with(UNSAFE, linear::SIZE);
    let mut told = linear::LinearOutput::default();
    for (name, keys) in some_views() {
        go(&mut desk, keys);
        assert_eq!(raw(&linear::new_output(&desk.app, &mut told)), None, "{name}");
        (0..4).for_each(|_| desk.press(KeyCode::Esc));
    }
    for c in UNSAFE.chars() {
        let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        assert_eq!(raw(&linear::echo(&desk.app, key)), None, "{c:?}");
        desk.send(Msg::Key(key));
        assert_eq!(raw(&linear::new_output(&desk.app, &mut told)), None, "{c:?}");
    }
}
