//! The action `search`.

use crate::tui::state::app::{App, Pane};
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
        // A memory that is read makes way for the list.
        if app.is_reading() {
            app.focus = Pane::Memories;
        }
        // The cursor returns to its memory if the search becomes the same again.
        let search = app.effective_query().trim().to_owned();
        app.search_origin = app.selected().map(|at| SearchOrigin { at, search });
    }
}
