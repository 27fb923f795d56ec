//! `reindex`: what is derived from the records, made anew.

use std::path::{Path, PathBuf};

use super::{Refusal, Scene, writes};
use crate::model::{Plan, Role};
use crate::store::derive;

/// Makes indexes and counts anew wherever they disagree with the records.
pub fn reindex(scene: &Scene<'_>) -> Result<Plan, Refusal> {
    within(scene, Path::new(""))
}

/// The same for one session.
pub fn of_session(scene: &Scene<'_>, name: &str) -> Result<Plan, Refusal> {
    within(scene, super::session_folder(scene.store, name)?)
}

fn within(scene: &Scene<'_>, folder: &Path) -> Result<Plan, Refusal> {
    writes(scene.store)?;
    let store = scene.store;
    let data = store
        .documents
        .iter()
        .filter(|own| matches!(own.role, Role::Records | Role::Archive | Role::Metadata));
    let touched: Vec<PathBuf> = data.map(|own| own.path.clone()).collect();
    let mut plan = Plan::of("reindex", store.whole()?);
    plan.derived = derive::derived(store, &store.documents, &touched, scene.now);
    plan.derived.retain(|change| !change.is_empty() && change.path.starts_with(folder));
    plan.made_of = derive::made_of(store, &[]);
    Ok(plan)
}
