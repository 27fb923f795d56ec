//! The filters below a search: each can be dropped, and the one that hides most is named.

use super::changes::on;
use super::mouse::{click, place_of};
use super::*;

fn click_on(desk: &mut Desk, text: &str) {
    let (column, row) = place_of(desk, text);
    click(desk, (column + 1, row));
}

fn chips(desk: &Desk) -> String {
    desk.screen().lines().nth(2).unwrap_or_default().to_owned()
}

#[test]
fn filters_are_below_the_search_with_the_one_that_hides_most() {
    let mut desk = Desk::new(120, 36);
    for (width, height) in [(120, 36), (80, 24)] {
        desk.restart(width, height);
        super::marks::search(&mut desk, "pool type:finding -tag:draft");
        let (row, found) = (chips(&desk), desk.app.results.hits.len());
        assert!(row.starts_with(" [type:finding ×] [-tag:draft ×]     without "), "{row}");
        let more: usize = row.split_whitespace().rev().nth(1).unwrap().parse().unwrap();
        let most = row.split("without ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        desk.press(KeyCode::Backspace);
        assert!(!desk.app.query.contains(&most), "{most}: {}", desk.app.query);
        assert_eq!(desk.app.results.hits.len(), found + more);
    }
}

#[test]
fn a_click_on_a_filter_drops_it_also_while_the_search_is_typed() {
    let mut desk = on("pool type:finding -tag:draft", 120, 36);
    click_on(&mut desk, "[type:finding");
    assert_eq!(desk.app.query, "pool -tag:draft");
    desk.type_keys("/pool is:live type:finding ");
    click_on(&mut desk, "[is:live");
    assert_eq!(desk.app.query, "pool type:finding");
    desk.type_keys(" x");
    assert_eq!(desk.app.query, "pool type:finding x", "what was typed goes on");
}

#[test]
fn a_click_where_a_question_covers_the_filters_drops_none() {
    let mut desk = on("pool type:finding", 120, 36);
    let at = place_of(&desk, "[type:finding");
    desk.type_keys("?");
    click(&mut desk, at);
    assert_eq!(desk.app.query, "pool type:finding");
}

#[test]
fn control_characters_in_a_filter_are_shown_as_signs_and_the_filter_can_be_dropped() {
    let mut desk = Desk::new(120, 36);
    desk.press(KeyCode::Char('/'));
    desk.send(Msg::Paste("-tag:\"\u{1b}[31m\u{202e}evil\u{7}\" -tag:draft".into()));
    desk.press(KeyCode::Enter);
    let row = chips(&desk);
    assert!(row.contains("evil") && row.contains("[-tag:draft ×]"), "{row}");
    assert!(!row.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{row}");
    click_on(&mut desk, "[-tag:draft");
    assert!(desk.app.query.contains("evil") && !desk.app.query.contains("draft"), "{}", desk.app.query);
    click_on(&mut desk, "[-tag:");
    assert_eq!(desk.app.query, "");
}

#[test]
fn words_alone_and_small_terminals_have_no_row_for_filters() {
    let desk = on("pool", 80, 24);
    assert!(!chips(&desk).contains('×'), "{}", chips(&desk));
    let mut desk = Desk::new(120, 36);
    for (width, height) in [(120, 15), (59, 36)] {
        desk.restart(width, height);
        super::marks::search(&mut desk, "pool type:finding");
        assert!(!desk.screen().contains("[type"), "{}", desk.screen());
    }
}
