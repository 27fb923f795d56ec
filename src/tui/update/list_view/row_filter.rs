//! The filter of rows: a text that rows must contain.

use crate::tui::state::app::App;
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::update::list_view::row_refresh::{cursor_key, renew, renew_within};
use crate::tui::update::open_prompt;

/// Up to this many rows are filtered at every letter. More rows are filtered after Enter.
const AT_ONCE: usize = 5_000;

/// Asks for a text. The former one stays until another is typed.
pub fn begin(app: &mut App) {
    let before = app.list_view.focused().filter.clone();
    open_prompt::open(app, PromptPurpose::RowFilter, "");
    if let Some(prompt) = &mut app.prompt {
        prompt.former_text = before;
    }
    typed(app, "", false);
}

/// Filters at once if there are few rows.
pub fn typed(app: &mut App, text: &str, is_kept: bool) {
    if is_kept || app.list_view.focused().len() <= AT_ONCE {
        filter(app, text);
    }
}

pub fn filter(app: &mut App, text: &str) {
    let own = app.list_view.focused_mut();
    if own.filter == text {
        return;
    }
    own.filter = text.to_owned();
    let held = cursor_key(app);
    match app.list_view.in_details {
        true => renew_within(app),
        false => renew(app, held),
    }
}
