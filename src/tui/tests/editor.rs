//! The editor: keys in, forms, drafts and files out.

use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::changes::{differing, files, notice, on, selected_id};
use super::{Desk, now, stable};
use crate::tui::app::Screen;
use crate::tui::msg::Msg;

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
fn the_editor_looks_as_it_should() {
    for (width, height) in [(120, 36), (80, 24), (40, 12)] {
        let mut desk = on("type:decision session:sess_checkout_rework is:live", width, height);
        desk.type_keys("e");
        desk.press(KeyCode::End);
        desk.type_keys(" And that stands.");
        go_to(&mut desk, "tags");
        desk.press(KeyCode::End);
        desk.type_keys(", a-tag-that-is-much-longer-than-the-limit");
        desk.send(Msg::Keep);
        insta::assert_snapshot!(format!("edit-{width}x{height}"), stable(&desk.screen()));
    }
}

#[test]
fn every_format_has_a_form() {
    for (name, query) in [
        ("memory", "type:learning"),
        ("bmad", "type:finding agent:architect"),
        ("part", "type:gotchas"),
        ("note", "type:note"),
        ("profile", "type:profile"),
    ] {
        let mut desk = on(query, 100, 36);
        desk.type_keys("e");
        assert_eq!(desk.app.screen, Screen::Edit, "{query}: {}", notice(&desk));
        insta::assert_snapshot!(format!("edit-{name}"), stable(&desk.screen()));
    }
}

#[test]
fn a_text_and_tags_are_typed_saved_and_taken_back() {
    let mut desk = on("type:decision session:sess_checkout_rework is:live", 120, 36);
    let before = files(&desk);
    let id = selected_id(&desk);
    desk.type_keys("e");
    desk.send(with(KeyCode::End, KeyModifiers::CONTROL));
    desk.type_keys(" Reviewed.");
    go_to(&mut desk, "tags");
    desk.press(KeyCode::End);
    desk.type_keys(", reviewed");
    assert_eq!(files(&desk), before);
    desk.press(KeyCode::F(2));
    assert_eq!(notice(&desk), format!("saved {id} · u to undo"));
    assert_eq!(desk.app.screen, Screen::Browse);
    let (store, entry) = desk.app.listed.get(desk.app.selected().unwrap());
    let raw = String::from_utf8_lossy(store.raw(entry)).into_owned();
    assert!(raw.contains(" Reviewed.\"") && raw.contains("\"reviewed\"]"), "{raw}");
    desk.type_keys("u");
    assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new());
}
