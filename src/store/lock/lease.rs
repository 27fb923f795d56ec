//! The lock with a lease (specification 2, §4.2, §17.1): a file created exclusively that says when it ends.
//!
//! Agents create it and then write it, so it may be empty for a moment. They unlink one that is
//! over. palimp's lock appears complete, because agents parse whatever they find.

use std::time::Duration;

use super::lock_content::{LockContent, SeenLockFile, is_alive, stamp, taken};
use super::lock_file::LockFileRules;
use crate::disk::Machine;
use crate::model::Moment;

/// How long a lease lasts (§4.2).
const LEASE: Duration = Duration::from_secs(5);
/// Tolerance for clocks that differ, in microseconds.
const GRACE: i64 = 2_000_000;
/// How long a lease that is over must stay unchanged.
const WATCHED: Duration = Duration::from_secs(2);
/// A lease that ends further ahead than this, in microseconds, comes from a wrong clock or from none.
const FAR: i64 = 60_000_000;
/// How long such a lease must stay unchanged.
const FAR_WATCHED: Duration = Duration::from_secs(10);

pub(super) const RULES: LockFileRules = LockFileRules {
    // §14.1: agents of other users may read who holds it.
    mode: 0o644,
    pace: Duration::from_millis(50),
    lasts: Some(LEASE),
    content,
    stale_after,
};

fn content(process: u32, now: Moment) -> Vec<u8> {
    let (at, end) = (stamp(now), stamp(now.plus(LEASE.as_micros() as i64)));
    format!(r#"{{"pid":{process},"timestamp":"{at}","operation":"write","expires_at":"{end}"}}"#).into_bytes()
}

fn stale_after(found: &SeenLockFile, said: &LockContent, machine: &dyn Machine) -> Option<Duration> {
    let now = machine.now();
    match said.until {
        Some(until) if now > until.plus(GRACE) => Some(WATCHED),
        Some(until) if until <= now.plus(FAR) => None,
        // An empty or half-written lock is being written, or the user must decide.
        _ if !said.is_whole => None,
        _ => {
            let alive = is_alive(machine, said.pid, taken(found, said, now));
            (alive == Some(false)).then_some(FAR_WATCHED)
        }
    }
}
