//! Sets off the words of the search in a line.

use ratatui::style::Style;
use ratatui::text::Span;

use crate::query::highlights;
use crate::tui::state::app::App;
use crate::tui::theme::Theme;

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
