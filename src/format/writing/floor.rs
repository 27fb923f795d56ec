//! What becomes of memories that have faded.

/// What a compaction does with a live memory whose decay is at its floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AtFloor {
    /// It stays, whatever its rank.
    Stays,
    /// It goes.
    Goes {
        /// From so many hours after its creation on.
        age_hours: f64,
        /// Its importance times its decay is below that by then.
        below: f64,
    },
    /// It goes where it is not among the best: that share of its session stays.
    MayGo(f64),
}
