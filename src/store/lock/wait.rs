//! Waits for a lock that another process holds.

use std::time::Duration;

use super::lock_content::SeenLockFile;
use crate::disk::Machine;
use crate::format::tuning::Backoff;

/// Judging pauses the time-out only this long: a wrong clock could make locks look stale again and again.
const JUDGED_AT_MOST: Duration = Duration::from_secs(60);

/// Agents that never pause leave a lock free for microseconds at a time: rare looks find it held for ever.
/// So a burst of quick looks comes before a longer pause: while the lock changes hands, and at first.
const BURST: u32 = 64;
const BURSTS: u32 = 2;
const QUICK: Duration = Duration::from_micros(100);
/// How much shorter the longer pauses are while the lock changes hands.
const LIVELY: u32 = 8;

/// How long to wait for a lock.
#[derive(Clone, Copy)]
pub struct WaitPolicy {
    /// The time-out; it pauses while a lock is being judged. Zero is one try, in which no lock is
    /// judged stale.
    pub wait: Duration,
    /// True if a lock that agents remove must stay for a while first, because two may hold it, and if a lock file must
    /// be durable. Added lines are not lost then and need not wait; they are made durable after the lock is released.
    pub settles: bool,
    /// The longer pauses between two looks, if the store's config sets them.
    pub pause: Option<Backoff>,
}

impl WaitPolicy {
    /// Returns a policy that waits this long.
    pub fn of(wait: Duration) -> Self {
        WaitPolicy { wait, settles: true, pause: None }
    }
}

/// One wait, from the first try to the last.
pub(super) struct LockWait<'a> {
    machine: &'a dyn Machine,
    patience: WaitPolicy,
    waited: Duration,
    judged: Duration,
    turns: u32,
    /// How many quick looks are left of a burst, how many bursts there were, and `hands` at the last one.
    quick: u32,
    bursts: u32,
    hands: u32,
    /// The number of long pauses in a row during which the lock did not change hands.
    long: u32,
    /// When the last pause ended: the tries take time, too.
    ended: Duration,
}

impl<'a> LockWait<'a> {
    pub(super) fn new(machine: &'a dyn Machine, patience: WaitPolicy) -> Self {
        let (waited, judged) = (Duration::ZERO, Duration::ZERO);
        let (ended, quick, bursts) = (machine.monotonic(), BURST, 1);
        LockWait { machine, patience, waited, judged, turns: 0, quick, bursts, hands: 0, long: 0, ended }
    }

    /// Returns how long palimp waited, without the time in which it judged the lock.
    pub(super) fn waited(&self) -> Duration {
        self.waited
    }

    /// Waits about `pace`, or the policy's pause; less if the lock changed `hands` since the last
    /// long pause. Returns `false` when the time is up.
    pub(super) fn pause(&mut self, judging: bool, hands: u32, pace: Duration) -> bool {
        let judging = judging && self.judged < JUDGED_AT_MOST;
        if !judging {
            self.waited += self.machine.monotonic().saturating_sub(self.ended);
        }
        let left = self.patience.wait.saturating_sub(self.waited);
        if self.patience.wait.is_zero() || (left.is_zero() && !judging) {
            return false;
        }
        let pace = if judging { pace } else { self.pace(hands, pace) };
        let step = if judging { self.step(pace) } else { self.step(pace).min(left) };
        let before = self.machine.monotonic();
        self.machine.sleep(step);
        // A wait must end, whatever the clock does.
        let took = self.machine.monotonic().saturating_sub(before).max(step / 2);
        *(if judging { &mut self.judged } else { &mut self.waited }) += took;
        self.turns = self.turns.wrapping_add(1);
        self.ended = self.machine.monotonic();
        true
    }

    /// Returns the pause of a quick look, or the longer one after a burst of them.
    fn pace(&mut self, hands: u32, pace: Duration) -> Duration {
        if let Some(left) = self.quick.checked_sub(1) {
            self.quick = left;
            return QUICK.min(pace);
        }
        let is_lively = hands != self.hands;
        if is_lively || self.bursts < BURSTS {
            (self.quick, self.hands, self.bursts) = (BURST, hands, self.bursts.saturating_add(1));
        }
        let pause = self.patience.pause.unwrap_or(Backoff { first: pace, doublings: 0 });
        if is_lively {
            self.long = 0;
            return pause.first / LIVELY;
        }
        let before = self.long;
        self.long = before.saturating_add(1);
        pause.after(before)
    }

    /// Returns up to a quarter less than `pace`, so that processes which began together drift apart.
    fn step(&self, pace: Duration) -> Duration {
        let spread = self.machine.own_process().wrapping_add(self.turns).wrapping_mul(2_654_435_769) >> 29;
        pace - pace * spread / 32
    }
}

/// A file at a lock's place, and since when it is unchanged.
#[derive(Default)]
pub(super) struct LockWatch {
    seen: Option<(SeenLockFile, Duration)>,
    /// How often it went away, or another file took its place.
    pub(super) hands: u32,
}

impl LockWatch {
    /// Returns how long it has been the same file with the same bytes, by the monotonic clock.
    pub(super) fn unchanged(&mut self, found: &SeenLockFile, monotonic: Duration) -> Duration {
        match &self.seen {
            Some((seen, since)) if seen == found => monotonic.saturating_sub(*since),
            _ => {
                self.forget();
                self.seen = Some((found.clone(), monotonic));
                Duration::ZERO
            }
        }
    }

    pub(super) fn forget(&mut self) {
        self.hands = self.hands.saturating_add(u32::from(self.seen.take().is_some()));
    }
}
