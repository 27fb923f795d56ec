//! The tasks of the tutor, above the last row.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use crate::tui::app::App;
use crate::tui::theme::{Theme, fit, wrap};
use crate::tui::update::tutor::TASKS;

/// The title and all tasks.
const ALL: u16 = TASKS.len() as u16 + 1;
/// The title and the next task.
const NEXT: u16 = 4;

/// Returns the number of rows of the tutor. The panes must have at least as many, or twice as many for all.
pub fn rows(height: u16) -> u16 {
    match height {
        _ if height >= 3 * ALL => ALL,
        _ if height >= 2 * NEXT => NEXT,
        _ => 0,
    }
}

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    let theme = Theme::of(app);
    let width = usize::from(area.width).saturating_sub(4);
    let done = app.tutor.done.iter().filter(|done| **done).count();
    let head = match app.tutor.next() {
        Some(_) => format!(" Tutor  {done} of {}   g t hides it", TASKS.len()),
        None if area.height < ALL => " Tutor  all done   g t hides it".to_owned(),
        None => " Tutor  all done: these are the ways through palimp.   g t hides it".to_owned(),
    };
    let task = |(at, task): (usize, &&str)| {
        let (sign, style) = match (app.tutor.done[at], app.tutor.next() == Some(at)) {
            (true, _) => ("✓", theme.good()),
            (false, true) => ("→", theme.accent()),
            (false, false) => (" ", theme.dim()),
        };
        let text = if app.tutor.next() == Some(at) { theme.strong() } else { theme.dim() };
        Line::from(vec![Span::styled(format!(" {sign} "), style), Span::styled(fit(task, width), text)])
    };
    let next = || {
        let text = app.tutor.next().map_or("", |next| TASKS[next]);
        wrap(text, width).into_iter().map(|line| Line::styled(format!("   {line}"), theme.strong()))
    };
    let tasks: Vec<Line<'static>> = match area.height < ALL {
        true => next().collect(),
        false => TASKS.iter().enumerate().map(task).collect(),
    };
    let lines: Vec<Line<'static>> = std::iter::once(Line::styled(head, theme.focus())).chain(tasks).collect();
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines), area);
}
