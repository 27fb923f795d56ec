//! `reindex`: what is derived from the records, made anew.

use std::path::Path;

use super::{Result, Scene, writes};
use crate::check::derived;
use crate::model::Plan;
use crate::store::derive;

/// Makes indexes and counts anew wherever they disagree with the records.
pub fn reindex(scene: &Scene<'_>) -> Result<Plan> {
    within(scene, Path::new(""))
}

/// The same for one session.
pub fn of_session(scene: &Scene<'_>, name: &str) -> Result<Plan> {
    within(scene, super::session_folder(scene.store, name)?)
}

fn within(scene: &Scene<'_>, folder: &Path) -> Result<Plan> {
    writes(scene.store)?;
    let store = scene.store;
    let mut plan = Plan::of("reindex", store.whole()?);
    plan.derived = derived::disagreeing(store, scene.now);
    plan.derived.retain(|change| change.path.starts_with(folder));
    plan.made_of = derive::made_of(store, &[]);
    store.whole()?;
    Ok(plan)
}
