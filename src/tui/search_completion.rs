//! Completions for a word of a search: fields, and their values with counts.

use crate::query::{field_names, saved_names};
use crate::tui::state::app::App;
use crate::tui::state::prompt::{SearchSuggestion, last_word};
use crate::tui::state::store_tree_row::term;

const MOST: usize = 24;

/// Example searches, shown if nothing is typed.
pub const EXAMPLES: [&str; 4] = ["pool since:7d", "payments -tag:draft", "\"rotate the key\"", "is:broken"];

/// The states that `is:` takes.
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
