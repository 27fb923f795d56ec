//! The view of statistics: its days, the day under the cursor, and the places of its parts.

use ratatui::layout::{Position, Rect};

use super::layout;
use crate::query::WEEKS;
use crate::tui::state::app::App;

/// The columns of the weekday names, with the spaces around them.
pub const NAMES: u16 = 5;
/// From this width on, a day takes two columns.
const WIDE: u16 = 100;
/// On a narrower terminal there are no figures beside the days.
const FIGURES: u16 = 60;
const WEEK: u16 = 7;

pub struct StatisticsAreas {
    pub title: Rect,
    pub months: Rect,
    /// The days: a row for each day of the week, after its name.
    pub days: Rect,
    pub legend: Rect,
    pub figures: Rect,
    /// The day under the cursor: its title and its memories.
    pub written: Rect,
}

/// Returns the areas. A low terminal has no months, or no days either; a narrow one has no figures.
pub fn parts(app: &App) -> StatisticsAreas {
    let body = layout::frame(app).body;
    let row = |y: u16, height: u16| {
        let y = y.min(body.height);
        Rect { y: body.y + y, height: height.min(body.height - y), ..body }
    };
    let (before, days) = match body.height {
        14.. => (1, WEEK),
        10.. => (0, WEEK),
        _ => (0, 0),
    };
    let has_figures = body.width >= FIGURES && before > 0;
    let upper = match has_figures {
        true => (days + 2).max(body.height / 2 - 2),
        false => days + 2 * before,
    };
    let wide = (NAMES + WEEKS as u16 * step(app) + 1).min(body.width);
    let left = |area: Rect| Rect { width: wide, ..area };
    let figures = row(1, if has_figures { upper } else { 0 });
    StatisticsAreas {
        title: row(0, 1),
        // The last name may be wider than its week.
        months: Rect { width: wide + 1, ..row(1, before) },
        days: left(row(1 + before, days)),
        legend: left(row(1 + before + days, before)),
        figures: Rect { x: body.x + wide + 2, width: body.width.saturating_sub(wide + 2), ..figures },
        written: row(1 + upper, body.height),
    }
}

pub fn step(app: &App) -> u16 {
    if app.size.0 >= WIDE { 2 } else { 1 }
}

pub fn day_at(app: &App, at: Position) -> Option<usize> {
    let days = parts(app).days;
    let column = at.x.checked_sub(days.x + NAMES).filter(|_| days.contains(at))? / step(app);
    let day = usize::from(column) * usize::from(WEEK) + usize::from(at.y - days.y);
    (usize::from(column) < WEEKS && day <= app.statistics.today()).then_some(day)
}
