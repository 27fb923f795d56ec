//! Restores from a backup.

use crate::model::{Act, Change, CommitReceipt, Plan, is_log};
use crate::store::write::apply::line_index::LineIndex;
use crate::store::write::commit_context::is_copy;
use crate::store::write::{CommitContext, CommitError, Writer, commit_plan};
use std::path::PathBuf;

impl Writer<'_> {
    /// Carries out a plan that restores from a backup. Each file that it changes is copied first: by the plan if the
    /// format keeps backups, otherwise into palimp's own data. Fails as [`Writer::commit`], and if another program
    /// has restored the same records since the plan was made.
    pub fn restore(&self, plan: &Plan) -> Result<CommitReceipt, CommitError> {
        let context = &self.context;
        plan.changes.iter().try_for_each(|change| came_meanwhile(context, change))?;
        let copied = copy_first(context, plan)?;
        let outcome = commit_plan::commit(context, plan, None);
        if outcome.is_err() {
            // Files that were not changed need no copy.
            copied.iter().for_each(|path| drop(context.host.disk.remove(path)));
        }
        outcome
    }
}

/// Returns an error if another program has restored the same records: they would exist twice.
fn came_meanwhile(context: &CommitContext<'_>, change: &Change) -> Result<(), CommitError> {
    let coming: Vec<&[u8]> = match &change.act {
        Act::Append(lines) => vec![lines],
        Act::Splice(splices) => splices.iter().map(|splice| &splice.becomes[..]).collect(),
        _ => return Ok(()),
    };
    let base = change.base.clone().unwrap_or_default();
    let now = context.bytes(&change.path)?.unwrap_or_default();
    if !is_log(&change.path) || now == base {
        return Ok(());
    }
    let (was, is) = (LineIndex::of(&base), LineIndex::of(&now));
    let mut lines = coming.iter().flat_map(|own| own.split_inclusive(|byte| *byte == b'\n'));
    let is_back = lines.any(|line| is.has_any(line) && !was.has_any(line));
    match is_back {
        true => {
            let file = context.path(&change.path);
            Err(CommitError::moved(&file, "another program restored the same memories meanwhile"))
        }
        false => Ok(()),
    }
}

fn copy_first(context: &CommitContext<'_>, plan: &Plan) -> Result<Vec<PathBuf>, CommitError> {
    let mut copied = Vec::new();
    if plan.changes.iter().any(|own| is_copy(context, &own.path)) {
        return Ok(copied);
    }
    let changed = |change: &&Change| matches!(change.act, Act::Append(_) | Act::Splice(_));
    for change in plan.changes.iter().filter(|change| change.base.is_some()).filter(changed) {
        if let Some(bytes) = context.read(&change.path)? {
            copied.push(context.vault.copy(&change.path, &bytes, context.host.now)?);
        }
    }
    Ok(copied)
}
