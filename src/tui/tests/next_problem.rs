//! The next and the previous memory with a problem.

use super::changes::notice;
use super::*;

#[test]
fn a_bracket_and_p_go_from_one_memory_with_a_problem_to_the_next_and_round() {
    let mut desk = Desk::new(120, 36);
    let has_problem = |at: &usize| {
        let (store, entry) = desk.app.listed_snapshot.get(desk.app.results.hits[*at].at);
        store.problems_of(entry).next().is_some()
    };
    let all: Vec<usize> = (0..desk.app.results.hits.len()).filter(has_problem).collect();
    assert!(all.len() > 1, "{all:?}");
    desk.type_keys("G");
    for at in &all {
        desk.type_keys("]p");
        assert_eq!(desk.app.list_cursor.at, *at);
    }
    desk.type_keys("]p");
    assert_eq!(desk.app.list_cursor.at, all[0]);
    desk.type_keys("[p");
    assert_eq!(Some(&desk.app.list_cursor.at), all.last());
    desk.enter("/type:preference is:live");
    desk.type_keys("]p");
    assert_eq!(notice(&desk), "No memory in this list has a problem.");
}

#[test]
fn among_the_problems_a_bracket_and_p_go_from_one_to_the_next_and_round() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("gp");
    let last = desk.app.problem_list.len() - 1;
    assert!((desk.app.screen, desk.app.list_view.list.cursor.at) == (Screen::Problems, 0) && last > 2);
    for (keys, at) in [("]p", 1), ("[p", 0), ("[p", last), ("]p", 0)] {
        desk.type_keys(keys);
        assert_eq!((desk.app.list_view.list.cursor.at, notice(&desk)), (at, ""), "{keys}");
    }
}

#[test]
fn a_saved_query_is_searched_for_by_its_name_and_why_one_is_not_run_is_said() {
    let mut desk = Desk::new(140, 36);
    let all = desk.app.results.hits.len();
    desk.type_keys("/saved:recent-failures");
    let found = desk.app.results.hits.len();
    assert!(desk.app.error.is_none() && 0 < found && found < all, "{}", desk.screen());
    desk.type_keys("x");
    let error = desk.app.error.as_ref().map(|error| error.message.clone()).unwrap_or_default();
    assert!(error.starts_with("There is no saved query “recent-failuresx”."), "{error}");
    assert!(desk.screen().contains("There is no saved query"), "{}", desk.screen());
    desk.press(KeyCode::Backspace);
    assert_eq!((desk.app.error.is_none(), desk.app.results.hits.len()), (true, found));
    let offered = crate::tui::search_completion::of(&desk.app, "saved:rec");
    assert_eq!(offered.iter().map(|own| own.text.as_str()).collect::<Vec<_>>(), ["saved:recent-failures"]);
}
