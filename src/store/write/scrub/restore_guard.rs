//! Refuses changes that would bring an erased record back.

use std::path::Path;

use super::{ErasureLine, each_within};
use crate::format::writing::Refusal;
use crate::model::{Change, PathText, Plan, Role};
use crate::store::erase::{ErasureMatcher, ErasureTarget};
use crate::store::write::commit_context::is_copy;
use crate::store::write::{CommitContext, CommitError};

/// Refuses an undo or a similar plan that would bring an erased record back: an agent may have written
/// it again after the erasure, and a later step may have deleted it.
pub fn refuse_erased(
    context: &CommitContext<'_>,
    plan: &Plan,
    what: &str,
    erased: Vec<ErasureLine>,
) -> Result<(), CommitError> {
    if erased.is_empty() {
        return Ok(());
    }
    let targets: Vec<ErasureTarget> = erased.into_iter().map(|line| line.record).collect();
    let wanted = ErasureMatcher::before(context.format, context.store, &targets, context.host.now);
    // A record that is in a file of the plan already is only moved or copied. Copies don't count.
    let mut current: Vec<u8> = Vec::new();
    for change in plan.changes.iter().filter(|own| !is_copy(context, &own.path)) {
        let base = change.base.as_deref().unwrap_or_default();
        each_within(&change.path, base, &mut |_, bytes| current.extend(bytes));
    }
    let brought = |own| Some((own, brought(&wanted, own, &current)?));
    let Some((change, id)) = plan.changes.iter().find_map(brought) else { return Ok(()) };
    let name = id.map_or_else(|| "a memory".to_owned(), |id| format!("the memory {id}"));
    Err(CommitError::Refused(Refusal::unfit(format!(
        "{what} would bring {name} back to {}, and that was erased.",
        change.path.to_text()
    ))))
}

/// Returns the id of an erased record that the change would bring back. `None` if it brings none.
fn brought(wanted: &ErasureMatcher<'_>, change: &Change, current: &[u8]) -> Option<Option<String>> {
    let after = change.after()?;
    let mut found = None;
    each_within(&change.path, &after, &mut |path, bytes| {
        if found.is_none() {
            found = new_in(wanted, path, bytes, (current, true));
        }
    });
    found
}

/// Returns the id of an erased record that is in the bytes of a file but not in `current`. If its name `may_be_given_again`,
/// one with a text that no version had is another record.
pub(super) fn new_in(
    wanted: &ErasureMatcher<'_>,
    path: &Path,
    bytes: &[u8],
    (current, may_be_given_again): (&[u8], bool),
) -> Option<Option<String>> {
    if matches!(wanted.role(path), Role::Tombstones | Role::Index | Role::Config | Role::Metadata) {
        return None;
    }
    let records = wanted.read(path, bytes, None);
    let own = records.iter().find(|own| {
        let raw = &bytes[own.span.range()];
        // With the same time it may be an earlier version.
        let may_be_another = may_be_given_again && own.memory().is_none_or(|memory| memory.created.is_none());
        wanted.is_erased(path, raw, own.memory(), None)
            && !(may_be_another && wanted.has_other_text(path, raw, own.memory()))
            && memchr::memmem::find(current, raw).is_none()
    })?;
    Some(own.id().map(Into::into))
}
