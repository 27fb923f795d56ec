//! Completions for a word of a search, fields and their values with counts, and their place below the search.

use crate::query::{field_names, saved_names};
use crate::tui::filter_chips;
use crate::tui::state::app::{App, term};
use crate::tui::state::prompt::{PromptPurpose, SearchSuggestion, last_word};

const MOST: usize = 24;

/// Example searches, shown if nothing is typed.
pub const EXAMPLES: [&str; 4] = ["pool since:7d", "payments -tag:draft", "\"rotate the key\"", "is:broken"];

const STATES: [&str; 6] = ["archived", "deleted", "pinned", "broken", "sensitive", "unseen"];

/// Returns the completions of the word before the cursor, most frequent first.
pub fn of(app: &App, before: &str) -> Vec<SearchSuggestion> {
    let (sign, word) = last_word(before);
    let mut found: Vec<SearchSuggestion> = match word.split_once(':') {
        Some((field, value)) => values(app, field)
            .into_iter()
            .filter(|(own, _)| own.to_lowercase().starts_with(&value.trim_matches('"').to_lowercase()))
            .map(|(own, count)| SearchSuggestion { text: term(field, &own), count })
            .collect(),
        None if word.is_empty() => Vec::new(),
        None => fields(app, word),
    };
    found.truncate(MOST);
    found.iter_mut().for_each(|own| own.text.insert_str(0, sign));
    found.retain(|own| own.text != format!("{sign}{word}"));
    found
}

/// Returns the fields that begin with `word`. If there is only one, its values follow.
fn fields(app: &App, word: &str) -> Vec<SearchSuggestion> {
    let names: Vec<&str> = field_names().into_iter().filter(|name| name.starts_with(word)).collect();
    let field = |name: &&str| SearchSuggestion { text: format!("{name}:"), count: None };
    match names.as_slice() {
        [only] => {
            let own = values(app, only).into_iter();
            let own = own.map(|(value, count)| SearchSuggestion { text: term(only, &value), count });
            names.iter().map(field).chain(own).collect()
        }
        _ => names.iter().map(field).collect(),
    }
}

fn values(app: &App, field: &str) -> Vec<(String, Option<usize>)> {
    let counted = |list: &[(String, usize)]| list.iter().map(|(own, n)| (own.clone(), Some(*n))).collect();
    let named = |list: &[&str]| list.iter().map(|own| ((*own).to_owned(), None)).collect();
    let facets = &app.completion_facets;
    match field {
        "type" => counted(&facets.types),
        "tag" => counted(&facets.tags),
        "is" => named(&STATES),
        "has" => named(&["problem", "checksum"]),
        "sort" => named(&["rank", "time", "oldest", "importance", "size"]),
        "since" | "until" | "at" => named(&["1d", "7d", "30d", "today", "yesterday"]),
        "importance" => named(&["high", "medium", "low", ">=0.7"]),
        "store" => {
            let stores = app.store_names.iter().zip(&app.tallies);
            stores.map(|(name, tally)| (name.clone(), Some(tally.listed))).collect()
        }
        "saved" => saved_names(&app.snapshot).into_iter().map(|name| (name, None)).collect(),
        "session" => {
            let stores = app.snapshot.stores.iter().zip(&app.tallies);
            let sessions = stores.flat_map(|(store, tally)| store.sessions.iter().zip(&tally.sessions));
            sessions.map(|(session, count)| (session.name.clone(), Some(*count))).collect()
        }
        _ => {
            let own = facets.fields.iter().find(|(name, _)| *name == field);
            own.map(|(_, list)| counted(list)).unwrap_or_default()
        }
    }
}

pub fn is_typed(app: &App) -> bool {
    app.prompt.as_ref().is_some_and(|prompt| prompt.purpose == PromptPurpose::Search)
}

/// Returns how many rows the suggestions or the filters take below the search.
pub fn rows_offered(app: &App) -> u16 {
    if shows_chips(app) {
        return u16::from(!filter_chips::visible_chips(app).is_empty());
    }
    if app.size.1 < 16 {
        return 0;
    }
    let (all, _) = suggestions(app);
    if app.query.is_empty() { 2 } else { all.len().div_ceil(per_row(app)).min(3) as u16 }
}

/// True if the filters are below the search, because there are no suggestions.
pub fn shows_chips(app: &App) -> bool {
    !is_typed(app) || !app.query.is_empty() && suggestions(app).0.is_empty()
}

pub fn per_row(app: &App) -> usize {
    usize::from(app.size.0 / 26).max(1)
}

pub fn suggestions(app: &App) -> (Vec<SearchSuggestion>, Option<usize>) {
    let Some(prompt) = &app.prompt else { return (Vec::new(), None) };
    match prompt.suggested() {
        Some((all, at)) => (all.to_vec(), Some(at)),
        None if prompt.line.is_selecting() => (Vec::new(), None),
        None => (of(app, &prompt.line.before_cursor()), None),
    }
}
