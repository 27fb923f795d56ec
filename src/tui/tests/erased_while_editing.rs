//! A memory that is erased while the user edits it: nothing of it is written again, and no draft is kept.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::changes::{differing, files, notice, on, selected_id};
use super::secrets::holding;
use super::{Desk, now, update};
use crate::model::EntryRef;
use crate::query::CancelToken;
use crate::tui::message::Msg;
use crate::tui::state::app::App;
use crate::usecase::{ChangeRequest, Command, EditMemory, EraseOptions, Requester};
use crate::work::form_jobs::FormRequest;
use crate::work::{Job, JobResult, WorkerState, run_job};

const TYPED: &str = "typed and meant for nobody else";

fn request(desk: &Desk, command: impl Command) -> ChangeRequest {
    let (snapshot, data) = (Arc::clone(&desk.app.listed_snapshot), desk.app.data.clone().unwrap());
    let (at, name) = (vec![desk.app.selected().unwrap()], selected_id(desk));
    ChangeRequest {
        at,
        name,
        ..ChangeRequest::new(snapshot, Requester::Screen, Arc::new(command), data, now())
    }
}

/// Erases the memory under the cursor, as another palimp does.
fn erase(desk: &Desk) {
    erase_at(desk, desk.app.selected().unwrap());
}

fn erase_at(desk: &Desk, at: EntryRef) {
    let job = Job::Change(Box::new(ChangeRequest { at: vec![at], ..request(desk, EraseOptions::default()) }));
    match run_job(job, &mut WorkerState::default(), &CancelToken::default()) {
        Some(JobResult::ChangeDone(outcome)) => assert!(outcome.is_ok(), "{outcome:?}"),
        _ => panic!("an erasure is made"),
    }
}

/// Checks that no file contains the typed text, not even palimp's own data.
#[track_caller]
fn assert_nowhere(desk: &Desk) {
    let found = holding(desk._folder.path(), TYPED);
    assert!(found.is_empty(), "{found:?}");
}

/// Returns a form with typed text, of a memory that was then erased.
fn typed_and_erased(mut desk: Desk) -> (Desk, FormRequest) {
    desk.type_keys("e");
    assert!(desk.app.editor.is_some(), "{}", notice(&desk));
    desk.send(Msg::Key(KeyEvent::new(KeyCode::End, KeyModifiers::CONTROL)));
    desk.type_keys(TYPED);
    desk.send(Msg::SaveDraft);
    let request = desk.app.editor.as_ref().unwrap().request(&desk.app).unwrap();
    let found = holding(desk._folder.path(), TYPED);
    assert_eq!(found.len(), 1, "there is a draft: {found:?}");
    erase(&desk);
    assert_nowhere(&desk);
    (desk, request)
}

#[test]
fn a_copy_of_what_was_typed_about_an_erased_memory_is_not_written() {
    for reads in [true, false] {
        let (mut desk, _) = typed_and_erased(on("id:mem_no_retries", 100, 30));
        let before = files(&desk);
        if reads {
            desk.send(Msg::StoresChanged);
            desk.send(Msg::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::ALT)));
            assert!(desk.app.editor.as_ref().unwrap().conflict.is_some(), "{}", notice(&desk));
            desk.type_keys("c");
            desk.press(KeyCode::F(2));
        } else {
            let request = desk.app.editor.as_ref().unwrap().request(&desk.app).unwrap();
            let job = Job::SaveCopy(Box::new(request), Arc::clone(&desk.app.snapshot));
            let done = run_job(job, &mut WorkerState::default(), &CancelToken::default()).unwrap();
            desk.send(Msg::Done(done));
        }
        assert!(notice(&desk).contains("erased meanwhile"), "{}", notice(&desk));
        assert!(desk.app.editor.is_some(), "what was typed is still on screen");
        desk.send(Msg::SaveDraft);
        desk.press(KeyCode::Esc);
        desk.press(KeyCode::Esc);
        assert!(differing(&before, &files(&desk)).is_empty());
        assert_nowhere(&desk);
    }
}

/// Tries every way to keep the typed text after the erasure.
fn assert_none_is_kept((mut desk, request): (Desk, FormRequest)) {
    let done = run_job(
        Job::KeepDraft(Box::new(request.clone())),
        &mut WorkerState::default(),
        &CancelToken::default(),
    );
    assert!(matches!(&done, Some(JobResult::DraftKept(_, Err(why))) if why.contains("erased meanwhile")));
    assert_nowhere(&desk);
    let job = Job::KeepText(Box::new(request), format!("content.decision: {TYPED}"));
    match run_job(job, &mut WorkerState::default(), &CancelToken::default()) {
        Some(JobResult::TextKept(said)) => {
            assert!(said.contains("not kept") && said.contains("erased"), "{said}")
        }
        _ => panic!("it says what became of the text"),
    }
    assert_nowhere(&desk);
    let effects =
        update(&mut desk.app, Msg::Key(KeyEvent::new(KeyCode::Char('Q'), KeyModifiers::NONE)), now());
    desk.settle(effects);
    assert_nowhere(&desk);
}

#[test]
fn no_draft_of_an_erased_memory_is_kept_however_late_it_comes() {
    assert_none_is_kept(typed_and_erased(on("id:mem_no_retries", 100, 30)));
}

#[test]
fn of_a_part_of_a_bundle_that_was_erased_no_draft_is_kept_however_late_it_comes() {
    assert_none_is_kept(typed_and_erased(on("id:gotchas.0", 100, 30)));
}

#[test]
fn a_text_that_comes_from_an_editor_after_its_memory_was_erased_is_not_kept() {
    let mut desk = on("id:mem_no_retries", 100, 30);
    let late = request(&desk, EditMemory::text(TYPED.into()));
    erase(&desk);
    let before = files(&desk);
    let done =
        run_job(Job::Change(Box::new(late)), &mut WorkerState::default(), &CancelToken::default()).unwrap();
    desk.send(Msg::Done(done));
    assert!(notice(&desk).contains("not kept: the memory was erased meanwhile"), "{}", notice(&desk));
    assert!(differing(&before, &files(&desk)).is_empty());
    assert_nowhere(&desk);
}

/// Returns a desk with the cursor on a first line without an id.
fn on_a_line_without_an_id() -> Desk {
    let lines = [(None, "It is to be erased."), (Some("mem_1"), "It stays.")].map(|(id, text)| {
        let mut record = serde_json::json!({"session_id": "s", "type": "conversation",
            "timestamp": "2026-01-01T00:00:00Z", "content": {"role": "user", "message": text}});
        if let Some(id) = id {
            record["id"] = id.into();
        }
        format!("{record}\n")
    });
    let mut desk = Desk::of_log(&lines.concat(), (100, 30));
    desk.enter("/erased");
    desk
}

#[test]
fn of_a_line_without_an_id_that_was_erased_nothing_is_kept_and_no_copy_is_written() {
    assert_none_is_kept(typed_and_erased(on_a_line_without_an_id()));
    let (mut desk, request) = typed_and_erased(on_a_line_without_an_id());
    let before = files(&desk);
    let job = Job::SaveCopy(Box::new(request), Arc::clone(&desk.app.snapshot));
    let done = run_job(job, &mut WorkerState::default(), &CancelToken::default()).unwrap();
    desk.send(Msg::Done(done));
    assert!(notice(&desk).contains("erased meanwhile"), "{}", notice(&desk));
    assert!(differing(&before, &files(&desk)).is_empty());
    assert_nowhere(&desk);
}

#[test]
fn what_is_typed_about_a_part_that_is_still_there_is_kept_when_another_was_erased() {
    let mut desk = on("id:gotchas.1", 100, 30);
    desk.type_keys("e");
    desk.send(Msg::Key(KeyEvent::new(KeyCode::End, KeyModifiers::CONTROL)));
    desk.type_keys(TYPED);
    let request = desk.app.editor.as_ref().unwrap().request(&desk.app).unwrap();
    let other = |at: &EntryRef| App::name_of(&desk.app.listed_snapshot, *at) == "gotchas.0";
    let other = desk.app.listed_snapshot.entries().find(other).unwrap();
    erase_at(&desk, other);
    let done =
        run_job(Job::KeepDraft(Box::new(request)), &mut WorkerState::default(), &CancelToken::default());
    assert!(matches!(&done, Some(JobResult::DraftKept(_, Ok(_)))));
}

#[test]
fn a_form_of_an_erased_memory_says_that_what_was_typed_is_not_kept() {
    let (mut desk, _) = typed_and_erased(on("id:mem_no_retries", 120, 36));
    desk.send(Msg::StoresChanged);
    assert!(desk.screen().contains("DRAFT NOT KEPT"), "{}", desk.screen());
    desk.press(KeyCode::F(2));
    assert!(!desk.screen().contains("mine as a new memory"), "{}", desk.screen());
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    assert!(notice(&desk).contains("what was typed is not kept"), "{}", notice(&desk));
    assert_nowhere(&desk);
}
