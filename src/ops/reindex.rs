//! `reindex`: rebuilds derived files from the records.

use std::path::Path;

use super::{Result, WriteContext, writes};
use crate::check::stale_files;
use crate::model::Plan;
use crate::store::derived_files;

/// Plans to rebuild the indexes and counts that disagree with the records.
pub fn reindex(scene: &WriteContext<'_>) -> Result<Plan> {
    within(scene, Path::new(""))
}

/// Like [`reindex`], for one session.
pub fn of_session(scene: &WriteContext<'_>, name: &str) -> Result<Plan> {
    within(scene, super::session_folder(scene.store, name)?)
}

fn within(scene: &WriteContext<'_>, folder: &Path) -> Result<Plan> {
    writes(scene.store)?;
    let store = scene.store;
    let mut plan = Plan::of("reindex", store.whole()?);
    plan.derived = stale_files::stale_files(store, scene.now);
    plan.derived.retain(|change| change.path.starts_with(folder));
    plan.inputs = derived_files::derivation_inputs(store, &[]);
    store.whole()?;
    Ok(plan)
}
