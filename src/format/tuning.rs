//! What a store's config says of locks, and of what an open store keeps and writes later
//! (2 §7.1, 4 §9.1).

use std::time::Duration;

use crate::text::json::Json;

/// The longest time of a setting in milliseconds: a day.
pub const LONGEST_MS: f64 = 86_400_000.0;
/// The most retries.
pub const MOST_RETRIES: f64 = 100.0;

/// What is true of a store whose format has no such settings, or whose config does not say.
impl Default for StoreTuning {
    fn default() -> Self {
        StoreTuning {
            lock_timeout: Duration::from_secs(5),
            lock_backoff: None,
            retries: 0,
            index_after: Duration::from_secs(1),
            defers_indexes: true,
            index_after_records: usize::MAX,
            cache_size: 100,
            cache_bytes: u64::MAX,
            cache_ttl: Duration::MAX,
        }
    }
}

/// How locks are waited for, and what an open store keeps and writes later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreTuning {
    /// How long the format's lock is waited for, all looks at it together.
    pub lock_timeout: Duration,
    /// The pauses between two looks at a lock that is held; `None` for those of the format.
    pub lock_backoff: Option<Backoff>,
    /// How often a write is tried again that failed for a reason which may pass.
    pub retries: u32,
    /// How long after the last record indexes are written that wait.
    pub index_after: Duration,
    /// Whether indexes wait after a record is added.
    pub defers_indexes: bool,
    /// The number of added records after which indexes are written at once.
    pub index_after_records: usize,
    /// How many memories an open store keeps at hand that were asked for.
    pub cache_size: usize,
    /// How many bytes of memories it keeps at hand.
    pub cache_bytes: u64,
    /// How long it believes what it keeps at hand.
    pub cache_ttl: Duration,
}

/// A pause that gets twice as long each time, up to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The first one.
    pub first: Duration,
    /// How often it doubles.
    pub doublings: u32,
}

impl Backoff {
    /// The pause that comes after that number of others.
    pub fn after(self, others: u32) -> Duration {
        let times = 1_u32.checked_shl(others.min(self.doublings)).unwrap_or(u32::MAX);
        self.first.saturating_mul(times)
    }
}

/// A setting in milliseconds: more than 0, a day at most.
pub fn millis(value: Option<Json<'_>>) -> Option<Duration> {
    let own = value?.number().filter(|own| *own > 0.0 && *own <= LONGEST_MS)?;
    Some(Duration::from_micros((own * 1000.0) as u64))
}

/// A setting that is more than 0.
pub fn positive(value: Option<Json<'_>>) -> Option<f64> {
    value?.number().filter(|own| *own > 0.0 && own.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_so_often_and_no_more() {
        let pause = Backoff { first: Duration::from_millis(100), doublings: 2 };
        let all = [0, 1, 2, 3, 99].map(|others| pause.after(others).as_millis());
        assert_eq!(all, [100, 200, 400, 400, 400]);
        assert!(Backoff { doublings: 99, ..pause }.after(99) > Duration::from_secs(1 << 20));
    }
}
