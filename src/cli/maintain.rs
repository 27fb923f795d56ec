//! `palimp maintain`.

use std::sync::Arc;

use super::{Context, Exit, ReadScope, Result, load_stores};
use crate::cli::run_change::{confirm_and_execute, plan, request};
use crate::ops::maintain::Maintain;

/// Does what is due, one task after the other. Each is planned on the store as the task before left it.
pub fn maintain(context: &mut Context) -> Result {
    let mut any = false;
    for _ in 0..ROUNDS {
        let snapshot = load_stores::to_change(context, ReadScope::All)?;
        let mut planned = plan(request(context, &snapshot, Arc::new(Maintain)))?;
        if context.options.yes && !context.options.dry_run {
            planned.plans.dedup_by_key(|own| own.store);
        }
        // Each store says only once that nothing is due.
        planned.plans.retain(|own| !any || !own.plan.is_empty());
        let is_over = planned.is_empty();
        if is_over && any {
            return Ok(Exit::Done);
        }
        let ended = confirm_and_execute(context, planned, None)?;
        any = true;
        if is_over || !context.options.yes || context.options.dry_run {
            return Ok(ended);
        }
    }
    Ok(Exit::Done)
}

/// No store has more tasks due at once.
const ROUNDS: usize = 100;
