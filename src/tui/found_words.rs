//! Sets off the words of the search in a text.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::query::highlights;
use crate::tui::state::app::App;
use crate::tui::theme::{Theme, wrap};

/// Splits safe text into spans, and highlights the words of the search.
pub fn set_off(app: &App, line: &str, style: Style) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut at = 0;
    if app.parsed.has_words() {
        for found in highlights(line, &app.parsed) {
            let (Some(before), Some(word)) = (line.get(at..found.start), line.get(found.clone())) else {
                continue;
            };
            spans.push(Span::styled(before.to_owned(), style));
            spans.push(Span::styled(word.to_owned(), style.patch(Theme::of(app).found())));
            at = found.end;
        }
    }
    spans.push(Span::styled(line.get(at..).unwrap_or_default().to_owned(), style));
    spans
}

/// Wraps safe text in several styles. Words of the search are highlighted also where a line or a style ends in them.
pub fn wrapped(app: &App, runs: &[(String, Style)], width: usize) -> Vec<Line<'static>> {
    let text: String = runs.iter().map(|(text, _)| text.as_str()).collect();
    let found = highlights(&text, &app.parsed);
    let mut end = 0;
    let ends = runs.iter().map(|(text, style)| {
        end += text.len();
        (end, *style)
    });
    let ends: Vec<(usize, Style)> = ends.collect();
    let mut from = 0;
    let line = |row: String| {
        let (mut line, next_row) = (Line::default(), from + row.len());
        let last = from + row.trim_end().len();
        while from < last {
            let (run_end, style) = ends[ends.partition_point(|(end, _)| *end <= from)];
            let next = found.get(found.partition_point(|range| range.end <= from));
            let (style, change) = match next {
                Some(range) if range.start <= from => (style.patch(Theme::of(app).found()), range.end),
                next => (style, next.map_or(last, |range| range.start)),
            };
            let to = change.min(run_end).min(last);
            line.push_span(Span::styled(text.get(from..to).unwrap_or_default().to_owned(), style));
            from = to;
        }
        from = next_row;
        line
    };
    wrap(&text, width).into_iter().map(line).collect()
}
