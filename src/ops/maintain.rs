//! The tasks of maintenance that are due.

use std::path::PathBuf;

use crate::model::Plan;
use crate::ops::{Result, WriteContext, backups, config_is_known, plan, writes};

/// Plans what is due by the format's rules and the store's own config, each with its rule in words.
/// All plans start from the same store: once one is carried out, the others must be made again.
pub fn due(scene: &WriteContext<'_>) -> Result<Vec<(Plan, String)>> {
    let (_, writes) = writes(scene.store)?;
    // An incomplete store must not look as if nothing were due.
    scene.store.whole()?;
    config_is_known(scene.store)?;
    let mut plans = Vec::new();
    for due in writes.due_tasks(scene)? {
        let mut all = backups(scene, writes, &due.changes);
        all.extend(due.changes);
        let mut plan = plan("maintain", scene, due.records, all)?;
        plan.lines.push(due.what);
        plans.push((plan, due.rule));
    }
    Ok(plans)
}

/// Returns the compressed files whose bytes are needed to do what is due.
pub fn due_files(scene: &WriteContext<'_>) -> Result<Vec<PathBuf>> {
    let (_, writes) = writes(scene.store)?;
    Ok(writes.due_task_files(scene))
}
