//! session-log's lock (§4.2, §17.1): a file made exclusively that says when it ends.
//!
//! Agents write it after they made it, so an empty one is normal for a moment, and unlink
//! one that is over. Ours appears whole, because they parse whatever they find.

use std::time::Duration;

use serde::Serialize;

use super::LockClaimant;
use super::lock_content::{LockContent, SeenLockFile, is_alive, stamp, taken};
use super::lock_file::LockFileRules;
use crate::disk::Machine;
use crate::model::Moment;

/// How long a lease lasts (§4.2).
const LEASE: Duration = Duration::from_secs(5);
/// For clocks that differ, in microseconds.
const GRACE: i64 = 2_000_000;
/// One that is over is watched so long.
const WATCHED: Duration = Duration::from_secs(2);
/// A lease that ends further ahead than this, in microseconds, was written by a clock that
/// is off, or by none.
const FAR: i64 = 60_000_000;
/// Such a one is watched so long.
const FAR_WATCHED: Duration = Duration::from_secs(10);

/// session-log's rules.
pub(super) struct LeaseRules;

#[derive(Serialize)]
struct LeaseContent<'a> {
    pid: u32,
    timestamp: String,
    operation: &'a str,
    expires_at: String,
}

impl LockFileRules for LeaseRules {
    /// §14.1: other users' agents may read who holds it.
    fn mode(&self) -> u32 {
        0o644
    }

    fn pace(&self) -> Duration {
        Duration::from_millis(50)
    }

    fn lasts(&self) -> Option<Duration> {
        Some(LEASE)
    }

    fn write(&self, who: &LockClaimant<'_>, now: Moment) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&LeaseContent {
            pid: who.process,
            timestamp: stamp(now),
            operation: who.operation,
            expires_at: stamp(now.plus(LEASE.as_micros() as i64)),
        })
    }

    fn stale_after(
        &self,
        found: &SeenLockFile,
        said: &LockContent,
        machine: &dyn Machine,
    ) -> Option<Duration> {
        let now = machine.now();
        match said.until {
            Some(until) if now > until.plus(GRACE) => Some(WATCHED),
            Some(until) if until <= now.plus(FAR) => None,
            // Empty and half-written ones are being written, or are for the user to settle.
            _ if !said.is_whole => None,
            _ => {
                let alive = is_alive(machine, said.pid, taken(found, said, now));
                (alive == Some(false)).then_some(FAR_WATCHED)
            }
        }
    }
}
