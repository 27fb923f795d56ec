//! The table of actions: what changes something names its verbs, and does nothing where nothing
//! is chosen.

use crossterm::event::KeyCode;

use super::Desk;
use super::changes::{differing, files, notice, on};
use super::marks::search;
use crate::tui::action::{ACTIONS, Action, Known};
use crate::tui::app::{Pane, Screen};
use crate::tui::msg::Effect;
use crate::tui::update::act;
use crate::work::Job;

/// Whether an effect changes a store, or leads to that.
fn changes(effect: &Effect) -> bool {
    match effect {
        Effect::Job(job) => {
            matches!(job, Job::Change(_) | Job::Plan(_) | Job::Commit(_) | Job::Save(..) | Job::SaveCopy(..))
        }
        Effect::Edit(_) | Effect::Lend(_) | Effect::OpenDemo => true,
        _ => false,
    }
}

/// Whether something is open that asks what is to be changed.
fn asks(desk: &Desk) -> bool {
    let app = &desk.app;
    let types = app.prompt.as_ref().is_some_and(|own| own.purpose.is_change());
    app.menu.is_some() || app.confirm.is_some() || app.editor.is_some() || types
}

/// Where an action may do something, each made anew.
fn places() -> Vec<(&'static str, Desk)> {
    let mut places = vec![("the list", on("type:decision is:live session:sess_checkout_rework", 120, 36))];
    for keys in ["gr", "ga", "gm", "gu"] {
        let mut desk = Desk::new(120, 36);
        desk.type_keys(keys);
        if keys == "gr" {
            desk.press(KeyCode::Enter);
        }
        places.push((keys, desk));
    }
    let mut form = on("type:decision is:live session:sess_checkout_rework", 120, 36);
    form.type_keys("ex");
    places.push(("the form", form));
    places
}

#[test]
fn an_action_that_changes_something_names_a_verb_that_does_the_same() {
    let mut found = 0;
    for (place, mut desk) in places() {
        let (screen, is_open) = (desk.app.screen, desk.app.editor.is_some());
        for known in ACTIONS {
            let back = &mut desk.app;
            (back.prompt, back.menu, back.confirm, back.screen) = (None, None, None, screen);
            (back.focus, back.zoomed, back.bulk.going) = (Pane::Memories, false, None);
            if let Some(editor) = &mut back.editor {
                (editor.saving, editor.conflict) = (false, None);
            }
            let effects = act(&mut desk.app, known.action);
            let marks = known.action == Action::MarkBySearch;
            if effects.iter().any(changes) || asks(&desk) && !is_open && !marks {
                found += 1;
                assert!(!known.action.verbs().is_empty(), "{} in {place} names no verb", known.name);
            }
            if !is_open {
                desk.app.editor = None;
            }
        }
    }
    assert!(found > 10, "{found}");
}

/// Those that change something, but for what is done in a form, which is of one memory.
fn changing() -> impl Iterator<Item = &'static Known> {
    let in_form = [Action::Save, Action::FieldInEditor];
    ACTIONS.iter().filter(move |own| !own.action.verbs().is_empty() && !in_form.contains(&own.action))
}

#[test]
fn where_nothing_is_chosen_no_action_changes_anything_and_each_says_so() {
    let mut desk = Desk::new(120, 36);
    search(&mut desk, "tag:no_such_tag");
    let before = files(&desk);
    for known in changing().filter(|own| own.action != Action::Open) {
        desk.app.notice = None;
        let effects = act(&mut desk.app, known.action);
        let turns = matches!(known.action, Action::Undo | Action::Redo);
        assert!(turns || !effects.iter().any(changes), "{}", known.name);
        desk.settle(effects);
        if known.action == Action::RenameTag {
            // The tag is asked for first: it is of every memory that has it.
            desk.type_keys("no_such_tag=other");
            desk.press(KeyCode::Enter);
            desk.app.prompt = None;
        }
        assert!(!asks(&desk), "{}", known.name);
        assert!(!notice(&desk).is_empty(), "{} says nothing", known.name);
    }
    assert_eq!(differing(&before, &files(&desk)), Vec::<std::path::PathBuf>::new());
}

#[test]
fn in_views_with_nothing_in_them_no_action_changes_anything_and_each_says_so() {
    let views = [
        (Screen::Restore, Action::Restore),
        (Screen::Archive, Action::ArchiveView),
        (Screen::Upkeep, Action::Maintain),
        (Screen::Journal, Action::Journal),
    ];
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.json");
    crate::disk::write_new(&config, b"{\"version\":\"1.0\"}").unwrap();
    crate::disk::write_new(&folder.path().join("sessions/s/memory.jsonl"), b"").unwrap();
    let mut desk = Desk::of(folder, 120, 36);
    for (screen, opens) in views {
        let before = files(&desk);
        for known in changing() {
            let effects = act(&mut desk.app, opens);
            desk.settle(effects);
            assert_eq!(desk.app.screen, screen, "{}", notice(&desk));
            desk.app.notice = None;
            let effects = act(&mut desk.app, known.action);
            desk.settle(effects);
            assert!(!asks(&desk), "{} in {screen:?}", known.name);
            assert!(!notice(&desk).is_empty(), "{} in {screen:?} says nothing", known.name);
        }
        assert_eq!(differing(&before, &files(&desk)), Vec::<std::path::PathBuf>::new());
    }
}
