//! What a compaction does with memories that have faded.

/// What a compaction does with a live memory whose decay is at its floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FloorOutcome {
    /// The memory stays, whatever its rank.
    Stays,
    /// The memory is removed.
    Goes {
        /// The age in hours from which on it is removed.
        age_hours: f64,
        /// Importance times decay is below this value then.
        below: f64,
    },
    /// The memory is removed unless it is among the best. The value is the share of a session that stays.
    MayGo(f64),
}
