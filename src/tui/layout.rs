//! Which pane stands where, by the size of the terminal.

use ratatui::layout::{Constraint, Layout, Rect};

use super::app::{App, Pane, Screen};
use super::prompt::Purpose;
use super::theme;

/// The smallest terminal on which there is anything to see.
pub const SMALLEST: (u16, u16) = (20, 5);

/// Whether anything can be drawn.
pub fn is_large_enough(app: &App) -> bool {
    app.size.0 >= SMALLEST.0 && app.size.1 >= SMALLEST.1
}

/// The parts of the frame.
pub struct Frame {
    /// The line at the top.
    pub title: Rect,
    /// The line of the search, where one is asked or typed.
    pub query: Rect,
    /// The panes.
    pub panes: Vec<(Pane, Rect)>,
    /// All panes together.
    pub body: Rect,
    /// The line of notices and key hints.
    pub hints: Rect,
}

impl Frame {
    /// Where a pane stands, if it is on screen.
    pub fn pane(&self, pane: Pane) -> Option<Rect> {
        self.panes.iter().find(|(own, _)| *own == pane).map(|(_, area)| *area)
    }
}

/// Lays the frame out for the app's size.
pub fn frame(app: &App) -> Frame {
    let area = Rect::new(0, 0, app.size.0, app.size.1);
    let types = app.prompt.as_ref().is_some_and(|prompt| prompt.purpose == Purpose::Search);
    let asks = app.screen == Screen::Browse && (types || !app.query.is_empty());
    let lines = [1, u16::from(asks), notice(app).len().max(1) as u16].map(Constraint::Length);
    let [title, query, body, hints] =
        Layout::vertical([lines[0], lines[1], Constraint::Min(0), lines[2]]).areas(area);
    Frame { title, query, panes: panes(app, body), body, hints }
}

/// The notice, safe, in as many lines as it takes; what can't be told in half the screen is cut.
pub fn notice(app: &App) -> Vec<String> {
    let Some(notice) = &app.notice else { return Vec::new() };
    let mut lines = theme::wrap(&theme::safe(app, notice), usize::from(app.size.0.saturating_sub(2)));
    lines.truncate(usize::from(app.size.1 / 2).max(1));
    lines
}

fn panes(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    if app.zoomed || body.width < 60 {
        return vec![(app.focus, body)];
    }
    if body.width < 100 {
        return list_over_detail(app, body);
    }
    let (left, right) = if body.width < 140 { (25, 36) } else { (32, 50) };
    let [left, middle, right] =
        Layout::horizontal([Constraint::Length(left), Constraint::Min(0), Constraint::Length(right)])
            .areas(body);
    let [detail, why] = Layout::vertical([Constraint::Min(8), Constraint::Length(15)]).areas(right);
    let mut panes = side(app, left);
    panes.extend([(Pane::Memories, middle), (Pane::Detail, detail), (Pane::Why, why)]);
    panes
}

/// Sessions, facets and health above one another; on a low terminal the facets wait
/// until they are asked for.
fn side(app: &App, area: Rect) -> Vec<(Pane, Rect)> {
    if area.height >= 30 {
        let parts = [Constraint::Fill(4), Constraint::Fill(4), Constraint::Length(10)];
        let [sessions, facets, health] = Layout::vertical(parts).areas(area);
        return vec![(Pane::Sessions, sessions), (Pane::Facets, facets), (Pane::Health, health)];
    }
    let [upper, health] = Layout::vertical([Constraint::Min(4), Constraint::Length(9)]).areas(area);
    let pane = if app.focus == Pane::Facets { Pane::Facets } else { Pane::Sessions };
    vec![(pane, upper), (Pane::Health, health)]
}

/// On a narrow terminal the side panes lie over the list while they have the keys, and
/// the reasons of a rank over the detail.
fn list_over_detail(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    let parts = if body.height < 12 {
        [Constraint::Min(0), Constraint::Length(0)]
    } else {
        [Constraint::Fill(3), Constraint::Fill(2)]
    };
    let [upper, lower] = Layout::vertical(parts).areas(body);
    let in_upper = match app.focus {
        Pane::Sessions | Pane::Facets | Pane::Health => app.focus,
        Pane::Detail | Pane::Why if lower.height == 0 => return vec![(app.focus, upper)],
        _ => Pane::Memories,
    };
    let in_lower = if app.focus == Pane::Why { Pane::Why } else { Pane::Detail };
    vec![(in_upper, upper), (in_lower, lower)]
}

/// The parts of a view that brings things back: its list, what stands under its cursor, and a
/// difference below that.
pub struct Parts {
    pub list: Rect,
    pub within: Rect,
    pub below: Rect,
}

/// On a wide terminal side by side; else over one another. Backups share a narrow one with
/// nothing: what one of them would bring lies over the list.
pub fn back(app: &App) -> Parts {
    let body = frame(app).body;
    let none = Rect { height: 0, ..body };
    let is_wide = body.width >= 100;
    let restore = &app.back.restore;
    let [list, within] = match is_wide {
        // Backups say in words what is known of them while the list has the keys.
        true if app.screen == Screen::Restore && !restore.inside => {
            Layout::horizontal([Constraint::Fill(12), Constraint::Fill(8)]).areas(body)
        }
        true => Layout::horizontal([Constraint::Fill(9), Constraint::Fill(11)]).areas(body),
        false => Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(body),
    };
    if app.screen != Screen::Restore {
        return Parts { list, within, below: none };
    }
    let side = match (is_wide, restore.inside) {
        (true, _) => within,
        (false, true) => body,
        (false, false) => return Parts { list: body, within: none, below: none },
    };
    let list = if is_wide { list } else { none };
    if restore.difference.is_some() || side.height < 12 {
        return Parts { list, within: side, below: none };
    }
    let [within, below] = Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(side);
    Parts { list, within, below }
}

/// How many problems their view shows: the one under the cursor stands in full below.
pub fn problem_rows(app: &App) -> usize {
    const ABOUT: usize = 5;
    let inner = usize::from(frame(app).body.height.saturating_sub(2));
    if inner > 2 * ABOUT { inner - ABOUT } else { inner }
}

/// How many lines of its content a pane shows: its height less its borders.
pub fn rows(app: &App, pane: Pane) -> usize {
    let frame = frame(app);
    frame.pane(pane).map_or(0, |area| usize::from(area.height.saturating_sub(2)))
}
