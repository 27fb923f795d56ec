//! Results that arrive late, and keys that are pressed before them, only reach what they are for.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::changes::{differing, files, notice, on};
use super::{Desk, now};
use crate::query::CancelToken;
use crate::tui::action::{Action, runs_in_editor};
use crate::tui::message::{Effect, Msg};
use crate::tui::state::app::Screen;
use crate::tui::update::{load_now, update};
use crate::work::{Job, run_job};

const DECISIONS: &str = "type:decision session:checkout_rework is:live";

fn press(desk: &mut Desk, code: KeyCode) -> Vec<Effect> {
    update(&mut desk.app, Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)), now())
}

fn typed(desk: &Desk) -> Vec<String> {
    desk.app.editor.as_ref().unwrap().values()
}

#[test]
fn keys_are_held_while_a_step_of_the_journal_is_looked_at() {
    let mut desk = on(DECISIONS, 100, 30);
    desk.type_keys("t+late");
    desk.press(KeyCode::Enter);
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
    desk.type_keys("t+late");
    desk.press(KeyCode::Enter);
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
    assert!(offered(&desk).iter().all(|action| runs_in_editor(*action)));
    desk.type_keys("browse");
    assert!(!offered(&desk).contains(&Action::AllMemories));
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
    desk.type_keys("grk");
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
    let archive = press(&mut desk, KeyCode::Char('a'));
    desk.press(KeyCode::Esc);
    desk.type_keys("gr");
    desk.settle(archive);
    assert!(desk.app.list_view.read_snapshot.is_none() && desk.app.list_view.chores.is_empty());
    assert_eq!(desk.app.screen, Screen::Backups);
    // Back in the archive, nothing that was read for another state of the stores is shown.
    desk.press(KeyCode::Esc);
    press(&mut desk, KeyCode::Char('g'));
    press(&mut desk, KeyCode::Char('a'));
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
