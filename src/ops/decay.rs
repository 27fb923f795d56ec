//! Writes the decay of records down.

use crate::format::writing::decay_update;
use crate::model::Plan;
use crate::ops::{Result, WriteContext, plan, writes};

/// Plans to bring the stored caches of decay up to date.
pub fn decay(scene: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    match decay_update(writes, scene) {
        Some(due) => plan("maintain", scene, due.records, due.changes),
        None => plan("maintain", scene, 0, Vec::new()),
    }
}
