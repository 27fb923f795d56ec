//! Action `drop filter`.

use std::ops::Range;

use crate::tui::filter_rows::is_settled;
use crate::tui::state::app::App;
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::update::search_query::set_query;

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
