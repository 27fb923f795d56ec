//! `reindex`: what is derived from the records, made anew.

use std::path::Path;

use super::{Refusal, Scene, writes};
use crate::check::derived;
use crate::model::{Change, Plan};
use crate::store::derive;

/// Makes indexes and counts anew wherever they disagree with the records. Those stay as they are
/// that are made of something that can't be read.
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
    let mut plan = Plan::new("reindex", &store.root, store.format);
    plan.derived = derived::all(store, scene.now);
    plan.derived.retain(|change| change.path.starts_with(folder));
    let (blind, derived): (Vec<Change>, Vec<Change>) =
        plan.derived.drain(..).partition(|change| derive::is_blind(store, &change.path));
    plan.derived = derived;
    let stays = |change: &Change| format!("stays as it is: {}", change.path.display());
    plan.lines.extend(blind.iter().map(stays));
    if let Some(file) = derive::unread(store).next().filter(|_| !blind.is_empty()) {
        let why =
            format!("{} can't be read, and what is made of it would lose what stands in it", file.display());
        if plan.derived.is_empty() {
            return Err(Refusal::unfit(format!("{why}: make it readable first.")));
        }
        plan.lines.push(format!("{why}."));
    }
    plan.made_of = derive::made_of(store, &[]);
    Ok(plan)
}
