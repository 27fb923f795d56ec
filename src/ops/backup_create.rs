//! `backup create`: copies files as they are.

use crate::model::{Document, PathText, Role, Store, container};

/// Returns the documents to copy: all that hold memories or settings, except compressed files.
pub fn files_to_back_up(store: &Store) -> impl Iterator<Item = &Document> {
    let wanted = |document: &&Document| {
        let packed = document.path.to_text().ends_with(".gz") || container(&document.path).is_some();
        matches!(document.role, Role::Records | Role::Tombstones | Role::Metadata | Role::Config) && !packed
    };
    store.documents.iter().map(|document| &**document).filter(wanted)
}
