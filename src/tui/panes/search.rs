//! The line of the search.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::text::safe_text::{display_width, sanitize};
use crate::tui::filter_chips;
use crate::tui::search_completion::{self, per_row, shows_chips, suggestions};
use crate::tui::state::app::App;
use crate::tui::state::prompt::{PromptPurpose, SearchSuggestion, TypedLine};
use crate::tui::theme::{self, column, fit, put};

/// Draws the search. The wrong part is underlined, and the reason follows.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let query = app.query.as_str();
    let cursor =
        app.prompt.as_ref().filter(|prompt| prompt.purpose == PromptPurpose::Search).map(|prompt| {
            query.char_indices().nth(prompt.line.column()).map_or(query.len(), |(byte, _)| byte)
        });
    let figure = figure(app);
    let room = usize::from(area.width).saturating_sub(4 + display_width(&figure));
    let from = cursor.map_or(0, |cursor| first_shown(query, cursor, room));
    let part = |range: Range<usize>| {
        sanitize(query.get(range.start.max(from)..range.end.max(from)).unwrap_or_default()).into_owned()
    };
    let selected = app.prompt.as_ref().is_some_and(|prompt| prompt.line.is_selecting());
    let mut spans = vec![Span::styled(if from == 0 { " /" } else { "…/" }, app.palette.key())];
    match &app.error {
        Some(error) => {
            let end = error.span.end.min(query.len());
            let start = error.span.start.min(end);
            spans.push(Span::raw(part(0..start)));
            spans.push(Span::styled(part(start..end), app.palette.wrong()));
            spans.push(Span::raw(part(end..query.len())));
            // The sign and the spaces before it take four columns. Two of them were kept for the cursor.
            let left = room.saturating_sub(display_width(&sanitize(&query[from..])) + 2);
            spans.push(Span::styled(
                format!("  ✖ {}", fit(&sanitize(&error.message), left)),
                app.palette.dim(),
            ));
        }
        None => {
            let style = if selected { app.palette.chosen() } else { Style::new() };
            spans.push(Span::styled(part(0..query.len()), style));
            let left = room.saturating_sub(display_width(&sanitize(&query[from..])) + 2);
            let is_answered = |(of, ..): &(String, _, _)| *of == app.effective_query();
            let note =
                app.results.similar_note().filter(|_| app.answered_query.as_ref().is_some_and(is_answered));
            let note = note.map(|note| format!("  {}", fit(&theme::safe(app, &note), left)));
            spans.extend(note.map(|note| Span::styled(note, app.palette.accent())));
        }
    }
    let line = Rect { height: area.height.min(1), ..area };
    put(frame, [Line::from(spans)], line);
    let right = Line::styled(figure, app.palette.dim()).right_aligned();
    put(frame, [right], line);
    offered(app, frame, Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area });
    if let Some(cursor) = cursor {
        let column = 2 + display_width(&part(0..cursor)) as u16;
        let x = area.x + column.min(area.width.saturating_sub(1));
        frame.set_cursor_position(Position { x, y: area.y });
    }
}

fn figure(app: &App) -> String {
    let is_known = app.is_whole() && app.listed_snapshot.is_whole() && app.size.0 >= 40;
    let found = app.results.hits.len();
    match (&app.error, is_known, app.query.is_empty()) {
        // Archived and deleted memories are not among all.
        (None, true, false) if app.parsed.asks_archived() || app.parsed.asks_deleted() => format!("{found} "),
        (None, true, false) => format!("{found} of {} ", app.sum(|tally| tally.listed)),
        _ => String::new(),
    }
}

/// Draws example searches if nothing is typed, otherwise the suggestions or the filters.
fn offered(app: &App, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    if shows_chips(app) {
        return put(frame, [filter_chips::line(app)], area);
    }
    if app.query.is_empty() {
        let help = vec![
            Span::styled("    Up", app.palette.key()),
            Span::raw(": earlier searches   "),
            Span::styled("Tab", app.palette.key()),
            Span::raw(": fields and values"),
        ];
        let examples = format!("    {}", search_completion::EXAMPLES.join("      "));
        let examples = Line::styled(examples, app.palette.dim());
        return put(frame, [Line::from(help), examples], area);
    }
    let (all, at) = suggestions(app);
    let (each, width) = (per_row(app), usize::from(area.width) / per_row(app));
    // The row of the current suggestion must be visible.
    let first = at.map_or(0, |at| (at / each + 1).saturating_sub(usize::from(area.height)));
    let cell = |(number, own): (usize, &SearchSuggestion)| {
        let count = own.count.map_or(String::new(), |count| count.to_string());
        let text = column(&theme::safe(app, &own.text), width.saturating_sub(count.len() + 5));
        let style = if at == Some(number) { app.palette.chosen() } else { app.palette.dim() };
        [Span::raw("   "), Span::styled(text, style), Span::styled(format!(" {count} "), app.palette.dim())]
    };
    let numbered: Vec<(usize, &SearchSuggestion)> = all.iter().enumerate().collect();
    let rows = numbered.chunks(each).skip(first).take(usize::from(area.height));
    put(frame, rows.map(|row| Line::from_iter(row.iter().copied().flat_map(cell))), area);
}

/// Draws a line that the user types, after a sign of two columns. It scrolls if its cursor is beyond `room` columns.
pub fn typed_line(app: &App, frame: &mut Frame<'_>, sign: &str, typed: (&TypedLine, usize), area: Rect) {
    let (line, room) = typed;
    let before = line.before_cursor();
    let from = first_shown(&before, before.len(), room);
    let text = sanitize(&line.text()[from..]).into_owned();
    let line = Line::from(vec![Span::styled(sign.to_owned(), app.palette.key()), Span::raw(text)]);
    put(frame, [line], Rect { height: 1, ..area });
    let x = area.x + 2 + display_width(&sanitize(&before[from..])) as u16;
    frame.set_cursor_position(Position { x: x.min(area.right() - 1), y: area.y });
}

/// Returns the first byte to show so that the cursor is within `room` columns.
pub fn first_shown(query: &str, cursor: usize, room: usize) -> usize {
    let typed = query.get(..cursor).unwrap_or(query);
    let fits = |from: &usize| display_width(&sanitize(&typed[*from..])) <= room;
    if fits(&0) {
        return 0;
    }
    let starts: Vec<usize> = typed.char_indices().map(|(byte, _)| byte).collect();
    let hidden = starts.partition_point(|from| !fits(from));
    starts.get(hidden).copied().unwrap_or(typed.len())
}
