//! Long plans and receipts: the user can see every line before the answer.

use std::collections::HashSet;

use crossterm::event::KeyCode;

use super::changes::{files, notice, on};
use super::marks::search;
use super::{Desk, stable};
use crate::tui::state::app::App;

/// Scrolls to the end, and returns everything that was visible on the way.
fn seen(desk: &mut Desk, down: KeyCode) -> String {
    let (mut all, mut known) = (String::new(), HashSet::new());
    for _ in 0..2_000 {
        let screen = desk.screen();
        if !known.insert(screen.clone()) {
            return all;
        }
        all.push_str(&screen);
        desk.press(down);
    }
    panic!("it has no end");
}

#[test]
fn every_memory_everything_left_out_and_every_file_of_a_plan_is_seen_before_it_is_answered() {
    for (width, height) in [(80, 24), (120, 36)].into_iter().take(crate::tries::count(1, 2)) {
        let mut desk = Desk::new(width, height);
        desk.type_keys("*");
        desk.enter("t+reviewed");
        let before = files(&desk);
        assert!(desk.screen().contains(" · PgDn"), "{}", desk.screen());
        insta::assert_snapshot!(format!("confirm-long-{width}x{height}"), stable(&desk.screen()));
        let planned = &desk.app.confirm.as_ref().unwrap().planned;
        let mut names: Vec<String> = planned
            .changing
            .iter()
            .map(|at| {
                App::quoted_title(&desk.app.listed_snapshot, *at).trim_matches('"').chars().take(20).collect()
            })
            .chain(
                planned
                    .skipped
                    .iter()
                    .flat_map(|own| &own.which)
                    .map(|at| App::quoted_title(&desk.app.listed_snapshot, *at)),
            )
            .collect();
        assert_eq!(names.len(), desk.app.marks.count());
        names.extend(planned.skipped.iter().map(|own| format!("Left out: {} memor", own.which.len())));
        let changes = planned.plans.iter().flat_map(|own| own.plan.all()).filter(|own| !own.is_empty());
        names.extend(changes.map(|own| format!("{} → {} B", own.len_before(), own.len_after())));
        let confirm = desk.app.confirm.as_ref().unwrap();
        let lines: Vec<String> = (0..confirm.len()).map(|at| confirm.line(at)).collect();
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let whole = bare(&lines.join(" "));
        let missing: Vec<&String> = names.iter().filter(|own| !whole.contains(&bare(own))).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let all = seen(&mut desk, KeyCode::PageDown);
        let start = |line: &String| line.chars().take(20).collect::<String>();
        let unseen: Vec<&String> = lines.iter().filter(|line| !all.contains(&start(line))).collect();
        assert!(unseen.is_empty(), "{unseen:?}");
        insta::assert_snapshot!(format!("confirm-end-{width}x{height}"), stable(&desk.screen()));
        assert_eq!(files(&desk), before);
        desk.type_keys("y");
        assert!(notice(&desk).contains("tagged"), "{}", notice(&desk));
    }
}

#[test]
fn where_words_are_typed_letters_are_words_and_other_keys_scroll() {
    let mut desk = on("session:checkout_rework is:live", 80, 24);
    desk.type_keys("*de");
    desk.type_keys("jkGg");
    let confirm = desk.app.confirm.as_ref().unwrap();
    assert_eq!((confirm.top, confirm.typed_word.as_ref().unwrap().so_far.as_str()), (0, "jkGg"));
    for key in [KeyCode::PageDown, KeyCode::Down, KeyCode::End] {
        let before = desk.app.confirm.as_ref().unwrap().top;
        desk.press(key);
        assert!(desk.app.confirm.as_ref().unwrap().top > before, "{key:?}");
    }
    assert!(desk.screen().contains("PgUp"));
}

#[test]
fn a_receipt_that_is_longer_than_the_screen_is_scrolled() {
    let mut desk = Desk::new(120, 36);
    for (width, height) in [(120, 36), (80, 24)] {
        desk.restart(width, height);
        desk.app.changes.receipt = Some((0..100).map(|n| format!("line {n} of the receipt.")).collect());
        assert!(desk.screen().contains(" of 100 · PgDn"), "{}", desk.screen());
        insta::assert_snapshot!(format!("receipt-long-{width}x{height}"), stable(&desk.screen()));
        let all = seen(&mut desk, KeyCode::PageDown);
        assert!((0..100).all(|n| all.contains(&format!("line {n} of"))), "{all}");
        assert!(desk.screen().contains("100 of 100 · PgUp"));
        desk.type_keys("gj");
        assert!(!desk.screen().contains("line 0 of") && desk.screen().contains("line 1 of"));
        desk.press(KeyCode::Esc);
        assert!(desk.app.changes.receipt.is_none());
    }
}

#[test]
fn however_long_the_names_in_a_question_are_what_it_is_about_can_be_seen() {
    for size in [(120, 36), (80, 24), (60, 12)] {
        let record = |id: &str, kind: &str| {
            let record = serde_json::json!({"id": id, "session_id": "s", "type": kind,
                "timestamp": "2026-01-01T00:00:00Z", "content": "what it says"});
            format!("{record}\n")
        };
        let log = record(&"long-".repeat(400), "finding") + &record("short", "decision");
        let mut desk = Desk::of_log(&log, size);
        desk.type_keys("*");
        search(&mut desk, "type:decision");
        desk.enter("t+reviewed");
        let screen = desk.screen();
        let is_seen = screen.contains("+reviewed  short") || screen.contains(" · PgDn · ");
        assert!(screen.contains("Tag 2 memories") && is_seen, "{screen}");
        assert!(screen.contains("y do it"), "{screen}");
    }
}

#[test]
fn a_question_that_is_longer_than_its_box_is_read_by_scrolling() {
    let (mut desk, _) = super::go_back::lost_nine(20, 5);
    super::go_back::open_older(&mut desk);
    desk.type_keys(":replace file⏎");
    let question = desk.app.confirm.as_ref().unwrap().question.clone();
    assert!(desk.screen().contains(" · PgDn"), "{}", desk.screen());
    let all: String = seen(&mut desk, KeyCode::Down);
    let question = crate::tui::theme::sentence(&question, &[]);
    for word in question.split_whitespace() {
        assert!(word.split('/').all(|part| all.contains(part.trim_end_matches('?'))), "{word}: {all}");
    }
    assert!(!question.is_empty() && desk.app.confirm.is_some());
}

#[test]
fn what_is_typed_before_an_erasure_is_seen_on_the_smallest_screen() {
    let mut desk = on("session:checkout_rework is:live", 20, 5);
    desk.type_and_see("*de", &["Type `erase"]);
    desk.type_and_see("erase 1", &["erase 1▏"]);
}

#[test]
fn a_plan_lists_each_memory_once_in_the_order_of_the_list() {
    let mut desk = on("is:live type:finding,decision,learning", 120, 36);
    for order in ["", "o", "o"] {
        desk.type_keys(order);
        desk.type_keys("gg");
        desk.type_keys(" jj jj j  dx");
        let shown = desk.app.results.hits.iter().map(|hit| hit.at).filter(|at| desk.app.marks.has(*at));
        let wanted: Vec<_> = shown.collect();
        let confirm = desk.app.confirm.as_ref().unwrap_or_else(|| panic!("{}", notice(&desk)));
        assert_eq!(confirm.planned.changing, wanted, "as the list has them");
        assert!(wanted.len() > 3);
        let lines: Vec<String> = (0..confirm.len()).map(|at| confirm.line(at)).collect();
        for at in wanted {
            let id = App::name_of(&desk.app.listed_snapshot, at);
            let count = lines.iter().filter(|line| line.ends_with(&format!("  {id}"))).count();
            assert!(count < 2, "{id} {lines:#?}");
        }
        desk.press(KeyCode::Esc);
        desk.app.marks.clear();
    }
}
