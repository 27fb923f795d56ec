//! A lock whose holder lives is broken only by the user's choice, who was shown it.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::disk::{RealDisk, ThisMachine};
use crate::store::commit::{CommitError, FilesState};
use crate::store::lock::{LockError, break_by_choice};
use crate::text::safe_text::sanitize;

/// Whether the lock that stopped a change was broken now, so that the change may be tried again.
/// It is asked on a terminal alone: `--yes` says yes to a plan, not to this.
pub fn is_broken(error: &CommitError) -> bool {
    let CommitError::Lock(LockError::Busy { path, holder: Some(holder), .. }) = error else { return false };
    let can_ask = io::stdin().is_terminal() && io::stderr().is_terminal();
    if error.files() != FilesState::Untouched || !holder.is_breakable() || !can_ask {
        return false;
    }
    let mut err = io::stderr();
    let asked = writeln!(err, "{}", sanitize(&error.to_string()))
        .and_then(|()| write!(err, "Break the lock? An agent that is still working loses it. [y/N] "))
        .and_then(|()| err.flush());
    let mut answer = String::new();
    if asked.and_then(|()| io::stdin().lock().read_line(&mut answer)).is_err() {
        return false;
    }
    let is_yes = matches!(answer.trim(), "y" | "Y" | "yes");
    is_yes && break_by_choice(&RealDisk, &ThisMachine::new(), path, holder).unwrap_or(false)
}
