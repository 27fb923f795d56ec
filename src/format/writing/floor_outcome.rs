//! The result of a compaction for a faded memory.

/// What a compaction does with a live memory whose decay is at its floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FloorOutcome {
    /// The memory stays, whatever its rank.
    Stays,
    /// The memory is removed.
    Goes {
        /// The age in hours at which it is removed.
        age_hours: f64,
        /// At that age, importance times decay is below this value.
        below: f64,
    },
    /// The memory is removed unless it is among the best. The value is the share of a session that stays.
    MayGo(f64),
}
