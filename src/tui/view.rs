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
use crate::model::Severity;

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
        Screen::Browse => {
            for &(pane, area) in &parts.panes {
                draw_pane(app, frame, pane, area);
            }
        }
    }
    frame.render_widget(hints(app, parts.hints.width), parts.hints);
    if app.prompt.as_ref().is_some_and(|prompt| prompt.purpose != Purpose::Search) {
        panes::palette::draw(app, frame, parts.body);
    }
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
        [one] => one.root.display().to_string(),
        several => format!("{} stores", several.len()),
    }
}

fn counts(app: &App) -> String {
    if app.screen == Screen::Welcome {
        return "read-only ".into();
    }
    if !app.is_whole() {
        return "reading … ".into();
    }
    let listed: usize = app.tallies.iter().map(|tally| tally.listed).sum();
    let sensitive: usize = app.tallies.iter().map(|tally| tally.sensitive).sum();
    let [errors, warnings, _] = app.problem_counts();
    let (error, warning) = (sign(Severity::Error), sign(Severity::Warning));
    format!("{listed} memories  {error}{errors} {warning}{warnings} !{sensitive}  read-only ")
}

/// A notice, or the keys that can be used now.
fn hints(app: &App, width: u16) -> Line<'static> {
    let theme = Theme::of(app);
    if let Some(notice) = &app.notice {
        return Line::styled(
            format!(" {}", theme::fit(&theme::safe(app, notice), usize::from(width))),
            theme.strong(),
        );
    }
    let mut spans = vec![Span::raw(" ")];
    let mut used = 1;
    for (keys, what) in panes::hints::of(app) {
        let long = keys.chars().count() + what.chars().count() + 3;
        if used + long > usize::from(width) {
            break;
        }
        used += long;
        spans.push(Span::styled(keys, theme.key()));
        spans.push(Span::raw(format!(" {what}  ")));
    }
    Line::from(spans)
}
