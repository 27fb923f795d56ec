//! The line of the search.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::text::show::{columns, show};
use crate::tui::app::App;
use crate::tui::prompt::Purpose;
use crate::tui::theme::{Theme, fit};

/// Draws what is asked; what of it is wrong is underlined, and says why.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let theme = Theme::of(app);
    let query = app.query.as_str();
    let cursor = app
        .prompt
        .as_ref()
        .filter(|prompt| prompt.purpose == Purpose::Search)
        .map(|prompt| query.char_indices().nth(prompt.column()).map_or(query.len(), |(byte, _)| byte));
    let room = usize::from(area.width).saturating_sub(4);
    let from = cursor.map_or(0, |cursor| first_shown(query, cursor, room));
    let part = |range: Range<usize>| {
        show(query.get(range.start.max(from)..range.end.max(from)).unwrap_or_default()).into_owned()
    };
    let mut spans = vec![Span::styled(if from == 0 { " /" } else { "…/" }, theme.key())];
    match &app.error {
        Some(error) => {
            let end = error.span.end.min(query.len());
            let start = error.span.start.min(end);
            spans.push(Span::raw(part(0..start)));
            spans.push(Span::styled(part(start..end), theme.wrong()));
            spans.push(Span::raw(part(end..query.len())));
            // The sign and the spaces before it take four of them, and two were kept for the cursor.
            let left = room.saturating_sub(columns(&show(&query[from..])) + 2);
            spans.push(Span::styled(format!("  ✖ {}", fit(&show(&error.message), left)), theme.dim()));
        }
        None => spans.push(Span::raw(part(0..query.len()))),
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
    if let Some(cursor) = cursor {
        let column = 2 + columns(&part(0..cursor)) as u16;
        let x = area.x + column.min(area.width.saturating_sub(1));
        frame.set_cursor_position(Position { x, y: area.y });
    }
}

/// The first byte to show so that the cursor is within `room` columns.
pub fn first_shown(query: &str, cursor: usize, room: usize) -> usize {
    let typed = query.get(..cursor).unwrap_or(query);
    let fits = |from: &usize| columns(&show(&typed[*from..])) <= room;
    if fits(&0) {
        return 0;
    }
    let starts: Vec<usize> = typed.char_indices().map(|(byte, _)| byte).collect();
    let hidden = starts.partition_point(|from| !fits(from));
    starts.get(hidden).copied().unwrap_or(typed.len())
}
