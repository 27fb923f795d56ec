//! Breaks the lock of a holder that is alive, only if the user has seen the holder and agrees.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::disk::{RealDisk, ThisMachine};
use crate::store::commit::{CommitError, FilesState};
use crate::store::lock::{LockError, break_by_choice};
use crate::text::safe_text::sanitize;

/// Asks about the lock that stopped a change. True if the lock was broken, so that the change can
/// be tried again. It asks only on a terminal: `--yes` says yes to a plan, not to this.
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
