//! The change that undoes one, as undo data has it: with the owner and mode of what is removed.

use crate::disk::optional;
use crate::model::{Act, Bytes, Change};
use crate::store::write::apply::ready_plan::is_made;
use crate::store::write::{CommitContext, CommitError};

/// The maximum number of splices whose lines are searched for elsewhere in the file.
const FEW: usize = 16;

/// Returns undo data without its base. A removed file or folder comes back with its present owner and mode.
pub fn bare_inverse(context: &CommitContext<'_>, change: &Change) -> Result<Change, CommitError> {
    let inverse = match (&change.act, &change.base) {
        (Act::Expire(_), Some(bytes)) => Change::create(&change.path, bytes.clone()),
        _ => without_neighbours(change, change.bare_inverse()),
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
