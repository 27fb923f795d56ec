//! The clean-up: from what is to be forgotten to the proof, and back at every step.

use std::path::PathBuf;

use crossterm::event::KeyCode;

use super::Desk;
use super::changes::{files, notice};
use super::queued_keys::{only_type, press};
use super::secrets::{desk_of, holding, log, token};
use crate::tui::message::{Effect, Msg};
use crate::tui::state::app::Screen;
use crate::tui::state::clean_up::{CleanUpField, CleanUpStep};
use crate::work::{Job, PagerInput};

fn line(id: &str, text: &str, tags: &[&str]) -> String {
    let record = serde_json::json!({"session_id": "s", "type": "conversation", "id": id, "tags": tags,
        "timestamp": "2026-01-01T00:00:00Z", "content": {"role": "user", "message": text}});
    format!("{record}\n")
}

/// Returns a store with three memories about a customer, one of them pinned, a near-copy, and a token.
fn desk(width: u16, height: u16) -> Desk {
    let long = "Marzipan pays on the first day of each month and wants the invoice as a file";
    let lines = [
        line("mem_1", long, &[]),
        line("mem_2", &long.replace("Marzipan", "It"), &[]),
        line("mem_3", "Call Marzipan back.", &["pinned"]),
        line("mem_4", &format!("The deploy key is {}.", token()), &[]),
        line("mem_5", "Nothing to see here.", &[]),
        line("mem_6", "Marzipan moved its office.", &[]),
    ];
    desk_of(&lines, width, height)
}

fn ids(desk: &Desk) -> Vec<String> {
    let id = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned()
    };
    log(desk).lines().map(id).collect()
}

fn step(desk: &Desk) -> Option<CleanUpStep> {
    desk.app.clean_up.as_ref().map(|own| own.step)
}

/// Types what is to be forgotten into a field, and goes on to the preview.
fn preview(desk: &mut Desk, field: usize, text: &str) {
    desk.type_keys("gc");
    (0..field).for_each(|_| desk.press(KeyCode::Tab));
    desk.enter(text);
    desk.press(KeyCode::Enter);
    assert_eq!(step(desk), Some(CleanUpStep::Preview), "{}", desk.screen());
}

#[test]
fn a_topic_is_forgotten_in_six_keys_beyond_typing_and_the_proof_is_shown() {
    for (width, height) in [(120, 36), (80, 24), (60, 15)] {
        let mut desk = desk(width, height);
        preview(&mut desk, 0, "marzipan");
        desk.sees(&["Preview  2 of 4 memories go"]);
        desk.press(KeyCode::Enter);
        desk.enter("erase 2");
        assert_eq!(step(&desk), Some(CleanUpStep::Proof), "{}", notice(&desk));
        let screen = desk.screen();
        assert!(screen.contains("of this store searched: none has it"), "{screen}");
        assert_eq!(ids(&desk), ["mem_2", "mem_3", "mem_4", "mem_5"]);
        desk.press(KeyCode::Enter);
        assert_eq!((desk.app.screen, step(&desk)), (Screen::Memories, None));
    }
}

#[test]
fn a_value_is_never_drawn_and_its_provider_is_named() {
    let mut desk = desk(120, 36);
    desk.type_keys("gc");
    desk.press(KeyCode::Tab);
    desk.type_keys(&token());
    let screen = desk.screen();
    assert!(screen.contains("••••••••") && !screen.contains("A1b2C3"), "{screen}");
    desk.press(KeyCode::Enter);
    desk.press(KeyCode::Enter);
    desk.sees(&["Preview  1 of 1 memory loses the value"]);
    desk.type_keys("t");
    let screen = desk.screen();
    assert!(screen.contains("Preview  1 of 1 memory goes") && screen.contains("GitHub: 1 key"), "{screen}");
    assert!(!screen.contains("A1b2C3"), "{screen}");
    desk.press(KeyCode::Enter);
    desk.enter("erase 1");
    let screen = desk.screen();
    assert!(screen.contains("GitHub: 1 key") && !screen.contains("A1b2C3"), "{screen}");
    assert_eq!(holding(desk._folder.path(), &token()), Vec::<PathBuf>::new());
}

#[test]
fn what_a_kind_finds_is_taken_out_in_six_keys_beyond_typing_and_its_memories_stay() {
    for (width, height) in [(120, 36), (80, 24)] {
        let mut desk = desk(width, height);
        let known = ids(&desk);
        preview(&mut desk, 3, "token");
        desk.sees(&["Preview  1 of 1 memory loses the value", "The memories stay, without the value."]);
        desk.press(KeyCode::Enter);
        desk.enter("purge 1");
        assert_eq!(step(&desk), Some(CleanUpStep::Proof), "{}", notice(&desk));
        assert_eq!((ids(&desk), holding(desk._folder.path(), &token())), (known, Vec::new()));
    }
}

#[test]
fn a_value_that_is_too_short_to_be_taken_out_is_said_and_its_memory_can_be_erased_instead() {
    let password = ["hunt", "er2"].concat();
    let mut desk = desk_of(&[line("mem_1", &format!("The password: {password}"), &[])], 120, 36);
    preview(&mut desk, 3, "password");
    desk.sees(&["Preview  0 of 1 memory", "its value is short"]);
    desk.press(KeyCode::Enter);
    desk.sees(&["Nothing goes"]);
    desk.type_keys("t");
    desk.sees(&["Preview  1 of 1 memory goes"]);
}

#[test]
fn what_is_taken_out_of_the_preview_stays_and_what_is_taken_in_goes() {
    let mut desk = desk(120, 36);
    preview(&mut desk, 0, "marzipan");
    desk.type_keys(" NP");
    let screen = desk.screen();
    assert!(screen.contains("Preview  3 of 4 memories go"), "{screen}");
    assert!(screen.contains("% alike") && screen.contains("pinned"), "{screen}");
    desk.press(KeyCode::Enter);
    assert!(desk.app.confirm.is_some(), "{}", notice(&desk));
    desk.enter("erase 3");
    assert_eq!(step(&desk), Some(CleanUpStep::Proof), "{}", notice(&desk));
    assert_eq!(ids(&desk), ["mem_1", "mem_4", "mem_5"]);
}

#[test]
fn a_person_is_forgotten_by_names_with_commas_between_them() {
    let mut desk = desk(120, 36);
    preview(&mut desk, 2, "nobody, Marzipan");
    // A pinned memory that holds a name goes as well.
    assert!(desk.screen().contains("Preview  3 of 4 memories go"), "{}", desk.screen());
}

#[test]
fn esc_leads_back_step_by_step_and_nothing_is_changed() {
    let mut desk = desk(80, 24);
    let before = files(&desk);
    preview(&mut desk, 0, "marzipan");
    desk.press(KeyCode::Enter);
    desk.enter("erase 1");
    assert!(desk.app.confirm.is_some(), "the words are not the right ones");
    desk.press(KeyCode::Esc);
    assert_eq!(step(&desk), Some(CleanUpStep::Preview));
    desk.press(KeyCode::Enter);
    assert!(desk.app.confirm.is_some(), "the plan is asked about again");
    for expected in [Some(CleanUpStep::Preview), Some(CleanUpStep::Scope), Some(CleanUpStep::What), None] {
        desk.press(KeyCode::Esc);
        assert_eq!(step(&desk), expected);
    }
    assert_eq!(files(&desk), before);
}

#[test]
fn nothing_typed_and_no_store_chosen_never_mean_everything() {
    let mut desk = desk(80, 24);
    desk.enter("gc");
    assert_eq!(step(&desk), Some(CleanUpStep::What));
    assert!(desk.screen().contains("Type what is to be forgotten"), "{}", desk.screen());
    (0..4).for_each(|_| desk.press(KeyCode::Tab));
    desk.enter("-7d");
    assert_eq!(step(&desk), Some(CleanUpStep::What), "a time alone is nothing");
    desk.press(KeyCode::Esc);
    desk.enter("gcmarzipan");
    desk.enter(" ");
    assert!(desk.screen().contains("No store is chosen"), "{}", desk.screen());
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    desk.enter("gc\"marz");
    desk.press(KeyCode::Enter);
    desk.press(KeyCode::Enter);
    assert!(desk.app.confirm.is_none(), "{}", desk.screen());
}

#[test]
fn a_deletion_instead_can_be_undone() {
    let mut desk = desk(120, 36);
    let before = log(&desk);
    preview(&mut desk, 0, "marzipan");
    desk.type_and_see("t", &["It can be undone for 30 days"]);
    desk.press(KeyCode::Enter);
    desk.type_keys("y");
    assert_eq!((desk.app.screen, step(&desk)), (Screen::Memories, None), "{}", notice(&desk));
    let deleted = desk._folder.path().join("sessions/s/tombstones.jsonl");
    assert_eq!(std::fs::read_to_string(&deleted).unwrap().lines().count(), 2, "{}", notice(&desk));
    desk.type_keys("u");
    assert_eq!(log(&desk), before, "{}", notice(&desk));
    assert_eq!(std::fs::read_to_string(&deleted).unwrap_or_default(), "");
}

#[test]
fn a_rule_is_saved_and_runs_again_by_its_name() {
    let mut desk = desk(120, 36);
    desk.type_keys("gcmarzipan");
    (0..6).for_each(|_| desk.press(KeyCode::Tab));
    desk.enter("customer");
    assert_eq!(step(&desk), Some(CleanUpStep::Scope), "{}", desk.screen());
    (0..2).for_each(|_| desk.press(KeyCode::Esc));
    preview(&mut desk, 6, "customer");
    assert!(desk.screen().contains("Preview  2 of 4 memories go"), "{}", desk.screen());
    (0..3).for_each(|_| desk.press(KeyCode::Esc));
    desk.type_and_see("gc", &["customer: topic marzipan"]);
}

#[test]
fn after_others_changed_the_stores_esc_leads_back_to_them_and_enter_looks_again() {
    let mut desk = desk(120, 36);
    preview(&mut desk, 0, "marzipan");
    desk.press(KeyCode::Enter);
    let (path, text) = (desk._folder.path().join("sessions/s/memory.jsonl"), log(&desk));
    let first = line("mem_0", "Another agent wrote about marzipan, too.", &[]);
    std::fs::write(&path, first + &text.replace("moved its office", "moved")).unwrap();
    desk.enter("erase 2");
    assert!(desk.app.confirm.is_some(), "it is asked again: {}", notice(&desk));
    desk.press(KeyCode::Esc);
    assert_eq!(step(&desk), Some(CleanUpStep::Scope));
    assert!(desk.screen().contains("Others changed these stores since"), "{}", desk.screen());
    desk.press(KeyCode::Enter);
    assert!(desk.screen().contains("Preview  3 of 5 memories go"), "{}", desk.screen());
    desk.press(KeyCode::Enter);
    desk.enter("erase 3");
    assert_eq!(ids(&desk), ["mem_2", "mem_3", "mem_4", "mem_5"], "{}", notice(&desk));
}

#[test]
fn keys_while_it_is_carried_out_change_nothing_and_the_proof_comes() {
    let mut desk = desk(120, 36);
    preview(&mut desk, 0, "marzipan");
    desk.press(KeyCode::Enter);
    desk.type_keys("erase 2");
    let given = press(&mut desk, KeyCode::Enter);
    assert!(matches!(given.last(), Some(Effect::Job(Job::Commit(_)))));
    desk.app.changes.active.as_ref().unwrap().progress.write().unwrap();
    assert!(only_type(&mut desk, "tR ⏎f").is_empty());
    assert!(notice(&desk).contains("the proof comes next"), "{}", notice(&desk));
    desk.settle(given);
    assert_eq!(step(&desk), Some(CleanUpStep::Proof), "{}", notice(&desk));
    assert!(!desk.app.clean_up.as_ref().unwrap().proof.is_empty());
}

#[test]
fn a_false_alarm_is_kept_before_the_question_is_asked() {
    let mut desk = desk(120, 36);
    preview(&mut desk, 3, "token");
    let given = press(&mut desk, KeyCode::Char('f'));
    assert!(press(&mut desk, KeyCode::Enter).is_empty());
    assert!(desk.app.confirm.is_none());
    desk.settle(given);
    desk.sees(&["Preview  0 of 0 memories lose"]);
    assert!(desk.app.confirm.is_none(), "nothing fits any more");
}

#[test]
fn a_place_beside_the_stores_opens_at_its_line() {
    let mut desk = desk(120, 36);
    let home = crate::folder::new();
    desk.app.home = Some(home.path().to_owned());
    std::fs::write(home.path().join(".bash_history"), format!("ls\ncd\nexport KEY={}\n", token())).unwrap();
    preview(&mut desk, 3, "token");
    desk.sees(&[".bash_history:3", "history -d"]);
    let opened = press(&mut desk, KeyCode::Char('o'));
    let Some(Effect::OpenPager(PagerInput::File(path, 3))) = opened.into_iter().next() else {
        panic!("{}", notice(&desk))
    };
    assert_eq!(path, home.path().join(".bash_history"));
}

#[test]
fn a_paste_that_does_not_fit_into_a_field_is_refused_and_never_cut() {
    let mut desk = desk(120, 36);
    desk.type_keys("gc");
    desk.press(KeyCode::Tab);
    for (paste, told) in [("a".repeat(4_001), "4000 characters fit"), ("one\ntwo".into(), "of several lines")]
    {
        desk.send(Msg::Paste(paste));
        assert!(desk.screen().contains(told), "{}", desk.screen());
        assert_eq!(desk.app.clean_up.as_ref().unwrap().typed(CleanUpField::Value), "");
    }
    desk.send(Msg::Paste(token() + "\n"));
    assert_eq!(desk.app.clean_up.as_ref().unwrap().typed(CleanUpField::Value), token());
}

#[test]
fn a_value_that_stays_in_one_memory_is_not_drawn_and_that_memory_is_named() {
    let mut desk = desk(120, 36);
    let (path, text) = (desk._folder.path().join("sessions/s/memory.jsonl"), log(&desk));
    let also = line("mem_7", &format!("The same key, {}, in other words.", token()), &[]);
    std::fs::write(&path, text + &also).unwrap();
    desk.type_keys("gcdeploy");
    desk.press(KeyCode::Tab);
    desk.enter(&token());
    desk.enter("R");
    desk.sees(&["Preview  2 of 2 memories lose the value"]);
    desk.type_keys("t");
    let screen = desk.screen();
    assert!(!screen.contains("A1b2C3"), "{screen}");
    assert!(screen.contains("holds the value") && screen.contains("1 value stays"), "{screen}");
    desk.press(KeyCode::Enter);
    assert!(!desk.screen().contains("A1b2C3"), "{}", desk.screen());
    assert!(desk.screen().contains("1 value stays"), "{}", desk.screen());
}
