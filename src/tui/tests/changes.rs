//! Keys that change memories: checks effects, state and files.

use std::path::{Path, PathBuf};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::{Desk, happenings, now, selected_title, update};
use crate::model::{Snapshot, State};
use crate::tui::message::{Effect, Msg};
use crate::tui::state::app::{App, Screen};
use crate::usecase::RecoveryReport;
use crate::usecase::{ChangeReport, HistoryEffect};
use crate::work::{Job, JobResult};

pub(super) fn key(c: char) -> Msg {
    Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE))
}

/// Returns a desk with the cursor on the first memory that a query finds.
pub(super) fn on(query: &str, width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    desk.enter(&format!("/{query}"));
    assert!(!desk.app.results.hits.is_empty(), "{query} finds nothing");
    desk
}

pub(super) fn selected_id(desk: &Desk) -> String {
    App::name_of(&desk.app.listed_snapshot, desk.app.selected().unwrap())
}

pub(super) fn state_of(desk: &Desk, id: &str) -> Option<State> {
    let named = |snapshot: &Snapshot, at| App::name_of(snapshot, at) == id;
    let at = desk.app.snapshot.entries().find(|&at| named(&desk.app.snapshot, at))?;
    Some(desk.app.snapshot.get(at).1.state)
}

pub(super) fn notice(desk: &Desk) -> &str {
    desk.app.notice.as_deref().unwrap_or_default()
}

/// Returns the files of the demo's stores, without locks, which some formats keep, and without backups, of
/// which palimp removes the oldest.
pub(super) fn files(desk: &Desk) -> Vec<(PathBuf, Vec<u8>)> {
    fn walk(folder: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) {
        for item in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = item.file_name();
            match item.file_type().unwrap().is_dir() {
                true if name == "palimp-data" || name == ".backup" => {}
                false if name == ".lock" => {}
                true => walk(&item.path(), into),
                false => into.push((item.path(), std::fs::read(item.path()).unwrap())),
            }
        }
    }
    let mut files = Vec::new();
    walk(desk._folder.path(), &mut files);
    files.sort();
    files
}

pub(super) fn differing(before: &[(PathBuf, Vec<u8>)], after: &[(PathBuf, Vec<u8>)]) -> Vec<PathBuf> {
    let one_way = |a: &[(PathBuf, Vec<u8>)], b: &[(PathBuf, Vec<u8>)]| {
        a.iter().filter(|file| !b.contains(file)).map(|(path, _)| path.clone()).collect::<Vec<_>>()
    };
    [one_way(before, after), one_way(after, before)].concat()
}

#[test]
fn a_prompt_that_cannot_be_understood_stays_open_and_changes_nothing() {
    let mut desk = on("store:ops is:live", 100, 30);
    let before = files(&desk);
    for (opens, text, why) in [
        ("t", "reviewed -", "+new or -old"),
        ("t", "+", "+new or -old"),
        ("i", "2", "from 0 to 1"),
        ("i", "NaN", "from 0 to 1"),
    ] {
        desk.type_keys(opens);
        desk.enter(text);
        assert!(notice(&desk).contains(why), "{}", notice(&desk));
        assert!(desk.app.prompt.is_some());
        desk.press(KeyCode::Esc);
        assert!(desk.app.prompt.is_none());
    }
    assert_eq!(files(&desk), before);
}

#[test]
fn deleting_takes_a_menu_and_the_cursor_stays_on_its_line() {
    let mut desk = on("is:live", 100, 30);
    desk.type_keys("jj");
    let (id, title, before) = (selected_id(&desk), selected_title(&desk), files(&desk));
    let next = App::name_of(&desk.app.listed_snapshot, desk.app.results.hits[3].at);
    desk.enter("dd");
    assert!(desk.app.delete_menu.is_some(), "neither d nor Enter does anything in the menu");
    assert_eq!(files(&desk), before);
    desk.type_keys("x");
    assert_eq!(notice(&desk), format!("deleted {title} · u to undo"));
    assert_eq!((desk.app.list_cursor.at, selected_id(&desk)), (2, next));
    assert_ne!(state_of(&desk, &id), Some(State::Live));
    desk.type_keys("jju");
    assert_eq!((files(&desk), selected_id(&desk)), (before, id.clone()), "the cursor is on what came back");
    assert_eq!(state_of(&desk, &id), Some(State::Live));
    desk.enter("t+seen");
    desk.type_keys("ggu");
    assert_eq!(selected_id(&desk), id, "and on what is as it was");
}

#[test]
fn what_a_format_refuses_is_grey_in_the_menu_and_tells_why() {
    let mut desk = on("session:checkout_rework is:live", 100, 30);
    let before = files(&desk);
    desk.type_keys("da");
    assert!(desk.app.delete_menu.is_some());
    assert!(notice(&desk).contains("session-log has no archive"), "{}", notice(&desk));
    desk.press(KeyCode::Esc);
    desk.type_keys("a");
    assert!(notice(&desk).ends_with("Nothing was changed."), "{}", notice(&desk));
    assert_eq!(files(&desk), before);
    assert!(!desk.screen().contains("a archive"), "a hint that can't work");
}

#[test]
fn a_change_is_aimed_at_the_memory_that_was_under_the_cursor_when_it_was_asked_for() {
    let mut desk = on("type:decision", 100, 30);
    let title = selected_title(&desk);
    desk.type_keys("d");
    desk.app.list_cursor.at = 3;
    desk.type_keys("x");
    assert_eq!(notice(&desk), format!("deleted {title} · u to undo"));
}

#[test]
fn only_a_memory_that_can_be_seen_is_changed() {
    let mut desk = on("type:decision", 100, 30);
    let before = files(&desk);
    for (keys, hint) in [("1a", "4 goes to their list"), ("4gpa", "4 goes there"), ("t", "4 goes there")] {
        desk.type_keys(keys);
        assert!(notice(&desk).contains(hint), "{keys}: {}", notice(&desk));
    }
    assert_eq!(files(&desk), before);
}

#[test]
fn nothing_is_changed_where_nothing_may_be() {
    let mut desk = Desk::new(120, 36);
    for (readonly, why) in [(true, "--readonly"), (false, "--data-dir")] {
        desk.restart(120, 36);
        super::marks::search(&mut desk, "type:decision");
        desk.app.readonly = readonly;
        if !readonly {
            desk.app.data = None;
        }
        let before = files(&desk);
        assert!(desk.screen().contains("read-only"));
        for keys in ["E", "t", "i", "a", "d", "u", "U"] {
            let effects = keys.chars().flat_map(|c| update(&mut desk.app, key(c), now())).collect::<Vec<_>>();
            assert!(effects.is_empty() && desk.app.delete_menu.is_none() && desk.app.prompt.is_none());
            assert!(notice(&desk).contains(why), "{keys}: {}", notice(&desk));
        }
        desk.send(Msg::Tick);
        desk.send(Msg::StoresChanged);
        assert_eq!(files(&desk), before);
        desk.app.notice = None;
        assert!(!desk.screen().contains("t tag"));
    }
}

#[test]
fn changes_wait_for_one_another_and_leaving_waits_for_them() {
    let mut desk = on("type:decision", 100, 30);
    let mut effects = update(&mut desk.app, key('d'), now());
    effects.extend(update(&mut desk.app, key('x'), now()));
    assert!(notice(&desk).starts_with("deleting ") && !notice(&desk).contains("before it"));
    effects.extend(update(&mut desk.app, key('u'), now()));
    assert!(notice(&desk).ends_with("…, after the change before it"), "{}", notice(&desk));
    let changes = effects.iter().filter(|effect| matches!(effect, Effect::Job(Job::Change(_)))).count();
    assert_eq!((changes, desk.app.change_count), (2, 2));
    assert!(update(&mut desk.app, key('Q'), now()).iter().all(|effect| !matches!(effect, Effect::Quit)));
    assert!(notice(&desk).contains("A change is being finished"));
    let quits = |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Quit));
    let made = || Msg::Done(JobResult::ChangeDone(Box::new(Ok(done("deleted x")))));
    assert!(!quits(&update(&mut desk.app, made(), now())));
    assert!(quits(&update(&mut desk.app, made(), now())));
}

fn done(said: &str) -> ChangeReport {
    ChangeReport { said: said.into(), notes: Vec::new(), effect: HistoryEffect::Made, receipt: Vec::new() }
}

#[test]
fn whoever_leaves_is_told_of_a_change_that_failed() {
    let mut desk = on("type:decision", 100, 30);
    update(&mut desk.app, key('d'), now());
    update(&mut desk.app, key('x'), now());
    update(&mut desk.app, key('Q'), now());
    let failed =
        Msg::Done(JobResult::ChangeDone(Box::new(Err("It is full. Nothing was changed. (E_X)".into()))));
    let effects = update(&mut desk.app, failed, now());
    assert!(effects.iter().all(|effect| !matches!(effect, Effect::Quit)));
    assert_eq!(notice(&desk), "It is full. Nothing was changed. (E_X)");
    assert!(!desk.app.quits_when_done);
}

#[test]
fn what_was_undone_is_not_redone_after_something_new_in_another_store() {
    let mut desk = on("type:learning", 120, 36);
    desk.type_keys("dxu");
    assert!(notice(&desk).starts_with("undid"), "{}", notice(&desk));
    desk.enter("/session:checkout_rework is:live");
    desk.type_keys("dx");
    desk.type_keys("U");
    assert!(notice(&desk).starts_with("There is nothing to redo"), "{}", notice(&desk));
    desk.type_keys("uU");
    assert!(notice(&desk).starts_with("redid: deleted"), "{}", notice(&desk));
}

#[test]
fn late_lines_are_rescued_while_the_screens_are_open() {
    let mut desk = on("session:checkout_rework type:decision is:live", 120, 36);
    let file = desk.file();
    // An agent has the file open, and writes after palimp replaced it.
    let mut agent = std::fs::OpenOptions::new().append(true).open(&file).unwrap();
    desk.enter("t+seen");
    assert!(desk.app.snapshot.stores.iter().any(|store| !store.own_files.is_empty()));
    let line = b"{\"id\":\"mem_late\",\"type\":\"finding\",\"timestamp\":\"2026-02-01T00:00:00Z\"}\n";
    std::io::Write::write_all(&mut agent, line).unwrap();
    desk.send(Msg::Tick);
    assert_eq!(notice(&desk), "rescued 1 line that came while a file was being replaced");
    assert!(std::fs::read(&file).unwrap().ends_with(line));
    assert_eq!(state_of(&desk, "mem_late"), Some(State::Live));
}

proptest! {
    #![proptest_config(crate::tries::config(2, 300))]

    #[test]
    fn any_keys_that_change_keep_the_screens_working_and_undo_undoes_all_of_it(
        happenings in proptest::collection::vec(happenings(), 1..60)
    ) {
        let mut desk = Desk::new(120, 36);
        let before = files(&desk);
        for happening in happenings {
            desk.send(happening.into());
            desk.screen();
        }
        desk.app.screen = Screen::Memories;
        desk.app.prompt = None;
        desk.app.delete_menu = None;
        desk.app.key_sequence.clear();
        // A plan that still waits for a yes takes the keys, so it is cancelled.
        desk.send(Msg::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)));
        for _ in 0..60 {
            desk.send(key('u'));
            if notice(&desk).starts_with("There is nothing to undo") {
                break;
            }
        }
        prop_assert!(notice(&desk).starts_with("There is nothing to undo"), "{}", notice(&desk));
        prop_assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new());
    }
}

#[test]
fn what_recovery_could_neither_finish_nor_undo_is_told() {
    let mut desk = Desk::new(80, 24);
    let note = "step 4 was neither finished nor taken back: notes.jsonl changed since";
    desk.send(Msg::Done(JobResult::Recovered(RecoveryReport {
        rescued: 2,
        notes: vec![note.into()],
        ..RecoveryReport::default()
    })));
    assert!(notice(&desk).starts_with("rescued 2 lines"), "{}", notice(&desk));
    assert!(notice(&desk).ends_with(note), "{}", notice(&desk));
    desk.app.notice = None;
    desk.send(Msg::Done(JobResult::Recovered(RecoveryReport::default())));
    assert_eq!(notice(&desk), "");
}
