//! Filters: fields that the listed memories have in common. They also explain the letters of types.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tui::filter_chips::{FilterRow, facet_lines};
use crate::tui::pane_titles::pane;
use crate::tui::state::app::{App, Pane};
use crate::tui::theme::{self, column};
use crate::tui::type_letters;

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let inner = pane(app, frame, Pane::Filters, "2 Filters", "", area);
    let lines = facet_lines(app);
    let width = usize::from(inner.width).saturating_sub(1);
    let row = |at: usize| lines.get(at).map(|own| line(app, own, width)).unwrap_or_default();
    let has_keys = app.focus == Pane::Filters;
    super::draw_lines(app, frame, inner, app.filter_cursor, lines.len(), has_keys, row);
}

fn line(app: &App, own: &FilterRow, width: usize) -> Line<'static> {
    let text = theme::safe(app, &own.text);
    if own.is_heading() {
        return Line::styled(text, app.palette.dim());
    }
    if own.unfolds {
        let key = "↵ ";
        let text = column(&text, width.saturating_sub(3));
        return Line::from(vec![Span::styled(text, app.palette.dim()), Span::styled(key, app.palette.key())]);
    }
    let count = own.count.to_string();
    let mark = if own.on { "●" } else { " " };
    let letter = match own.is_type {
        true => format!("{} ", type_letters::letter(app, &own.text)),
        false => String::new(),
    };
    let room = width.saturating_sub(count.len() + 3 + letter.len());
    let style = if own.is_type { app.palette.kind(&own.text) } else { ratatui::style::Style::new() };
    Line::from(vec![
        Span::styled(mark, app.palette.accent()),
        Span::styled(letter, style),
        Span::raw(column(&text, room)),
        Span::styled(format!(" {count}"), app.palette.dim()),
    ])
}
