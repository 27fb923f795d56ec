//! The actions `next problem` and `previous problem`.

use crate::tui::possible_changes::among_memories;
use crate::tui::state::app::{App, Screen};
use crate::tui::update::select_memory::select;

/// Goes to the next or previous memory with a problem, or row of the view of problems, around the ends of the list.
pub fn go(app: &mut App, ahead: bool) {
    match app.screen {
        Screen::Memories => {}
        Screen::Problems => {
            let len = app.list_view.list.len().max(1);
            let cursor = &mut app.list_view.list.cursor;
            cursor.at = (cursor.at + if ahead { 1 } else { len - 1 }) % len;
            return;
        }
        _ => return app.say(among_memories()),
    }
    let len = app.results.hits.len();
    let from = app.list_cursor.at;
    let has_problem = |at: &usize| {
        let (store, entry) = app.listed_snapshot.get(app.results.hits[*at].at);
        store.problems_of(entry).next().is_some()
    };
    let mut ways = (1..=len).map(|by| if ahead { (from + by) % len } else { (from + len - by) % len });
    match ways.find(has_problem) {
        Some(at) => select(app, at),
        None => app.say("No memory in this list has a problem."),
    }
}
