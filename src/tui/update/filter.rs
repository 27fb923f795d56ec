//! What is asked: the query, and the keys that change it.

use std::ops::Range;

use crate::model::Tell;
use crate::query::Query;
use crate::tui::app::{App, Branch, Pane, Screen};
use crate::work::{Asked, Job};

/// Asks for `query`. One that can't be understood says why; the results of the one before stay, and
/// nothing can be done with them.
pub fn ask(app: &mut App, query: String) {
    app.query = query;
    (app.marks.only, app.marks.pick) = (false, None);
    match Query::parse(&app.query, app.now) {
        Ok(parsed) => {
            app.parsed = parsed;
            app.error = None;
            again(app)
        }
        Err(error) => {
            let before = without(&app.query, error.span.clone());
            app.error = Some(error);
            // What was typed of the wrong term meant something else until it was wrong.
            let is_there = app.answered.as_ref().is_some_and(|(query, ..)| *query == before);
            if Query::parse(&before, app.now).is_ok() && !is_there {
                app.give_job(Job::Search(Asked { query: before, ..app.asked() }));
            }
        }
    }
}

/// The query without the words that a range of it is in.
fn without(query: &str, wrong: Range<usize>) -> String {
    let before = query.get(..wrong.start).unwrap_or(query);
    let after = query.get(wrong.end.max(wrong.start)..).unwrap_or_default();
    let before = before.rfind(char::is_whitespace).map_or("", |at| &before[..at]);
    let after = after.find(char::is_whitespace).map_or("", |at| &after[at..]);
    format!("{} {}", before.trim(), after.trim()).trim().to_owned()
}

/// Refuses where the list does not show what is asked, because that can't be understood.
pub fn is_answered(app: &App) -> Result<(), String> {
    match &app.error {
        None => Ok(()),
        Some(error) => Err(format!(
            "The list is of the search before, so nothing was done: the search can't be understood ({}). \
             Correct it, or Esc clears it.",
            error.message
        )),
    }
}

/// Asks for the same once more, of stores, order or time that have changed.
pub fn again(app: &mut App) {
    app.give_job(Job::Search(app.asked()));
}

/// Adds a term to the query, or takes it out if it is there.
fn toggle(app: &mut App, term: &str) {
    let terms: Vec<&str> = app.parsed.terms().filter_map(|span| app.query.get(span)).collect();
    let without: Vec<&str> = terms.iter().copied().filter(|own| *own != term).collect();
    let query = if without.len() < terms.len() {
        without.join(" ")
    } else {
        format!("{} {term}", app.query.trim()).trim().to_owned()
    };
    ask(app, query)
}

/// A field and its value, quoted where the value would not be one word.
pub fn term(field: &str, value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !value.is_empty() && value.chars().all(plain) && !value.starts_with('-') {
        return format!("{field}:{value}");
    }
    format!("{field}:\"{}\"", value.replace(['"', '\\'], "*"))
}

/// One line of the facets: a heading, or a term with its count.
pub struct FacetLine {
    /// The term that the line stands for; headings have none.
    pub term: Option<String>,
    /// What it says. Untrusted text.
    pub text: String,
    /// How many of the results have it.
    pub count: usize,
    /// Whether the query asks for it.
    pub on: bool,
}

/// The lines of the facets pane.
pub fn facet_lines(app: &App) -> Vec<FacetLine> {
    let asked: Vec<&str> = app.parsed.terms().filter_map(|span| app.query.get(span)).collect();
    let heading = |text: &str| FacetLine { term: None, text: text.into(), count: 0, on: false };
    let line = |field: &str, value: &str, count: usize| {
        let term = term(field, value);
        FacetLine { on: asked.contains(&term.as_str()), term: Some(term), text: value.to_owned(), count }
    };
    let facets = &app.facets;
    let mut lines = vec![heading("type")];
    lines.extend(facets.types.iter().map(|(kind, count)| line("type", kind, *count)));
    lines.push(heading("importance"));
    lines.extend(
        ["high", "medium", "low"].iter().zip(facets.importance).map(|(word, n)| line("importance", word, n)),
    );
    for (name, values) in &facets.fields {
        lines.push(heading(name));
        lines.extend(values.iter().map(|(value, count)| line(name, value, *count)));
    }
    lines.push(heading("tag"));
    lines.extend(facets.tags.iter().map(|(tag, count)| line("tag", tag, *count)));
    lines
}

/// The term that a branch of the tree stands for.
fn branch_term(app: &App, branch: &Branch) -> Option<String> {
    match &branch.name {
        Some(name) if branch.is_session => Some(term("session", name)),
        Some(name) => Some(term("type", name)),
        None => {
            let root = app.snapshot.stores.get(branch.store)?.root.told().into_owned();
            Some(term("store", &root))
        }
    }
}

/// Filters by the line under the cursor of the sessions or the facets, or no longer.
pub fn toggle_line(app: &mut App) {
    let term = match app.focus {
        Pane::Sessions => app.tree.get(app.branch.at).cloned().and_then(|branch| branch_term(app, &branch)),
        Pane::Facets => facet_lines(app).into_iter().nth(app.facet.at).and_then(|line| line.term),
        _ => None,
    };
    match term {
        Some(term) if app.screen == Screen::Browse => toggle(app, &term),
        _ => {}
    }
}

/// Asks for memories of the type of the one under the cursor.
pub fn like_this(app: &mut App) {
    let Some(at) = app.selected() else { return };
    let (store, entry) = app.listed.get(at);
    let term = match store.view(entry) {
        Some(view) => term("type", view.kind),
        None => "is:broken".into(),
    };
    toggle(app, &term)
}

/// Takes out of a search that found nothing what hides most.
pub fn drop_blocker(app: &mut App) {
    let Some((span, _)) = app.results.blocker.clone() else { return };
    let (Some(before), Some(after)) = (app.query.get(..span.start), app.query.get(span.end..)) else {
        return;
    };
    let query = format!("{} {}", before.trim(), after.trim()).trim().to_owned();
    ask(app, query)
}
