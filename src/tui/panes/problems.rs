//! Every problem of the stores, and the one under the cursor in full.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::check::groups::tally;
use crate::model::{Severity, Tell};
use crate::tui::app::App;
use crate::tui::layout;
use crate::tui::pane::{Title, margins, part, whole};
use crate::tui::problem_list::{self, Row};
use crate::tui::theme::{self, Theme, column, fit, sign, wrap};

/// So many bytes of a line are shown.
const SHOWN: usize = 2_000;

/// Draws the list, and what the problem under the cursor means.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let (list, about) = layout::problems(app);
    let [errors, warnings, notes] = app.problem_counts();
    let title = format!("Problems  {}", tally(errors, warnings, notes));
    let place = match app.problem_list.len() {
        0 => String::new(),
        len => format!("{} of {len}", app.problem.at + 1),
    };
    let inner = whole(app, frame, &title, &place, list);
    if app.problem_list.is_empty() {
        let text = if app.is_whole() { "No problems." } else { "reading …" };
        return frame.render_widget(Paragraph::new(text), margins(inner));
    }
    let width = usize::from(inner.width.saturating_sub(2));
    let rows = problem_list::rows(app);
    let cursor = super::Cursor { at: layout::problem_row(app, &rows), ..app.problem };
    let row = |at: usize| rows.get(at).map(|row| line(app, *row, width)).unwrap_or_default();
    super::draw_lines(frame, &Theme::of(app), inner, cursor, rows.len(), true, row);
    if about.height > 1 {
        selected(app, frame, about);
    }
}

/// The problem under the cursor in full: where it is, what it means, what was found, the line itself.
fn selected(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let Some((store, problem)) = problem_list::selected(app) else { return };
    let theme = Theme::of(app);
    let line = problem.line.filter(|line| *line > 0).map_or(String::new(), |line| format!(" · line {line}"));
    let text = format!("{} · {}{line}", app.store_name(store), problem.file.told());
    let title = Title { text: &theme::safe(app, &text), right: "", has_keys: false, rule: area.x == 0 };
    let inner = margins(part(app, frame, &title, area));
    let width = usize::from(inner.width);
    let says = |text: &str, style: Style| {
        wrap(&theme::safe(app, text), width).into_iter().map(move |line| Line::styled(line, style))
    };
    let mut lines: Vec<Line<'static>> = says(problem.code.meaning(), Style::new()).collect();
    lines.extend(says(&problem.message, theme.severity(problem.severity)));
    if let Some(at) = problem_list::entry(&app.snapshot, store, problem) {
        let (own, entry) = app.snapshot.get(at);
        let bytes = own.read(entry).unwrap_or_default();
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
        lines.push(Line::default());
        lines.extend(says(&format!("{} bytes:", bytes.len()), theme.dim()));
        lines.extend(says(start.trim_end(), Style::new()));
    }
    lines.push(Line::default());
    lines.extend(says(problem.code.as_str(), theme.dim()));
    frame.render_widget(Paragraph::new(lines), inner);
}

fn line(app: &App, row: Row, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    match row {
        Row::Severity(severity, count) => {
            let name = match severity {
                Severity::Error => "errors",
                Severity::Warning => "warnings",
                Severity::Note => "notes",
            };
            let room = width.saturating_sub(count.to_string().len());
            let head = column(&format!("{} {name}", sign(severity)), room);
            Line::from(vec![
                Span::styled(head, theme.severity(severity)),
                Span::styled(count.to_string(), theme.dim()),
            ])
        }
        Row::File(number) => {
            let Some(&(store, at)) = app.problem_list.get(number) else { return Line::default() };
            let file = app.snapshot.stores[store].problems[at].file.told().into_owned();
            let name = theme::safe(app, &format!("  {}  ", app.store_name(store)));
            let room = width.saturating_sub(theme::width(&name));
            Line::styled(name + &fit(&theme::safe(app, &file), room), theme.dim())
        }
        Row::Problem(number) => {
            let Some(&(store, at)) = app.problem_list.get(number) else { return Line::default() };
            let problem = &app.snapshot.stores[store].problems[at];
            let place = problem.line.filter(|line| *line > 0).map_or(String::new(), |line| line.to_string());
            let message = theme::safe(app, &problem.message);
            Line::from(vec![
                Span::styled(format!("  {} ", sign(problem.severity)), theme.severity(problem.severity)),
                Span::styled(format!("{place:>4} "), theme.dim()),
                Span::raw(fit(&message, width.saturating_sub(9))),
            ])
        }
    }
}
