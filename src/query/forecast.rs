//! Finds the memories that will fade to the floor, when they do, and what happens to them then.

use super::{EntryDecay, RankFactors, Ranking, floor_outcome};
use crate::format::writing::FloorOutcome;
use crate::model::{EntryRef, Moment, Snapshot, State};

/// The number of days that the forecast covers.
const DAYS: f64 = 30.0;

/// A memory that fades, or that would fade if it were not kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FadeForecast {
    /// The memory.
    pub at: EntryRef,
    /// The number of days until it reaches, or would reach, the floor.
    pub days: f64,
    /// What happens to it then.
    pub end: FadeEnd,
}

/// What happens to a memory at the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FadeEnd {
    /// It is kept for longer than the forecast covers.
    Kept,
    /// It stays, with this rank.
    Ranked(f64),
    /// The next compaction removes it.
    Goes,
}

/// Returns the memories that fade to the floor within 30 days, the next one first. Memories that are kept from
/// fading are among them, so that the user sees that they are safe.
pub fn forecast(snapshot: &Snapshot, ranking: Ranking, now: Moment) -> Vec<FadeForecast> {
    let fades = |at| fade(snapshot, at, ranking, now);
    let mut fading: Vec<FadeForecast> = snapshot.entries().filter_map(fades).collect();
    fading.sort_by(|one, other| one.days.total_cmp(&other.days));
    fading
}

/// Returns the forecast of a memory. `None` if it is not live, does not fade in time, or is at the floor.
fn fade(snapshot: &Snapshot, at: EntryRef, ranking: Ranking, now: Moment) -> Option<FadeForecast> {
    let (store, entry) = snapshot.get(at);
    let memory = store.memory(entry).filter(|_| entry.state == State::Live)?;
    let fading = EntryDecay::of(store, entry, memory, now);
    let age = fading.age_hours?.max(0.0);
    let days = |floor: f64| (floor - age) / 24.0;
    let soon = |days: &f64| *days > 0.0 && *days <= DAYS;
    let Some(days) = fading.floor_age().map(days).filter(soon) else {
        let days = fading.unkept_floor_age().map(days).filter(soon).filter(|_| fading.is_kept)?;
        return Some(FadeForecast { at, days, end: FadeEnd::Kept });
    };
    let end = match floor_outcome(store, memory, fading.rule) {
        FloorOutcome::Goes { .. } => FadeEnd::Goes,
        _ => {
            let factors = RankFactors::of(store, entry, memory, 1.0, ranking, now);
            FadeEnd::Ranked(factors.rank_in(ranking, days * 24.0))
        }
    };
    Some(FadeForecast { at, days, end })
}
