//! Opens a prompt, and the action `search`.

use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::state::prompt::{Prompt, PromptPurpose};
use crate::tui::state::row_list::SearchOrigin;

pub fn open(app: &mut App, purpose: PromptPurpose, text: &str) {
    if purpose == PromptPurpose::Search && app.screen != Screen::Memories {
        return;
    }
    app.prompt = Some(Prompt::new(purpose, text, app.screen));
}

/// Opens the present search, selected: typing replaces it, and an arrow key edits it.
pub fn begin_search(app: &mut App) {
    let before = app.query.clone();
    open(app, PromptPurpose::Search, &before);
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
