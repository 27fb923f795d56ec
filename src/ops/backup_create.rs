//! `backup create`: copies of files as they are.

use crate::model::{Document, PathText, Role, Store, container};

/// The documents that are worth a copy: all that holds memories, whole.
pub fn files_to_back_up(store: &Store) -> impl Iterator<Item = &Document> {
    let wanted = |document: &&Document| {
        let packed = document.path.to_text().ends_with(".gz") || container(&document.path).is_some();
        matches!(document.role, Role::Records | Role::Tombstones | Role::Metadata | Role::Config) && !packed
    };
    store.documents.iter().map(|document| &**document).filter(wanted)
}
