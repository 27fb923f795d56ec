//! The forecast: which memories fade to the floor, when, and what happens to them then.

use super::changes::{notice, selected_id};
use super::*;
use crate::format::writing::WriteContext;
use crate::model::time::DAY;
use crate::query::EntryDecay;

fn open(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    desk.type_keys("gf");
    desk
}

fn figures(desk: &Desk) -> &[String] {
    &desk.app.results.picked.as_ref().unwrap().figures
}

/// Returns the figure of the memory under the cursor.
fn figure(desk: &Desk) -> &str {
    &figures(desk)[desk.app.list_cursor.at]
}

/// Puts the cursor on the first memory of a store of this format whose figure matches.
fn to(desk: &mut Desk, format: &str, is_wanted: impl Fn(&str) -> bool) {
    let fits = |desk: &Desk, at: usize| {
        let (store, _) = desk.app.listed_snapshot.get(desk.app.results.hits[at].at);
        store.format == format && is_wanted(&figures(desk)[at])
    };
    let at = (0..desk.app.results.hits.len()).find(|&at| fits(desk, at)).expect("one is in the demo");
    desk.app.list_cursor.at = at;
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Up);
}

#[test]
fn each_memory_of_the_forecast_is_above_the_floor_now_and_at_it_on_the_day_that_is_told() {
    let desk = open(120, 36);
    let hits = &desk.app.results.hits;
    assert!(hits.len() > 10 && hits.len() < desk.app.snapshot.entries().count(), "{}", hits.len());
    let mut before = 0;
    for (hit, figure) in hits.iter().zip(figures(&desk)) {
        let (store, entry) = desk.app.listed_snapshot.get(hit.at);
        let at = |now: Moment| EntryDecay::of(store, entry, store.view(entry).unwrap(), now);
        let days: i64 = figure.split('d').next().unwrap().parse().unwrap_or(0);
        let floor = at(now()).rule.min;
        assert!(at(now()).now() > floor, "{figure}");
        assert!((at(now().plus((days + 1) * DAY)).now() - floor).abs() < 1e-9, "{figure}");
        assert!((0..=90).contains(&days) && days >= before, "{before} before {figure}");
        before = days;
    }
}

#[test]
fn a_pin_is_seen_at_once_on_the_row_in_the_reasons_and_in_what_is_told() {
    let mut desk = open(120, 36);
    for format in ["session-log", "bmad", "memory-server"] {
        to(&mut desk, format, |figure| figure.contains("d "));
        let (id, place, told) = (selected_id(&desk), desk.app.list_cursor.at, notice(&desk).to_owned());
        desk.type_keys("p");
        assert_eq!((selected_id(&desk), desk.app.list_cursor.at), (id, place), "it stays on its row");
        assert_eq!(figure(&desk), "kept", "{format}");
        assert!(desk.app.hit().unwrap().decay > 0.999, "its bar is full");
        desk.type_keys("w");
        let screen = desk.screen();
        assert!(screen.contains("Pinned: it does not fade"), "{screen}");
        assert!(!screen.contains("floor 0.10 on"), "{screen}");
        desk.press(KeyCode::Esc);
        desk.type_keys("u");
        assert!(figure(&desk).contains("d "), "{}: {told}", figure(&desk));
    }
}

#[test]
fn an_importance_that_is_raised_is_seen_at_once_on_the_row_and_saves_from_a_compaction() {
    let mut desk = open(120, 36);
    to(&mut desk, "session-log", |figure| figure.contains("d "));
    desk.enter("i0.2");
    assert!(figure(&desk).ends_with(" goes"), "{}", figure(&desk));
    assert!(desk.screen().contains("With an importance of 0.50"), "{}", desk.screen());
    desk.enter("i0.9");
    assert!(figure(&desk).ends_with(" 0.09"), "{}", figure(&desk));
    assert!(desk.screen().contains("At the floor it stays"), "{}", desk.screen());
}

#[test]
fn a_memory_is_kept_until_a_day_and_no_longer_and_another_day_takes_its_place() {
    let mut desk = open(120, 36);
    to(&mut desk, "session-log", |figure| figure.contains("d "));
    let tags = |desk: &Desk| {
        let (store, entry) = desk.app.listed_snapshot.get(desk.app.selected().unwrap());
        let all = store.view(entry).unwrap().tags.iter().map(str::to_owned).collect::<Vec<_>>();
        all.into_iter().filter(|tag| tag.starts_with("keep-until")).collect::<Vec<_>>()
    };
    let keep = |desk: &mut Desk, until: &str| {
        desk.enter(&format!("P{until}"));
    };
    keep(&mut desk, "40d");
    assert_eq!(tags(&desk), ["keep-until.2026-03-13"]);
    assert!(figure(&desk).starts_with("40d "), "from the end of that day on: {}", figure(&desk));
    assert!(desk.screen().contains("Kept until 13 Mar 2026"), "{}", desk.screen());
    keep(&mut desk, "2027-01-31");
    assert_eq!((tags(&desk), figure(&desk)), (vec!["keep-until.2027-01-31".to_owned()], "kept"));
    desk.enter("Psoon");
    assert!(notice(&desk).starts_with("Until when?"), "{}", notice(&desk));
    desk.press(KeyCode::Esc);
    desk.enter("P2025-01-01");
    assert!(notice(&desk).starts_with("That day is over"), "{}", notice(&desk));
    desk.press(KeyCode::Esc);
    keep(&mut desk, "no");
    assert!(tags(&desk).is_empty() && figure(&desk) != "kept", "{}", figure(&desk));
}

#[test]
fn the_row_of_what_is_kept_stays_in_sight() {
    let mut desk = open(80, 24);
    for keys in ["P2027-01-31", "P40d", "i0.9", "i0.1"] {
        desk.enter(&format!("j{keys}"));
        let (at, top) = (desk.app.list_cursor.at, desk.app.list_cursor.top);
        let rows = crate::tui::layout::rows(&desk.app, Pane::Memories);
        assert!((top..top + rows).contains(&at), "{keys}: row {at}, and {rows} from {top} on are shown");
    }
}

#[test]
fn a_format_that_has_no_tags_says_that_nothing_of_it_can_be_kept() {
    let mut desk = open(120, 36);
    to(&mut desk, "agent-memory", |_| true);
    for key in ["p", "P"] {
        desk.type_keys(key);
        assert!(notice(&desk).contains("has no tags"), "{key}: {}", notice(&desk));
    }
}

#[test]
fn what_is_told_of_the_floor_is_what_a_compaction_does_then() {
    let desk = open(120, 36);
    let mut counts = [0, 0];
    for (hit, figure) in desk.app.results.hits.iter().zip(figures(&desk)) {
        let (store, entry) = desk.app.listed_snapshot.get(hit.at);
        if store.format != "session-log" {
            continue;
        }
        let days: i64 = figure.split('d').next().unwrap().parse().unwrap_or(0);
        let then = now().plus((days + 1) * DAY);
        let context = WriteContext::of(store, then, [7; 16]);
        let dropped =
            crate::format::by_name(store.format).unwrap().compacted_entries(&context, None).unwrap().unwrap();
        assert_eq!(dropped.contains(entry), figure.ends_with("goes"), "{figure}");
        counts[usize::from(figure.ends_with("goes"))] += 1;
    }
    assert!(counts[0] > 0, "{counts:?}");
}

#[test]
fn the_forecast_is_of_what_is_searched_for_and_esc_goes_back_to_that() {
    let mut desk = Desk::new(100, 30);
    super::marks::search(&mut desk, "type:conversation");
    let all = desk.app.results.hits.len();
    desk.type_keys("gf");
    assert!(notice(&desk).contains(" in 90 days: "), "{}", notice(&desk));
    let listed = desk.app.results.hits.len();
    assert!(listed > 0 && listed < all, "{listed} of {all}");
    // The user's marks stay when the stores are read again.
    desk.type_keys(" R");
    assert_eq!((desk.app.marks.count(), desk.app.results.hits.len()), (1, listed));
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.query.as_str(), desk.app.results.hits.len()), ("type:conversation", all));
}
