//! The menu of what takes a memory away, or brings it back.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::tui::app::App;
use crate::tui::border::framed;
use crate::tui::bulk::Choice;
use crate::tui::theme::{self, Theme, column, fit};

/// The widest that it gets.
const WIDTH: u16 = 76;

/// Draws it over the foot of the panes, where it is open.
pub fn draw(app: &App, frame: &mut Frame<'_>, body: Rect) {
    let Some(menu) = &app.menu else { return };
    let width = body.width.min(WIDTH);
    let height = body.height.min(menu.lines.len() as u16 + 2);
    let x = body.x + (body.width - width) / 2;
    let area = Rect { x, y: body.bottom() - height, width, height };
    let hidden = match menu.aim.hidden.len() {
        0 => String::new(),
        count => format!(", {count} of them hidden by the filter"),
    };
    let title = format!("Remove {}{hidden}", theme::safe(app, &menu.aim.name));
    let inner = framed(app, frame, None, &title, "Esc leaves it as it is", area);
    let lines: Vec<Line<'static>> =
        menu.lines.iter().map(|choice| line(app, choice, usize::from(inner.width))).collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn line(app: &App, choice: &Choice, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let about = choice.refused.as_deref().unwrap_or(&choice.about);
    let about = fit(&theme::safe(app, about), width.saturating_sub(16));
    match choice.refused {
        Some(_) => Line::styled(format!(" {}  {}{about}", choice.key, column(choice.name, 12)), theme.dim()),
        None => Line::from(vec![
            Span::styled(format!(" {}  ", choice.key), theme.key()),
            Span::styled(column(choice.name, 12), theme.strong()),
            Span::raw(about),
        ]),
    }
}
