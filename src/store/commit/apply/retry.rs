//! Repeats writes that failed for a reason which may pass (2 §5.3).
//!
//! Only if every file is unchanged: otherwise the same bytes could be written twice.

use std::io;

use super::apply_plan::KEPT_CHANGING;
use crate::store::commit::{CommitContext, CommitError, FilesState};
use crate::store::lock::LockError;

/// The Linux error of a failed disk (`EIO`): a network disk may work again at once.
const DISK_FAILED: i32 = 5;

/// Calls `make`, and again after a pause if nothing was changed and the reason may pass. A lock
/// that timed out is not waited for again.
pub fn retry<T>(
    context: &CommitContext<'_>,
    make: impl Fn() -> Result<T, CommitError>,
) -> Result<T, CommitError> {
    let began = context.host.machine.monotonic();
    let mut outcome = make();
    let pauses =
        (0..context.tuning.retries).filter_map(|retry| Some(context.tuning.lock_backoff?.after(retry)));
    for pause in pauses {
        // Other programs wait: all pauses together are no longer than the lock timeout.
        let waited = context.host.machine.monotonic().saturating_sub(began);
        let is_in_time = waited + pause <= context.tuning.lock_timeout;
        if !is_in_time || !outcome.as_ref().is_err_and(may_pass) {
            break;
        }
        context.host.machine.sleep(pause);
        outcome = make();
    }
    outcome
}

fn may_pass(error: &CommitError) -> bool {
    let is_passing = match error {
        CommitError::Io { source, .. }
        | CommitError::OwnData { source, .. }
        | CommitError::Lock(LockError::Io { source, .. }) => is_passing(source),
        CommitError::Moved { what, .. } => *what == KEPT_CHANGING,
        _ => false,
    };
    is_passing && error.files() == FilesState::Untouched
}

fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, ResourceBusy, StaleNetworkFileHandle, TimedOut, WouldBlock};
    let kinds = [Interrupted, ResourceBusy, StaleNetworkFileHandle, TimedOut, WouldBlock];
    kinds.contains(&error.kind()) || error.raw_os_error() == Some(DISK_FAILED)
}
