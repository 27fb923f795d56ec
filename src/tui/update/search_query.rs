//! The query, and the keys that change it, its order or its ranking.

use std::ops::Range;

use crate::model::{PathText, Project};
use crate::query::{Order, Query, QueryError, Ranking};
use crate::tui::filter_chips::is_settled;
use crate::tui::state::app::{self, App, Pane};
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::state::row_list::SearchOrigin;
use crate::work::Job;

/// Opens the present search, selected: typing replaces it, and an arrow key edits it.
pub fn begin_search(app: &mut App) {
    let before = app.query.clone();
    app.open_prompt(PromptPurpose::Search, &before).line.select_all();
    app.search_history.keep(&before);
    // A memory that is read makes way for the list.
    if app.is_reading() {
        app.focus = Pane::Memories;
    }
    // The cursor returns to its memory if the search becomes the same again.
    let search = app.effective_query().trim().to_owned();
    app.search_origin = app.selected().map(|at| SearchOrigin { at, search });
}

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
    // The query without the wrong term.
    let before = app.query.get(..error.span.start).unwrap_or(&app.query);
    let after = app.query.get(error.span.end.max(error.span.start)..).unwrap_or_default();
    let before = before.rfind(char::is_whitespace).map_or("", |at| &before[..at]);
    let after = after.find(char::is_whitespace).map_or("", |at| &after[at..]);
    let rest = format!("{} {}", before.trim(), after.trim()).trim().to_owned();
    match Query::parse(&rest, app.now) {
        // The previous query is not used here: a part of the wrong term had another meaning in it.
        Ok(parsed) => app.valid_part = (rest, parsed),
        Err(_) if app.error.is_none() => app.valid_part = (was, app.parsed.clone()),
        Err(_) => {}
    }
    app.error = Some(error);
    search_again(app);
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

/// Removes the term that hides most. If no term alone hides anything, removes the last one.
pub fn drop_blocker(app: &mut App) {
    if !is_settled(app) {
        return;
    }
    let most = app.results.blocker.as_ref().map(|(span, _)| span.clone());
    if let Some(span) = most.or_else(|| app.parsed.terms().last()) {
        drop_term(app, span);
    }
}

/// Removes a term from the search, even while the search is being typed.
pub fn drop_term(app: &mut App, span: Range<usize>) {
    let (Some(before), Some(after)) = (app.query.get(..span.start), app.query.get(span.end..)) else {
        return;
    };
    let query = format!("{} {}", before.trim(), after.trim()).trim().to_owned();
    if let Some(prompt) = app.prompt.as_mut().filter(|prompt| prompt.purpose == PromptPurpose::Search) {
        prompt.replace(&query);
    }
    set_query(app, query)
}

pub fn next_order(app: &mut App) {
    if app.marks.pick.is_some() {
        return app.say("This list has an order of its own.");
    }
    let next = match app.order() {
        Order::Time => Order::Rank,
        Order::Rank => Order::Importance,
        Order::Importance => Order::Size,
        Order::Size | Order::Oldest => Order::Time,
    };
    app.order = Some(next);
    search_again(app)
}

pub fn other_ranking(app: &mut App) {
    app.ranking = match app.ranking {
        Ranking::Product => Ranking::Weighted,
        Ranking::Weighted => Ranking::Product,
    };
    app.why = None;
    search_again(app)
}

/// Drops the project from the search. If it has none, limits the search to the project of the store under the cursor,
/// to the one that palimp was started in, or else to that of the memory under the cursor.
pub fn toggle_project(app: &mut App) {
    if let Some(others) = without_terms(app, |term| term.starts_with("project:")) {
        return set_query(app, others);
    }
    let Some(term) = project_term(app) else {
        return app.say("No project is known for these memories.");
    };
    if app.focus == Pane::Sessions {
        app.focus = Pane::Memories;
    }
    set_query(app, format!("{term} {}", app.query.trim()).trim().to_owned())
}

/// Returns the search without some terms; `None` if it has none of them.
pub fn without_terms(app: &App, goes: impl Fn(&str) -> bool) -> Option<String> {
    let terms: Vec<&str> = app.parsed.terms().filter_map(|span| app.query.get(span)).collect();
    let others: Vec<&str> = terms.iter().copied().filter(|term| !goes(term)).collect();
    (others.len() < terms.len()).then(|| others.join(" "))
}

fn project_term(app: &App) -> Option<String> {
    let projects = || app.snapshot.stores.iter().filter_map(|store| store.project.as_ref());
    let of_store = |number: usize| {
        let store = app.snapshot.stores.get(number)?;
        store.project.as_ref().or_else(|| projects().find(|project| store.is_of(project)))
    };
    let project = match app.focus {
        Pane::Sessions => of_store(app.tree.get(app.tree_cursor.at)?.store?),
        _ if app.start_project.project.is_some() => app.start_project.project.as_ref(),
        _ => of_store(app.selected()?.store as usize),
    }?;
    let is_other = |other: &&Project| other.name() == project.name() && !other.is_same(project);
    Some(match projects().find(is_other) {
        Some(_) => app::term("project", &project.path.to_text()),
        None => app::term("project", &project.name()),
    })
}
