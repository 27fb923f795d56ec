//! The actions `fold`, `fold all` and `unfold all`.

use crate::tui::state::app::{App, Pane};
use crate::tui::store_tree;

/// Folds or unfolds the contents of the focused pane.
pub fn fold(app: &mut App) {
    match app.focus {
        Pane::Sessions => {
            let _ = store_tree::fold(app, false) || store_tree::fold(app, true);
        }
        Pane::Filters => app.unfolded.all_filters = !app.unfolded.all_filters,
        _ => {
            app.unfolded.all_facts = !app.unfolded.all_facts;
            app.detail_key = None;
        }
    }
}

pub fn fold_all(app: &mut App, folds: bool) {
    app.unfolded.fold(app.snapshot.stores.iter().map(|store| &store.root), folds);
    store_tree::renew(app);
}
