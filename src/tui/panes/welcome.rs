//! First run: where the program looked, and what can be done.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use crate::model::Tell;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::pane::{margins, whole};
use crate::tui::theme::{self, Theme, wrap};

/// Draws it.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let theme = Theme::of(app);
    let inner =
        margins(whole(app, frame, "No memory store was found. These places were looked at:", "", area));
    let mut lines: Vec<Line<'static>> = Vec::new();
    let width = usize::from(inner.width).saturating_sub(2);
    for look in &app.looked {
        let why = look.found.as_ref().err().map_or("", String::as_str);
        let line = theme::safe(app, &format!("· {}   {why}", look.path.told()));
        lines.extend(wrap(&line, width).into_iter().map(Line::from));
        for (path, why) in look.alike.iter().filter(|(path, _)| *path != look.path) {
            let line = theme::safe(app, &format!("· {}   {why}", path.told()));
            lines.extend(wrap(&line, width).into_iter().map(Line::from));
        }
    }
    lines.push(Line::default());
    let keys = [
        (Action::Delete.key(), "open the demo: several hundred made-up memories in a temporary folder"),
        (Action::Help.key(), "every key"),
        (Action::Quit.key(), "quit; then `palimp FOLDER` opens a store that is elsewhere"),
    ];
    for (key, what) in keys {
        lines.push(Line::from(vec![
            ratatui::text::Span::styled(format!(" {key}  "), theme.key()),
            ratatui::text::Span::raw(what),
        ]));
    }
    lines.push(Line::default());
    let promise = match app.is_readonly() {
        true => "Read-only: none of your files is changed. Nothing leaves this machine.",
        false => {
            "Nothing is written until you change something, and what a change replaces is kept first. Nothing leaves this machine."
        }
    };
    lines.extend(wrap(promise, width).into_iter().map(Line::from));
    frame.render_widget(Paragraph::new(lines), inner);
}
