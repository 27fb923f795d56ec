//! `add`: one new record.

use super::{Draft, Refusal, Scene, check, plan, writes};
use crate::model::Plan;

/// Adds a record.
pub fn add(scene: &Scene<'_>, draft: &Draft<'_>) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.add(scene, draft)?;
    let plan = plan("add", scene, 1, changes)?;
    check(scene, &plan)?;
    Ok(plan)
}
