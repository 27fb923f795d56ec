//! Locks that contain a process id.

use super::LockFact;
use crate::model::{Code, Moment, Problem, Severity};

/// A lock without a process id is stale after this time in microseconds. Its writer needs a moment.
const UNFILLED: i64 = 60_000_000;

/// Returns a problem if the process of the lock is gone, or no id was ever written to it.
pub fn stale_problem(lock: &LockFact, now: Moment) -> Option<Problem> {
    let why = match lock.holder_alive {
        Some(true) => return None,
        Some(false) => "The process that it names is gone.",
        None if now > lock.modified.plus(UNFILLED) => "It names no process, and is old.",
        None => return None,
    };
    Some(Problem::of_file(Code::StaleLock, Severity::Warning, &lock.path, why))
}
