//! Title rows of panes and sheets. Panes have no frames: a `│` separates columns, and a `─` rule separates
//! panes above one another.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;

use super::layout;
use super::theme::{self, put};
use crate::tui::state::app::{App, Pane};

/// Draws the title of a pane. Returns the area below it.
pub fn pane(app: &App, frame: &mut Frame<'_>, pane: Pane, text: &str, right: &str, area: Rect) -> Rect {
    let rule = matches!(pane, Pane::Detail | Pane::Why) && area.y > layout::frame(app).body.y;
    if !layout::has_title(area) {
        frame.render_widget(Clear, area);
        return area;
    }
    part(app, frame, [text, right], pane == app.focus, rule, area)
}

/// Draws the title of a view that fills the screen. Returns the area below it.
pub fn whole(app: &App, frame: &mut Frame<'_>, text: &str, right: &str, area: Rect) -> Rect {
    part(app, frame, [text, right], true, false, area)
}

/// Draws the title of a part of a view, and a text at its right end. A dialog takes its keys. With `rule`, a line
/// separates it from the part above. Returns the area below it.
pub fn part(
    app: &App,
    frame: &mut Frame<'_>,
    texts: [&str; 2],
    has_keys: bool,
    rule: bool,
    area: Rect,
) -> Rect {
    frame.render_widget(Clear, area);
    let texts = texts.map(|text| theme::safe(app, text));
    let has_keys = has_keys && !layout::has_dialog(app);
    if area.x > 0 && area.height > 0 {
        let line = vec![Line::styled("│", app.palette.dim()); usize::from(area.height)];
        put(frame, line, Rect { x: area.x - 1, width: 1, ..area });
    }
    let style = if has_keys { app.palette.focus() } else { Style::new() };
    let lead = match (has_keys, rule) {
        (true, _) => Span::styled("▌", app.palette.accent()),
        (false, true) => Span::styled("─ ", app.palette.dim()),
        (false, false) => Span::raw(" "),
    };
    let line =
        title_line(app, lead, texts.each_ref().map(String::as_str), rule, style, usize::from(area.width));
    below(frame, line, area)
}

fn title_line(
    app: &App,
    lead: Span<'static>,
    [text, right]: [&str; 2],
    rule: bool,
    style: Style,
    width: usize,
) -> Line<'static> {
    let lead_width = theme::width(&lead.content);
    let room = width.saturating_sub(lead_width);
    let text = theme::fit(text, room);
    let left = room.saturating_sub(theme::width(&text));
    let right = if left > 3 { theme::fit(right, left - 2) } else { String::new() };
    let filler = left.saturating_sub(theme::width(&right));
    let (fill, right) = match (rule, right.is_empty()) {
        (true, true) => (format!(" {}", "─".repeat(filler.saturating_sub(1))), String::new()),
        (true, false) => (format!(" {} ", "─".repeat(filler.saturating_sub(4).max(1))), format!("{right} ─")),
        (false, true) => (String::new(), String::new()),
        (false, false) => (" ".repeat(filler.saturating_sub(1)), right),
    };
    Line::from(vec![
        lead,
        Span::styled(text, style),
        Span::styled(fill, app.palette.dim()),
        Span::styled(right, app.palette.dim()),
    ])
}

fn below(frame: &mut Frame<'_>, title: Line<'static>, area: Rect) -> Rect {
    if area.height == 0 {
        return area;
    }
    put(frame, [title], Rect { height: 1, ..area });
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}

/// Draws the title of a sheet, which asks or explains at the foot of the screen. Returns the area below it.
pub fn sheet(app: &App, frame: &mut Frame<'_>, text: &str, right: &str, area: Rect) -> Rect {
    frame.render_widget(Clear, area);
    let (lead, style, width) = (Span::raw("▌"), app.palette.strong(), usize::from(area.width));
    let mut line = title_line(app, lead, [text, right], false, style, width);
    let used: usize = line.spans.iter().map(|span| theme::width(&span.content)).sum();
    line.push_span(Span::raw(" ".repeat(usize::from(area.width).saturating_sub(used))));
    below(
        frame,
        line.patch_style(Style::new().add_modifier(Modifier::REVERSED).remove_modifier(Modifier::DIM)),
        area,
    )
}

/// Returns the area of a sheet with `rows` rows below its title. It leaves four rows of the view behind it.
pub fn sheet_area(app: &App, rows: usize) -> Rect {
    let body = layout::frame(app).body;
    let most = body.height.saturating_sub(4).max(body.height.min(4));
    let height = u16::try_from(rows + 1).unwrap_or(u16::MAX).min(most);
    Rect { y: body.bottom() - height, height, ..body }
}

/// Returns the inside of a pane of text, with a free column on each side.
pub fn margins(area: Rect) -> Rect {
    Rect { x: area.x + area.width.min(1), width: area.width.saturating_sub(2), ..area }
}
