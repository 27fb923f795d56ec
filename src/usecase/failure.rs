//! Why a change was not made.

use std::path::{Path, PathBuf};

use crate::disk::host::Host;
use crate::model::{NotWhole, PathText};
use crate::ops::Refusal;
use crate::store::commit::{CommitError, FilesState};
use crate::store::lock::{self, LockError, LockHolder};

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no step to undo or redo.
    Nothing,
    /// It was refused, or failed before anything began: nothing changed.
    Refused,
    /// The system failed, or the change stopped halfway.
    Failed,
}

/// The cause of a failure.
#[derive(Debug)]
pub enum FailureCause {
    /// It was refused before anything began.
    Refused(Refusal),
    /// It could not be carried out.
    Commit(CommitError),
    /// Something that it needs could not be read or made: what, and why.
    Unread(String),
}

/// Why a change was not made, and the state of the files.
#[derive(Debug)]
pub struct ChangeFailure {
    /// What happened, in sentences. May quote the store.
    pub message: String,
    /// How it ended.
    pub ends: FailureKind,
    /// The cause.
    pub cause: Box<FailureCause>,
    /// True if the files were not as planned, and nothing was written.
    pub(super) is_moved: bool,
    /// The stores that were changed before it.
    pub(super) changed: Vec<PathBuf>,
}

pub(super) type Result<T, E = ChangeFailure> = std::result::Result<T, E>;

impl ChangeFailure {
    fn new(ends: FailureKind, message: String, cause: FailureCause) -> ChangeFailure {
        ChangeFailure { message, ends, cause: Box::new(cause), is_moved: false, changed: Vec::new() }
    }

    pub(super) fn unread(what: &str, error: &std::io::Error) -> ChangeFailure {
        let why = format!("{what} can't be read: {error}.");
        let message = format!("{why} Nothing was changed.");
        ChangeFailure::new(FailureKind::Refused, message, FailureCause::Unread(why))
    }

    /// Makes the failure for a store whose folder could not be made.
    pub(super) fn unmade(root: &Path, error: &std::io::Error) -> ChangeFailure {
        let why = format!("{} can't be made: {error}.", root.to_text());
        ChangeFailure::new(FailureKind::Failed, why.clone(), FailureCause::Unread(why))
    }

    /// Makes the failure for files that other programs change too often.
    pub(super) fn used() -> ChangeFailure {
        let refusal = Refusal::new("E_CONCURRENT_MOD", "other programs keep changing what this is about.");
        ChangeFailure { is_moved: true, ..refusal.into() }
    }

    pub(super) fn in_store(self, root: &Path) -> ChangeFailure {
        ChangeFailure { message: format!("{}: {}", root.to_text(), self.message), ..self }
    }

    /// Makes the failure for a file that another program changed before the plan.
    pub fn changed_meanwhile(file: PathBuf) -> ChangeFailure {
        let (planned, found, files) = (Vec::new(), None, FilesState::Untouched);
        CommitError::Conflict { file, planned, found, files }.into()
    }

    /// Returns the lock that stopped it, if the lock may be broken.
    pub fn held_lock(&self) -> Option<HeldLock<'_>> {
        match &*self.cause {
            FailureCause::Commit(error) => HeldLock::of(error),
            FailureCause::Refused(_) | FailureCause::Unread(_) => None,
        }
    }

    /// True if another program held a lock for the complete waiting time.
    pub fn is_locked(&self) -> bool {
        matches!(
            *self.cause,
            FailureCause::Commit(CommitError::Lock(LockError::Busy { .. }) | CommitError::Busy { .. })
        )
    }

    /// True if no file was changed.
    pub fn is_untouched(&self) -> bool {
        match &*self.cause {
            FailureCause::Commit(error) => error.files() == FilesState::Untouched,
            FailureCause::Refused(_) | FailureCause::Unread(_) => true,
        }
    }

    /// True if the step to undo or redo does not exist any more.
    pub(super) fn is_gone(&self) -> bool {
        matches!(*self.cause, FailureCause::Commit(CommitError::NoStep(_)))
    }

    /// Returns why it was refused before anything began; `None` for another cause, or if the user stopped it.
    pub(super) fn refused(&self) -> Option<&str> {
        match &*self.cause {
            FailureCause::Refused(own) | FailureCause::Commit(CommitError::Refused(own)) => {
                (!own.stops).then_some(&*own.message)
            }
            FailureCause::Unread(why) => Some(why),
            FailureCause::Commit(_) => None,
        }
    }

    /// Replaces the refusal, if it is one.
    pub fn retold(self, tell: impl FnOnce(Refusal) -> Refusal) -> ChangeFailure {
        match *self.cause {
            FailureCause::Refused(refusal) => tell(refusal).into(),
            cause => ChangeFailure { cause: Box::new(cause), ..self },
        }
    }

    /// Adds the stores that were changed before.
    pub(super) fn after(self, changed: &[&Path]) -> ChangeFailure {
        let is_moved = self.is_moved && changed.is_empty();
        ChangeFailure { changed: changed.iter().map(|root| (*root).to_owned()).collect(), is_moved, ..self }
    }

    /// Returns the code of a refusal, as its specification or `docs/cli.md` names it.
    pub fn code(&self) -> Option<&str> {
        match &*self.cause {
            FailureCause::Refused(own) => Some(own.code),
            FailureCause::Commit(CommitError::NoStep(_)) | FailureCause::Unread(_) => None,
            FailureCause::Commit(error) => Some(error.code()),
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
        let message = format!("{} Nothing was changed.", refusal.message);
        ChangeFailure::new(FailureKind::Refused, message, FailureCause::Refused(refusal))
    }
}

impl From<NotWhole> for ChangeFailure {
    fn from(not: NotWhole) -> Self {
        Refusal::from(not).into()
    }
}

impl From<CommitError> for ChangeFailure {
    fn from(error: CommitError) -> Self {
        let ends = match &error {
            CommitError::NoStep(_) => FailureKind::Nothing,
            // "Refused" says that nothing changed, whatever the reason is.
            error => match error.files() {
                FilesState::Untouched => FailureKind::Refused,
                FilesState::Restored if !error.is_failure() => FailureKind::Refused,
                _ => FailureKind::Failed,
            },
        };
        let (is_moved, message) = (error.is_moved(), error.to_string());
        ChangeFailure { is_moved, ..ChangeFailure::new(ends, message, FailureCause::Commit(error)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_stopped_halfway_is_no_refusal() {
        let moved = |files| CommitError::Moved { file: "a".into(), what: "it is gone", files };
        assert_eq!(ChangeFailure::from(moved(FilesState::Halfway)).ends, FailureKind::Failed);
        assert_eq!(ChangeFailure::from(moved(FilesState::Erasing)).ends, FailureKind::Failed);
        assert_eq!(ChangeFailure::from(moved(FilesState::Restored)).ends, FailureKind::Refused);
        let erased = ChangeFailure::from(moved(FilesState::Erasing)).message;
        assert!(erased.contains("not erased everywhere") && !erased.contains("undoes it"), "{erased}");
    }

    #[test]
    fn where_nothing_was_changed_the_system_may_have_failed_and_it_is_a_refusal() {
        let full = || std::io::Error::from(std::io::ErrorKind::StorageFull);
        let failed = |files| CommitError::io(Path::new("a"), "written", full()).with(files);
        assert_eq!(ChangeFailure::from(failed(FilesState::Untouched)).ends, FailureKind::Refused);
        assert_eq!(ChangeFailure::from(failed(FilesState::Restored)).ends, FailureKind::Failed);
        assert_eq!(ChangeFailure::from(failed(FilesState::Halfway)).ends, FailureKind::Failed);
        assert_eq!(
            ChangeFailure::from(CommitError::own_data(Path::new("a"), full())).ends,
            FailureKind::Refused
        );
        let half = CommitError::NotErased { root: "a".into(), why: "b.".into() };
        assert_eq!(ChangeFailure::from(half).ends, FailureKind::Failed);
    }
}
