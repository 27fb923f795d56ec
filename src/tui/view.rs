//! The whole frame. Changes nothing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::app::{App, Pane, Screen};
use super::layout::{self, SMALLEST};
use super::panes;
use super::prompt::Purpose;
use super::theme::{self, Theme, sign};
use crate::model::{Severity, Tell};

/// Draws the app.
pub fn view(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    if (area.width, area.height) != app.size {
        // The terminal has just changed its size; the message that says so is on its way.
        return;
    }
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let line = format!("palimp needs {}x{}", SMALLEST.0, SMALLEST.1);
        frame.render_widget(Paragraph::new(theme::fit(&line, usize::from(area.width))), area);
        return;
    }
    let parts = layout::frame(app);
    frame.render_widget(title(app, parts.title.width), parts.title);
    if parts.query.height > 0 {
        panes::query::draw(app, frame, parts.query);
    }
    match app.screen {
        Screen::Welcome => panes::welcome::draw(app, frame, parts.body),
        Screen::Problems => panes::problems::draw(app, frame, parts.body),
        Screen::Restore => panes::back::restore::draw(app, frame),
        Screen::Archive => panes::back::chores::draw_archive(app, frame),
        Screen::Upkeep => panes::back::chores::draw_upkeep(app, frame),
        Screen::Journal => panes::back::journal::draw(app, frame),
        Screen::Edit => panes::editor::draw(app, frame),
        Screen::Browse => {
            for &(pane, area) in &parts.panes {
                draw_pane(app, frame, pane, area);
            }
        }
    }
    frame.render_widget(Paragraph::new(foot(app, parts.hints.width)), parts.hints);
    match app.prompt.as_ref().map(|prompt| prompt.purpose) {
        Some(Purpose::Palette | Purpose::Help) => panes::palette::draw(app, frame, parts.body),
        Some(purpose) if purpose.is_change() => panes::asking::draw(app, frame, parts.body),
        Some(_) | None => {}
    }
    panes::menu::draw(app, frame, parts.body);
    panes::confirm::draw(app, frame);
    panes::receipt::draw(app, frame);
}

fn draw_pane(app: &App, frame: &mut Frame<'_>, pane: Pane, area: Rect) {
    match pane {
        Pane::Sessions => panes::sessions::draw(app, frame, area),
        Pane::Facets => panes::facets::draw(app, frame, area),
        Pane::Health => panes::health::draw(app, frame, area),
        Pane::Memories => panes::memories::draw(app, frame, area),
        Pane::Detail => panes::detail::draw(app, frame, area),
        Pane::Why => panes::why::draw(app, frame, area),
    }
}

fn title(app: &App, width: u16) -> Line<'static> {
    let theme = Theme::of(app);
    let where_to = match app.screen {
        Screen::Welcome => "first run".to_owned(),
        Screen::Problems => "problems".to_owned(),
        Screen::Restore => "backups".to_owned(),
        Screen::Archive => "archive: nothing here runs by itself".to_owned(),
        Screen::Upkeep => "upkeep: nothing here runs by itself".to_owned(),
        Screen::Journal => "journal".to_owned(),
        Screen::Edit => panes::editor::title(app),
        Screen::Browse => places(app),
    };
    let counts = counts(app);
    let left = format!(" palimp  {}", theme::safe(app, &where_to));
    let room = usize::from(width).saturating_sub(counts.chars().count() + 1);
    Line::from(vec![
        Span::styled(theme::column(&left, room.saturating_sub(1)) + " ", theme.strong()),
        Span::styled(theme::fit(&counts, usize::from(width)), Style::new()),
    ])
}

fn places(app: &App) -> String {
    match app.places.as_slice() {
        [] => String::new(),
        [one] => one.root.told().into_owned(),
        several => format!("{} stores", several.len()),
    }
}

fn counts(app: &App) -> String {
    let mode = if app.is_readonly() { "read-only " } else { "" };
    if app.screen == Screen::Welcome {
        return mode.into();
    }
    if app.screen == Screen::Edit {
        return panes::editor::state(app) + " ";
    }
    if !app.is_whole() {
        return "reading … ".into();
    }
    let listed: usize = app.tallies.iter().map(|tally| tally.listed).sum();
    let sensitive: usize = app.tallies.iter().map(|tally| tally.sensitive).sum();
    let [errors, warnings, _] = app.problem_counts();
    let (error, warning) = (sign(Severity::Error), sign(Severity::Warning));
    let space = if mode.is_empty() { "" } else { " " };
    let unread: usize = app.snapshot.stores.iter().map(|store| store.unread.len()).sum();
    let unread = if unread == 0 { String::new() } else { format!("{unread} can't be read!  ") };
    let marked = match (app.marks.count(), app.marks.hidden()) {
        (0, _) => String::new(),
        (count, 0) => format!("●{count}  "),
        (count, hidden) => format!("●{count} ({hidden} hidden)  "),
    };
    format!(
        "{unread}{marked}{listed} memories  {error}{errors} {warning}{warnings} !{sensitive} {space}{mode}"
    )
}

/// A notice, or the keys that can be used now.
fn foot(app: &App, width: u16) -> Vec<Line<'static>> {
    let strong = Theme::of(app).strong();
    let notice = layout::notice(app);
    if notice.is_empty() {
        return vec![hints(app, usize::from(width))];
    }
    notice.into_iter().map(|line| Line::styled(format!(" {line}"), strong)).collect()
}

/// As many hints as have room; the last one, which leads to all of them, always has.
fn hints(app: &App, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let mut hints = panes::hints::of(app);
    let last = hints.pop();
    let long = |(keys, what): &(String, String)| keys.chars().count() + what.chars().count() + 3;
    let mut used = 1 + last.as_ref().map_or(0, long);
    hints.retain(|hint| {
        used += long(hint);
        used <= width
    });
    let mut spans = vec![Span::raw(" ")];
    for (keys, what) in hints.into_iter().chain(last) {
        spans.push(Span::styled(keys, theme.key()));
        spans.push(Span::raw(format!(" {what}  ")));
    }
    Line::from(spans)
}
