//! Refuses plans that were made and shown before an erasure.

use std::path::{Path, PathBuf};

use super::restore_guard::new_in;
use super::{each_within, restore_guard};
use crate::format::writing::Refusal;
use crate::model::{Act, Change, PathText, Plan, Verb};
use crate::store::erase::{ErasureMatcher, ErasureTarget, original};
use crate::store::write::commit_context::is_copy;
use crate::store::write::{CommitContext, CommitError};

/// Verbs that restore records from copies and tombstones. Their plans omit records erased before.
const BRING: [Verb; 3] = [Verb::BackupRestore, Verb::Undelete, Verb::Copy];

/// Refuses a plan whose copies or undo data would hold records that were erased after it was made.
/// Outdated derived files are made again, because they may name erased records.
pub fn refuse_stale_plan(context: &CommitContext<'_>, plan: &mut Plan) -> Result<(), CommitError> {
    let erased = context.vault.erasure_list()?;
    if erased.is_empty() {
        return Ok(());
    }
    if BRING.contains(&plan.verb) {
        restore_guard::refuse_erased(context, plan, "this", erased.clone())?;
    }
    // An erased record without an id can't be recognized: its file must still begin with the planned bytes.
    let targets: Vec<ErasureTarget> = erased.into_iter().map(|line| line.record).collect();
    let nameless = targets.iter().filter(|own| own.id.is_none()).map(|own| own.file.clone());
    let nameless: Vec<PathBuf> = nameless.collect();
    let wanted = ErasureMatcher::before(context.format, context.store, &targets, context.host.now);
    let current = current_bytes(context, plan)?;
    for change in plan.changes.iter().filter(|change| has_bytes(change)) {
        let now = now(context, &change.path)?;
        let is_nameless = nameless.contains(&change.path);
        let holds = no_longer_there(context, change, &now, &current).any(|planned| {
            let mut holds = is_nameless && !now.starts_with(planned);
            each_within(&change.path, planned, &mut |path, bytes| {
                // The plan may have a version that was nowhere else when its record was erased.
                holds |= new_in(&wanted, path, bytes, (&current, false)).is_some();
            });
            holds
        });
        if holds {
            return Err(since(change));
        }
    }
    derive_again_if_changed(context, plan)
}

/// Returns the bytes that a change was made from or copies, if the files don't have them as they are.
fn no_longer_there<'c>(
    context: &CommitContext<'_>,
    change: &'c Change,
    now: &[u8],
    current: &[u8],
) -> impl Iterator<Item = &'c [u8]> {
    let base = change.base.as_deref().filter(|base| *base != now);
    let copied = match &change.act {
        Act::Create(bytes) if is_copy(context, &change.path) => Some(&bytes[..]),
        _ => None,
    };
    base.into_iter().chain(copied.filter(|copy| memchr::memmem::find(current, copy).is_none()))
}

/// If files that it derives from changed, they are derived after the step instead.
fn derive_again_if_changed(context: &CommitContext<'_>, plan: &mut Plan) -> Result<(), CommitError> {
    let mut is_stale = false;
    for own in &plan.derived {
        is_stale |= own.base.as_deref().unwrap_or_default() != now(context, &own.path)?;
    }
    for (file, len) in &plan.inputs {
        let looked = context.item_at(&context.path(file))?;
        is_stale |= looked.map_or(0, |item| item.generation.len) != *len;
    }
    match plan.derived.first().filter(|_| is_stale) {
        Some(first) if plan.changes.is_empty() => return Err(since(first)),
        Some(_) => (plan.derived, plan.derive_after) = (Vec::new(), true),
        None => {}
    }
    Ok(())
}

/// Returns the content of the files that a plan changes or copies.
fn current_bytes(context: &CommitContext<'_>, plan: &Plan) -> Result<Vec<u8>, CommitError> {
    let mut current = Vec::new();
    for change in plan.changes.iter().filter(|change| has_bytes(change)) {
        let path = match is_copy(context, &change.path) {
            true => original(&change.path).file_name().map_or(change.path.clone(), PathBuf::from),
            false => change.path.clone(),
        };
        each_within(&path, &now(context, &path)?, &mut |_, bytes| current.extend(bytes));
    }
    Ok(current)
}

fn now(context: &CommitContext<'_>, path: &Path) -> Result<Vec<u8>, CommitError> {
    Ok(context.read(path)?.unwrap_or_default())
}

fn has_bytes(change: &Change) -> bool {
    !matches!(change.act, Act::MakeFolder | Act::RemoveFolder)
}

fn since(change: &Change) -> CommitError {
    let message = format!(
        "something was erased since this was planned, and {} is not as it was then: try again.",
        change.path.to_text()
    );
    CommitError::Refused(Refusal::new("E_CONCURRENT_MOD", message))
}
