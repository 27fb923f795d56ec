//! Suggestions below the search.

use crate::tui::state::app::App;
use crate::tui::state::prompt::{PromptPurpose, SearchSuggestion};
use crate::tui::{filter_chips, search_completion};

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

/// Returns the suggestions for the word before the cursor, and the index of the current one.
pub fn suggestions(app: &App) -> (Vec<SearchSuggestion>, Option<usize>) {
    let Some(prompt) = &app.prompt else { return (Vec::new(), None) };
    match prompt.suggested() {
        Some((all, at)) => (all.to_vec(), Some(at)),
        None if prompt.line.is_selecting() => (Vec::new(), None),
        None => (search_completion::of(app, &prompt.before_cursor()), None),
    }
}
