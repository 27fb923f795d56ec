//! Filters: fields that the listed memories have in common. They also explain the letters of types.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tui::filter_chips::{FilterRow, facet_lines};
use crate::tui::pane_titles::pane;
use crate::tui::state::app::{App, Pane};
use crate::tui::theme::{self, Theme, column};
use crate::tui::type_letters;

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let inner = pane(app, frame, Pane::Filters, "2 Filters", "", area);
    let lines = facet_lines(app);
    let width = usize::from(inner.width).saturating_sub(1);
    let row = |at: usize| lines.get(at).map(|own| line(app, own, width)).unwrap_or_default();
    let has_keys = app.focus == Pane::Filters;
    super::draw_lines(frame, &Theme::of(app), inner, app.filter_cursor, lines.len(), has_keys, row);
}

fn line(app: &App, own: &FilterRow, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let text = theme::safe(app, &own.text);
    if own.is_heading() {
        return Line::styled(text, theme.dim());
    }
    if own.unfolds {
        let key = "↵ ";
        let text = column(&text, width.saturating_sub(3));
        return Line::from(vec![Span::styled(text, theme.dim()), Span::styled(key, theme.key())]);
    }
    let count = own.count.to_string();
    let mark = if own.on { "●" } else { " " };
    let letter = match own.is_type {
        true => format!("{} ", type_letters::letter(app, &own.text)),
        false => String::new(),
    };
    let room = width.saturating_sub(count.len() + 3 + letter.len());
    let style = if own.is_type { theme.kind(&own.text) } else { ratatui::style::Style::new() };
    Line::from(vec![
        Span::styled(mark, theme.accent()),
        Span::styled(letter, style),
        Span::raw(column(&text, room)),
        Span::styled(format!(" {count}"), theme.dim()),
    ])
}
