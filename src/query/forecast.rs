//! Which memories will fade to the floor, and when.

use super::cancel::Cancel;
use super::pick::{Pick, Picked};
use super::rank::Fading;
use super::search::{Hit, Results};
use crate::model::plan::counted;
use crate::model::{Moment, Snapshot, State};

/// So many days are looked ahead; what is told is counted up to each of them.
const DAYS: [f64; 3] = [7.0, 30.0, 90.0];

/// What fades to the floor within 90 days, on the screens: the next first.
pub static FORECAST: Pick = Pick {
    title: "at the floor within 90 days",
    figure: "in   ",
    none: "None of these memories fades to the floor within 90 days. Esc goes back.",
    find: picked,
};

fn picked(snapshot: &Snapshot, results: Results, now: Moment, cancel: &Cancel) -> Option<Results> {
    let mut fading: Vec<(f64, Hit)> = Vec::new();
    for (number, hit) in results.hits.iter().enumerate() {
        if number % 4_096 == 0 {
            cancel.go_on()?;
        }
        let days = days_left(snapshot, hit, now);
        fading.extend(days.filter(|days| *days <= DAYS[2]).map(|days| (days, *hit)));
    }
    // Of those that get there at the same time the more important one is first, as it came.
    fading.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let within = |limit: f64| fading.iter().filter(|(days, _)| *days <= limit).count();
    let told = match fading.len() {
        0 => FORECAST.none.into(),
        all => {
            let all = counted(all as u64, "memory");
            format!("{all} in 90 days: {} in 7 days, {} in 30.", within(DAYS[0]), within(DAYS[1]))
        }
    };
    let figure = |days: f64| if days < 1.0 { "<1d".to_owned() } else { format!("{days:.0}d") };
    let figures = fading.iter().map(|(days, _)| figure(*days)).collect();
    let hits = fading.into_iter().map(|(_, hit)| hit).collect();
    Some(Results { hits, picked: Some(Picked { figures, marked: Vec::new(), told }), ..results })
}

/// The days until a memory is at the floor, where it counts, fades, and is not there yet.
fn days_left(snapshot: &Snapshot, hit: &Hit, now: Moment) -> Option<f64> {
    let (store, entry) = snapshot.get(hit.at);
    let view = store.view(entry).filter(|_| entry.state == State::Live)?;
    let fading = Fading::of(store, entry, view, now);
    let left = fading.floor_age()? - fading.age_hours?.max(0.0);
    (left > 0.0).then_some(left / 24.0)
}
