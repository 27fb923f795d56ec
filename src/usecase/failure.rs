//! Why a change was not made.

use std::path::{Path, PathBuf};

use crate::disk::host::Host;
use crate::model::{EntryRef, NotWhole, PathText, Snapshot};
use crate::ops::Refusal;
use crate::store::lock::{self, LockError, LockHolder};
use crate::store::{CommitError, FilesState};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no step to undo or redo.
    Nothing,
    /// It was refused, or failed before anything began: nothing changed.
    Refused,
    /// The system failed, or the change stopped halfway.
    Failed,
}

/// Why a change was not made, and the state of the files.
#[derive(Debug)]
pub struct ChangeFailure {
    /// What happened, in sentences. May quote the store.
    pub message: String,
    pub cause: Box<CommitError>,
    /// The stores that were changed before it.
    pub(super) changed: Vec<PathBuf>,
}

pub(super) type Result<T, E = ChangeFailure> = std::result::Result<T, E>;

impl ChangeFailure {
    /// Makes the failure for files that other programs change too often.
    pub(super) fn used() -> ChangeFailure {
        Refusal::new("E_CONCURRENT_MOD", "other programs keep changing what this is about.").into()
    }

    pub(super) fn in_store(self, root: &Path) -> ChangeFailure {
        ChangeFailure { message: format!("{}: {}", root.to_text(), self.message), ..self }
    }

    /// Makes the failure for memories of which another program changed the first before the plan.
    pub fn changed_meanwhile(snapshot: &Snapshot, memories: &[EntryRef]) -> ChangeFailure {
        let first = memories.first().map(|at| snapshot.get(*at));
        let file = first.map(|(store, entry)| store.document(entry).path.clone()).unwrap_or_default();
        let (planned, found, files) = (Vec::new(), None, FilesState::Untouched);
        CommitError::Conflict { file, planned, found, files }.into()
    }

    /// Returns what happened, without the state of the files.
    pub fn in_short(&self) -> String {
        self.cause.in_short()
    }

    /// Returns how it ended.
    pub fn kind(&self) -> FailureKind {
        match &*self.cause {
            CommitError::NoStep(_) => FailureKind::Nothing,
            // "Refused" says that nothing changed, whatever the reason is.
            error => match error.files() {
                FilesState::Untouched => FailureKind::Refused,
                FilesState::Restored if !error.is_failure() => FailureKind::Refused,
                _ => FailureKind::Failed,
            },
        }
    }

    /// Returns the lock that stopped it, if the lock may be broken.
    pub fn held_lock(&self) -> Option<HeldLock<'_>> {
        HeldLock::of(&self.cause)
    }

    /// True if another program held a lock for the complete waiting time.
    pub fn is_locked(&self) -> bool {
        matches!(*self.cause, CommitError::Lock(LockError::Busy { .. }) | CommitError::Busy(_))
    }

    /// True if no file was changed.
    pub fn is_untouched(&self) -> bool {
        self.cause.files() == FilesState::Untouched
    }

    /// True if the files were not as planned, and nothing was written.
    pub(super) fn is_moved(&self) -> bool {
        self.changed.is_empty() && self.cause.is_moved()
    }

    /// True if the step to undo or redo does not exist any more.
    pub(super) fn is_gone(&self) -> bool {
        matches!(*self.cause, CommitError::NoStep(_))
    }

    /// Returns why it was refused before anything began; `None` for another cause, or if the user stopped it.
    pub(super) fn refused(&self) -> Option<&str> {
        match &*self.cause {
            CommitError::Refused(own) => (!own.stops).then_some(&*own.message),
            _ => None,
        }
    }

    /// Replaces the refusal, if it is one.
    pub fn retold(self, tell: impl FnOnce(Refusal) -> Refusal) -> ChangeFailure {
        match *self.cause {
            CommitError::Refused(refusal) => tell(refusal).into(),
            cause => ChangeFailure { cause: Box::new(cause), ..self },
        }
    }

    /// Adds the stores that were changed before.
    pub(super) fn after(self, changed: &[&Path]) -> ChangeFailure {
        ChangeFailure { changed: changed.iter().map(|root| (*root).to_owned()).collect(), ..self }
    }

    /// Returns the code of a refusal, as its specification or `docs/cli.md` names it.
    pub fn code(&self) -> Option<&str> {
        match &*self.cause {
            CommitError::NoStep(_) => None,
            error => Some(error.code()),
        }
    }

    /// Returns the reason, without the state of the files.
    pub fn why(&self) -> &str {
        self.refused().unwrap_or(&self.message)
    }

    /// Returns what happened, with the stores that were changed before.
    pub fn told(&self) -> String {
        if self.changed.is_empty() {
            return self.message.clone();
        }
        let roots: Vec<String> = self.changed.iter().map(|root| root.to_text().into_owned()).collect();
        format!("{} Changed before that: {}.", without_untouched(&self.message), roots.join(", "))
    }
}

/// The lock of a holder that is alive. It stopped a change before anything was changed.
pub struct HeldLock<'a> {
    /// What happened, in sentences.
    pub message: String,
    path: &'a Path,
    holder: &'a LockHolder,
}

impl<'a> HeldLock<'a> {
    /// Returns the lock that an error names, if its kind may be broken.
    pub(super) fn of(error: &'a CommitError) -> Option<HeldLock<'a>> {
        let CommitError::Lock(LockError::Busy { path, holder: Some(holder), .. }) = error else {
            return None;
        };
        holder.is_breakable().then(|| HeldLock { message: error.to_string(), path, holder })
    }

    /// Breaks the lock, so that the change can be tried again. False if the lock has changed since.
    pub fn break_it(&self, host: Host<'_>) -> bool {
        lock::break_by_choice(host.disk, host.machine, self.path, self.holder).unwrap_or(false)
    }
}

/// Returns the message of a failure after other stores were changed: for them it is not true that
/// nothing was changed.
pub fn without_untouched(message: &str) -> String {
    message
        .replace("Nothing was changed", "Nothing else was changed")
        .replace("nothing was changed", "nothing else was changed")
}

impl From<Refusal> for ChangeFailure {
    fn from(refusal: Refusal) -> Self {
        CommitError::from(refusal).into()
    }
}

impl From<NotWhole> for ChangeFailure {
    fn from(not: NotWhole) -> Self {
        Refusal::from(not).into()
    }
}

impl From<CommitError> for ChangeFailure {
    fn from(error: CommitError) -> Self {
        let message = error.to_string();
        ChangeFailure { message, cause: Box::new(error), changed: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_stopped_halfway_is_no_refusal() {
        let moved = |files| CommitError::Moved { file: "a".into(), what: "it is gone", files };
        assert_eq!(ChangeFailure::from(moved(FilesState::Halfway)).kind(), FailureKind::Failed);
        assert_eq!(ChangeFailure::from(moved(FilesState::Erasing)).kind(), FailureKind::Failed);
        assert_eq!(ChangeFailure::from(moved(FilesState::Restored)).kind(), FailureKind::Refused);
        let erased = ChangeFailure::from(moved(FilesState::Erasing)).message;
        assert!(erased.contains("not erased everywhere") && !erased.contains("undoes it"), "{erased}");
    }

    #[test]
    fn where_nothing_was_changed_the_system_may_have_failed_and_it_is_a_refusal() {
        let full = || std::io::Error::from(std::io::ErrorKind::StorageFull);
        let failed = |files| CommitError::io(Path::new("a"), "written", full()).with(files);
        assert_eq!(ChangeFailure::from(failed(FilesState::Untouched)).kind(), FailureKind::Refused);
        assert_eq!(ChangeFailure::from(failed(FilesState::Restored)).kind(), FailureKind::Failed);
        assert_eq!(ChangeFailure::from(failed(FilesState::Halfway)).kind(), FailureKind::Failed);
        assert_eq!(
            ChangeFailure::from(CommitError::own_data(Path::new("a"), full())).kind(),
            FailureKind::Refused
        );
        let half = CommitError::NotErased("a".into(), "b.".into());
        assert_eq!(ChangeFailure::from(half).kind(), FailureKind::Failed);
    }
}
