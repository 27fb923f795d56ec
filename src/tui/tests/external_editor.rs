//! A text that the user changes in an external editor.

use super::changes::{files, key, notice, on};
use super::now;
use crate::tui::message::{Effect, Msg};
use crate::tui::update::update;

#[test]
fn a_text_comes_back_from_the_editor_changed_unchanged_or_not_at_all() {
    let mut desk = on("session:checkout_rework type:decision is:live", 120, 36);
    let before = files(&desk);
    let mut aim = || {
        let mut effects = update(&mut desk.app, key('E'), now());
        match effects.pop() {
            Some(Effect::EditText(aim)) => aim,
            _ => panic!("E opens the editor: {:?}", desk.app.notice),
        }
    };
    let (same, failed, other) = (aim(), aim(), aim());
    desk.send(Msg::TextEdited(same, "as it was".into(), Ok("as it was".into())));
    assert!(notice(&desk).contains("nothing was changed"));
    desk.send(Msg::TextEdited(
        failed,
        "as it was".into(),
        Err("vi ended with 1. Nothing was changed.".into()),
    ));
    assert_eq!(notice(&desk), "vi ended with 1. Nothing was changed.");
    assert_eq!(files(&desk), before);
    let id = other.name.clone();
    desk.send(Msg::TextEdited(other, "as it was".into(), Ok("another text altogether".into())));
    assert_eq!(notice(&desk), format!("saved {id} · u to undo"));
    assert!(desk.screen().contains("another text altogether"), "{}", desk.screen());
}

#[test]
fn a_text_that_is_refused_is_kept_and_the_whole_refusal_is_told() {
    let mut desk = on("session:checkout_rework type:decision is:live", 80, 24);
    let before = files(&desk);
    let Some(Effect::EditText(aim)) = update(&mut desk.app, key('E'), now()).pop() else { panic!() };
    let long = "far too long ".repeat(400_000);
    desk.send(Msg::TextEdited(aim, String::new(), Ok(long.clone())));
    let told = notice(&desk).to_owned();
    assert!(told.contains("Nothing was changed. What you wrote is kept in "), "{told}");
    let (_, draft) = told.rsplit_once("kept in ").unwrap();
    assert_eq!(std::fs::read_to_string(draft.trim_end_matches('.')).unwrap(), long);
    assert_eq!(files(&desk), before);
    let shown: String = desk.screen().lines().map(str::trim).collect::<Vec<_>>().concat().replace(' ', "");
    assert!(shown.contains(&told.replace(' ', "")), "{}", desk.screen());
}
