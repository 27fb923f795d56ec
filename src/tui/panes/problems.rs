//! Every problem of the stores.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::tui::app::App;
use crate::tui::border::framed;
use crate::tui::theme::{self, Theme, column, fit, sign};

/// Draws the list, and what the problem under the cursor means.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let [errors, warnings, notes] = app.problem_counts();
    let title = format!("Problems  {errors} errors, {warnings} warnings, {notes} notes");
    let inner = framed(app, frame, None, &title, "Enter opens its memory · only read, nothing changed", area);
    let places: Vec<(usize, usize)> =
        app.problems().skip(app.problem.top).take(usize::from(inner.height)).collect();
    if places.is_empty() {
        let text = if app.is_whole() { "No problems." } else { "reading …" };
        return frame.render_widget(Paragraph::new(text), inner);
    }
    let width = usize::from(inner.width);
    let row = |at: usize| {
        places.get(at - app.problem.top).map(|&place| line(app, place, width)).unwrap_or_default()
    };
    let len = app.problem.top + places.len();
    super::draw_lines(frame, &Theme::of(app), inner, app.problem, len, true, row);
}

fn line(app: &App, (store, index): (usize, usize), width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let problem = &app.snapshot.stores[store].problems[index];
    let file = theme::place(&problem.file, problem.line);
    let code = column(problem.code.as_str(), 19);
    let place = column(&theme::safe(app, &file), 34.min(width / 3));
    let room = width.saturating_sub(24 + 34.min(width / 3));
    Line::from(vec![
        Span::styled(format!("{} ", sign(problem.severity)), theme.severity(problem.severity)),
        Span::styled(code + " ", theme.strong()),
        Span::styled(place + " ", theme.dim()),
        Span::raw(fit(&theme::safe(app, &problem.message), room)),
    ])
}
