//! The pager gets what the screens show: complete, safe and masked.

use super::changes::on;
use super::*;
use crate::work::PagerInput;

fn paged(desk: &mut Desk) -> String {
    let mut effects = act(&mut desk.app, Action::Pager);
    match effects.pop() {
        Some(Effect::OpenPager(PagerInput::Text(text))) => text,
        _ => panic!("no page: {:?}", desk.app.notice),
    }
}

#[test]
fn the_memory_under_the_cursor_is_paged_whole_and_its_secrets_are_masked() {
    let mut desk = on("is:sensitive", 80, 24);
    for _ in 0..desk.app.results.hits.len() {
        let text = paged(&mut desk);
        assert!(text.contains("••••"), "{text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
        desk.type_keys("j");
    }
}

#[test]
fn a_view_is_paged_with_all_of_its_rows_and_stays_as_it_was() {
    let mut desk = Desk::new(120, 36);
    for keys in ["gp", "gu", ":statistics⏎", " j="] {
        desk.restart(80, 24);
        desk.type_keys(keys);
        let before = desk.screen();
        let text = paged(&mut desk);
        for row in before.lines().skip(1).take(5) {
            assert!(text.contains(row.trim_end()), "{keys}: {row}: {text}");
        }
        assert!(!text.contains("? help"), "{text}");
        assert_eq!(desk.screen(), before, "{keys}");
    }
    desk.restart(80, 24);
    desk.type_keys("gp");
    let problems: usize = desk.app.problem_counts().iter().sum();
    assert!(paged(&mut desk).lines().count() > problems);
}

#[test]
fn control_characters_of_a_memory_do_not_reach_the_pager() {
    let line = "{\"id\":\"m1\",\"type\":\"finding\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"tags\":[],\
                \"content\":{\"finding\":\"red \\u001b[31m and \\u0007 bell\"}}\n";
    let mut desk = Desk::of_files(&[("ops/memory/sessions/a/memory.jsonl", line)], (80, 24));
    let text = paged(&mut desk);
    assert!(text.contains("bell") && !text.contains('\u{1b}') && !text.contains('\u{7}'), "{text:?}");
}
