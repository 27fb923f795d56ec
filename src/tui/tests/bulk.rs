//! Changes of several memories at once: the question, what is left out, what is written.

use std::path::PathBuf;

use crossterm::event::KeyCode;

use super::changes::{differing, files, notice, on, state_of};
use super::marks::{marked, search};
use super::{Desk, selected_title};
use crate::model::{EntryRef, State};
use crate::tui::message::Msg;
use crate::tui::state::app::App;

pub(super) fn question(desk: &Desk) -> String {
    desk.app.confirm.as_ref().map(|confirm| confirm.question.clone()).unwrap_or_default()
}

/// Returns the lines of the plan that waits for a yes.
#[track_caller]
pub(super) fn told(desk: &Desk) -> String {
    let confirm = desk.app.confirm.as_ref().unwrap_or_else(|| panic!("{}", notice(desk)));
    (0..confirm.len()).map(|at| confirm.line(at) + "\n").collect()
}

/// Returns the names of the memories with a tag.
pub(super) fn tagged(desk: &Desk, tag: &str) -> Vec<String> {
    let has = |at: &crate::model::EntryRef| {
        let (store, entry) = desk.app.snapshot.get(*at);
        store.memory(entry).is_some_and(|memory| memory.tags().any(|own| own == tag))
    };
    let mut names: Vec<String> =
        desk.app.snapshot.entries().filter(has).map(|at| App::name_of(&desk.app.snapshot, at)).collect();
    names.sort();
    names
}

#[test]
fn several_are_tagged_once_it_was_shown_and_one_undo_undoes_all_of_it() {
    let mut desk = on("type:decision", 120, 36);
    let before = files(&desk);
    desk.type_keys("  ");
    let own = marked(&desk);
    search(&mut desk, "type:finding is:live");
    desk.type_keys(" ");
    desk.enter("t+reviewed");
    let hidden = format!("2 of them hidden by the filter: {}", {
        let hidden = desk.app.marks.hidden_ones(&desk.app.results.hits);
        let named = |at: &EntryRef| own.contains(&App::name_of(&desk.app.listed_snapshot, *at));
        assert!(hidden.iter().all(named));
        let titles: Vec<String> =
            hidden.iter().map(|at| App::quoted_title(&desk.app.listed_snapshot, *at)).collect();
        titles.join(", ")
    });
    assert_eq!(question(&desk), format!("tag 3 memories +reviewed, {hidden}?"));
    assert_eq!(files(&desk), before);
    desk.enter("xjt ");
    assert!(desk.app.confirm.is_some(), "nothing but y means yes");
    let all = marked(&desk);
    desk.type_keys("y");
    assert_eq!(notice(&desk), "tagged 3 memories · u to undo");
    assert_eq!(tagged(&desk, "reviewed"), all);
    desk.type_keys("u");
    assert_eq!(notice(&desk), "undid: tagged 3 memories · U to redo");
    assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new());
    desk.type_keys("U");
    assert_eq!(tagged(&desk, "reviewed"), all);
}

#[test]
fn what_cannot_be_changed_is_left_out_and_counted_with_the_reason() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("*");
    desk.enter("t+reviewed");
    let confirm = desk.app.confirm.as_ref().unwrap();
    let left = confirm.planned.left_out();
    assert!(left.iter().any(|line| line.contains("agent-memory has no tags.")), "{left:?}");
    let out: usize = confirm.planned.skipped.iter().map(|own| own.which.len()).sum();
    let all = desk.app.marks.count();
    assert_eq!(confirm.planned.records() + out, all, "{left:?}");
    assert!(
        question(&desk).starts_with(&format!("tag {} memories of {all} ", all - out)),
        "{}",
        question(&desk)
    );
    desk.type_keys("y");
    assert!(notice(&desk).contains(&format!("tagged {} memories", all - out)), "{}", notice(&desk));
    assert_eq!(tagged(&desk, "reviewed").len(), all - out);
}

#[test]
fn tab_completes_tags_most_used_first_and_what_goes_from_what_is_there() {
    let mut desk = on("type:decision", 120, 36);
    let most =
        desk.app.tallies.iter().flat_map(|tally| &tally.tags).max_by_key(|own| own.1).unwrap().0.clone();
    desk.type_keys("*t+");
    desk.press(KeyCode::Tab);
    let text = |desk: &Desk| desk.app.prompt.as_ref().unwrap().text();
    assert_eq!(text(&desk), format!("+{most}"));
    desk.press(KeyCode::Tab);
    assert_ne!(text(&desk), format!("+{most}"));
    desk.press(KeyCode::BackTab);
    assert_eq!(text(&desk), format!("+{most}"));
    desk.type_keys(" -zz");
    desk.press(KeyCode::Tab);
    assert_eq!(text(&desk), format!("+{most} -zz"), "no tag of theirs begins so");
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    let own = |desk: &Desk| {
        let (store, entry) = desk.app.listed_snapshot.get(desk.app.selected().unwrap());
        store.memory(entry).unwrap().tags().map(|tag| tag.to_string()).collect::<Vec<_>>()
    };
    while own(&desk).is_empty() {
        desk.type_keys("j");
    }
    desk.type_keys("t-");
    desk.press(KeyCode::Tab);
    assert!(own(&desk).contains(&text(&desk)[1..].to_owned()));
}

#[test]
fn a_tag_is_renamed_everywhere_and_joined_where_the_other_exists() {
    let mut desk = Desk::new(120, 36);
    desk.enter("/type:decision is:live");
    desk.type_keys("  ");
    desk.enter("t+first_name +second_name");
    desk.type_keys("y");
    desk.press(KeyCode::Esc);
    desk.type_keys("jj ");
    desk.enter("t+first_name");
    desk.press(KeyCode::Esc);
    let (own, before) = (tagged(&desk, "first_name"), files(&desk));
    assert_eq!(own.len(), 3);
    // The list does not show these memories, but the new name is for all.
    search(&mut desk, "type:preference");
    desk.enter(":rename tag");
    desk.enter("first_name");
    assert!(notice(&desk).contains("old=new"), "{}", notice(&desk));
    desk.enter("=second_name");
    assert_eq!(question(&desk), "rename a tag of 3 memories first_name → second_name?");
    desk.type_keys("y");
    assert_eq!(tagged(&desk, "first_name"), Vec::<String>::new());
    assert_eq!(tagged(&desk, "second_name"), own);
    for at in desk.app.snapshot.entries() {
        let (store, entry) = desk.app.snapshot.get(at);
        let Some(memory) = store.memory(entry) else { continue };
        let count = memory.tags().filter(|tag| *tag == "second_name").count();
        assert!(count < 2, "{}", App::name_of(&desk.app.snapshot, at));
    }
    desk.type_keys("u");
    assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new());
}

#[test]
fn several_are_pinned_and_once_all_are_no_longer() {
    let mut desk = on("type:decision is:live", 120, 36);
    let before = tagged(&desk, "pinned");
    desk.type_keys("  p");
    assert!(question(&desk).contains("+pinned"), "{}", question(&desk));
    desk.type_keys("y");
    let own = marked(&desk);
    assert!(own.iter().all(|name| tagged(&desk, "pinned").contains(name)));
    desk.type_keys("p");
    assert!(question(&desk).contains("-pinned"), "{}", question(&desk));
    desk.type_keys("y");
    assert_eq!(
        tagged(&desk, "pinned"),
        before.into_iter().filter(|name| !own.contains(name)).collect::<Vec<_>>()
    );
}

#[test]
fn a_type_or_a_category_is_set_where_it_is_a_field_and_refused_elsewhere() {
    let mut desk = on("type:learning is:live", 120, 36);
    desk.type_keys("  ");
    desk.enter(":category⏎testing");
    assert_eq!(question(&desk), "set the category of 2 memories to testing?");
    desk.type_keys("y");
    for at in desk.app.marks.list() {
        let (store, entry) = desk.app.listed_snapshot.get(at);
        assert_eq!(store.memory(entry).unwrap().topic(), Some("testing"));
    }
    let before = files(&desk);
    desk.enter(":type");
    assert!(notice(&desk).contains("ts type is not a field here"), "{}", notice(&desk));
    assert!(desk.app.prompt.is_none());
    assert_eq!(files(&desk), before);
}

#[test]
fn erasing_takes_the_words_and_shows_the_receipt() {
    let mut desk = on("session:checkout_rework is:live", 120, 36);
    let before = files(&desk);
    desk.type_keys("  ");
    let own = marked(&desk);
    let texts: Vec<String> = desk
        .app
        .marks
        .list()
        .iter()
        .map(|at| {
            let (store, entry) = desk.app.listed_snapshot.get(*at);
            crate::format::text_of(store, entry).text.into_raw()
        })
        .collect();
    desk.type_keys("de");
    assert_eq!(question(&desk), "erase 2 memories?");
    desk.enter("y");
    desk.press(KeyCode::Backspace);
    desk.enter("erase 3");
    desk.send(Msg::Paste("erase 2".into()));
    desk.press(KeyCode::Enter);
    assert!(desk.app.confirm.is_some());
    assert_eq!(files(&desk), before);
    desk.press(KeyCode::Backspace);
    desk.type_and_see("2", &["Enter erases"]);
    desk.press(KeyCode::Enter);
    assert!(desk.screen().contains("none has it"), "{}", desk.screen());
    let receipt = desk.app.changes.receipt.clone().unwrap();
    assert!(receipt.iter().any(|line| line.starts_with("receipt: ")), "{receipt:?}");
    assert!(own.iter().all(|id| state_of(&desk, id) != Some(State::Live)));
    let all = files(&desk);
    for text in texts.iter().filter(|text| text.len() > 12) {
        let held = all.iter().any(|(_, bytes)| memchr::memmem::find(bytes, text.as_bytes()).is_some());
        assert!(!held, "{text} is still there");
    }
    desk.press(KeyCode::Enter);
    assert!(desk.app.changes.receipt.is_none());
    desk.type_keys("u");
    assert_eq!(files(&desk), all);
}

#[test]
fn a_dot_does_the_last_change_again_to_what_is_meant_now() {
    let mut desk = on("type:decision is:live", 120, 36);
    desk.type_keys(":repeat⏎");
    assert!(notice(&desk).contains("nothing was changed yet"), "{}", notice(&desk));
    desk.enter("t+seen");
    desk.type_keys("j:repeat⏎");
    assert_eq!(notice(&desk), format!("tagged {} · u to undo", selected_title(&desk)));
    desk.type_keys("j  :repeat⏎");
    assert!(question(&desk).starts_with("tag 2 memories +seen"), "{}", question(&desk));
    desk.type_keys("y");
    assert_eq!(tagged(&desk, "seen").len(), 4);
    // Repeating a deletion needs the menu or a yes.
    desk.press(KeyCode::Esc);
    desk.type_keys("dx");
    assert!(notice(&desk).starts_with("deleted"));
    desk.type_keys(":repeat⏎");
    assert!(question(&desk).starts_with("delete "), "{} {}", question(&desk), notice(&desk));
}
