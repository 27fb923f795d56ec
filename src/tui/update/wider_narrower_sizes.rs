//! Moves the borders between panes, by the mouse and by keys.

use ratatui::layout::Position;

use crate::tui::action::Action;
use crate::tui::layout;
use crate::tui::pane_borders::{self, PlacedBorder};
use crate::tui::possible_changes::among_memories;
use crate::tui::state::app::{App, Pane, Screen};
use crate::usecase::PaneBorder;
use crate::usecase::ScreenState;
use crate::work::Job;

/// A key moves an upright border by this many columns, and any other border by one row.
const COLUMNS: i32 = 2;
/// No screen is wider.
const MOST: usize = 10_000;

pub fn act(app: &mut App, action: Action) {
    if app.screen != Screen::Memories {
        return app.say(among_memories());
    }
    match action {
        Action::UsualSizes => {
            app.layout.borders.clear();
            app.say("Every pane has its usual size.");
        }
        _ => resize(app, action == Action::Wider),
    }
}

/// Makes the focused pane larger or smaller.
fn resize(app: &mut App, larger: bool) {
    let Some(drawn) = pane_borders::focused_border(app) else {
        return app.say("This pane is alone on the screen: it has no border to move.");
    };
    let step = if drawn.border.is_upright() { COLUMNS } else { 1 };
    let times = app.count.times.unwrap_or(1).min(MOST) as i32;
    // The list gets what the other panes leave.
    let by = if larger == (app.focus != Pane::Memories) { step * times } else { -step * times };
    if !set(app, &drawn, i32::from(drawn.size) + by) {
        let how = match (drawn.border.is_upright(), larger) {
            (true, true) => "wider",
            (true, false) => "narrower",
            (false, true) => "higher",
            (false, false) => "lower",
        };
        app.say(format!("This pane can't get {how}."));
    }
}

/// Gives the pane of a border a size. False if the size does not change.
fn set(app: &mut App, drawn: &PlacedBorder, size: i32) -> bool {
    let share = drawn.share(size);
    share.map(|share| app.layout.borders.insert(drawn.border, share)).is_some()
}

/// Moves the dragged border to the mouse.
pub fn drag(app: &mut App, to: Position) {
    app.last_click = None;
    let frame = layout::frame(app);
    let is_held =
        |drawn: &&PlacedBorder| app.screen == Screen::Memories && Some(drawn.border) == app.dragged_border;
    if let Some(drawn) = frame.borders.iter().find(is_held) {
        set(app, drawn, drawn.size_at(to));
    }
}

/// Restores the usual place of a border.
pub fn put_back(app: &mut App, border: PaneBorder) {
    app.layout.borders.remove(&border);
}

/// Saves a changed layout, unless nothing may be written.
pub fn keep(app: &mut App) {
    if app.dragged_border.is_none() && app.layout != app.saved_layout {
        app.saved_layout = app.layout.clone();
        keep_lasting(app, ScreenState::Layout(app.layout.clone()));
    }
}

/// Saves a state for the next start, unless nothing may be written.
pub fn keep_lasting(app: &mut App, what: ScreenState) {
    if let Some(data) = app.data.clone().filter(|_| !app.readonly) {
        app.give_job(Job::KeepScreenState { what, data });
    }
}
