//! Keeps a store in order: due tasks, `migrate`, recorded accesses, stored decay factors.

use std::path::PathBuf;

use super::{Refusal, Result, WriteContext, backups, base, config_is_known, plan, writable, writes};
use crate::format::writing::{decay_update, with_members};
use crate::model::{Change, Entry, Plan};
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// Plans what is due by the format's rules and the store's own config, each with its rule in words.
/// All plans start from the same store: once one is carried out, the others must be made again.
pub fn due(scene: &WriteContext<'_>) -> Result<Vec<(Plan, String)>> {
    let (_, writes) = writes(scene.store)?;
    // An incomplete store must not look as if nothing were due.
    scene.store.whole()?;
    config_is_known(scene.store)?;
    let mut plans = Vec::new();
    for due in writes.due_tasks(scene)? {
        let mut all = backups(scene, writes, &due.changes);
        all.extend(due.changes);
        let mut plan = plan("maintain", scene, due.records, all)?;
        plan.lines.push(due.what);
        plans.push((plan, due.rule));
    }
    Ok(plans)
}

/// Returns the compressed files whose bytes are needed to do what is due.
pub fn due_files(scene: &WriteContext<'_>) -> Result<Vec<PathBuf>> {
    let (_, writes) = writes(scene.store)?;
    Ok(writes.due_task_files(scene))
}

/// Plans to bring files of an older version to this one, with a backup of each.
pub fn migrate(scene: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.migration(scene)?;
    let records = scene.store.entries.len();
    plan("migrate", scene, if changes.is_empty() { 0 } else { records }, changes)
}

/// Plans to record an access of a record.
pub fn access(scene: &WriteContext<'_>, entry: &Entry) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    let document = writable(scene.store, entry)?;
    let raw = scene.store.raw(entry);
    let mut tape = Tape::default();
    let members = writes.access_members(scan(&mut tape, &raw)?, scene.now);
    if members.is_empty() {
        return Err(Refusal::unfit("the format does not store when a memory was used."));
    }
    let new = with_members(writes, &raw, &members, scene.now);
    let new = new.ok_or_else(|| Refusal::corrupt("the memory is broken."))?;
    let span = scene.store.record(entry).span;
    let edits = vec![(span.start as usize..span.end as usize, new)];
    plan("access", scene, 1, vec![Change::edits(&document.path, base(document), edits)])
}

/// Plans to bring the stored caches of decay up to date.
pub fn decay(scene: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    match decay_update(writes, scene) {
        Some(due) => plan("maintain", scene, due.records, due.changes),
        None => plan("maintain", scene, 0, Vec::new()),
    }
}
