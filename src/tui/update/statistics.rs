//! The view of statistics: its keys, and the result of its count.

use std::sync::Arc;

use ratatui::layout::Position;

use crate::model::Snapshot;
use crate::query::UsageStatistics;
use crate::tui::action::Action;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::statistics_view::StatisticsView;
use crate::tui::statistics_view;
use crate::tui::update::{reference_go_back, search_query, select_memory};
use crate::work::Job;

/// Does an action of this view. False if the action is not its own.
pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Statistics => open(app),
        _ if app.screen != Screen::Statistics => return false,
        // The calendar has a row for each day of the week, and a column for each week.
        Action::Up => step(app, -1),
        Action::Down => step(app, 1),
        Action::PaneLeft => step(app, -7),
        Action::PaneRight => step(app, 7),
        Action::Last => go(app, app.statistics.today()),
        Action::Top => go(app, 0),
        Action::Open => list(app),
        Action::Back | Action::Close => app.screen = Screen::Memories,
        _ => return scroll(app, action),
    }
    true
}

fn step(app: &mut App, by: isize) {
    go(app, app.statistics.day.saturating_add_signed(by).min(app.statistics.today()));
}

pub fn click(app: &mut App, at: Position) {
    if let Some(day) = statistics_view::day_at(app, at) {
        go(app, day);
    }
}

fn go(app: &mut App, day: usize) {
    (app.statistics.day, app.statistics.top) = (day, 0);
}

fn open(app: &mut App) {
    if app.places.is_empty() || !app.is_whole() {
        return app.say("The stores are still being read.");
    }
    app.screen = Screen::Statistics;
    app.opened_from = None;
    app.statistics = StatisticsView::default();
    refresh(app)
}

pub fn refresh(app: &mut App) {
    if app.screen == Screen::Statistics {
        app.give_job(Job::CountStatistics(Arc::clone(&app.snapshot), app.now));
    }
}

pub fn recount(app: &mut App) {
    let is_of_now = |(of, _): &(Arc<Snapshot>, _)| Arc::ptr_eq(of, &app.snapshot);
    if !app.statistics.counted.as_ref().is_some_and(is_of_now) {
        refresh(app)
    }
}

/// Takes in a count. The cursor stays on its day. At first, and if it was on today, it goes to today.
pub fn counted(app: &mut App, snapshot: Arc<Snapshot>, statistics: UsageStatistics) {
    let own = &mut app.statistics;
    let date = own.counted.as_ref().filter(|_| own.day < own.today()).map(|(_, before)| before.date(own.day));
    own.counted = Some((snapshot, statistics));
    let days = own.counted.iter().flat_map(|(_, now)| (0..now.days.len()).map(|day| (day, now.date(day))));
    let same = days.into_iter().find(|(_, own)| Some(*own) == date).map(|(day, _)| day);
    own.day = same.unwrap_or(own.today());
}

fn list(app: &mut App) {
    let Some((_, counted)) = &app.statistics.counted else { return };
    let date = counted.date(app.statistics.day).date();
    if app.statistics.written().is_empty() {
        return app.say(format!("Nothing was written on {date}."));
    }
    let query = format!("at:{date} is:live");
    reference_go_back::leave_view(app, |app| search_query::set_query(app, query));
}

fn rows(app: &App) -> usize {
    usize::from(statistics_view::parts(app).written.height.saturating_sub(1))
}

fn scroll(app: &mut App, action: Action) -> bool {
    let (len, rows) = (app.statistics.written().len(), rows(app));
    let places = select_memory::scroll_positions(len, rows);
    let at = app.statistics.top.min(places - 1);
    let to = select_memory::cursor_target(action, at, places, rows);
    to.is_some_and(|to| {
        app.statistics.top = to;
        true
    })
}

pub fn ready(app: &mut App) {
    if app.screen == Screen::Statistics && app.statistics.counted.is_some() {
        let last = app.statistics.written().len().saturating_sub(rows(app));
        app.statistics.top = app.statistics.top.min(last);
    }
}
