//! The forecast: which memories fade to the floor, and when.

use super::changes::notice;
use super::*;
use crate::model::time::DAY;
use crate::query::Fading;

fn open(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    desk.type_keys("gf");
    desk
}

#[test]
fn the_forecast_looks_as_it_should_on_terminals_of_every_size() {
    for (width, height) in [(120, 36), (80, 24), (40, 12)] {
        let desk = open(width, height);
        insta::assert_snapshot!(format!("forecast-{width}x{height}"), stable(&desk.screen()));
    }
}

#[test]
fn each_memory_of_the_forecast_is_above_the_floor_now_and_at_it_on_the_day_that_is_told() {
    let desk = open(120, 36);
    let hits = &desk.app.results.hits;
    let figures = &desk.app.results.picked.as_ref().unwrap().figures;
    assert!(hits.len() > 10 && hits.len() < desk.app.snapshot.entries().count(), "{}", hits.len());
    let mut before = 0;
    for (hit, figure) in hits.iter().zip(figures) {
        let (store, entry) = desk.app.listed.get(hit.at);
        let at = |now: Moment| Fading::of(store, entry, store.view(entry).unwrap(), now);
        let days: i64 = figure.trim_end_matches('d').parse().unwrap_or(0);
        let floor = at(now()).rule.min;
        assert!(at(now()).now() > floor, "{figure}");
        assert!((at(now().plus((days + 1) * DAY)).now() - floor).abs() < 1e-9, "{figure}");
        assert!((0..=90).contains(&days) && days >= before, "{before} before {figure}");
        before = days;
    }
}

#[test]
fn the_forecast_is_of_what_is_searched_for_and_esc_goes_back_to_that() {
    let mut desk = Desk::new(100, 30);
    super::marks::search(&mut desk, "type:conversation");
    let all = desk.app.results.hits.len();
    desk.type_keys("gf");
    assert!(notice(&desk).contains(" in 90 days: "), "{}", notice(&desk));
    let listed = desk.app.results.hits.len();
    assert!(listed > 0 && listed < all, "{listed} of {all}");
    // Marks that the user makes stay when the stores are read again.
    desk.type_keys(" R");
    assert_eq!((desk.app.marks.count(), desk.app.results.hits.len()), (1, listed));
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.query.as_str(), desk.app.results.hits.len()), ("type:conversation", all));
}
