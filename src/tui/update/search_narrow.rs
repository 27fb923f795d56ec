//! The actions that begin a search.

use crate::tui::state::app::App;
use crate::tui::state::list_cursor::SearchOrigin;
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::update::open_prompt;

/// Opens the present search, selected: typing replaces it, and an arrow key edits it.
pub fn begin(app: &mut App) {
    let before = app.query.clone();
    open_prompt::open(app, PromptPurpose::Search, &before);
    if let Some(prompt) = &mut app.prompt {
        prompt.line.select_all();
        app.search_history.keep(&before);
        hold(app);
    }
}

/// Opens the present search, to add words to it.
pub fn narrow(app: &mut App) {
    let before = app.query.clone();
    let text = if before.is_empty() { String::new() } else { format!("{before} ") };
    open_prompt::open(app, PromptPurpose::Search, &text);
    if let Some(prompt) = &mut app.prompt {
        prompt.former_text = before;
        hold(app);
    }
}

/// Remembers the memory under the cursor. The cursor returns to it if the search becomes the same again.
fn hold(app: &mut App) {
    let search = app.effective_query().trim().to_owned();
    app.search_origin = app.selected().map(|at| SearchOrigin { at, search });
}
