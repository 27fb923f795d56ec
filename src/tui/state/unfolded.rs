//! What the user has unfolded.

use std::collections::HashSet;
use std::path::PathBuf;

#[derive(Default)]
pub struct Unfolded {
    pub all_filters: bool,
    /// True if all facts of the detail are shown.
    pub all_facts: bool,
    /// The stores whose sessions are shown, by their roots.
    pub stores: HashSet<PathBuf>,
}

impl Unfolded {
    /// Shows or hides the sessions of stores.
    pub fn fold<'a>(&mut self, roots: impl IntoIterator<Item = &'a PathBuf>, folds: bool) {
        for root in roots {
            match folds {
                true => self.stores.remove(root),
                false => self.stores.insert(root.clone()),
            };
        }
    }
}
