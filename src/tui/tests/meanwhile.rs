//! Other programs change a store between a plan and the yes: nothing is written, and palimp asks about the
//! difference.

use std::io::Write;
use std::path::PathBuf;

use crossterm::event::KeyCode;

use super::bulk::{question, tagged, told};
use super::changes::{differing, files, key, notice, on, state_of};
use super::marks::marked;
use super::{Desk, now, update};
use crate::model::State;
use crate::text::json_edit;
use crate::tui::message::Msg;
use crate::tui::state::app::App;

const DECISIONS: &str = "session:checkout_rework type:decision is:live";

/// Marks memories that a search finds. Returns their log and their names, too.
fn with_marks(query: &str, keys: &str) -> (Desk, PathBuf, Vec<String>) {
    let mut desk = on(query, 120, 36);
    let file = desk.file();
    desk.type_keys(keys);
    let names = marked(&desk);
    (desk, file, names)
}

fn lines(file: &PathBuf) -> Vec<String> {
    std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}

fn write(file: &PathBuf, lines: &[String]) {
    std::fs::write(file, lines.join("\n") + "\n").unwrap();
}

/// Changes or removes the line of a memory, as another program does.
fn meanwhile(file: &PathBuf, id: &str, change: impl Fn(&str) -> Option<String>) {
    let own = format!("\"id\":\"{id}\"");
    let all = lines(file);
    assert!(all.iter().any(|line| line.contains(&own)), "{id} is in no line");
    let is =
        all.iter().filter_map(|line| if line.contains(&own) { change(line) } else { Some(line.clone()) });
    write(file, &is.collect::<Vec<_>>());
}

/// Returns the line with another importance.
fn important(line: &str) -> Option<String> {
    let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
    let own = value.as_object_mut().unwrap();
    own.remove("checksum");
    let meta = own.entry("importance").or_insert(0.5.into());
    *meta = 0.13.into();
    Some(value.to_string())
}

fn late(file: &PathBuf, id: &str) {
    let line = format!("{{\"id\":\"{id}\",\"type\":\"decision\",\"timestamp\":\"2026-02-01T00:00:00Z\"}}\n");
    std::fs::OpenOptions::new().append(true).open(file).unwrap().write_all(line.as_bytes()).unwrap();
}

#[test]
fn what_was_changed_or_taken_away_since_it_was_shown_is_asked_for_again_and_alone() {
    for reads in [false, true] {
        let (mut desk, file, own) = with_marks(DECISIONS, "    ");
        desk.enter("t+seen");
        assert_eq!(question(&desk), "tag 4 memories +seen?");
        meanwhile(&file, &own[0], important);
        meanwhile(&file, &own[1], |_| None);
        late(&file, "late_1");
        let before = files(&desk);
        if reads {
            desk.send(Msg::StoresChanged);
            assert!(desk.screen().contains("Others changed 2 of them since"), "{}", desk.screen());
        }
        desk.type_keys("y");
        assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new(), "nothing is written");
        assert_eq!(question(&desk), "tag 3 memories +seen?");
        let told = told(&desk);
        assert!(told.starts_with("Changed meanwhile: 2 of 4"), "{told}");
        assert!(told.contains(&format!("{}  gone", own[1])), "{told}");
        assert!(told.contains(&own[0]) && told.contains("→ 0.13"), "{told}");
        assert!(!told.contains(&own[2]) && !told.contains("late_1"), "{told}");
        desk.type_keys("y");
        assert!(notice(&desk).starts_with("tagged 3 memories"), "{}", notice(&desk));
        let left: Vec<String> = own.iter().filter(|id| **id != own[1]).cloned().collect();
        assert_eq!(tagged(&desk, "seen"), left);
        assert_eq!(state_of(&desk, "late_1"), Some(State::Live));
    }
}

#[test]
fn a_third_change_is_asked_for_a_third_time() {
    let (mut desk, file, own) = with_marks(DECISIONS, "   ");
    desk.enter("ihigh");
    for id in &own[..2] {
        meanwhile(&file, id, important);
        desk.type_keys("y");
        assert!(told(&desk).contains("Changed meanwhile: 1 of 3"), "{}", told(&desk));
        assert!(told(&desk).contains(&format!("{id}  ")), "{}", told(&desk));
    }
    desk.type_keys("y");
    assert!(notice(&desk).starts_with("set the importance of 3 memories"), "{}", notice(&desk));
}

#[test]
fn what_another_deleted_meanwhile_is_left_out_and_said() {
    let (mut desk, file, own) = with_marks(DECISIONS, "   ");
    desk.enter("t+seen");
    let tombstones = file.with_file_name("tombstones.jsonl");
    let line =
        format!("{{\"id\":\"{}\",\"deleted_at\":\"2026-02-01T11:00:00Z\",\"reason\":\"user\"}}\n", own[0]);
    let mut all = std::fs::read(&tombstones).unwrap_or_default();
    all.extend(line.as_bytes());
    std::fs::write(&tombstones, all).unwrap();
    desk.type_keys("y");
    let told = told(&desk);
    assert!(told.contains(&format!("{}  deleted · left out", own[0])), "{told}");
    desk.type_keys("y");
    assert_eq!(tagged(&desk, "seen"), own[1..]);
}

#[test]
fn where_nothing_of_the_plan_remains_a_notice_says_so() {
    let (mut desk, file, own) = with_marks(DECISIONS, "  ");
    desk.enter("t+seen");
    own.iter().for_each(|id| meanwhile(&file, id, |_| None));
    let before = files(&desk);
    desk.type_keys("y");
    assert!(desk.app.confirm.is_none());
    assert!(notice(&desk).starts_with("Changed meanwhile: 2 of 2"), "{}", notice(&desk));
    assert!(notice(&desk).contains("Nothing of the plan remains"), "{}", notice(&desk));
    assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new());
}

#[test]
fn lines_that_moved_and_memories_that_were_merely_read_are_no_second_question() {
    let (mut desk, file, own) = with_marks("type:learning", "   ");
    desk.enter("t+seen");
    let mut all = lines(&file);
    let last = all.pop().unwrap();
    all.insert(0, last);
    write(&file, &all);
    meanwhile(&file, &own[0], |line| {
        let counted = json_edit::set(line.as_bytes(), &["access_count"], "77").unwrap();
        let read = json_edit::set(&counted, &["accessed_at"], "\"2026-02-01T11:59:00Z\"").unwrap();
        Some(String::from_utf8(read).unwrap())
    });
    desk.type_keys("y");
    assert!(notice(&desk).starts_with("tagged 3 memories"), "{} {}", notice(&desk), question(&desk));
    assert_eq!(tagged(&desk, "seen"), own);
    assert!(lines(&file).iter().any(|line| line.contains("2026-02-01T11:59:00Z")), "what read it is kept");
}

#[test]
fn the_words_of_an_erasure_are_typed_again_with_the_new_count() {
    let (mut desk, file, own) = with_marks(DECISIONS, "   ");
    desk.type_keys("deerase 3");
    meanwhile(&file, &own[0], |_| None);
    let before = files(&desk);
    desk.press(KeyCode::Enter);
    assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new());
    assert_eq!(question(&desk), "erase 2 memories?");
    desk.enter("y");
    desk.press(KeyCode::Backspace);
    desk.enter("erase 3");
    assert!(desk.app.confirm.is_some());
    desk.press(KeyCode::Backspace);
    desk.enter("2");
    assert!(desk.app.changes.receipt.is_some(), "{}", notice(&desk));
    assert!(own[1..].iter().all(|id| state_of(&desk, id) != Some(State::Live)));
}

#[test]
fn one_that_the_menu_was_opened_on_is_deleted_as_it_was_seen_or_asked_for() {
    let mut desk = on(DECISIONS, 120, 36);
    let (file, id) = (desk.file(), App::name_of(&desk.app.listed_snapshot, desk.app.selected().unwrap()));
    let title = App::quoted_title(&desk.app.listed_snapshot, desk.app.selected().unwrap());
    desk.type_keys("d");
    meanwhile(&file, &id, important);
    let before = files(&desk);
    desk.type_keys("x");
    assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new());
    assert_eq!(question(&desk), format!("delete {title}?"));
    desk.type_keys("y");
    assert!(notice(&desk).starts_with("deleted"), "{}", notice(&desk));
    assert_eq!(state_of(&desk, &id), Some(State::Deleted));
}

#[test]
fn a_question_that_comes_late_answers_no_key_that_was_meant_for_something_else() {
    let mut desk = on(DECISIONS, 120, 36);
    let (file, id) = (desk.file(), App::name_of(&desk.app.listed_snapshot, desk.app.selected().unwrap()));
    desk.type_keys("d");
    meanwhile(&file, &id, important);
    let before = files(&desk);
    let effects = update(&mut desk.app, key('x'), now());
    update(&mut desk.app, key('t'), now());
    assert!(desk.app.prompt.is_some());
    desk.settle(effects);
    assert!(desk.app.confirm.is_none() && desk.app.prompt.is_some());
    assert!(notice(&desk).contains("ask for it once more"), "{}", notice(&desk));
    assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new());
}

#[test]
fn a_tag_is_added_to_a_memory_as_others_wrote_it_meanwhile() {
    for is_read in [true, false] {
        let mut desk = Desk::new(120, 36);
        let root =
            desk.app.snapshot.stores.iter().find(|own| own.format == "memory-server").unwrap().root.clone();
        let file = root.join("learnings.jsonl");
        let line = |text: &str| {
            format!(
                "{{\"id\":\"zebra\",\"type\":\"learning\",\"content\":\"{text}\",\"tags\":[],\"created_at\":\"2026-01-01T00:00:00Z\"}}\n"
            )
        };
        let bytes = String::from_utf8(std::fs::read(&file).unwrap()).unwrap();
        std::fs::write(&file, bytes.clone() + &line("A zebra.")).unwrap();
        desk.enter("R/id:zebra");
        desk.type_keys("t+zz");
        std::fs::write(&file, bytes.clone() + &line("A zebra, and another.")).unwrap();
        if is_read {
            desk.send(Msg::StoresChanged);
        }
        desk.press(KeyCode::Enter);
        let after = std::fs::read_to_string(&file).unwrap();
        let own = after.lines().find(|own| own.contains("zebra")).unwrap();
        assert!(own.contains("A zebra, and another.") && own.contains("zz"), "{own} {}", desk.screen());
    }
}
