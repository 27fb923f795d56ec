//! Tasks of a new user, only with what is on the screen.

use std::sync::Arc;

use super::changes::notice;
use super::queued_keys::press;
use super::*;

#[test]
fn the_palette_finds_actions_by_what_people_call_them() {
    let mut desk = Desk::small(100, 30);
    let found = "export export, repair problems, secrets secrets, undelete delete, inbox new, \
        history journal, sort order, erase delete, forget clean-up, cleanup clean-up, GDPR secrets, \
        privacy secrets, token secrets, password secrets, redact secrets, verify journal";
    for (word, name) in found.split(", ").map(|pair| pair.split_once(' ').unwrap()) {
        desk.type_keys(&format!(":{word}"));
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
    for (key, known) in crate::tui::action::following(Screen::Memories, "g") {
        let shown: String = known.name.chars().take(8).collect();
        assert!(screen.contains(&format!("{key} {shown}")), "{key} {}: {screen}", known.name);
    }
    desk.type_keys("q");
    assert!(!desk.screen().contains("g  go to") && desk.app.screen == Screen::Memories);
    assert!(notice(&desk).starts_with("There is no key g q: after g comes "), "{}", notice(&desk));
    desk.type_keys("yx");
    assert!(
        notice(&desk).ends_with("after y comes i copy id, t copy text, p copy path."),
        "{}",
        notice(&desk)
    );
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
            let effects = update(&mut desk.app, Msg::Key(event), now());
            asked |= !effects.is_empty();
            desk.settle(effects);
        }
        asked || desk.screen() != before
    })
}

#[test]
fn every_hint_that_is_shown_does_something_when_its_key_is_pressed() {
    let more = [
        ("low detail", "5"),
        ("deletes", "  d"),
        ("a day", ":statistics⏎k"),
        ("moved", "j"),
        ("prompt", "/pool"),
    ];
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
    desk.type_and_see(":tutor⏎", &["Tutor  0 of 5"]);
    desk.type_keys("/retries⏎w");
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
    desk.type_keys("r⏎ry");
    assert_eq!(desk.app.tutor.next(), None, "{}", desk.screen());
}

#[test]
fn an_export_is_started_once_and_its_end_closes_its_own_prompt_alone() {
    let mut desk = Desk::new(120, 36);
    let folder = desk._folder.path().to_owned();
    let ask = |desk: &mut Desk, name: &str| {
        desk.enter(&format!(":export {}", folder.join(name).display()));
    };
    ask(&mut desk, "one.md");
    let first = press(&mut desk, KeyCode::Enter);
    assert!(press(&mut desk, KeyCode::Enter).is_empty());
    assert_eq!(notice(&desk), "The file is being written.");
    desk.press(KeyCode::Esc);
    ask(&mut desk, "two.md");
    desk.settle(first);
    assert!(notice(&desk).starts_with("Exported "), "{}", notice(&desk));
    let typed = desk.app.prompt.as_ref().map(|prompt| prompt.text());
    assert!(typed.is_some_and(|text| text.ends_with("two.md")), "another prompt was closed");
    desk.press(KeyCode::Enter);
    assert!(desk.app.prompt.is_none());
    assert!(folder.join("one.md").exists() && folder.join("two.md").exists());
}

#[test]
fn the_name_of_a_file_that_is_there_is_corrected_in_its_prompt() {
    let mut desk = Desk::new(120, 36);
    let file = desk._folder.path().join("a.md");
    std::fs::write(&file, "mine").unwrap();
    let before = desk.app.snapshot.clone();
    desk.enter(&format!(":export {}⏎", file.display()));
    assert!(notice(&desk).contains("choose another name"), "{}", notice(&desk));
    // In the prompt, the letters are only text, although `a` archives, `d` deletes and `e` edits.
    for _ in 0..4 {
        desk.press(KeyCode::Backspace);
    }
    desk.enter("aded.md");
    assert!(notice(&desk).starts_with("Exported "), "{}", notice(&desk));
    assert!(desk.app.prompt.is_none() && Arc::ptr_eq(&before, &desk.app.snapshot));
    assert!(file.with_file_name("aded.md").exists() && std::fs::read(&file).unwrap() == b"mine");
}
