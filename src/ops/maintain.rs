//! The tasks of maintenance that are due.

use std::path::PathBuf;

use crate::model::Plan;
use crate::ops::{Result, WriteContext, config_is_known, plan, with_backups, writes};

/// Plans what is due by the format's rules and the store's own config, each with its rule in words.
/// All plans start from the same store: once one is carried out, the others must be made again.
pub fn due(context: &WriteContext<'_>) -> Result<Vec<(Plan, String)>> {
    let (_, writes) = writes(context.store)?;
    // An incomplete store must not look as if nothing were due.
    context.store.whole()?;
    config_is_known(context.store)?;
    let mut plans = Vec::new();
    for due in writes.due_tasks(context)? {
        let mut plan = plan("maintain", context, due.records, with_backups(context, writes, due.changes))?;
        plan.lines.push(due.what);
        plans.push((plan, due.rule));
    }
    Ok(plans)
}

/// Returns the compressed files whose bytes are needed to do what is due.
pub fn due_files(context: &WriteContext<'_>) -> Result<Vec<PathBuf>> {
    let (_, writes) = writes(context.store)?;
    Ok(writes.due_task_files(context))
}
