//! The query, and the keys that change it.

use std::ops::Range;

use crate::query::{Query, QueryError};
use crate::tui::app::{App, Pane, Screen, StoreTreeRow};
use crate::tui::prompt::PromptPurpose;
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

/// Returns the query without the words at a range.
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

/// Adds a term to the query, or removes it if the query has it.
fn toggle(app: &mut App, term: &str) {
    let terms: Vec<&str> = app.parsed.terms().filter_map(|span| app.query.get(span)).collect();
    let without: Vec<&str> = terms.iter().copied().filter(|own| *own != term).collect();
    let query = if without.len() < terms.len() {
        without.join(" ")
    } else {
        format!("{} {term}", app.query.trim()).trim().to_owned()
    };
    set_query(app, query)
}

/// Returns a term for a field and its value, in quotes if the value is not one plain word.
pub fn term(field: &str, value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !value.is_empty() && value.chars().all(plain) && !value.starts_with('-') {
        return format!("{field}:{value}");
    }
    format!("{field}:\"{}\"", value.replace(['"', '\\'], "*"))
}

/// A line of the filters: a heading, a term with its count, or the line that unfolds the rest.
#[derive(Default)]
pub struct FilterRow {
    pub term: Option<String>,
    /// The text on screen. Untrusted text.
    pub text: String,
    /// The number of results with the term.
    pub count: usize,
    /// True if the query has the term.
    pub on: bool,
    /// True for a type, which has a letter.
    pub is_type: bool,
    /// True for the line that unfolds the rest.
    pub unfolds: bool,
}

impl FilterRow {
    pub fn is_heading(&self) -> bool {
        self.term.is_none() && !self.unfolds
    }
}

/// The number of values that are shown while folded: for types, and for every other field.
const FOLDED_VALUES: [usize; 2] = [5, 2];

/// Returns the lines of the filters. A field with one value is left out, unless it is the type or in use.
pub fn facet_lines(app: &App) -> Vec<FilterRow> {
    let asked: Vec<&str> = app.parsed.terms().filter_map(|span| app.query.get(span)).collect();
    let facets = &app.facets;
    let words = ["high", "medium", "low"].iter().zip(facets.importance);
    let importance: Vec<(String, usize)> =
        words.filter(|(_, count)| *count > 0).map(|(word, count)| ((*word).to_owned(), count)).collect();
    let fields = facets.fields.iter().map(|(name, values)| (*name, values));
    let mut lines = Vec::new();
    let first = [("type", &facets.types), ("tag", &facets.tags), ("importance", &importance)];
    for (name, values) in first.into_iter().chain(fields) {
        let on = |value: &str| asked.contains(&term(name, value).as_str());
        if values.is_empty() || name != "type" && values.len() < 2 && !values.iter().any(|(own, _)| on(own)) {
            continue;
        }
        let is_type = name == "type";
        let few = if app.layout.all_filters { usize::MAX } else { FOLDED_VALUES[usize::from(!is_type)] };
        lines.push(FilterRow { text: name.into(), ..FilterRow::default() });
        for (at, (value, count)) in values.iter().enumerate() {
            if at < few || on(value) {
                let (term, on) = (Some(term(name, value)), on(value));
                lines.push(FilterRow {
                    term,
                    text: value.clone(),
                    count: *count,
                    on,
                    is_type,
                    unfolds: false,
                });
            }
        }
        let left = values.len().saturating_sub(few);
        if left > 0 {
            let text = format!(" … {left} more");
            lines.push(FilterRow { text, unfolds: true, ..FilterRow::default() });
        }
    }
    lines
}

/// Returns the term of a branch of the tree.
pub fn branch_term(app: &App, branch: &StoreTreeRow) -> Option<String> {
    let store = || branch.store.map(|store| term("store", app.store_name(store)));
    match &branch.name {
        Some(name) if branch.is_session => Some(term("session", name)),
        Some(name) if app.snapshot.stores.len() < 2 => Some(term("type", name)),
        Some(name) => Some(format!("{} {}", store()?, term("type", name))),
        None => store(),
    }
}

/// Searches again if the cursor of the stores moved to another branch.
pub fn follow_tree(app: &mut App) {
    if app.places.is_empty() || app.effective_query() == app.requested_query {
        return;
    }
    search_again(app)
}

/// Adds or removes the filter of the line under the cursor, in the stores or in the filters.
pub fn toggle_line(app: &mut App) {
    let term = match app.focus {
        Pane::Sessions => {
            app.tree.get(app.tree_cursor.at).cloned().and_then(|branch| branch_term(app, &branch))
        }
        Pane::Filters => {
            let Some(line) = facet_lines(app).into_iter().nth(app.filter_cursor.at) else { return };
            app.layout.all_filters |= line.unfolds;
            line.term
        }
        _ => None,
    };
    match term {
        Some(term) if app.screen == Screen::Memories => toggle(app, &term),
        _ => {}
    }
}

/// Filters by the store or session under the cursor, unless the search does so already.
pub fn keep_branch(app: &mut App) {
    let branch = app.tree.get(app.tree_cursor.at).cloned();
    let Some(term) = branch.and_then(|branch| branch_term(app, &branch)) else { return };
    if app.screen == Screen::Memories && !app.parsed.terms().any(|span| app.query.get(span) == Some(&*term)) {
        toggle(app, &term);
    }
}

/// Filters by the type of the memory under the cursor.
pub fn like_this(app: &mut App) {
    let Some(at) = app.selected() else { return };
    let (store, entry) = app.listed_snapshot.get(at);
    let term = match store.view(entry) {
        Some(view) => term("type", view.kind),
        None => "is:broken".into(),
    };
    toggle(app, &term)
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

/// True if the results are those of the typed search.
pub fn is_settled(app: &App) -> bool {
    app.error.is_none() && app.answered_query.as_ref().is_some_and(|(query, ..)| *query == app.query)
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
