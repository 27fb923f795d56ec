//! Writes the decay of records down.

use crate::format::writing::decay_update;
use crate::model::Plan;
use crate::ops::{Result, WriteContext, plan, writes};

/// Plans to bring the stored caches of decay up to date.
pub fn decay(context: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    match decay_update(writes, context) {
        Some(due) => plan("maintain", context, due.records, due.changes),
        None => plan("maintain", context, 0, Vec::new()),
    }
}
