//! Keeps a store in order: the tasks that are due, decay that is written down, and files of older versions.

use std::path::PathBuf;

use crate::format::writing::decay_update;
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

/// Plans to bring the stored caches of decay up to date.
pub fn decay(context: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    match decay_update(writes, context) {
        Some(due) => plan("maintain", context, due.records, due.changes),
        None => plan("maintain", context, 0, Vec::new()),
    }
}

/// Plans to bring files of an older version to this one, with a backup of each.
pub fn migrate(context: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let changes = writes.own().migrate.map_or(Ok(Vec::new()), |migrate| migrate(context))?;
    let records = context.store.entries.len();
    plan("migrate", context, if changes.is_empty() { 0 } else { records }, changes)
}
