//! The menu to remove, restore or redact memories.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::tui::pane_titles::{sheet, sheet_area};
use crate::tui::state::app::App;
use crate::tui::state::pending_changes::{DeleteMenu, DeleteMenuItem};
use crate::tui::theme::{self, Theme, column, fit};

/// Draws the menu over the foot of the panes, if it is open.
pub fn draw(app: &App, frame: &mut Frame<'_>, body: Rect) {
    let Some(menu) = &app.delete_menu else { return };
    let inner = usize::from(body.width.saturating_sub(1));
    let lines: Vec<Line<'static>> = menu.lines.iter().flat_map(|choice| told(app, choice, inner)).collect();
    let has_room = lines.len() < usize::from(sheet_area(app, lines.len()).height);
    let lines = if has_room { lines } else { shortly(app, menu, inner) };
    let hidden = match menu.aim.hidden.len() {
        0 => String::new(),
        count => format!(", {count} of them hidden by the filter"),
    };
    let title = format!("{} {}{hidden}", menu.verb, theme::safe(app, &menu.aim.name));
    let area = sheet_area(app, lines.len());
    let inner = sheet(app, frame, &title, "", area);
    frame.render_widget(Paragraph::new(lines), inner);
}

/// Returns only the names of the choices, for a low screen without a row for each.
fn shortly(app: &App, menu: &DeleteMenu, width: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<String> = Vec::new();
    for choice in &menu.lines {
        let name = format!(" {} {}", choice.key, choice.name);
        match lines.last_mut().filter(|line| theme::width(line) + theme::width(&name) <= width) {
            Some(line) => *line += &name,
            None => lines.push(name),
        }
    }
    lines.into_iter().map(|line| Line::styled(line, Theme::of(app).strong())).collect()
}

/// Returns a choice. If it is not possible, the whole reason follows, which says what is possible instead.
fn told(app: &App, choice: &DeleteMenuItem, width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    let room = width.saturating_sub(16);
    let Some(refused) = &choice.refused else {
        return vec![Line::from(vec![
            Span::styled(format!(" {}  ", choice.key), theme.key()),
            Span::styled(column(choice.name, 12), theme.strong()),
            Span::raw(fit(&theme::safe(app, &choice.about), room)),
        ])];
    };
    let lines = theme::wrap(&theme::safe(app, refused), room).into_iter().enumerate();
    let head = |at| match at {
        0 => format!(" {}  {}", choice.key, column(choice.name, 12)),
        _ => " ".repeat(16),
    };
    lines.map(|(at, line)| Line::styled(head(at) + &line, theme.dim())).collect()
}
