//! `compact`: removes what a log need not keep.

use std::sync::Arc;

use super::{Refusal, Result, WriteContext, backups, config_is_known, plan, writes};
use crate::format::writing::removals;
use crate::model::{Change, Document, Plan, Role, Store};
use crate::store::derived_files;

/// Plans what the format calls compaction.
pub fn compact(scene: &WriteContext<'_>, session: Option<&str>) -> Result<Plan> {
    config_is_known(scene.store)?;
    let (_, writes) = writes(scene.store)?;
    if let Some(name) = session.filter(|name| !scene.store.sessions.iter().any(|own| own.name == *name)) {
        return Err(Refusal::no_session(name));
    }
    if let Some(changes) = writes.compact(scene, session) {
        let changes = changes?;
        let mut all = backups(scene, writes, &changes);
        all.extend(changes);
        return plan("compact", scene, dropped(scene, &all), all);
    }
    let Some(goes) = writes.compacted_entries(scene, session) else {
        return Err(Refusal::unfit("the format has no compaction."));
    };
    let goes = goes?;
    let changes = removals(scene.store, &goes);
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    plan("compact", scene, goes.len(), all)
}

/// Says in words what a compaction of the store removes.
pub fn rule(store: &Store) -> String {
    writes(store).map_or_else(|refusal| refusal.message, |(_, writes)| writes.compaction_rule(store))
}

/// Returns by how many the number of active records falls.
fn dropped(scene: &WriteContext<'_>, changes: &[Change]) -> usize {
    let active = |documents: &[Arc<Document>]| {
        let live = documents.iter().filter(|document| document.role == Role::Records);
        live.map(|document| document.records.len()).sum::<usize>()
    };
    let after = derived_files::documents_after(scene.store, changes, scene.now);
    active(&scene.store.documents).saturating_sub(active(&after))
}
