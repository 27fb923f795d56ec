//! Every problem of the stores.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::check::groups::tally;
use crate::tui::app::App;
use crate::tui::border::framed;
use crate::tui::layout;
use crate::tui::theme::{self, Theme, column, fit, sign, wrap};

/// Draws the list, and what the problem under the cursor means.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let [errors, warnings, notes] = app.problem_counts();
    let title = format!("Problems  {}", tally(errors, warnings, notes));
    let inner = framed(app, frame, None, &title, "Enter opens its memory", area);
    let rows = layout::problem_rows(app);
    let places: Vec<(usize, usize)> = app.problems().skip(app.problem.top).take(rows).collect();
    if places.is_empty() {
        let text = if app.is_whole() { "No problems." } else { "reading …" };
        return frame.render_widget(Paragraph::new(text), inner);
    }
    let width = usize::from(inner.width);
    let row = |at: usize| {
        places.get(at - app.problem.top).map(|&place| line(app, place, width)).unwrap_or_default()
    };
    let len = app.problem.top + places.len();
    let list = Rect { height: rows as u16, ..inner };
    super::draw_lines(frame, &Theme::of(app), list, app.problem, len, true, row);
    let about = Rect { y: inner.y + list.height, height: inner.height - list.height, ..inner };
    frame.render_widget(Paragraph::new(selected(app, width)), about);
}

/// The problem under the cursor in full: what its code means, where, what was found.
fn selected(app: &App, width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    let Some((store, index)) = app.problems().nth(app.problem.at) else { return Vec::new() };
    let problem = &app.snapshot.stores[store].problems[index];
    let file = theme::place(&problem.file, problem.line);
    let meaning = wrap(&format!("{}: {}", problem.code.as_str(), problem.code.meaning()), width);
    let found = wrap(&theme::safe(app, &format!("{file}  {}", problem.message)), width);
    let rule = Line::styled("─".repeat(width), theme.dim());
    let meaning = meaning.into_iter().map(Line::from);
    std::iter::once(rule).chain(meaning).chain(found.into_iter().map(Line::from)).collect()
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
