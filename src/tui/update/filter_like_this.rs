//! Action `filter like this`.

use crate::tui::state::app::App;
use crate::tui::state::store_tree_row::term;
use crate::tui::update::toggle::toggle_term;

/// Filters by the type of the memory under the cursor.
pub fn like_this(app: &mut App) {
    let Some(at) = app.selected() else { return };
    let (store, entry) = app.listed_snapshot.get(at);
    let term = match store.view(entry) {
        Some(view) => term("type", view.kind),
        None => "is:broken".into(),
    };
    toggle_term(app, &term)
}
