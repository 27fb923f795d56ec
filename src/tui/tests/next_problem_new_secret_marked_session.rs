//! `]` or `[` with a letter: the next or previous memory of a kind.

use super::changes::notice;
use super::*;
use crate::model::EntryRef;

type Is = fn(&Desk, EntryRef) -> bool;

fn is_secret(desk: &Desk, at: EntryRef) -> bool {
    let (store, entry) = desk.app.listed_snapshot.get(at);
    crate::format::is_sensitive(store, entry)
}

fn is_marked(desk: &Desk, at: EntryRef) -> bool {
    desk.app.marks.has(at)
}

fn is_new(desk: &Desk, at: EntryRef) -> bool {
    crate::tui::list_view::new::is_new(&desk.app, at)
}

fn has_problem(desk: &Desk, at: EntryRef) -> bool {
    let (store, entry) = desk.app.listed_snapshot.get(at);
    store.problems_of(entry).next().is_some()
}

#[test]
fn a_bracket_and_a_letter_go_from_one_memory_of_a_kind_to_the_next_and_round() {
    let kinds: [(char, Is); 4] = [('p', has_problem), ('x', is_secret), ('m', is_marked), ('n', is_new)];
    let mut desk = Desk::new(120, 36);
    let roots: Vec<_> = desk.app.snapshot.stores.iter().map(|store| store.root.clone()).collect();
    desk.app.visits.see(&roots, now().plus(-6 * crate::model::time::HOUR), false);
    desk.type_keys("jj jjjj jjjjj gg");
    for (letter, is) in kinds {
        let all: Vec<usize> =
            (0..desk.app.results.hits.len()).filter(|at| is(&desk, desk.app.results.hits[*at].at)).collect();
        assert!(all.len() > 1, "{letter}");
        desk.type_keys("G");
        for at in &all {
            desk.type_keys(&format!("]{letter}"));
            assert_eq!(desk.app.list_cursor.at, *at, "{letter}");
        }
        desk.type_keys(&format!("]{letter}"));
        assert_eq!(desk.app.list_cursor.at, all[0], "{letter}");
        desk.type_keys(&format!("[{letter}"));
        assert_eq!(Some(&desk.app.list_cursor.at), all.last(), "{letter}");
    }
}

#[test]
fn the_next_session_is_where_the_list_first_has_another_one() {
    let mut desk = Desk::small(100, 30);
    let session = |desk: &Desk| {
        let (store, entry) = desk.app.listed_snapshot.get(desk.app.selected().unwrap());
        store.session(entry).unwrap().name.clone()
    };
    let before = session(&desk);
    desk.type_keys("]s");
    assert_ne!(session(&desk), before);
    desk.type_keys("[s");
    assert_eq!(session(&desk), before);
}

#[test]
fn where_there_is_none_it_is_said_and_the_keys_that_wait_show_how_many_there_are() {
    let mut desk = Desk::small(120, 36);
    for (keys, said) in [("]m", "marked"), ("[x", "secret"), ("]n", "new")] {
        desk.type_keys(keys);
        assert!(
            notice(&desk).starts_with("No memory in this list") && notice(&desk).contains(said),
            "{keys}"
        );
    }
    desk.type_keys(" ]");
    desk.send(Msg::ShowNextKeys);
    let screen = desk.screen();
    for told in ["m marked 1", "p problem 2", "n new 0", "x secret 0", "s session 2"] {
        assert!(screen.contains(told), "{told}: {screen}");
    }
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
