//! The place of each pane, by the size of the terminal.

use ratatui::layout::Rect;

use crate::tui::panes::health;
use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::state::prompt::{Prompt, PromptPurpose};
use crate::tui::state::tutor_progress;
use crate::tui::{list_view, pane_titles, search_completion, theme};

/// The smallest terminal on which palimp draws anything.
pub const SMALLEST: (u16, u16) = (20, 5);
/// From these widths on: the list is above the detail; the side panes are beside both; the list is beside the
/// detail, with 56 columns for a title. The rows of other views are beside their details from `BESIDE` on.
const OVER: u16 = 60;
const SIDES: u16 = 120;
const THREE: u16 = 140;
const BESIDE: u16 = 100;
/// On fewer rows only one pane is shown.
const LOW: u16 = 16;

pub struct FrameLayout {
    pub title: Rect,
    /// The search, if there is one or the user types one.
    pub query: Rect,
    pub panes: Vec<(Pane, Rect)>,
    pub tutor: Rect,
    /// The area of all panes together.
    pub body: Rect,
    /// Notices and key hints.
    pub hints: Rect,
}

impl FrameLayout {
    pub fn pane(&self, pane: Pane) -> Option<Rect> {
        self.panes.iter().find(|(own, _)| *own == pane).map(|(_, area)| *area)
    }

    /// Returns how many lines of its content a pane shows: its height without the title.
    pub fn rows(&self, pane: Pane) -> usize {
        let Some(area) = self.pane(pane) else { return 0 };
        usize::from(area.height) - usize::from(has_title(area))
    }
}

/// True if something over the panes has the keys.
pub fn has_dialog(app: &App) -> bool {
    app.prompt.is_some()
        || app.delete_menu.is_some()
        || app.confirm.is_some()
        || app.changes.receipt.is_some()
}

pub fn frame(app: &App) -> FrameLayout {
    let area = Rect::new(0, 0, app.size.0, app.size.1);
    let asks = app.screen == Screen::Memories && (search_completion::is_typed(app) || !app.query.is_empty());
    // On a low terminal, a plan that asks needs the rows of the search.
    let asks = asks && (app.confirm.is_none() || app.size.1 >= LOW);
    let (title, rest) = split_rows(area, 1);
    let (query, rest) = split_rows(rest, if asks { 1 + search_completion::rows_offered(app) } else { 0 });
    let notice = notice(app).len() as u16;
    let foot = if shows_keys(app) { notice + 1 } else { notice };
    let (body, hints) = split_rows(rest, rest.height.saturating_sub(foot));
    let teaches = app.tutor.is_shown && app.screen != Screen::Editor;
    let (body, tutor) =
        split_rows(body, body.height - if teaches { tutor_progress::rows(body.height) } else { 0 });
    FrameLayout { title, query, panes: panes(app, body), body, tutor, hints }
}

pub fn split_rows(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    let lower = Rect { y: area.y + height, height: area.height - height, ..area };
    (Rect { height, ..area }, lower)
}

/// Returns the lines of the notice, safe. It is cut after half the screen.
pub fn notice(app: &App) -> Vec<String> {
    let Some(notice) = &app.notice else { return Vec::new() };
    let mut lines = theme::wrap(
        &theme::safe(app, &theme::sentence(notice, &app.store_names)),
        usize::from(app.size.0.saturating_sub(2)),
    );
    lines.truncate(usize::from(app.size.1 / 2).max(1));
    lines
}

/// True if the keys are shown: not below a notice on a low terminal, or one that comes by itself and moves nothing.
pub fn shows_keys(app: &App) -> bool {
    app.notice.is_none() || app.size.1 > LOW && app.notice != app.brief_notice
}

/// True if one pane has the whole screen, because there is no room for two.
pub fn is_single(app: &App) -> bool {
    app.size.0 < OVER || app.size.1 < LOW
}

/// True if one pane has the whole screen, because the user wants that.
pub fn is_zoomed(app: &App) -> bool {
    (app.zoomed || app.is_reading()) && !is_single(app)
}

/// By width: the list alone, above the detail, with the side panes, or between the side panes and the detail.
fn panes(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    if app.zoomed || app.is_reading() || is_single(app) {
        return vec![(app.focus, body)];
    }
    if body.width < SIDES && matches!(app.focus, Pane::Sessions | Pane::Filters | Pane::Health) {
        let (left, list) = split_columns(body, 26);
        let mut panes = side(app, left);
        panes.push((Pane::Memories, list));
        return panes;
    }
    let more = body.width.saturating_sub(SIDES);
    let (mut panes, rest) = match body.width < SIDES {
        true => (Vec::new(), body),
        false => {
            let (left, rest) = split_columns(body, 22 + (more / 40).min(8));
            (side(app, left), rest)
        }
    };
    if body.width < THREE {
        let (upper, lower) = split_rows(rest, rest.height * 3 / 5);
        panes.extend([(Pane::Memories, upper), (in_detail(app), lower)]);
        return panes;
    }
    let detail = 36 + (body.width - THREE) / 3;
    let (list, right) = split_columns(rest, rest.width.saturating_sub(detail + 1));
    panes.push((Pane::Memories, list));
    panes.extend(detail_over_why(app, right));
    panes
}

/// Splits an area into a left and a right part, with one column between them for a line.
fn split_columns(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    let taken = (width + 1).min(area.width);
    (Rect { width, ..area }, Rect { x: area.x + taken, width: area.width - taken, ..area })
}

/// True if a pane of this size has a title. A lower pane uses the row for its content.
pub fn has_title(area: Rect) -> bool {
    area.height >= 4
}

/// Places stores, filters and health above one another. On a low terminal only one of them has room.
fn side(app: &App, area: Rect) -> Vec<(Pane, Rect)> {
    let health = 1 + health::rows(app).len().max(1) as u16;
    let upper = area.height.saturating_sub(health + 1);
    if upper < 14 {
        let pane = match app.focus {
            Pane::Filters | Pane::Health => app.focus,
            _ => Pane::Sessions,
        };
        return vec![(pane, area)];
    }
    let stores = (app.tree.len() as u16 + 1).max(4).min(upper / 2);
    let (sessions, rest) = split_rows(area, stores);
    let (facets, rest) = split_rows(split_rows(rest, 1).1, upper - stores - 1);
    vec![(Pane::Sessions, sessions), (Pane::Filters, facets), (Pane::Health, split_rows(rest, 1).1)]
}

/// Places the reasons of the rank below the detail. If there is no room for both, the reasons replace the
/// detail while they have the keys. Reasons that say nothing get one row until they have the keys.
fn detail_over_why(app: &App, area: Rect) -> Vec<(Pane, Rect)> {
    let why = match area.height {
        19.. if app.are_ranks_alike && app.focus != Pane::Why => 1,
        26.. => 14,
        19.. => 9,
        _ => return vec![(in_detail(app), area)],
    };
    let (detail, why) = split_rows(area, area.height - why);
    vec![(Pane::Detail, detail), (Pane::Why, why)]
}

fn in_detail(app: &App) -> Pane {
    if app.focus == Pane::Why { Pane::Why } else { Pane::Detail }
}

/// Returns the areas of the rows of a list view and of the details of its row, beside or below them. A low
/// terminal has room for one of the two.
pub fn list_view(app: &App) -> (Rect, Rect) {
    let body = frame(app).body;
    let none = Rect { height: 0, ..body };
    let is_beside = list_view::current_kind(app).is_some_and(|kind| kind.is_beside);
    let list = &app.list_view.list;
    if list.is_empty() && list.filter.is_empty() && !app.list_view.in_details {
        return (body, none);
    }
    match (body.width >= BESIDE && is_beside, body.height, app.list_view.in_details) {
        (true, ..) => split_columns(body, body.width * 11 / 20),
        (false, ..12, false) => (body, none),
        (false, ..12, true) => (none, body),
        (false, height, _) => {
            let rows = (list.all.len() + 1).max(6).min(usize::from(height)) as u16;
            split_rows(body, rows.min(height - (height * 2).div_ceil(5)))
        }
    }
}

pub fn rows(app: &App, pane: Pane) -> usize {
    frame(app).rows(pane)
}

/// The number of rows of the palette below its title. The palette is a launcher, not a manual.
const LAUNCHES: usize = 14;

/// Returns the area of the palette and the help. On a low terminal they fill it.
pub fn palette(app: &App) -> Rect {
    let launches = app.prompt.as_ref().is_some_and(|prompt| prompt.purpose == PromptPurpose::Command);
    let rows = if launches { LAUNCHES } else { usize::from(app.size.1) };
    if app.size.1 < LOW { frame(app).body } else { pane_titles::sheet_area(app, rows) }
}

/// Returns how many actions the palette and the help list at once, below their title and the typed line.
pub fn palette_rows(app: &App) -> usize {
    let sheet = palette(app);
    usize::from(sheet.height.saturating_sub(2 + rows_of_signs(app) + rows_of_about(app)))
}

/// Returns how many rows show the full description of the action under the cursor. Its own row cuts it.
pub fn rows_of_about(app: &App) -> u16 {
    match (palette(app).height, app.size.0) {
        (..6, _) => 0,
        (_, 70..) | (..10, _) => 2,
        _ => 4,
    }
}

/// Returns how many rows at the top of the help explain the signs, if there is room.
pub fn rows_of_signs(app: &App) -> u16 {
    let explains = |prompt: &Prompt| prompt.purpose == PromptPurpose::Help && prompt.text().is_empty();
    let has_room = palette(app).height >= 12;
    if has_room && app.prompt.as_ref().is_some_and(explains) { 2 } else { 0 }
}
