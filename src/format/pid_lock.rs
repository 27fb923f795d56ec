//! Locks that hold the number of a process.

use super::LockFact;
use crate::model::{Code, Moment, Problem, Severity};

/// A lock that names no process and is older than this, in microseconds, is left behind:
/// its writer needs a moment to fill it.
const UNFILLED: i64 = 60_000_000;

/// A lock whose process is gone, or that was never filled.
pub fn stale_problem(lock: &LockFact, now: Moment) -> Option<Problem> {
    let why = match lock.holder_alive {
        Some(true) => return None,
        Some(false) => "The process that it names is gone.",
        None if now > lock.modified.plus(UNFILLED) => "It names no process, and is old.",
        None => return None,
    };
    Some(Problem::of_file(Code::StaleLock, Severity::Warning, &lock.path, why))
}
