//! A change of several memories that the user stops, and events that arrive at the same time.

use std::io::Write;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::bulk::tagged;
use super::changes::{files, key, notice, on, state_of};
use super::marks::marked;
use super::{now, update};
use crate::model::State;
use crate::tui::message::{Effect, Msg};
use crate::work::Job;

#[test]
fn while_a_change_is_planned_only_esc_does_anything_and_it_stops_it() {
    let mut desk = on("type:decision", 120, 36);
    let before = files(&desk);
    desk.type_keys("*t+seen");
    let enter = Msg::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
    let mut effects = update(&mut desk.app, enter, now());
    assert!(matches!(effects.as_slice(), [Effect::Job(Job::Plan(_)), ..]));
    for c in "yyjd/*".chars() {
        effects.extend(update(&mut desk.app, key(c), now()));
    }
    assert!(desk.app.prompt.is_none() && desk.app.delete_menu.is_none());
    update(&mut desk.app, Msg::ShowProgress, now());
    assert!(notice(&desk).contains("0 of") || notice(&desk).contains("Esc stops it"), "{}", notice(&desk));
    effects.extend(update(&mut desk.app, Msg::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)), now()));
    desk.settle(effects);
    assert!(notice(&desk).contains("stopped"), "{}", notice(&desk));
    assert!(desk.app.confirm.is_none() && desk.app.changes.active.is_none());
    assert_eq!(files(&desk), before);
}

#[test]
fn what_waits_to_be_written_is_stopped_and_what_was_written_is_not() {
    let mut desk = on("type:decision", 120, 36);
    let before = files(&desk);
    desk.type_keys("*");
    desk.enter("t+seen");
    let effects = update(&mut desk.app, key('y'), now());
    let esc = || Msg::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
    update(&mut desk.app, esc(), now());
    desk.settle(effects);
    assert!(notice(&desk).starts_with("it was stopped. Nothing was changed."), "{}", notice(&desk));
    assert_eq!((files(&desk), desk.app.change_count), (before, 0));
}

#[test]
fn what_arrives_after_it_was_seen_is_never_hit() {
    let mut desk = on("session:checkout_rework is:live", 120, 36);
    let file = desk.file();
    let late = |n: usize| {
        let line =
            format!("{{\"id\":\"late_{n}\",\"type\":\"decision\",\"timestamp\":\"2026-02-01T00:00:00Z\"}}\n");
        std::fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(line.as_bytes()).unwrap();
    };
    desk.type_keys("*");
    let own = marked(&desk);
    late(1);
    desk.send(Msg::StoresChanged);
    assert!(desk.app.results.hits.len() > own.len());
    desk.enter("t+seen");
    late(2);
    desk.send(Msg::StoresChanged);
    late(3);
    desk.type_keys("y");
    assert_eq!(tagged(&desk, "seen"), own);
    assert!((1..4).all(|n| state_of(&desk, &format!("late_{n}")) == Some(State::Live)));
}

#[test]
fn a_removal_that_was_cancelled_takes_no_marks_away_when_something_else_is_done() {
    for (view, back) in [("", ""), ("gu", "gb")] {
        let mut desk = on("type:decision", 120, 36);
        desk.type_keys("p");
        assert!(notice(&desk).contains("to undo"), "{}", notice(&desk));
        desk.type_keys("*");
        let own = marked(&desk);
        assert!(own.len() > 1);
        desk.type_keys("dx");
        assert!(desk.app.confirm.is_some());
        desk.press(KeyCode::Esc);
        assert_eq!(marked(&desk), own);
        desk.type_keys(view);
        desk.type_keys("u");
        if desk.app.confirm.is_some() {
            desk.type_keys("y");
        }
        assert!(notice(&desk).contains("redo"), "{view}: {}", notice(&desk));
        desk.type_keys(back);
        assert_eq!(marked(&desk), own, "{view}");
    }
}
