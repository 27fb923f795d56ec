//! How a search is begun.

use super::prompt;
use crate::tui::app::App;
use crate::tui::list_cursor::SearchOrigin;
use crate::tui::prompt::PromptPurpose;

/// The search as it is, selected: what is typed replaces it, an arrow goes into it to change it.
pub fn begin(app: &mut App) {
    let before = app.query.clone();
    prompt::open(app, PromptPurpose::Search, &before);
    if let Some(prompt) = &mut app.prompt {
        prompt.line.select_all();
        app.search_history.keep(&before);
        hold(app);
    }
}

/// The same search, to be typed on.
pub fn narrow(app: &mut App) {
    let before = app.query.clone();
    let text = if before.is_empty() { String::new() } else { format!("{before} ") };
    prompt::open(app, PromptPurpose::Search, &text);
    if let Some(prompt) = &mut app.prompt {
        prompt.former_text = before;
        hold(app);
    }
}

/// What the list shows now is shown again where the search becomes what it was.
fn hold(app: &mut App) {
    let search = app.effective_query().trim().to_owned();
    app.search_origin = app.selected().map(|at| SearchOrigin { at, search });
}
