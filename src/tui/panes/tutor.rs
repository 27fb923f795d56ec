//! The tasks of the tutor, above the last row.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;

use crate::tui::state::app::App;
use crate::tui::state::tutor_progress::{ALL, TASKS};
use crate::tui::theme::{fit, put, wrap};

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    let width = usize::from(area.width).saturating_sub(4);
    let done = app.tutor.done.iter().filter(|done| **done).count();
    let head = match app.tutor.next() {
        Some(_) => format!(" Tutor  {done} of {}   :tutor hides it", TASKS.len()),
        None if area.height < ALL => " Tutor  all done   :tutor hides it".to_owned(),
        None => " Tutor  all done: these are the ways through palimp.   :tutor hides it".to_owned(),
    };
    let task = |(at, task): (usize, &&str)| {
        let (sign, style) = match (app.tutor.done[at], app.tutor.next() == Some(at)) {
            (true, _) => ("✓", app.palette.good()),
            (false, true) => ("→", app.palette.accent()),
            (false, false) => (" ", app.palette.dim()),
        };
        let text = if app.tutor.next() == Some(at) { app.palette.strong() } else { app.palette.dim() };
        Line::from(vec![Span::styled(format!(" {sign} "), style), Span::styled(fit(task, width), text)])
    };
    let next = || {
        let text = app.tutor.next().map_or("", |next| TASKS[next]);
        wrap(text, width).into_iter().map(|line| Line::styled(format!("   {line}"), app.palette.strong()))
    };
    let tasks: Vec<Line<'static>> = match area.height < ALL {
        true => next().collect(),
        false => TASKS.iter().enumerate().map(task).collect(),
    };
    frame.render_widget(Clear, area);
    put(frame, std::iter::once(Line::styled(head, app.palette.focus())).chain(tasks), area);
}
