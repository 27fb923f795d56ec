//! Migrates a store to the form that its specification has now.

use crate::model::Plan;
use crate::ops::{Result, WriteContext, plan, writes};

/// Plans to bring files of an older version to this one, with a backup of each.
pub fn migrate(context: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let changes = writes.own().migrate.map_or(Ok(Vec::new()), |migrate| migrate(context))?;
    let records = context.store.entries.len();
    plan("migrate", context, if changes.is_empty() { 0 } else { records }, changes)
}
