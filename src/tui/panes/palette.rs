//! Every action, to find by name and to run: the palette and the help.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::text::show::{columns, show};
use crate::tui::app::App;
use crate::tui::border::framed;
use crate::tui::prompt::Purpose;
use crate::tui::theme::{Theme, column, fit};

/// The widest that it gets.
const WIDTH: u16 = 90;

/// Draws it over the panes.
pub fn draw(app: &App, frame: &mut Frame<'_>, body: Rect) {
    let Some(prompt) = &app.prompt else { return };
    let width = body.width.min(WIDTH);
    let area = Rect { x: body.x + (body.width - width) / 2, width, ..body };
    let title = if prompt.purpose == Purpose::Help { "Help: every key" } else { "Command" };
    let inner = framed(app, frame, None, title, "type to find · Enter runs · Esc closes", area);
    if inner.height < 2 {
        return;
    }
    let theme = Theme::of(app);
    let typed = show(&prompt.text()).into_owned();
    let line = Line::from(vec![Span::styled(":", theme.key()), Span::raw(typed.clone())]);
    frame.render_widget(Paragraph::new(line), Rect { height: 1, ..inner });
    let before: String = prompt.text().chars().take(prompt.column()).collect();
    let x = inner.x + (1 + columns(&show(&before)) as u16).min(inner.width - 1);
    frame.set_cursor_position(Position { x, y: inner.y });
    let actions = prompt.actions();
    let list = Rect { y: inner.y + 1, height: inner.height - 1, ..inner };
    let row = |at: usize| {
        let Some(known) = actions.get(at) else { return Line::default() };
        Line::from(vec![
            Span::styled(column(&known.keys.join("  "), 14) + " ", theme.key()),
            Span::styled(column(known.name, 18) + " ", theme.strong()),
            Span::raw(fit(known.about, usize::from(list.width).saturating_sub(34))),
        ])
    };
    super::draw_lines(frame, &theme, list, prompt.choice, actions.len(), true, row);
}
