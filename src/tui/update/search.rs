//! How a search is begun.

use super::{filter, prompt};
use crate::tui::app::App;
use crate::tui::prompt::Purpose;

/// A new search; the one before comes back with Esc, or with Ctrl-p to be changed.
pub fn begin(app: &mut App) {
    let before = app.query.clone();
    prompt::open(app, Purpose::Search, "");
    if let Some(prompt) = &mut app.prompt {
        app.asked_before.keep(&before);
        prompt.before = before;
        app.held = app.results.hits.get(app.list.at).map(|hit| hit.at);
        filter::ask(app, String::new());
    }
}

/// The same search, to be typed on.
pub fn narrow(app: &mut App) {
    let before = app.query.clone();
    let text = if before.is_empty() { String::new() } else { format!("{before} ") };
    prompt::open(app, Purpose::Search, &text);
    if let Some(prompt) = &mut app.prompt {
        prompt.before = before;
        app.held = app.results.hits.get(app.list.at).map(|hit| hit.at);
    }
}
