//! Locks as exclusive files that hold until they are removed (specification 4, §4.2). palimp takes both `.lock` and
//! `<file>.lock`: the specification names both, and agents take either. They never break a lock.

use std::time::Duration;

use super::AGENT;
use super::lock_content::{LockContent, SeenLockFile, is_alive, stamp, taken};
use super::lock_file::LockFileRules;
use crate::disk::Machine;
use crate::model::Moment;

/// A lock is old after this time, in microseconds.
const OLD: i64 = 30_000_000;
/// How long an old lock must stay unchanged.
const WATCHED: Duration = Duration::from_secs(5);
/// How long a lock must stay unchanged if no clock tells its age. It is then old by our clock.
const AGELESS_WATCHED: Duration = Duration::from_secs(30);

pub(super) const RULES: LockFileRules = LockFileRules {
    // Only the user needs to read it.
    mode: 0o600,
    pace: Duration::from_millis(100),
    lasts: None,
    content,
    stale_after,
};

fn content(process: u32, now: Moment) -> Vec<u8> {
    let at = stamp(now);
    format!(r#"{{"pid":{process},"agent_id":"{AGENT}","acquired_at":"{at}"}}"#).into_bytes()
}

/// Only if its process is surely gone. JSON or a bare number must name it; otherwise the user decides.
fn stale_after(found: &SeenLockFile, said: &LockContent, machine: &dyn Machine) -> Option<Duration> {
    let now = machine.now();
    let taken = taken(found, said, now);
    if !(said.is_whole || said.is_bare) || is_alive(machine, said.pid, taken) != Some(false) {
        return None;
    }
    let watched = |taken: Moment| (now.0.saturating_sub(taken.0) > OLD).then_some(WATCHED);
    taken.map_or(Some(AGELESS_WATCHED), watched)
}
