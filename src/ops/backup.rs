//! `backup create`: copies of files as they are.

use super::{Refusal, Scene, plan, writes};
use crate::model::{Document, Plan, Role, Store};

/// The documents that are worth a copy: all that holds memories, whole.
pub fn worth(store: &Store) -> impl Iterator<Item = &Document> {
    let wanted = |document: &&Document| {
        let packed = document.path.to_string_lossy().ends_with(".gz")
            || document.path.to_string_lossy().contains("!/");
        matches!(document.role, Role::Records | Role::Tombstones | Role::Metadata | Role::Config) && !packed
    };
    store.documents.iter().map(|document| &**document).filter(wanted)
}

/// Copies of the live files, where the format keeps such.
pub fn create(scene: &Scene<'_>) -> Result<Option<Plan>, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let files: Vec<&Document> = worth(scene.store).collect();
    let copies = writes.backups(scene.store, &files, scene.now);
    if copies.is_empty() {
        return Ok(None);
    }
    plan("backup create", scene, 0, copies).map(Some)
}
