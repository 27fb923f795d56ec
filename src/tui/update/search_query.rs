//! The query, and the keys that change it.

use std::ops::Range;

use crate::query::{Query, QueryError};
use crate::tui::state::app::App;
use crate::work::Job;

/// Searches for `query`. If it has an error, the reason is shown. The list then uses the query
/// without the wrong term, or the previous query, and actions on its memories are refused.
pub fn set_query(app: &mut App, query: String) {
    let was = std::mem::replace(&mut app.query, query);
    (app.marks.only_marked, app.marks.pick) = (false, None);
    match Query::parse(&app.query, app.now) {
        Ok(parsed) => {
            app.parsed = parsed;
            app.error = None;
            search_again(app)
        }
        Err(error) => fails(app, error, was),
    }
}

/// Takes in that the search was refused because of a saved query in it.
pub fn refused(app: &mut App, query: &str, why: QueryError) {
    if app.error.is_none() && app.requested_query == query {
        fails(app, why, String::new());
    }
}

fn fails(app: &mut App, error: QueryError, was: String) {
    let rest = without(&app.query, error.span.clone());
    match Query::parse(&rest, app.now) {
        // The previous query is not used here: a part of the wrong term had another meaning in it.
        Ok(parsed) => app.valid_part = (rest, parsed),
        Err(_) if app.error.is_none() => app.valid_part = (was, app.parsed.clone()),
        Err(_) => {}
    }
    app.error = Some(error);
    search_again(app);
}

fn without(query: &str, wrong: Range<usize>) -> String {
    let before = query.get(..wrong.start).unwrap_or(query);
    let after = query.get(wrong.end.max(wrong.start)..).unwrap_or_default();
    let before = before.rfind(char::is_whitespace).map_or("", |at| &before[..at]);
    let after = after.find(char::is_whitespace).map_or("", |at| &after[at..]);
    format!("{} {}", before.trim(), after.trim()).trim().to_owned()
}

/// Returns an error if the list does not show the query, because the query has an error.
pub fn check_query(app: &App) -> Result<(), String> {
    match &app.error {
        None => Ok(()),
        Some(error) => Err(format!(
            "The list is of the search before, so nothing was done: the search can't be understood ({}). \
             Correct it, or Esc clears it.",
            error.message
        )),
    }
}

/// Runs the search again, because the stores, the order or the time changed.
pub fn search_again(app: &mut App) {
    let asked = app.search_request();
    app.requested_query.clone_from(&asked.query);
    app.give_job(Job::Search(asked));
}

/// Searches again if the cursor of the stores moved to another branch.
pub fn follow_tree(app: &mut App) {
    if app.places.is_empty() || app.effective_query() == app.requested_query {
        return;
    }
    search_again(app)
}
