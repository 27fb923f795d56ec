//! Sets off the words of the search in a text.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::query::highlights;
use crate::tui::state::app::App;
use crate::tui::theme::wrap;

/// Splits safe text into spans, and highlights the words of the search.
pub fn set_off(app: &App, line: &str, style: Style) -> Vec<Span<'static>> {
    let found = if app.parsed.has_words() { highlights(line, &app.parsed) } else { Vec::new() };
    in_ranges(app, line, &found, style)
}

pub fn in_ranges(app: &App, text: &str, ranges: &[Range<usize>], style: Style) -> Vec<Span<'static>> {
    let (mut spans, mut done) = (Vec::new(), 0);
    let span = |part: Range<usize>, style| Span::styled(text.get(part).unwrap_or_default().to_owned(), style);
    for range in ranges {
        let start = range.start.clamp(done, text.len());
        let end = range.end.clamp(start, text.len());
        spans.extend([span(done..start, style), span(start..end, style.patch(app.palette.found()))]);
        done = end;
    }
    spans.push(span(done..text.len(), style));
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
                Some(range) if range.start <= from => (style.patch(app.palette.found()), range.end),
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
