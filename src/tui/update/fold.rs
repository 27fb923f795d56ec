//! The actions `fold`, `fold all` and `unfold all`.

use crate::tui::state::app::{App, Pane};
use crate::tui::store_tree;

/// Folds or unfolds the contents of the focused pane.
pub fn fold(app: &mut App) {
    match app.focus {
        Pane::Sessions => {
            let _ = store_tree::fold(app, false) || store_tree::fold(app, true);
        }
        Pane::Filters => app.layout.all_filters = !app.layout.all_filters,
        _ => {
            app.layout.all_facts = !app.layout.all_facts;
            app.detail_key = None;
        }
    }
}

pub fn fold_all(app: &mut App, folds: bool) {
    app.layout.fold(app.snapshot.stores.iter().map(|store| &store.root), folds);
    store_tree::renew(app);
}
