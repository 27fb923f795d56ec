//! Owners of removed files and folders, saved in the undo data. Any command restores them from it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::disk::optional;
use crate::model::{Act, Bytes, Change, ChangeKind, Plan};
use crate::store::steps::UndoStep;
use crate::store::write::{CommitContext, CommitError};

/// Undo restores an expired copy up to this size, in bytes.
const KEPT_COPY_LIMIT: u64 = 64 << 10;
/// The maximum number of splices whose lines are searched for elsewhere in the file.
const FEW: usize = 16;

/// Returns undo data without its base. A removed file or folder comes back with its present owner and mode.
pub fn bare_inverse(context: &CommitContext<'_>, change: &Change) -> Result<Change, CommitError> {
    let inverse = match (&change.act, &change.base) {
        (Act::Expire(_), Some(bytes)) => Change::create(&change.path, bytes.clone()),
        _ => without_neighbours(change, change.bare_inverse()),
    };
    if !comes(&inverse) {
        return Ok(inverse);
    }
    let path = context.path(&change.path);
    match optional(context.host.disk.look(&path)) {
        Ok(Some(item)) => Ok(Change { mode: item.mode_without_list(), owner: Some(item.owner), ..inverse }),
        Ok(None) => Ok(inverse),
        // An old copy is not a memory. An unknown owner is no reason to fail.
        Err(_) if matches!(change.act, Act::Expire(_)) => Ok(inverse),
        Err(error) => Err(CommitError::unread(&path, error)),
    }
}

/// Returns undo data without the `line_before` of unique lines: it only distinguishes equal lines.
fn without_neighbours(change: &Change, mut inverse: Change) -> Change {
    let base = change.base.clone().unwrap_or_default();
    if let Act::Splice(splices) = &mut inverse.act
        && splices.len() <= FEW
    {
        // If only the end of the log is known: an added line has its own id or time, so it is unique.
        let is_unique = |was: &[u8]| base.known_end().is_some() || memchr::memmem::find(&base, was).is_none();
        for own in splices.iter_mut().filter(|own| !own.was.is_empty() && is_unique(&own.was)) {
            own.line_before = Bytes::default();
        }
    }
    inverse
}

/// Returns the plan with the content of small copies that it removes.
pub fn with_expiring<'p>(context: &CommitContext<'_>, plan: Cow<'p, Plan>) -> Cow<'p, Plan> {
    let is_one = |change: &Change| matches!(change.act, Act::Expire(len) if len <= KEPT_COPY_LIMIT);
    if !plan.changes.iter().any(is_one) {
        return plan;
    }
    let mut plan = plan.into_owned();
    for change in plan.changes.iter_mut().filter(|change| is_one(change)) {
        let read = context.host.disk.read(&context.path(&change.path), 0, None);
        change.base = read.ok().map(|(bytes, _)| bytes.into());
    }
    Cow::Owned(plan)
}

/// Returns the plan with the saved owners and modes of removed files. Not only undo restores files.
pub fn with_saved_owners<'p>(
    context: &CommitContext<'_>,
    plan: Cow<'p, Plan>,
) -> Result<Cow<'p, Plan>, CommitError> {
    let is_bare = |change: &&Change| comes(change) && change.owner.is_none();
    let wanted: HashSet<&Path> = plan.changes.iter().filter(is_bare).map(|own| &*own.path).collect();
    if wanted.is_empty() {
        return Ok(plan);
    }
    let mut removed = HashMap::new();
    for line in context.vault.journal()? {
        for file in line.files.iter().filter(|file| wanted.contains(&*file.path)) {
            removed.insert(file.path.clone(), Some(line.step).filter(|_| file.change == ChangeKind::Remove));
        }
    }
    let mut steps: HashMap<u64, Option<UndoStep>> = HashMap::new();
    for number in removed.values().flatten() {
        steps.insert(*number, context.vault.step(*number)?);
    }
    let before = |change: &Change| {
        let step = steps.get(removed.get(&change.path)?.as_ref()?)?.as_ref()?;
        step.changes.iter().find(|own| own.path == change.path && own.owner.is_some())
    };
    if !plan.changes.iter().any(|change| before(change).is_some()) {
        return Ok(plan);
    }
    let mut plan = plan.into_owned();
    for change in plan.changes.iter_mut().filter(|change| comes(change) && change.owner.is_none()) {
        if let Some(own) = before(change) {
            (change.mode, change.owner) = (own.mode, own.owner);
        }
    }
    Ok(Cow::Owned(plan))
}

/// True if the change makes a file or a folder.
fn comes(change: &Change) -> bool {
    matches!(change.act, Act::Create(_) | Act::MakeFolder)
}
