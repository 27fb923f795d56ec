//! The health of the stores, one count a row.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tui::health::{HealthLink, rows};
use crate::tui::pane_titles::pane;
use crate::tui::state::app::{App, Pane};
use crate::tui::theme::{Theme, column};

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let inner = pane(app, frame, Pane::Health, "3 Health", "", area);
    let theme = Theme::of(app);
    let width = usize::from(inner.width).saturating_sub(2);
    let rows = rows(app);
    let row = |at: usize| {
        let Some(row) = rows.get(at) else { return Line::raw("reading …") };
        let sign = match row.link {
            HealthLink::Secrets => theme.secret(),
            _ => theme.severity(row.severity),
        };
        let key = row.link.key();
        let room = width.saturating_sub(key.chars().count() + 3);
        Line::from(vec![
            Span::styled(format!("{} ", row.sign), sign),
            Span::raw(column(&row.text, room) + " "),
            Span::styled(key, theme.key()),
        ])
    };
    let len = rows.len().max(1);
    super::draw_lines(frame, &theme, inner, app.health_cursor, len, app.focus == Pane::Health, row);
}
