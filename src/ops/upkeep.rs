//! What keeps a store in order: what is due, `migrate`, an access that is recorded, decay
//! factors that are brought up to date.

use std::path::PathBuf;

use super::{Refusal, Result, WriteContext, backups, base, config_is_known, plan, writable, writes};
use crate::format::writing::{decay_update, with_members};
use crate::model::{Change, Entry, Plan};
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// What is due by the format's rules and the store's own config, a plan each with its rule in words. They
/// are made of the same store: whoever carries out one makes the others anew.
pub fn due(scene: &WriteContext<'_>) -> Result<Vec<(Plan, String)>> {
    let (_, writes) = writes(scene.store)?;
    // That nothing is due is not said of what was not seen.
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

/// The compressed files whose bytes on disk it takes to do what is due.
pub fn due_files(scene: &WriteContext<'_>) -> Result<Vec<PathBuf>> {
    let (_, writes) = writes(scene.store)?;
    Ok(writes.due_task_files(scene))
}

/// Brings files of an older version to this one, each backed up first.
pub fn migrate(scene: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.migration(scene)?;
    let records = scene.store.entries.len();
    plan("migrate", scene, if changes.is_empty() { 0 } else { records }, changes)
}

/// Records that a record was accessed.
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

/// Brings the stored caches of decay up to date.
pub fn decay(scene: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    match decay_update(writes, scene) {
        Some(due) => plan("maintain", scene, due.records, due.changes),
        None => plan("maintain", scene, 0, Vec::new()),
    }
}
