//! Asks whether to break the lock of a holder that is alive, after the user has seen the holder.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::text::safe_text::sanitize;
use crate::usecase::HeldLock;

/// Asks about the lock that stopped a change. True if the user agrees to break it. It asks only on a
/// terminal: `--yes` says yes to a plan, not to this.
pub fn is_agreed(lock: &HeldLock<'_>) -> bool {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return false;
    }
    let mut err = io::stderr();
    let asked = writeln!(err, "{}", sanitize(&lock.message))
        .and_then(|()| write!(err, "Break the lock? An agent that is still working loses it. [y/N] "))
        .and_then(|()| err.flush());
    let mut answer = String::new();
    if asked.and_then(|()| io::stdin().lock().read_line(&mut answer)).is_err() {
        return false;
    }
    matches!(answer.trim(), "y" | "Y" | "yes")
}
