//! The settings of a store for locks and delayed writes (2 §7.1, 4 §9.1).

use std::time::Duration;

use crate::text::json::{Json, JsonKind};

/// The longest time of a setting in milliseconds: a day.
pub const LONGEST_MS: f64 = 86_400_000.0;
/// The most retries.
pub const MOST_RETRIES: f64 = 100.0;

/// The values without such settings in the config or the format.
impl Default for StoreTuning {
    fn default() -> Self {
        StoreTuning {
            lock_timeout: Duration::from_secs(5),
            lock_backoff: None,
            retries: 0,
            index_after: Duration::from_secs(1),
            defers_indexes: true,
            index_after_records: usize::MAX,
        }
    }
}

/// How palimp waits for locks, and what an open store writes later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreTuning {
    /// The longest wait for the format's lock in all.
    pub lock_timeout: Duration,
    /// The pauses between two checks of a held lock; `None` for the format's own.
    pub lock_backoff: Option<Backoff>,
    /// How often palimp retries a write after a temporary failure.
    pub retries: u32,
    /// How long delayed indexes wait for more records.
    pub index_after: Duration,
    /// True if palimp delays indexes after it adds a record.
    pub defers_indexes: bool,
    /// The number of added records after which palimp writes indexes at once.
    pub index_after_records: usize,
}

/// A pause that doubles each time, up to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The first pause.
    pub first: Duration,
    /// How often it doubles.
    pub doublings: u32,
}

impl Backoff {
    /// Returns the pause that comes after this number of pauses.
    pub fn after(self, others: u32) -> Duration {
        let times = 1_u32.checked_shl(others.min(self.doublings)).unwrap_or(u32::MAX);
        self.first.saturating_mul(times)
    }
}

/// Reads a setting in milliseconds: more than 0, at most a day.
pub fn millis(value: Option<Json<'_>>) -> Option<Duration> {
    let own = value?.number().filter(|own| *own > 0.0 && *own <= LONGEST_MS)?;
    Some(Duration::from_micros((own * 1000.0) as u64))
}

/// Returns a boolean of the config.
pub fn flag(config: Option<Json<'_>>, path: &[&str]) -> Option<bool> {
    config?.path(path)?.bool()
}

/// Returns a message if a setting asks for something else than the one thing that palimp does, in its spellings.
pub fn other_value(config: Json<'_>, path: &[&str], does: &[&str]) -> Option<String> {
    let asked = config.path(path).filter(|value| !value.is_null())?.plain();
    let is_other = !does.contains(&&*asked.to_lowercase());
    is_other.then(|| format!("`{}` is {asked:?}; palimp does the same as for {:?}.", path.join("."), does[0]))
}

/// Returns a message for a setting of another kind than the wanted one.
pub fn wrong_kind(name: &str, wanted: JsonKind, value: Json<'_>) -> String {
    format!("`{name}` should be {} and is {}; it is ignored.", wanted.as_str(), value.kind().as_str())
}

/// Reads a setting that is more than 0.
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
