//! Finds the memories that will fade to the floor, when they do, and what happens to them then.

use super::cancel::CancelToken;
use super::explain::floor_outcome;
use super::rank::{EntryDecay, RankFactors, Ranking};
use super::result_pick::{PickSummary, ResultPick};
use crate::format::writing::FloorOutcome;
use crate::model::plan::count_with_noun;
use crate::model::{Moment, Snapshot, State};
use crate::query::search_results::{Hit, Results};

/// The forecast covers the last of these numbers of days. It counts the memories up to each of them.
const DAYS: [f64; 3] = [7.0, 30.0, 90.0];

/// The memories that fade to the floor within 90 days, the next one first. Memories that are kept from fading
/// are listed, too, so that the user sees that they are safe.
pub static FORECAST: ResultPick = ResultPick {
    title: "at the floor in · rank then",
    figure: "in  rank ",
    none: "None of these memories fades to the floor within 90 days. Esc goes back.",
    find: picked,
};

/// A memory that fades, or that would fade if it were not kept.
struct FadeForecast {
    hit: Hit,
    /// The number of days until it reaches, or would reach, the floor.
    days: f64,
    end: FadeEnd,
}

#[derive(Clone, Copy, PartialEq)]
enum FadeEnd {
    /// It is kept for longer than the forecast covers.
    Kept,
    /// It stays, with this rank.
    Ranked(f64),
    /// The next compaction removes it.
    Goes,
}

impl FadeForecast {
    fn figure(&self) -> String {
        let days = if self.days < 1.0 { "<1d".to_owned() } else { format!("{:.0}d", self.days) };
        match self.end {
            FadeEnd::Kept => "kept".into(),
            FadeEnd::Ranked(rank) => format!("{days} {rank:.2}"),
            FadeEnd::Goes => format!("{days} goes"),
        }
    }
}

fn picked(
    snapshot: &Snapshot,
    results: Results,
    (ranking, now): (Ranking, Moment),
    cancel: &CancelToken,
) -> Option<Results> {
    let mut fading: Vec<FadeForecast> = Vec::new();
    for (number, hit) in results.hits.iter().enumerate() {
        if number % 4_096 == 0 {
            cancel.check()?;
        }
        fading.extend(fade(snapshot, hit, ranking, now));
    }
    // The sort is stable: if two have the same time, the one with the higher rank stays first.
    fading.sort_by(|one, other| one.days.total_cmp(&other.days));
    let figures = fading.iter().map(FadeForecast::figure).collect();
    let told = told(&fading);
    let hits = fading.into_iter().map(|own| own.hit).collect();
    Some(Results {
        hits,
        picked: Some(PickSummary { figures, marked: Vec::new(), summary: told }),
        ..results
    })
}

/// Says how many memories fade by each day, how many of them are removed then, and how many are kept.
fn told(fading: &[FadeForecast]) -> String {
    let fades = || fading.iter().filter(|own| own.end != FadeEnd::Kept);
    let within = |limit: f64| fades().filter(|own| own.days <= limit).count();
    let goes = fades().filter(|own| own.end == FadeEnd::Goes).count();
    let kept = fading.len() - fades().count();
    let kept = if kept > 0 { format!(" {} kept.", are(kept)) } else { String::new() };
    let all = match fades().count() {
        0 if kept.is_empty() => return FORECAST.none.into(),
        0 => return format!("None of the others fades to the floor within 90 days.{kept}"),
        all => count_with_noun(all as u64, "memory"),
    };
    let after = match goes {
        0 => String::new(),
        goes => format!(" A compaction then removes {goes} of them."),
    };
    format!("{all} in 90 days: {} in 7 days, {} in 30.{after}{kept}", within(DAYS[0]), within(DAYS[1]))
}

fn are(count: usize) -> String {
    if count == 1 { "1 is".into() } else { format!("{count} are") }
}

/// Returns the forecast of a memory. `None` if it is not live, does not fade in time, or is at the floor.
fn fade(snapshot: &Snapshot, hit: &Hit, ranking: Ranking, now: Moment) -> Option<FadeForecast> {
    let (store, entry) = snapshot.get(hit.at);
    let view = store.view(entry).filter(|_| entry.state == State::Live)?;
    let fading = EntryDecay::of(store, entry, view, now);
    let age = fading.age_hours?.max(0.0);
    let days = |floor: f64| (floor - age) / 24.0;
    let soon = |days: &f64| *days > 0.0 && *days <= DAYS[2];
    if let Some(days) = fading.floor_age().map(days).filter(soon) {
        let own = RankFactors::of(store, entry, view, 1.0, ranking, now);
        let then = own.rank_in(ranking, days * 24.0);
        let goes = matches!(floor_outcome(store, view, fading.rule), FloorOutcome::Goes { .. });
        // Its match with the search does not change.
        let rank = match (hit.rank, ranking) {
            (Some(rank), Ranking::Product) if own.rank > 0.0 => then * rank / own.rank,
            (Some(rank), Ranking::Weighted) => then + rank - own.rank,
            _ => then,
        };
        return Some(FadeForecast {
            hit: *hit,
            days,
            end: if goes { FadeEnd::Goes } else { FadeEnd::Ranked(rank) },
        });
    }
    let days = fading.unkept_floor_age().map(days).filter(soon).filter(|_| fading.is_kept)?;
    Some(FadeForecast { hit: *hit, days, end: FadeEnd::Kept })
}
