//! The tasks of the tutor, above the last row.

use crate::tui::state::app::App;
use crate::tui::state::tutor_progress::{ALL, TASKS};
use crate::tui::theme::Theme;
use crate::tui::theme::fit;
use crate::tui::theme::wrap;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::text::Span;
use ratatui::widgets::Clear;
use ratatui::widgets::Paragraph;

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    let theme = Theme::of(app);
    let width = usize::from(area.width).saturating_sub(4);
    let done = app.tutor.done.iter().filter(|done| **done).count();
    let head = match app.tutor.next() {
        Some(_) => format!(" Tutor  {done} of {}   :tutor hides it", TASKS.len()),
        None if area.height < ALL => " Tutor  all done   :tutor hides it".to_owned(),
        None => " Tutor  all done: these are the ways through palimp.   :tutor hides it".to_owned(),
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
