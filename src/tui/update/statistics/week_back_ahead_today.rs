//! The actions `week back`, `week ahead` and `today` of the statistics.

use ratatui::layout::Position;

use crate::tui::state::app::App;
use crate::tui::statistics_view;

/// Goes this many days ahead, or back.
pub fn step(app: &mut App, by: isize) {
    let to = app.statistics.day.saturating_add_signed(by).min(app.statistics.today());
    go(app, to);
}

pub fn today(app: &mut App) {
    go(app, app.statistics.today());
}

/// Goes to the clicked day.
pub fn click(app: &mut App, at: Position) {
    if let Some(day) = statistics_view::day_at(app, at) {
        go(app, day);
    }
}

fn go(app: &mut App, day: usize) {
    app.statistics.day = day;
    app.statistics.top = 0;
    app.statistics.titles.clear();
}
