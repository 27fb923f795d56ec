//! `compact`: what a log need not keep goes.

use super::{Refusal, Scene, backups, plan, writes};
use crate::format::writing::removals;
use crate::model::Plan;

/// Does what the format calls compaction.
pub fn compact(scene: &Scene<'_>, session: Option<&str>) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    if let Some(name) = session.filter(|name| !scene.store.sessions.iter().any(|own| own.name == *name)) {
        return Err(Refusal::no_session(name));
    }
    if let Some(changes) = writes.compact(scene, session) {
        let changes = changes?;
        let mut all = backups(scene, writes, &changes);
        all.extend(changes);
        let records = all.iter().filter(|change| change.word() == "rewrite").count();
        return plan("compact", scene, records, all);
    }
    let Some(goes) = writes.compaction(scene, session) else {
        return Err(Refusal::unfit("the format has no compaction."));
    };
    let goes = goes?;
    let changes = removals(scene.store, &goes);
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    plan("compact", scene, goes.len(), all)
}
