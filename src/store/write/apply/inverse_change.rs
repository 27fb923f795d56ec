//! The change that undoes one, as undo data has it: with the owner and mode of what is removed.

use crate::disk::optional;
use crate::model::{Act, Bytes, Change};
use crate::store::write::apply::ready_plan::is_made;
use crate::store::write::{CommitContext, CommitError};

/// Returns undo data without its base. A removed file or folder comes back with its present owner and mode.
pub fn bare_inverse(context: &CommitContext<'_>, change: &Change) -> Result<Change, CommitError> {
    let inverse = match (&change.act, &change.base) {
        (Act::Expire(_), Some(bytes)) => Change::create(&change.path, bytes.clone()),
        _ => without_neighbours(change.bare_inverse()),
    };
    if !is_made(&inverse) {
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

/// Returns undo data without the `line_before` of lines that are searched for themselves.
fn without_neighbours(mut inverse: Change) -> Change {
    if let Act::Splice(splices) = &mut inverse.act {
        for own in splices.iter_mut().filter(|own| !own.was.is_empty()) {
            own.line_before = Bytes::default();
        }
    }
    inverse
}
