//! `reindex`: what is derived from the records, made anew.

use std::path::PathBuf;

use super::{Refusal, Scene, writes};
use crate::model::{Plan, Role};
use crate::store::derive;

/// Makes indexes and counts anew wherever they disagree with the records.
pub fn reindex(scene: &Scene<'_>) -> Result<Plan, Refusal> {
    writes(scene.store)?;
    let store = scene.store;
    let data = store
        .documents
        .iter()
        .filter(|own| matches!(own.role, Role::Records | Role::Archive | Role::Metadata));
    let touched: Vec<PathBuf> = data.map(|own| own.path.clone()).collect();
    let mut plan = Plan::new("reindex", &store.root, store.format);
    plan.derived = derive::derived(store, &store.documents, &touched, scene.now);
    plan.derived.retain(|change| !change.is_empty());
    plan.made_of = derive::made_of(store, &[]);
    Ok(plan)
}

/// The same for one session.
pub fn of_session(scene: &Scene<'_>, name: &str) -> Result<Plan, Refusal> {
    let folder = super::session_folder(scene.store, name)?;
    let mut plan = reindex(scene)?;
    plan.derived.retain(|change| change.path.starts_with(folder));
    Ok(plan)
}
