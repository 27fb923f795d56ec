//! The cursor stays on its memory, whatever happens to others. A typed search starts at its best answer.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::changes::{notice, on};
use super::marks::{marked, search};
use super::{Desk, Msg};
use crate::query::Order;
use crate::tui::message::Effect;
use crate::tui::state::app::Pane;
use crate::tui::update::{search_query, take};
use crate::work::Job;

/// Returns the bytes of the memory under the cursor.
fn own(desk: &Desk) -> String {
    let (store, entry) = desk.app.listed_snapshot.get(desk.app.selected().unwrap());
    String::from_utf8_lossy(&store.raw(entry)).into_owned()
}

/// Returns a line of the log with a memory that is newer than all others and has no id.
fn newer(like: &str, number: usize) -> String {
    let mut record: serde_json::Value = serde_json::from_str(like).unwrap();
    let fields = record.as_object_mut().unwrap();
    fields.remove("id");
    let when = format!("2026-02-01T11:{:02}:{:02}Z", 30 + number / 60, number % 60);
    fields.insert("timestamp".into(), when.into());
    record.to_string()
}

#[test]
fn a_list_that_is_seen_from_its_top_shows_what_is_new_and_the_cursor_stays_on_its_memory() {
    let mut desk = Desk::small(100, 24);
    let (own_now, log) = (own(&desk), desk.file());
    for number in 0..50 {
        let text = std::fs::read_to_string(&log).unwrap();
        let line = newer(&own_now, number);
        std::fs::write(&log, format!("{text}{line}\n")).unwrap();
        desk.send(Msg::StoresChanged);
        let (store, entry) = desk.app.listed_snapshot.get(desk.app.results.hits[desk.app.list_cursor.top].at);
        assert_eq!(*store.raw(entry), *line.as_bytes(), "the newest is on screen");
        assert_eq!(own(&desk), own_now);
    }
    // After a move the row of the cursor is visible.
    desk.type_keys("j");
    let (at, top) = (desk.app.list_cursor.at, desk.app.list_cursor.top);
    assert!(at == 51 && top > 0 && top <= at, "{at} {top}");
}

#[test]
fn a_search_that_does_not_have_the_memory_starts_at_its_best_answer_and_goes_back_to_it() {
    let mut desk = Desk::new(100, 30);
    desk.type_keys("jjj");
    let before = own(&desk);
    desk.type_keys("/id:no_such_id");
    assert!(desk.app.selected().is_none());
    desk.press(KeyCode::Esc);
    assert_eq!(own(&desk), before);
    desk.type_keys("/pool");
    assert_eq!(desk.app.list_cursor.at, 0, "what the letters before it found is not stood on");
    desk.press(KeyCode::Esc);
    assert_eq!(own(&desk), before);
}

#[test]
fn a_search_that_is_typed_starts_at_its_best_answer_though_it_has_the_memory_of_before() {
    let mut desk = on("pool", 100, 30);
    desk.type_keys("jjj");
    let before = own(&desk);
    desk.type_keys("/the pool");
    assert!(desk.app.results.hits.iter().any(|hit| {
        desk.app.listed_snapshot.get(hit.at).0.raw(desk.app.listed_snapshot.get(hit.at).1)
            == before.as_bytes()
    }));
    assert_eq!(desk.app.list_cursor.at, 0);
    desk.press(KeyCode::Enter);
    assert_eq!(desk.app.list_cursor.at, 0);
    // The same search again does not move the cursor.
    desk.enter("jj/");
    assert_eq!(desk.app.list_cursor.at, 2);
    // A move in the list during typing keeps the cursor at its new place.
    desk.type_keys("/pool");
    desk.press(KeyCode::Down);
    assert_eq!((desk.app.list_cursor.at, desk.app.prompt.is_none()), (1, true));
    desk.send(Msg::StoresChanged);
    assert_eq!(desk.app.list_cursor.at, 1);
}

#[test]
fn what_is_picked_starts_at_its_first_and_esc_stays_on_its_memory() {
    let mut desk = Desk::new(120, 36);
    desk.restart(100, 30);
    desk.type_keys("G=");
    assert_eq!(desk.app.list_cursor.at, 0);
    let first = own(&desk);
    desk.app.marks.clear();
    desk.press(KeyCode::Esc);
    assert_eq!(own(&desk), first);
}

#[test]
fn while_a_search_is_wrong_the_list_says_what_it_is_of_and_nothing_is_done_with_it() {
    let mut desk = Desk::new(120, 36);
    search(&mut desk, "type:decision");
    let shown = desk.app.results.hits.len();
    desk.enter("/\"rotate keys");
    assert!(desk.app.error.is_some() && !desk.app.results.hits.is_empty());
    desk.sees(&["still of"]);
    for keys in ["*", "vjv", "t", "p", "a", "d", "i", "e"] {
        desk.type_keys(keys);
        let app = &desk.app;
        assert!(
            notice(&desk).contains("the list is of the search before")
                || notice(&desk).contains("The list is of the search before"),
            "{keys}: {}",
            notice(&desk)
        );
        assert!(app.delete_menu.is_none() && app.prompt.is_none() && app.confirm.is_none(), "{keys}");
        assert!(app.editor.is_none() && app.marks.is_empty() && app.focus == Pane::Memories, "{keys}");
    }
    // The list still shows what was written in the meantime.
    desk.send(Msg::StoresChanged);
    assert!(!desk.app.results.hits.is_empty());
    desk.press(KeyCode::Esc);
    search(&mut desk, "type:decision");
    desk.type_keys("*");
    assert_eq!(marked(&desk).len(), shown);
}

#[test]
fn the_menu_and_the_plan_count_the_same() {
    let mut desk = Desk::new(120, 36);
    for format in ["a-mem", "memory-server", "session-log", "agent-memory", "bmad"] {
        desk.restart(120, 36);
        let at = desk.app.snapshot.stores.iter().position(|store| store.format == format).unwrap();
        let root = desk.app.snapshot.stores[at].root.display().to_string();
        search(&mut desk, &format!("store:\"{root}\" is:live"));
        desk.type_keys("*d");
        let line = desk.app.delete_menu.as_ref().unwrap().lines.iter().find(|line| line.key == 'x').unwrap();
        let most = line.about.strip_prefix("up to ");
        let can: usize = most.unwrap_or(&line.about).split(' ').next().unwrap().parse().unwrap();
        assert_eq!(most.is_some(), format == "agent-memory", "{}", line.about);
        desk.type_keys("x");
        let confirm = desk.app.confirm.as_ref();
        let planned = &confirm.unwrap_or_else(|| panic!("{format}: {}", notice(&desk))).planned;
        let left: usize = planned.skipped.iter().map(|own| own.which.len()).sum();
        // Only the whole plan knows if the history of a memory may be removed.
        assert!(
            planned.records() == can || format == "agent-memory",
            "{format}: {} {can}",
            planned.records()
        );
        assert_eq!(planned.records() + left, desk.app.marks.count(), "{format}: what is left out is told");
        assert!(planned.skipped.iter().all(|own| !own.reason.is_empty()));
    }
}

/// A change of the list, or of the log of the memory under the cursor.
#[derive(Clone, Copy, Debug)]
enum Step {
    Sort,
    Filter(&'static str),
    Before,
    Behind,
    DropOthers,
    Replaced,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        Just(Step::Sort),
        proptest::sample::select(vec!["", "is:live", "is:live OR is:broken"]).prop_map(Step::Filter),
        Just(Step::Before),
        Just(Step::Behind),
        Just(Step::DropOthers),
        Just(Step::Replaced),
    ];
    proptest::collection::vec(step, 1..6)
}

fn rewrite(desk: &Desk, own: &str, step: Step, number: usize) {
    let path = desk.file();
    let Ok(text) = std::fs::read_to_string(&path) else { return };
    let is_log = path.extension().is_some_and(|end| end == "jsonl");
    if !is_log || !own.starts_with('{') {
        return;
    }
    let line = newer(own, number).replacen('{', "{\"twin\":1,", 1);
    let mut lines: Vec<&str> = text.lines().collect();
    match step {
        Step::Before => lines.insert(0, &line),
        Step::Behind => lines.push(&line),
        Step::DropOthers => {
            let mut number = 0;
            lines.retain(|own_line| {
                number += 1;
                number % 2 == 0 || own_line.contains(own)
            });
        }
        _ => lines.reverse(),
    }
    let new = path.with_extension("new");
    std::fs::write(&new, lines.join("\n") + "\n").unwrap();
    std::fs::rename(new, &path).unwrap();
}

proptest! {
    #![proptest_config(crate::tries::config(2, 80))]

    #[test]
    fn the_cursor_stays_on_its_memory_in_every_format(
        steps in steps(), line in any::<proptest::sample::Index>(), without_ids in any::<bool>()
    ) {
        let mut desk = Desk::new(120, 36);
        let formats = ["session-log", "a-mem", "memory-server", "agent-memory", "bmad"];
        for format in &formats[..crate::tries::count(1, 5)] {
            desk.restart(120, 36);
            let at = desk.app.snapshot.stores.iter().position(|store| store.format == *format).unwrap();
            let root = desk.app.snapshot.stores[at].root.display().to_string();
            search(&mut desk, &format!("store:\"{root}\" is:live"));
            if without_ids && *format != "agent-memory" {
                let path = desk.file();
                if path.extension().is_some_and(|end| end == "jsonl") {
                    let text = std::fs::read_to_string(&path).unwrap().replace("\"id\":", "\"was\":");
                    std::fs::write(&path, text).unwrap();
                    desk.send(Msg::StoresChanged);
                }
            }
            let len = desk.app.results.hits.len();
            for _ in 0..line.index(len.min(40)) {
                desk.type_keys("j");
            }
            let before = own(&desk);
            for (number, step) in steps.iter().enumerate() {
                match step {
                    Step::Sort => desk.type_keys("o"),
                    Step::Filter(text) => {
                        search_query::set_query(&mut desk.app, (*text).into());
                        desk.send(Msg::Tick);
                    }
                    // `agent-memory` identifies history by its numbers, so its log is not changed here.
                    _ if *format == "agent-memory" => {}
                    _ => {
                        rewrite(&desk, &before, *step, number);
                        desk.send(Msg::StoresChanged);
                    }
                }
                prop_assert_eq!(&own(&desk), &before, "{} {:?}", format, step);
            }
        }
    }
}

#[test]
fn a_search_of_which_nothing_is_left_to_search_for_shows_everything_however_fast_it_was_typed() {
    let mut desk = Desk::new(120, 36);
    for (typed, left) in [("~po", "~"), ("type:decision ~po", "type:decision ~"), ("po *p", "po *")] {
        desk.restart(120, 36);
        let all = desk.app.results.hits.len();
        desk.type_keys(&format!("/{typed}"));
        assert!(desk.app.error.is_none() && desk.app.results.hits.len() < all, "{typed}");
        // Each key comes before the answer to the previous one. Only the last request is answered.
        let mut asked = None;
        for _ in 0..typed.len() - left.len() {
            let key = KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE);
            let time = desk.time();
            let effects = take(&mut desk.app, Msg::Key(key), time);
            asked = effects.into_iter().rfind(|own| matches!(own, Effect::Job(Job::Search(_)))).or(asked);
        }
        desk.settle(asked.into_iter().collect());
        assert!(desk.app.error.is_some() && desk.app.query == left, "{left}");
        let (listed, screen) = (desk.app.results.hits.len(), desk.screen());
        let rest = left[..left.len() - 1].trim();
        let order = if rest == "po" { Order::Rank } else { Order::Time };
        assert!(rest.is_empty() == (listed == all) && listed > 1, "{left}: {listed} of {all}");
        assert_eq!(desk.app.order(), order, "{left}");
        assert!(!rest.is_empty() || screen.contains("still of all, newest first"), "{screen}");
    }
}
