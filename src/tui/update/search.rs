//! How a search is begun.

use super::prompt;
use crate::tui::app::App;
use crate::tui::cursor::Held;
use crate::tui::prompt::Purpose;

/// The search as it is, selected: what is typed replaces it, an arrow goes into it to change it.
pub fn begin(app: &mut App) {
    let before = app.query.clone();
    prompt::open(app, Purpose::Search, &before);
    if let Some(prompt) = &mut app.prompt {
        prompt.line.select_all();
        app.asked_before.keep(&before);
        hold(app);
    }
}

/// The same search, to be typed on.
pub fn narrow(app: &mut App) {
    let before = app.query.clone();
    let text = if before.is_empty() { String::new() } else { format!("{before} ") };
    prompt::open(app, Purpose::Search, &text);
    if let Some(prompt) = &mut app.prompt {
        prompt.before = before;
        hold(app);
    }
}

/// What the list shows now is shown again where the search becomes what it was.
fn hold(app: &mut App) {
    let search = app.searched().trim().to_owned();
    app.held = app.selected().map(|at| Held { at, search });
}
