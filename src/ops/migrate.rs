//! Migrates a store to the form that its specification has now.

use crate::model::Plan;
use crate::ops::{Result, WriteContext, plan, writes};

/// Plans to bring files of an older version to this one, with a backup of each.
pub fn migrate(scene: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.migration(scene)?;
    let records = scene.store.entries.len();
    plan("migrate", scene, if changes.is_empty() { 0 } else { records }, changes)
}
