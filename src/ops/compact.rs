//! `compact`: removes what a log need not keep.

use std::sync::Arc;

use super::{Refusal, Result, WriteContext, config_is_known, plan, with_backups, writes};
use crate::format::writing::removals;
use crate::model::{Change, Document, Plan, Role, Store};
use crate::store::derived_files;

/// Plans what the format calls compaction.
pub fn compact(context: &WriteContext<'_>, session: Option<&str>) -> Result<Plan> {
    config_is_known(context.store)?;
    let (_, writes) = writes(context.store)?;
    if let Some(name) = session.filter(|name| !context.store.sessions.iter().any(|own| own.name == *name)) {
        return Err(Refusal::no_session(name));
    }
    if let Some(changes) = writes.compact(context, session) {
        let changes = changes?;
        let all = with_backups(context, writes, changes);
        return plan("compact", context, dropped(context, &all), all);
    }
    let Some(goes) = writes.compacted_entries(context, session) else {
        return Err(Refusal::unfit("the format has no compaction."));
    };
    let goes = goes?;
    let changes = removals(context.store, &goes);
    let all = with_backups(context, writes, changes);
    plan("compact", context, goes.len(), all)
}

/// Says in words what a compaction of the store removes.
pub fn rule(store: &Store) -> String {
    writes(store).map_or_else(|refusal| refusal.message, |(_, writes)| writes.compaction_rule(store))
}

/// Returns by how many the number of active records falls.
fn dropped(context: &WriteContext<'_>, changes: &[Change]) -> usize {
    let active = |documents: &[Arc<Document>]| {
        let live = documents.iter().filter(|document| document.role == Role::Records);
        live.map(|document| document.records.len()).sum::<usize>()
    };
    let after = derived_files::documents_after(context.store, changes, context.now);
    active(&context.store.documents).saturating_sub(active(&after))
}
