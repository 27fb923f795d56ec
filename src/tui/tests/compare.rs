//! Two memories side by side.

use ratatui::style::Modifier;

use super::changes::{files, notice, on};
use super::*;

/// Finds two memories about the same pool.
const BOTH: &str = "\"the pool of 20\" is:live";

fn compared(width: u16, height: u16) -> Desk {
    let mut desk = on(BOTH, width, height);
    assert!(desk.app.results.hits.len() >= 2);
    desk.type_keys(" =");
    assert_eq!(desk.app.screen, Screen::Difference, "{}", notice(&desk));
    desk
}

fn ids(desk: &Desk) -> [String; 2] {
    let own = desk.app.difference.as_ref().unwrap();
    own.memories.map(|at| App::name_of(&own.snapshot, at))
}

fn underlined(desk: &Desk) -> String {
    let buffer = buffer(&desk.app);
    let cells = buffer.content().iter();
    cells.filter(|cell| cell.modifier.contains(Modifier::UNDERLINED)).map(|cell| cell.symbol()).collect()
}

#[test]
fn words_that_differ_are_underlined_and_those_that_are_the_same_are_not() {
    let mut desk = Desk::small(100, 30);
    desk.enter("/\"the pool\"");
    desk.type_keys(" =");
    let found = underlined(&desk);
    assert!(found.contains("ran out") && found.contains("has 20") && !found.contains("pool"), "{found}");
    assert!(desk.screen().contains("differ: 1 line of the text"), "{}", desk.screen());
    desk.app.ascii = true;
    let screen = desk.screen();
    let row = screen.lines().find(|line| line.contains("ran out")).unwrap();
    assert!(row.starts_with("- ") && row.contains("|+ "), "{row}");
}

#[test]
fn two_are_compared_that_are_marked_or_the_marked_one_and_the_one_under_the_cursor() {
    let mut desk = on(BOTH, 100, 30);
    desk.type_keys(" k=");
    assert!(notice(&desk).contains("Go to another one"), "{}", notice(&desk));
    desk.type_keys("j=");
    let [one, other] = ids(&desk);
    assert_ne!(one, other);
    desk.press(KeyCode::Esc);
    assert_eq!(desk.app.screen, Screen::Memories);
    desk.type_keys(" =");
    assert_eq!(ids(&desk), [one, other]);
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    desk.type_keys("*=");
    assert!(notice(&desk).contains("compares two memories"), "{}", notice(&desk));
}

#[test]
fn n_goes_from_difference_to_difference_and_round() {
    let mut desk = compared(100, 30);
    let differing = desk.app.difference.as_ref().unwrap().differing();
    assert!(differing.len() > 2, "{differing:?}");
    let at = |desk: &Desk| desk.app.difference.as_ref().unwrap().current_part;
    for part in differing.iter().chain(&differing[..1]) {
        desk.type_keys("n");
        assert_eq!(at(&desk), Some(*part));
        assert!(desk.screen().contains('▶'), "{}", desk.screen());
    }
    desk.type_keys("N");
    assert_eq!(at(&desk), differing.last().copied());
}

#[test]
fn keys_change_the_memory_of_the_side_they_are_on_and_leave_the_other() {
    let mut desk = compared(100, 30);
    let [one, other] = ids(&desk);
    desk.press(KeyCode::Tab);
    desk.enter("t+looked_at");
    let tagged = |desk: &Desk| {
        let own = desk.app.difference.as_ref().unwrap();
        own.memories.map(|at| {
            let (store, entry) = own.snapshot.get(at);
            store.memory(entry).unwrap().tags().any(|tag| tag == "looked_at")
        })
    };
    assert_eq!(ids(&desk), [one, other.clone()]);
    assert_eq!(tagged(&desk), [false, true], "{}", desk.screen());
    assert!(desk.screen().contains("looked_at"), "{}", desk.screen());
    desk.type_keys("e");
    assert_eq!(desk.app.screen, Screen::Editor);
    desk.press(KeyCode::Esc);
    assert_eq!(desk.app.screen, Screen::Difference, "the form was opened over it");
    let before = files(&desk);
    desk.type_keys("dx");
    assert!(notice(&desk).contains("deleted"), "{}", notice(&desk));
    assert_eq!(desk.app.screen, Screen::Memories, "one alone is not compared");
    assert!(
        !desk.app.results.hits.iter().any(|hit| App::name_of(&desk.app.listed_snapshot, hit.at) == other)
    );
    desk.type_keys("u");
    assert_eq!(super::changes::differing(&before, &files(&desk)), Vec::<std::path::PathBuf>::new());
}

#[test]
fn secrets_stay_masked_beside_each_other() {
    let mut desk = on("is:sensitive", 100, 30);
    desk.type_and_see(" =", &["••••"]);
    let parts = &desk.app.difference.as_ref().unwrap().parts;
    assert!(parts.iter().flat_map(|part| part.pair.sides.iter().flatten()).any(|text| text.contains("••••")));
}

#[test]
fn without_a_mark_the_same_key_lists_what_is_there_twice_and_within_the_view_it_goes_back() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("=");
    assert_eq!(desk.app.marks.pick, Some(&crate::query::DUPLICATES), "{}", notice(&desk));
    desk.restart(120, 36);
    desk.type_keys("  ==");
    assert_eq!(desk.app.screen, Screen::Memories);
}
