//! Which pane is where, by the size of the terminal.

use ratatui::layout::{Constraint, Layout, Rect};

use super::app::{App, Pane, Screen};
use super::prompt::Purpose;
use super::theme;

/// The smallest terminal on which there is anything to see.
pub const SMALLEST: (u16, u16) = (20, 5);
/// So wide is the list over the detail, beside it, and between the side panes and it.
const OVER: u16 = 60;
const BESIDE: u16 = 100;
const SIDES: u16 = 120;

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
    /// Where a pane is, if it is on screen.
    pub fn pane(&self, pane: Pane) -> Option<Rect> {
        self.panes.iter().find(|(own, _)| *own == pane).map(|(_, area)| *area)
    }

    /// How many lines of its content a pane shows: its height less its borders, and less the
    /// line that names the columns of the list.
    pub fn rows(&self, pane: Pane) -> usize {
        let Some(area) = self.pane(pane) else { return 0 };
        let height = if has_borders(area) { area.height - 2 } else { area.height };
        let head = pane == Pane::Memories && has_head(Rect { height, ..area });
        usize::from(height - u16::from(head))
    }
}

/// Lays the frame out for the app's size.
pub fn frame(app: &App) -> Frame {
    let area = Rect::new(0, 0, app.size.0, app.size.1);
    let types = app.prompt.as_ref().is_some_and(|prompt| prompt.purpose == Purpose::Search);
    let asks = app.screen == Screen::Browse && (types || !app.query.is_empty());
    let (title, rest) = over(area, 1);
    let (query, rest) = over(rest, u16::from(asks));
    let foot = notice(app).len().max(1) as u16;
    let (body, hints) = over(rest, rest.height.saturating_sub(foot));
    Frame { title, query, panes: panes(app, body), body, hints }
}

/// The upper part of an area, and what is left below it.
fn over(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    let lower = Rect { y: area.y + height, height: area.height - height, ..area };
    (Rect { height, ..area }, lower)
}

/// The left part of an area, and what is left beside it.
fn beside(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    let right = Rect { x: area.x + width, width: area.width - width, ..area };
    (Rect { width, ..area }, right)
}

/// The notice, safe, in as many lines as it takes; what can't be told in half the screen is cut.
pub fn notice(app: &App) -> Vec<String> {
    let Some(notice) = &app.notice else { return Vec::new() };
    let mut lines = theme::wrap(&theme::safe(app, notice), usize::from(app.size.0.saturating_sub(2)));
    lines.truncate(usize::from(app.size.1 / 2).max(1));
    lines
}

/// By width: the list alone, over the detail, beside it, between the side panes and it. A pane
/// is there where it has room for its content and its borders.
fn panes(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    if app.zoomed || body.width < OVER || !has_borders(body) {
        return vec![(app.focus, body)];
    }
    if body.width < BESIDE {
        return list_over_detail(app, body);
    }
    if body.width < SIDES {
        let (list, right) = beside(body, body.width - 34 - (body.width - BESIDE) * 2 / 5);
        let mut panes = vec![(in_list(app), list)];
        panes.extend(detail_over_why(app, right));
        return panes;
    }
    let more = body.width - SIDES;
    let (left, rest) = beside(body, 25 + (more / 5).min(7));
    let (list, right) = beside(rest, rest.width - 36 - more * 2 / 5);
    let mut panes = side(app, left);
    panes.push((Pane::Memories, list));
    panes.extend(detail_over_why(app, right));
    panes
}

/// Whether a pane of that size has borders; a lower one has more use for its rows.
pub fn has_borders(area: Rect) -> bool {
    area.height >= 5
}

/// Sessions, facets and health above one another; on a low terminal one of the first two, or
/// the one that has the keys.
fn side(app: &App, area: Rect) -> Vec<(Pane, Rect)> {
    const HEALTH: u16 = 10;
    let (upper, health) = over(area, area.height.saturating_sub(HEALTH));
    if area.height >= 30 {
        let (sessions, facets) = over(upper, upper.height / 2);
        return vec![(Pane::Sessions, sessions), (Pane::Facets, facets), (Pane::Health, health)];
    }
    let pane = if app.focus == Pane::Facets { Pane::Facets } else { Pane::Sessions };
    match has_borders(upper) {
        true => vec![(pane, upper), (Pane::Health, health)],
        false if app.focus == Pane::Health => vec![(Pane::Health, area)],
        false => vec![(pane, area)],
    }
}

/// The detail, and below it why its memory ranks as it does, where both have room; else the
/// reasons lie over the detail while they have the keys.
fn detail_over_why(app: &App, area: Rect) -> Vec<(Pane, Rect)> {
    const WHY: u16 = 15;
    if area.height < WHY + 8 {
        return vec![(in_detail(app), area)];
    }
    let (detail, why) = over(area, area.height - WHY);
    vec![(Pane::Detail, detail), (Pane::Why, why)]
}

fn list_over_detail(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    if body.height < 13 {
        let pane = if matches!(app.focus, Pane::Detail | Pane::Why) { app.focus } else { in_list(app) };
        return vec![(pane, body)];
    }
    let (upper, lower) = over(body, (body.height * 3).div_ceil(5));
    vec![(in_list(app), upper), (in_detail(app), lower)]
}

/// Where the side panes have no place they lie over the list while they have the keys.
fn in_list(app: &App) -> Pane {
    if matches!(app.focus, Pane::Sessions | Pane::Facets | Pane::Health) { app.focus } else { Pane::Memories }
}

fn in_detail(app: &App) -> Pane {
    if app.focus == Pane::Why { Pane::Why } else { Pane::Detail }
}

/// The parts of a view that brings things back: its list, what is under its cursor, and a
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
    let (restore, inside) = (&app.back.restore, app.back.inside);
    let [list, within] = match is_wide {
        // Backups say in words what is known of them while the list has the keys.
        true if app.screen == Screen::Restore && !inside => {
            Layout::horizontal([Constraint::Fill(12), Constraint::Fill(8)]).areas(body)
        }
        true => Layout::horizontal([Constraint::Fill(9), Constraint::Fill(11)]).areas(body),
        false => Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(body),
    };
    if app.screen != Screen::Restore {
        return Parts { list, within, below: none };
    }
    let side = match (is_wide, inside) {
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

/// How many problems their view shows: the one under the cursor is in full below.
pub fn problem_rows(app: &App) -> usize {
    const ABOUT: usize = 5;
    let inner = usize::from(frame(app).body.height.saturating_sub(2));
    if inner > 2 * ABOUT { inner - ABOUT } else { inner }
}

/// How many lines of its content a pane shows.
pub fn rows(app: &App, pane: Pane) -> usize {
    frame(app).rows(pane)
}

/// The list's line that names its columns is where more than a few memories are below it.
pub fn has_head(inner: Rect) -> bool {
    inner.height >= 4
}
