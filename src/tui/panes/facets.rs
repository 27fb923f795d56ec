//! What the listed memories have in common, to filter by.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tui::app::{App, Pane};
use crate::tui::border::framed;
use crate::tui::theme::{self, Theme, column};
use crate::tui::update::facet_lines;

/// Draws the facets.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let inner = framed(app, frame, Some(Pane::Facets), "2 Filters", "Space filters", area);
    let theme = Theme::of(app);
    let lines = facet_lines(app);
    let width = usize::from(inner.width);
    let row = |at: usize| {
        let Some(line) = lines.get(at) else { return Line::default() };
        if line.term.is_none() {
            return Line::styled(line.text.clone(), theme.dim());
        }
        let mark = if line.on { "[x]" } else { "[ ]" };
        let count = line.count.to_string();
        let name = column(&theme::safe(app, &line.text), width.saturating_sub(count.len() + 6));
        Line::from(vec![Span::raw(format!(" {mark} {name}")), Span::styled(format!(" {count}"), theme.dim())])
    };
    super::draw_lines(frame, &theme, inner, app.facet, lines.len(), app.focus == Pane::Facets, row);
}
