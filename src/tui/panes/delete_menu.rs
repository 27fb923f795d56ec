//! The menu to remove, restore or redact memories.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::tui::pane_titles::{sheet, sheet_area};
use crate::tui::state::app::App;
use crate::tui::state::pending_changes::{DeleteMenu, DeleteMenuItem};
use crate::tui::theme::{self, column, fit, put};

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
    put(frame, lines, inner);
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
    lines.into_iter().map(|line| Line::styled(line, app.palette.strong())).collect()
}

/// Returns a choice. If it is not possible, the whole reason follows, which says what is possible instead.
fn told(app: &App, choice: &DeleteMenuItem, width: usize) -> Vec<Line<'static>> {
    let room = width.saturating_sub(16);
    let Some(refused) = &choice.refused else {
        return vec![Line::from(vec![
            Span::styled(format!(" {}  ", choice.key), app.palette.key()),
            Span::styled(column(choice.name, 12), app.palette.strong()),
            Span::raw(fit(&theme::safe(app, &choice.about), room)),
        ])];
    };
    let head = format!(" {}  {}", choice.key, column(choice.name, 12));
    let lines = theme::hanging(&head, Style::new(), &theme::safe(app, refused), room);
    lines.into_iter().map(|line| line.style(app.palette.dim())).collect()
}
