//! The line of the search.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::text::show::show;
use crate::tui::app::App;
use crate::tui::prompt::Purpose;
use crate::tui::theme::{Theme, fit};

/// Draws what is asked; what of it is wrong is underlined, and says why.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let theme = Theme::of(app);
    let typing = app.prompt.as_ref().filter(|prompt| prompt.purpose == Purpose::Search);
    let mut spans = vec![Span::styled(" /", theme.key())];
    let query = &app.query;
    match &app.error {
        Some(error) => {
            let part =
                |range: std::ops::Range<usize>| show(query.get(range).unwrap_or_default()).into_owned();
            let end = error.span.end.min(query.len());
            spans.push(Span::raw(part(0..error.span.start.min(query.len()))));
            spans.push(Span::styled(part(error.span.start.min(end)..end), theme.wrong()));
            spans.push(Span::raw(part(end..query.len())));
            let room = usize::from(area.width).saturating_sub(query.width() + 4);
            spans.push(Span::styled(format!("  ✖ {}", fit(&show(&error.message), room)), theme.dim()));
        }
        None => spans.push(Span::raw(show(query).into_owned())),
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
    if let Some(prompt) = typing {
        let before: String = prompt.text().chars().take(prompt.column()).collect();
        let column = 2 + show(&before).width() as u16;
        let x = area.x + column.min(area.width.saturating_sub(1));
        frame.set_cursor_position(Position { x, y: area.y });
    }
}
