//! The table of actions: an action that changes something names its verbs, and does nothing without a target.

use crossterm::event::KeyCode;

use super::changes::{differing, files, notice, on};
use super::marks::search;
use super::{Desk, act};
use crate::tui::action::{ACTIONS, Action, ActionInfo};
use crate::tui::message::Effect;
use crate::tui::state::app::{Pane, Screen};
use crate::work::Job;

/// True if an effect changes a store, or leads to a change.
fn changes(effect: &Effect) -> bool {
    match effect {
        Effect::Job(job) => {
            matches!(
                job,
                Job::Change(_) | Job::Plan(_) | Job::Commit(_) | Job::SaveForm(..) | Job::SaveCopy(..)
            )
        }
        Effect::EditText(_) | Effect::EditFormPart(_) | Effect::OpenDemo => true,
        _ => false,
    }
}

/// True if something on the screen asks what to change.
fn asks(desk: &Desk) -> bool {
    let app = &desk.app;
    let types = app.prompt.as_ref().is_some_and(|own| own.purpose.is_change());
    app.delete_menu.is_some() || app.confirm.is_some() || app.editor.is_some() || types
}

/// Opens a place at which an action may have an effect.
fn open(desk: &mut Desk, place: &str) {
    desk.restart(120, 36);
    match place {
        "the list" | "the form" => search(desk, "type:decision is:live session:checkout_rework"),
        view => desk.type_keys(view),
    }
    match place {
        "the form" => desk.type_keys("ex"),
        "r" => desk.press(KeyCode::Enter),
        _ => {}
    }
}

#[test]
fn an_action_that_changes_something_names_a_verb_that_does_the_same() {
    let mut found = 0;
    let mut desk = Desk::new(120, 36);
    let places = ["the list", "the form", "r", "gx", "gm", "gu"];
    for place in &places[..crate::tries::count(4, 6)] {
        open(&mut desk, place);
        let (screen, is_open) = (desk.app.screen, desk.app.editor.is_some());
        for known in ACTIONS {
            let back = &mut desk.app;
            (back.prompt, back.delete_menu, back.confirm, back.screen) = (None, None, None, screen);
            (back.focus, back.zoomed, back.changes.active) = (Pane::Memories, false, None);
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

/// Returns the actions that change something, without those of the form, which are for one memory.
fn changing() -> impl Iterator<Item = &'static ActionInfo> {
    // These open a form or a view, in which other actions change something.
    let in_form = [Action::Save, Action::Secrets, Action::Journal, Action::CleanUp, Action::BringBack];
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
            // This action first asks for the tag, because it is for all memories with that tag.
            desk.enter("no_such_tag=other");
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
        (Screen::Backups, Action::Backups),
        (Screen::Upkeep, Action::Upkeep),
        (Screen::Journal, Action::Journal),
        (Screen::Secrets, Action::Secrets),
    ];
    let mut desk = Desk::of_log("", (120, 36));
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

#[test]
fn a_list_that_is_out_of_sight_is_neither_searched_nor_ordered() {
    let mut desk = on("type:decision", 100, 30);
    let before = (desk.app.query.clone(), desk.app.order(), desk.app.results.hits.clone());
    for view in ["gp", "r", "gm", "gu"] {
        desk.type_keys(view);
        for key in [":ranking⏎", "n"] {
            desk.app.notice = None;
            desk.type_keys(key);
            assert!(notice(&desk).contains("4 goes there"), "{view} {key}: {}", notice(&desk));
        }
        assert_eq!(
            (desk.app.query.clone(), desk.app.order(), desk.app.results.hits.clone()),
            before,
            "{view}"
        );
    }
}
