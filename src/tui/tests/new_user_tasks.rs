//! Tasks of a new user, only with what is on the screen. The keys are counted.

use std::sync::Arc;

use super::changes::{files, notice};
use super::go_back::{learnings, lost_nine};
use super::*;

/// Types keys that the screen names, and returns their number.
fn typed(desk: &mut Desk, keys: &str) -> usize {
    desk.type_keys(keys);
    keys.chars().count()
}

fn enter(desk: &mut Desk) -> usize {
    desk.press(KeyCode::Enter);
    1
}

#[test]
fn a_topic_is_found_with_two_keys_beside_its_word_and_why_it_is_first_is_one_more() {
    let mut desk = Desk::new(120, 36);
    for size in [(120, 36), (80, 24)] {
        desk.restart(size.0, size.1);
        assert!(desk.screen().contains("/ search"));
        let keys = typed(&mut desk, "/retry key") - "retry key".len() + enter(&mut desk);
        assert!(keys <= 6, "{keys}");
        let first = desk.app.titles[&desk.app.selected().unwrap()].clone();
        assert!(first.contains("retry"), "{first}");
        desk.type_keys("w+");
        let screen = desk.screen();
        assert!(screen.contains(" importance × ") && screen.contains(" match = "), "{screen}");
        assert!(screen.contains("\"retry\" is in decision, title"), "{screen}");
    }
}

#[test]
fn a_torn_line_is_found_and_explained_with_four_keys_at_most() {
    let mut desk = Desk::new(120, 36);
    for size in [(120, 36), (80, 24)] {
        desk.restart(size.0, size.1);
        assert!(desk.screen().contains("g go to"), "{}", desk.screen());
        let mut keys = typed(&mut desk, "gp");
        while !desk.screen().contains("its writer stopped") {
            keys += typed(&mut desk, "j");
            assert!(keys <= 4, "{}", desk.screen());
        }
    }
}

#[test]
fn a_torn_line_is_mended_with_three_keys_that_are_on_the_screen_and_undone_with_one() {
    let mut desk = Desk::new(120, 36);
    let broken = |desk: &Desk| -> usize { desk.app.tallies.iter().map(|own| own.broken).sum() };
    let before = (files(&desk), broken(&desk));
    assert!(desk.screen().contains("Alt-f fix errors"), "{}", desk.screen());
    super::problems::fix(&mut desk);
    let screen = desk.screen();
    assert!(screen.contains("Alt-f fix") && screen.contains("›1 keep what can be read"), "{screen}");
    super::problems::fix(&mut desk);
    assert!(desk.screen().contains("y do it"), "{}", desk.screen());
    typed(&mut desk, "y");
    assert_eq!(broken(&desk), before.1 - 1, "{}", desk.screen());
    typed(&mut desk, "u");
    assert_eq!(super::changes::differing(&before.0, &files(&desk)), Vec::<std::path::PathBuf>::new());
}

#[test]
fn everything_about_a_topic_of_last_month_is_deleted_and_undone() {
    let mut desk = Desk::new(120, 36);
    let before = files(&desk);
    typed(&mut desk, "/retry since:-30d is:live");
    enter(&mut desk);
    let count = desk.app.results.hits.len();
    assert!(count >= 2, "{count}");
    typed(&mut desk, "*dx");
    desk.agree();
    assert!(notice(&desk).starts_with("deleted "), "{}", notice(&desk));
    typed(&mut desk, "u");
    assert_eq!(super::changes::differing(&before, &files(&desk)), Vec::<std::path::PathBuf>::new());
}

#[test]
fn what_is_shown_is_exported_and_no_file_is_replaced() {
    let mut desk = Desk::new(120, 36);
    typed(&mut desk, "/retry is:live");
    enter(&mut desk);
    let file = desk._folder.path().join("retries.md");
    for told in ["Exported ", "Nothing was exported"] {
        typed(&mut desk, ":export");
        enter(&mut desk);
        typed(&mut desk, file.to_str().unwrap());
        enter(&mut desk);
        assert!(notice(&desk).contains(told), "{}", notice(&desk));
    }
    assert!(std::fs::read_to_string(file).unwrap().contains("retry"));
}

#[test]
fn all_secrets_are_two_keys_away_and_stay_masked() {
    let mut desk = Desk::new(120, 36);
    assert_eq!(typed(&mut desk, "gx"), 2);
    assert!(desk.app.list_view.list.len() > 12, "{}", desk.screen());
    assert!(desk.screen().contains("••••••"), "{}", desk.screen());
}

#[test]
fn the_palette_finds_actions_by_what_people_call_them() {
    let mut desk = Desk::small(100, 30);
    for (word, name) in [
        ("export", "export"),
        ("repair", "problems"),
        ("secrets", "secrets"),
        ("undelete", "delete"),
        ("inbox", "new"),
        ("history", "journal"),
        ("sort", "order"),
        ("erase", "delete"),
        ("forget", "clean-up"),
        ("cleanup", "clean-up"),
        ("GDPR", "secrets"),
        ("privacy", "secrets"),
        ("token", "secrets"),
        ("password", "secrets"),
        ("redact", "secrets"),
        ("verify", "journal"),
    ] {
        typed(&mut desk, &format!(":{word}"));
        let found = desk.app.prompt.as_ref().unwrap().actions();
        assert!(found.iter().take(3).any(|known| known.name == name), "{word}: {}", found[0].name);
        desk.press(KeyCode::Esc);
    }
}

#[test]
fn keys_that_wait_show_what_may_follow_and_each_of_them_does_it() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("g");
    desk.send(Msg::ShowNextKeys);
    let screen = desk.screen();
    assert!(screen.contains("g  go to"), "{screen}");
    for (key, known) in crate::tui::panes::next_keys::following("g") {
        let shown: String = known.name.chars().take(8).collect();
        assert!(screen.contains(&format!("{key} {shown}")), "{key} {}: {screen}", known.name);
    }
    desk.type_keys("q");
    assert!(!desk.screen().contains("g  go to") && desk.app.screen == Screen::Memories);
}

/// Presses the key of a hint. Returns true if anything changed.
fn does_something(desk: &mut Desk, key: &str) -> bool {
    let before = desk.screen();
    // If two keys move in opposite directions, one of them may have no effect at the end.
    let ways: Vec<&str> = match key {
        "jk" => vec!["j", "k"],
        "hl" => vec!["h", "l"],
        "HL" => vec!["H", "L"],
        "↑↓" => vec!["Up", "Down"],
        _ => key.split(' ').collect(),
    };
    ways.iter().any(|way| {
        let events = match crate::tui::key_lookup::parse_key(way) {
            Some(event) => vec![event],
            None => way.chars().map(|c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)).collect(),
        };
        let mut asked = false;
        for event in events {
            let effects = update::update(&mut desk.app, Msg::Key(event), now());
            asked |= !effects.is_empty();
            desk.settle(effects);
        }
        asked || desk.screen() != before
    })
}

#[test]
fn every_hint_that_is_shown_does_something_when_its_key_is_pressed() {
    let more =
        [("low detail", "5"), ("deletes", "  d"), ("a day", "gsh"), ("moved", "j"), ("prompt", "/pool")];
    let views = super::every_view::VIEWS.iter().copied().chain(more);
    let sizes = [(120, 36), (80, 24), (40, 12)];
    let states = views.flat_map(|view| sizes.map(|size| (view, size)));
    let mut idle = Vec::new();
    let mut desk = Desk::new(120, 36);
    for ((name, keys), (width, height)) in states.skip(1).step_by(crate::tries::count(37, 1)) {
        let show = |desk: &mut Desk| {
            desk.restart(width, height);
            super::every_view::go(desk, keys);
        };
        show(&mut desk);
        for (key, what) in crate::tui::panes::hints::of(&desk.app).0 {
            show(&mut desk);
            if !does_something(&mut desk, &key) {
                idle.push(format!("{name} at {width}x{height}: {key} {what}"));
            }
        }
    }
    assert!(idle.is_empty(), "these do nothing: {idle:#?}");
}

#[test]
fn a_store_under_the_cursor_is_shown_at_once_and_kept_with_space() {
    let mut desk = Desk::new(120, 36);
    let all = desk.app.results.hits.len();
    desk.type_keys("1j");
    let shown = desk.app.results.hits.len();
    assert!(shown > 0 && shown < all && desk.app.query.is_empty());
    desk.type_keys(" 4");
    assert_eq!(desk.app.results.hits.len(), shown);
    assert!(desk.app.query.starts_with("store:"), "{}", desk.app.query);
    desk.press(KeyCode::Esc);
    desk.type_keys("1j4");
    assert_eq!(desk.app.results.hits.len(), all, "what is not kept goes with the focus");
}

#[test]
fn a_tutor_ticks_off_what_is_done() {
    let mut desk = Desk::new(120, 36);
    desk.app.demo = Some(desk._folder.path().to_owned());
    desk.type_keys("gt");
    assert!(desk.screen().contains("Tutor  0 of 5"), "{}", desk.screen());
    desk.type_keys("/retries");
    enter(&mut desk);
    desk.type_keys("w");
    assert_eq!(&desk.app.tutor.done[..3], [true, true, false]);
    for _ in 0..9 {
        if !selected_title(&desk).contains("Retries of a charge need no key") {
            desk.type_keys("j");
        }
    }
    desk.type_keys("dx");
    assert!(desk.app.tutor.done[2], "{}", notice(&desk));
    desk.type_keys("u");
    assert!(desk.app.tutor.done[3], "{}", notice(&desk));
    assert_eq!(desk.app.tutor.next(), Some(4));
    desk.type_keys("gr");
    enter(&mut desk);
    desk.type_keys("r");
    desk.type_keys("y");
    assert_eq!(desk.app.tutor.next(), None, "{}", desk.screen());
}

#[test]
fn a_mistake_in_the_form_is_told_while_it_is_typed_and_saved_once_it_is_corrected() {
    let mut desk = super::changes::on("id:mem_no_retries", 120, 36);
    let before = files(&desk);
    typed(&mut desk, "e");
    for _ in 0..30 {
        if desk.app.editor.as_ref().unwrap().own().name != "importance" {
            desk.press(KeyCode::Tab);
        }
    }
    desk.press(KeyCode::Home);
    typed(&mut desk, "7");
    desk.press(KeyCode::F(2));
    let screen = desk.screen();
    assert!(screen.contains('✖') && screen.contains("from 0 to 1"), "{screen}");
    assert_eq!(super::changes::differing(&before, &files(&desk)), Vec::<std::path::PathBuf>::new());
    desk.press(KeyCode::Backspace);
    desk.press(KeyCode::End);
    typed(&mut desk, "1");
    desk.press(KeyCode::F(2));
    assert!(notice(&desk).starts_with("saved "), "{}", desk.screen());
    assert_ne!(super::changes::differing(&before, &files(&desk)), Vec::<std::path::PathBuf>::new());
}

#[test]
fn twenty_memories_are_tagged_with_keys_that_are_on_the_screen() {
    let mut desk = Desk::new(120, 36);
    for size in [(120, 36), (80, 24)] {
        desk.restart(size.0, size.1);
        typed(&mut desk, "/store:ops type:conversation is:live");
        enter(&mut desk);
        assert!(desk.screen().contains("Space mark"), "{}", desk.screen());
        let mut keys = typed(&mut desk, "v");
        assert!(desk.screen().contains("v "), "{}", desk.screen());
        keys += typed(&mut desk, &format!("{}v", "j".repeat(19)));
        assert_eq!(desk.app.marks.count(), 20, "{}", desk.screen());
        assert!(desk.screen().contains("t tag"), "{}", desk.screen());
        keys += typed(&mut desk, "t+reviewed") + enter(&mut desk);
        desk.agree();
        assert!(notice(&desk).starts_with("tagged 20 memories"), "{}", notice(&desk));
        assert!(keys <= 32 + "+reviewed".len(), "{keys}");
    }
}

#[test]
fn a_memory_is_archived_and_brought_back_with_what_is_on_the_screen() {
    let mut desk = Desk::new(120, 36);
    typed(&mut desk, "/\"need no key\" is:live");
    enter(&mut desk);
    let before = desk.app.tallies.iter().map(|own| own.archived).sum::<usize>();
    typed(&mut desk, "d");
    assert!(desk.screen().contains("a  archive"), "{}", desk.screen());
    typed(&mut desk, "a");
    assert!(notice(&desk).starts_with("archived "), "{}", notice(&desk));
    assert_eq!(desk.app.tallies.iter().map(|own| own.archived).sum::<usize>(), before + 1);
    typed(&mut desk, "/\"need no key\" is:archived");
    enter(&mut desk);
    assert_eq!(desk.app.results.hits.len(), 1, "{}", desk.screen());
    typed(&mut desk, "d");
    assert!(desk.screen().contains("b  bring back"), "{}", desk.screen());
    typed(&mut desk, "b");
    assert_eq!(desk.app.tallies.iter().map(|own| own.archived).sum::<usize>(), before);
}

#[test]
fn a_file_named_behind_export_is_where_it_goes_and_no_folder_is_made_for_it() {
    let mut desk = Desk::new(120, 36);
    typed(&mut desk, "/retry is:live");
    enter(&mut desk);
    let folder = desk._folder.path().to_owned();
    for (file, said) in [("none/retries.md", "There is no folder"), ("retries.md", "Exported ")] {
        let file = folder.join(file);
        typed(&mut desk, &format!(":export {}", file.display()));
        enter(&mut desk);
        enter(&mut desk);
        assert!(notice(&desk).starts_with(said), "{}", notice(&desk));
        desk.press(KeyCode::Esc);
    }
    assert!(!folder.join("none").exists() && folder.join("retries.md").exists());
}

/// Presses Enter. Returns the effects, which are not carried out yet.
fn entered(desk: &mut Desk) -> Vec<Effect> {
    let (time, enter) = (desk.time(), KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
    update(&mut desk.app, Msg::Key(enter), time)
}

#[test]
fn an_export_is_started_once_and_its_end_closes_its_own_prompt_alone() {
    let mut desk = Desk::new(120, 36);
    let folder = desk._folder.path().to_owned();
    let ask = |desk: &mut Desk, name: &str| {
        typed(desk, &format!(":export {}", folder.join(name).display()));
        enter(desk);
    };
    ask(&mut desk, "one.md");
    let first = entered(&mut desk);
    assert!(entered(&mut desk).is_empty());
    assert_eq!(notice(&desk), "The file is being written.");
    desk.press(KeyCode::Esc);
    ask(&mut desk, "two.md");
    desk.settle(first);
    assert!(notice(&desk).starts_with("Exported "), "{}", notice(&desk));
    let typed = desk.app.prompt.as_ref().map(|prompt| prompt.text());
    assert!(typed.is_some_and(|text| text.ends_with("two.md")), "another prompt was closed");
    enter(&mut desk);
    assert!(desk.app.prompt.is_none());
    assert!(folder.join("one.md").exists() && folder.join("two.md").exists());
}

#[test]
fn the_name_of_a_file_that_is_there_is_corrected_in_its_prompt() {
    let mut desk = Desk::new(120, 36);
    let file = desk._folder.path().join("a.md");
    std::fs::write(&file, "mine").unwrap();
    let before = desk.app.snapshot.clone();
    typed(&mut desk, &format!(":export {}", file.display()));
    enter(&mut desk);
    enter(&mut desk);
    assert!(notice(&desk).contains("choose another name"), "{}", notice(&desk));
    // In the prompt, the letters are only text, although `a` archives, `d` deletes and `e` edits.
    for _ in 0..4 {
        desk.press(KeyCode::Backspace);
    }
    typed(&mut desk, "aded.md");
    enter(&mut desk);
    assert!(notice(&desk).starts_with("Exported "), "{}", notice(&desk));
    assert!(desk.app.prompt.is_none() && Arc::ptr_eq(&before, &desk.app.snapshot));
    assert!(file.with_file_name("aded.md").exists() && std::fs::read(&file).unwrap() == b"mine");
}

#[test]
fn three_memories_of_a_backup_come_back_with_keys_that_are_on_the_screen() {
    // Missing memories are marked at first, so six of nine must lose their marks.
    for size in [(120, 36), (80, 24)] {
        let (mut desk, lost) = lost_nine(size.0, size.1);
        let before = learnings(&desk);
        let mut keys = typed(&mut desk, "grj") + enter(&mut desk);
        assert!(desk.screen().contains("9 marked"), "{}", desk.screen());
        assert!(desk.screen().contains("Space mark"), "{}", desk.screen());
        keys += typed(&mut desk, &" ".repeat(6));
        assert!(desk.screen().contains("r bring back 3"), "{}", desk.screen());
        keys += typed(&mut desk, "ry");
        assert!(keys <= 12, "{keys}");
        let now = learnings(&desk);
        assert_eq!(now.len(), before.len() + 3, "{}", notice(&desk));
        assert!(lost[6..].iter().all(|line| now.contains(line)));
    }
}
