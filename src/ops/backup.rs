//! `backup create`: copies of files as they are.

use crate::model::{Document, Role, Store, Tell, container};

/// The documents that are worth a copy: all that holds memories, whole.
pub fn worth(store: &Store) -> impl Iterator<Item = &Document> {
    let wanted = |document: &&Document| {
        let packed = document.path.told().ends_with(".gz") || container(&document.path).is_some();
        matches!(document.role, Role::Records | Role::Tombstones | Role::Metadata | Role::Config) && !packed
    };
    store.documents.iter().map(|document| &**document).filter(wanted)
}
