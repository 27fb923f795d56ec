//! Results that arrive late, and keys that are pressed before them, only reach what they are for.

use crossterm::event::KeyCode;

use super::changes::{differing, files, notice, on};
use super::queued_keys::press;
use super::{Desk, now, update};
use crate::query::CancelToken;
use crate::tui::action::{Action, runs_in};
use crate::tui::message::{Effect, Msg};
use crate::tui::state::app::Screen;
use crate::tui::update::load_now;
use crate::work::{Job, run_job};

const DECISIONS: &str = "type:decision session:checkout_rework is:live";

fn typed(desk: &Desk) -> Vec<String> {
    desk.app.editor.as_ref().unwrap().values()
}

#[test]
fn keys_are_held_while_a_step_of_the_journal_is_looked_at() {
    let mut desk = on(DECISIONS, 100, 30);
    desk.enter("t+late");
    let before = files(&desk);
    desk.type_keys("gu");
    let looked = press(&mut desk, KeyCode::Char('u'));
    assert!(matches!(looked.last(), Some(Effect::Job(Job::Plan(_)))), "{}", notice(&desk));
    for code in [KeyCode::Char('y'), KeyCode::Char('q'), KeyCode::Char('e'), KeyCode::Enter] {
        assert!(press(&mut desk, code).is_empty());
    }
    assert_eq!(desk.app.screen, Screen::Journal);
    desk.settle(looked);
    assert!(desk.app.confirm.is_some(), "{}", notice(&desk));
    assert!(differing(&before, &files(&desk)).is_empty());
}

#[test]
fn what_cannot_be_read_for_want_of_room_is_not_agreed_to() {
    let mut desk = on(DECISIONS, 100, 30);
    desk.type_keys("  ");
    desk.enter("t+late");
    assert!(desk.app.confirm.is_some(), "{}", notice(&desk));
    let before = files(&desk);
    desk.send(Msg::Resize(12, 3));
    desk.type_keys("y");
    assert!(differing(&before, &files(&desk)).is_empty());
    desk.send(Msg::Resize(100, 30));
    desk.type_keys("y");
    assert!(!differing(&before, &files(&desk)).is_empty(), "{}", notice(&desk));
}

#[test]
fn the_help_of_a_form_opens_no_other_view_over_it() {
    let mut desk = on(DECISIONS, 100, 30);
    desk.type_keys("e");
    desk.press(KeyCode::F(1));
    let offered = |desk: &Desk| -> Vec<Action> {
        let prompt = desk.app.prompt.as_ref().unwrap();
        prompt.actions().iter().map(|known| known.action).collect()
    };
    assert_eq!(offered(&desk)[0], Action::Save, "its own actions come first");
    assert!(offered(&desk).iter().all(|action| runs_in(Screen::Editor, *action)));
    desk.type_keys("browse");
    assert!(!offered(&desk).contains(&Action::MemoriesPane));
    desk.press(KeyCode::Enter);
    assert_eq!(desk.app.screen, Screen::Editor);
}

#[test]
fn nothing_is_typed_into_a_form_that_is_being_saved_and_it_is_saved_once() {
    let mut desk = on(DECISIONS, 100, 30);
    desk.type_keys("e");
    desk.press(KeyCode::End);
    desk.type_keys(" Late.");
    let before = typed(&desk);
    let saves = press(&mut desk, KeyCode::F(2));
    assert!(saves.iter().any(|effect| matches!(effect, Effect::Job(Job::SaveForm(..)))));
    for code in [KeyCode::Char('x'), KeyCode::F(2), KeyCode::Esc] {
        assert!(
            !press(&mut desk, code).iter().any(|effect| matches!(effect, Effect::Job(Job::SaveForm(..))))
        );
    }
    update(&mut desk.app, Msg::Paste("pasted".into()), now());
    assert_eq!(typed(&desk), before);
    desk.settle(saves);
    assert!(notice(&desk).starts_with("saved"), "{}", notice(&desk));
}

/// Does the jobs that are not held back. Returns those that are.
fn settle_without_loads(desk: &mut Desk, effects: Vec<Effect>) -> Vec<Effect> {
    let is_load = |effect: &Effect| matches!(effect, Effect::Job(Job::Load { .. }));
    let (mut held, mut left): (Vec<Effect>, Vec<Effect>) = effects.into_iter().partition(is_load);
    while let Some(effect) = left.pop() {
        let Effect::Job(job) = effect else { continue };
        if let Some(done) = run_job(job, &mut desk.kept, &CancelToken::default()) {
            let effects = update(&mut desk.app, Msg::Done(done), now());
            let (loads, others): (Vec<Effect>, Vec<Effect>) = effects.into_iter().partition(is_load);
            held.extend(loads);
            left.extend(others);
        }
    }
    held
}

#[test]
fn a_save_is_not_taken_for_the_change_of_another_program_if_its_reload_comes_late() {
    for (action, before_save) in [(Action::EditJson, false), (Action::EditJson, true), (Action::Edit, true)] {
        let mut desk = on(DECISIONS, 100, 30);
        desk.type_keys("e");
        let text = typed(&desk).iter().position(|value| value.len() > 20).unwrap();
        (0..text).for_each(|_| desk.press(KeyCode::Tab));
        desk.press(KeyCode::End);
        desk.type_keys(" Saved.");
        let mine = typed(&desk);
        let saves = press(&mut desk, KeyCode::F(2));
        // The stores are read before the save, and what was read arrives after it.
        let old = before_save.then(|| {
            let Effect::Job(job) = load_now(&desk.app) else { panic!("no job") };
            run_job(job, &mut desk.kept, &CancelToken::default()).unwrap()
        });
        let reload = settle_without_loads(&mut desk, saves);
        assert!(notice(&desk).starts_with("saved") && !reload.is_empty(), "{}", notice(&desk));
        if let Some(old) = old {
            let effects = update(&mut desk.app, Msg::Done(old), now());
            settle_without_loads(&mut desk, effects);
        }
        desk.type_keys(&format!(":{}", action.info().name));
        let effects = press(&mut desk, KeyCode::Enter);
        settle_without_loads(&mut desk, effects);
        desk.settle(reload);
        assert_eq!(desk.app.screen, Screen::Editor, "{}", desk.screen());
        assert!(!desk.screen().contains("disk CHANGED"), "{}", desk.screen());
        assert_eq!(typed(&desk)[text], mine[text]);
    }
}

#[test]
fn a_form_does_not_open_over_the_reason_why_a_change_was_not_made() {
    let mut desk = on(DECISIONS, 100, 30);
    let (store, _) = desk.app.listed_snapshot.get(desk.app.selected().unwrap());
    let root = store.root.clone();
    desk.type_keys("t+late");
    let tags = press(&mut desk, KeyCode::Enter);
    assert!(press(&mut desk, KeyCode::Char('e')).is_empty() && desk.app.editor.is_none());
    std::fs::remove_dir_all(root).unwrap();
    desk.settle(tags);
    assert!(desk.app.editor.is_none() && desk.app.queued_keys.is_empty(), "{}", desk.screen());
}

#[test]
fn a_judgement_of_a_form_that_was_left_is_of_no_other_form() {
    let mut desk = on(DECISIONS, 100, 30);
    desk.type_keys("e");
    desk.press(KeyCode::End);
    let late = press(&mut desk, KeyCode::Char('x'));
    desk.press(KeyCode::Esc);
    desk.type_keys("je");
    let judged_of = desk.app.editor.as_ref().unwrap().judged_version;
    desk.settle(late);
    assert_eq!(desk.app.editor.as_ref().unwrap().judged_version, judged_of);
}

#[test]
fn a_comparison_that_comes_late_is_not_shown_for_another_backup() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("rk");
    let opened = |desk: &Desk| desk.app.list_view.backups.opened.as_ref().map(|own| own.copy.path.clone());
    let paths: Vec<_> =
        desk.app.list_view.backups.list.iter().flatten().map(|own| own.copy.path.clone()).collect();
    let first = press(&mut desk, KeyCode::Enter);
    press(&mut desk, KeyCode::Esc);
    press(&mut desk, KeyCode::Char('j'));
    let second = press(&mut desk, KeyCode::Enter);
    desk.settle(first);
    assert_eq!(opened(&desk), None, "it is of the backup that was left");
    assert!(!desk.screen().contains("compared with now"), "{}", desk.screen());
    desk.settle(second);
    assert_eq!(opened(&desk), Some(paths[1].clone()));
    // The late comparison of one backup does not change the marks of another one that was opened again.
    desk.type_keys("*");
    let marked = super::go_back::chosen(&desk);
    press(&mut desk, KeyCode::Esc);
    press(&mut desk, KeyCode::Char('k'));
    let third = press(&mut desk, KeyCode::Enter);
    press(&mut desk, KeyCode::Esc);
    press(&mut desk, KeyCode::Char('j'));
    desk.press(KeyCode::Enter);
    desk.type_keys("*");
    desk.settle(third);
    assert_eq!((opened(&desk), super::go_back::chosen(&desk)), (Some(paths[1].clone()), marked));
}

#[test]
fn what_a_view_reads_late_is_not_taken_for_what_another_view_shows() {
    let mut desk = Desk::new(120, 36);
    press(&mut desk, KeyCode::Char('g'));
    let archive = press(&mut desk, KeyCode::Char('m'));
    desk.press(KeyCode::Esc);
    desk.type_keys("r");
    desk.settle(archive);
    assert!(desk.app.list_view.read_snapshot.is_none() && desk.app.list_view.chores.is_empty());
    assert_eq!(desk.app.screen, Screen::Backups);
    // Back in upkeep, nothing that was read for another state of the stores is shown.
    desk.press(KeyCode::Esc);
    press(&mut desk, KeyCode::Char('g'));
    press(&mut desk, KeyCode::Char('m'));
    assert!(desk.screen().contains("reading …"), "{}", desk.screen());
}

#[test]
fn stores_that_were_just_written_are_read_once_and_not_over_and_over() {
    let mut desk = Desk::new(100, 30);
    let mut effects = vec![load_now(&desk.app)];
    let mut loads = 0;
    while let Some(effect) = effects.pop() {
        let Effect::Job(job) = effect else { continue };
        loads += usize::from(matches!(job, Job::Load { .. }));
        assert!(loads < 4, "what was read is taken for changed");
        if let Some(done) = run_job(job, &mut desk.kept, &CancelToken::default()) {
            effects.extend(update(&mut desk.app, Msg::Done(done), now()));
        }
    }
    assert_eq!(loads, 1);
}
