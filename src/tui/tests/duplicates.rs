//! Duplicates on the screens: groups and marks.

use crossterm::event::KeyCode;

use super::Desk;
use super::changes::{notice, selected_id};
use super::marks::{marked, search};
use crate::model::State;
use crate::tui::message::Msg;
use crate::tui::state::app::Screen;

/// Returns the figure and state of each listed memory.
fn listed(desk: &Desk) -> Vec<(String, State)> {
    let figures = &desk.app.results.picked.as_ref().unwrap().figures;
    let hits = desk.app.results.hits.iter().zip(figures);
    hits.map(|(hit, figure)| (figure.clone(), desk.app.listed_snapshot.get(hit.at).1.state)).collect()
}

#[test]
fn groups_are_listed_and_what_equals_the_first_of_its_group_is_marked_for_the_usual_keys() {
    let mut desk = with_zebras(120, &[""; 3]);
    search(&mut desk, "type:checkpoint OR type:learning");
    desk.type_keys("=");
    let rows = listed(&desk);
    let firsts = rows.iter().filter(|(figure, _)| figure.starts_with('×')).count();
    assert!(firsts > 0 && rows[0].0.starts_with('×'), "{rows:?}");
    // Nearly equal memories are shown, but only the user marks them.
    assert!(desk.app.marks.count() > 0 && desk.app.marks.count() < rows.len() - firsts);
    for (hit, (figure, _)) in desk.app.results.hits.iter().zip(&rows) {
        assert_eq!(desk.app.marks.has(hit.at), figure == "100%", "{rows:?}");
    }
    assert!(notice(&desk).contains("marked") && !notice(&desk).contains("Looking"), "{}", notice(&desk));
    assert!(!marked(&desk).contains(&selected_id(&desk)), "the first of a group is kept");
}

#[test]
fn equal_memories_are_deleted_with_the_usual_keys_and_undone() {
    let mut desk = group();
    let first = selected_id(&desk);
    assert!(!marked(&desk).contains(&first));
    desk.type_keys("dx");
    desk.agree();
    assert!(notice(&desk).contains("deleted"), "{}", desk.screen());
    // The kept memory has no duplicate any more.
    assert!(desk.app.results.hits.is_empty() && desk.app.marks.is_empty(), "{}", desk.screen());
    assert!(desk.screen().contains("No two of these memories are nearly equal."), "{}", desk.screen());
    desk.type_keys("u");
    assert_eq!(listed(&desk).len(), 3, "{}", desk.screen());
    // A restored memory is not marked.
    assert!(desk.app.marks.is_empty());
}

#[test]
fn esc_takes_the_marks_away_then_goes_back_to_the_search_and_m_shows_the_marked_among_them() {
    let mut desk = with_zebras(120, &[""; 3]);
    search(&mut desk, "type:checkpoint OR type:learning");
    let all = desk.app.results.hits.len();
    desk.type_keys("gp:duplicates⏎");
    assert_eq!(desk.app.screen, Screen::Memories);
    let (rows, marks) = (desk.app.results.hits.len(), desk.app.marks.count());
    desk.type_keys(":marked⏎");
    assert_eq!(desk.app.results.hits.len(), marks);
    desk.type_keys(":marked⏎");
    assert_eq!((desk.app.results.hits.len(), desk.app.marks.count()), (rows, marks));
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.results.hits.len(), desk.app.marks.count()), (rows, 0));
    desk.press(KeyCode::Esc);
    assert_eq!(
        (desk.app.results.hits.len(), desk.app.query.as_str()),
        (all, "type:checkpoint OR type:learning")
    );
    assert!(desk.app.results.picked.is_none());
    // A new search also ends the view of duplicates.
    desk.type_keys("=");
    search(&mut desk, "type:finding");
    assert!(desk.app.results.picked.is_none() && desk.app.marks.hidden() == marks);
}

/// Removes the line of the first listed memory from its file.
fn take_out_the_first(desk: &Desk) {
    let (store, entry) = desk.app.listed_snapshot.get(desk.app.results.hits[0].at);
    let file = store.root.join(&store.document(entry).path);
    let line = [&store.raw(entry)[..], b"\n"].concat();
    let bytes = std::fs::read(&file).unwrap();
    let at = bytes.windows(line.len()).position(|own| own == line).unwrap();
    std::fs::write(file, [&bytes[..at], &bytes[at + line.len()..]].concat()).unwrap();
}

/// Returns a desk with the memories of one group, all but the first marked.
fn group() -> Desk {
    let desk = zebras(120, &[""; 3]);
    assert_eq!((desk.app.results.hits.len(), desk.app.marks.count()), (3, 2), "{}", desk.screen());
    desk
}

/// Returns a desk of this width with a group of memories that differ only in these fields.
fn zebras(width: u16, fields: &[&str]) -> Desk {
    let mut desk = with_zebras(width, fields);
    search(&mut desk, "zebras");
    desk.type_keys("=");
    assert_eq!(desk.app.results.hits.len(), fields.len(), "{}", desk.screen());
    desk
}

fn with_zebras(width: u16, fields: &[&str]) -> Desk {
    let mut desk = Desk::new(width, 36);
    let root =
        desk.app.snapshot.stores.iter().find(|own| own.format == "memory-server").unwrap().root.clone();
    let line = |(id, more): (usize, &&str)| {
        format!(
            "{{\"id\":\"zebra-{id}\",\"type\":\"learning\",\"content\":\"Zebras cross the road where they are \
             seen by all.\",\"created_at\":\"2026-01-01T00:00:00Z\"{more}}}\n"
        )
    };
    let file = root.join("learnings.jsonl");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend((1..).zip(fields).map(line).collect::<String>().into_bytes());
    std::fs::write(&file, bytes).unwrap();
    desk.type_keys("R");
    desk
}

#[test]
fn what_differs_in_a_field_is_never_marked_and_shows_it_at_every_width() {
    for width in [80, 120, 200] {
        let desk =
            zebras(width, &[",\"eventId\":\"evt-1\"", ",\"eventId\":\"evt-2\"", ",\"eventId\":\"evt-2\""]);
        assert_eq!(desk.app.marks.count(), 0, "{}", desk.screen());
        let screen = desk.screen();
        assert!(screen.contains("… eventId: evt-1") && screen.contains("… eventId: evt-2"), "{screen}");
        assert!(!listed(&desk).iter().any(|(figure, _)| figure == "100%"), "{screen}");
    }
}

#[test]
fn where_the_one_that_stays_goes_another_of_its_group_loses_its_mark() {
    let mut desk = group();
    take_out_the_first(&desk);
    desk.send(Msg::StoresChanged);
    assert_eq!((desk.app.results.hits.len(), desk.app.marks.count()), (2, 1), "{}", desk.screen());
    assert!(!desk.app.marks.has(desk.app.results.hits[0].at));
}

#[test]
fn a_plan_is_asked_for_again_where_the_one_that_stays_is_gone() {
    let mut desk = group();
    let first = selected_id(&desk);
    desk.type_keys("dx");
    take_out_the_first(&desk);
    desk.agree();
    desk.sees(&["Changed meanwhile", &first]);
    desk.press(KeyCode::Esc);
    desk.send(Msg::StoresChanged);
    assert_eq!(desk.app.results.hits.len(), 2, "none was deleted: {}", desk.screen());
}

#[test]
fn what_is_compared_is_the_group_under_the_cursor_whatever_is_marked() {
    let mut desk = Desk::new(120, 36);
    search(&mut desk, "type:checkpoint OR type:learning");
    desk.type_keys("=");
    let hits: Vec<_> = desk.app.results.hits.iter().map(|hit| hit.at).collect();
    let begins: Vec<usize> = (0..hits.len()).filter(|at| listed(&desk)[*at].0.starts_with('×')).collect();
    for first in begins.into_iter().take(3) {
        for (at, other) in [(first, first + 1), (first + 1, first + 1)] {
            desk.app.list_cursor.at = at;
            desk.type_keys("=");
            assert_eq!(desk.app.difference.as_ref().unwrap().memories, [hits[first], hits[other]]);
            desk.press(KeyCode::Esc);
        }
    }
}
