//! A text that the user changes in an external editor.

use super::changes::{files, key, notice, on};
use super::{now, update};
use crate::tui::message::{Effect, Msg};

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
