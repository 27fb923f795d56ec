//! Title rows of panes and sheets. Panes have no frames: a `│` separates columns, and a `─` rule separates
//! panes above one another.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use super::layout;
use super::theme::{self, Theme};
use crate::tui::state::app::{App, Pane};

/// The title of a part of the screen, with a text at its right end.
pub struct PaneTitle<'a> {
    pub text: &'a str,
    pub right: &'a str,
    pub has_keys: bool,
    /// True if a rule separates the part from the part above.
    pub rule: bool,
}

/// Draws the title of a pane. Returns the area below it.
pub fn pane(app: &App, frame: &mut Frame<'_>, pane: Pane, text: &str, right: &str, area: Rect) -> Rect {
    let has_keys = pane == app.focus && !layout::has_dialog(app);
    let rule = matches!(pane, Pane::Detail | Pane::Why) && area.y > layout::frame(app).body.y;
    if !layout::has_title(area) {
        frame.render_widget(Clear, area);
        return area;
    }
    part(app, frame, &PaneTitle { text, right, has_keys, rule }, area)
}

/// Draws the title of a view that fills the screen. Returns the area below it.
pub fn whole(app: &App, frame: &mut Frame<'_>, text: &str, right: &str, area: Rect) -> Rect {
    part(app, frame, &PaneTitle { text, right, has_keys: !layout::has_dialog(app), rule: false }, area)
}

/// Draws the title of a part of a view. Returns the area below it.
pub fn part(app: &App, frame: &mut Frame<'_>, title: &PaneTitle<'_>, area: Rect) -> Rect {
    let theme = Theme::of(app);
    frame.render_widget(Clear, area);
    if area.x > 0 && area.height > 0 {
        let line = vec![Line::styled("│", theme.dim()); usize::from(area.height)];
        frame.render_widget(Paragraph::new(line), Rect { x: area.x - 1, width: 1, ..area });
    }
    let style = if title.has_keys { theme.focus() } else { Style::new() };
    let lead = match (title.has_keys, title.rule) {
        (true, _) => Span::styled("▌", theme.accent()),
        (false, true) => Span::styled("─ ", theme.dim()),
        (false, false) => Span::raw(" "),
    };
    let line = title_line(&theme, lead, title, style, usize::from(area.width));
    below(frame, line, area)
}

/// Returns the title row: the text, and as much of the right text as fits.
fn title_line(
    theme: &Theme,
    lead: Span<'static>,
    title: &PaneTitle<'_>,
    style: Style,
    width: usize,
) -> Line<'static> {
    let lead_width = theme::width(&lead.content);
    let room = width.saturating_sub(lead_width);
    let text = theme::fit(title.text, room);
    let left = room.saturating_sub(theme::width(&text));
    let right = if left > 3 { theme::fit(title.right, left - 2) } else { String::new() };
    let filler = left.saturating_sub(theme::width(&right));
    let (fill, right) = match (title.rule, right.is_empty()) {
        (true, true) => (format!(" {}", "─".repeat(filler.saturating_sub(1))), String::new()),
        (true, false) => (format!(" {} ", "─".repeat(filler.saturating_sub(4).max(1))), format!("{right} ─")),
        (false, true) => (String::new(), String::new()),
        (false, false) => (" ".repeat(filler.saturating_sub(1)), right),
    };
    Line::from(vec![
        lead,
        Span::styled(text, style),
        Span::styled(fill, theme.dim()),
        Span::styled(right, theme.dim()),
    ])
}

fn below(frame: &mut Frame<'_>, title: Line<'static>, area: Rect) -> Rect {
    if area.height == 0 {
        return area;
    }
    frame.render_widget(Paragraph::new(title), Rect { height: 1, ..area });
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}

/// Draws the title of a sheet, which asks or explains at the foot of the screen. Returns the area below it.
pub fn sheet(app: &App, frame: &mut Frame<'_>, text: &str, right: &str, area: Rect) -> Rect {
    let theme = Theme::of(app);
    frame.render_widget(Clear, area);
    let title = PaneTitle { text, right, has_keys: true, rule: false };
    let mut line = title_line(&theme, Span::raw("▌"), &title, theme.strong(), usize::from(area.width));
    let used: usize = line.spans.iter().map(|span| theme::width(&span.content)).sum();
    line.push_span(Span::raw(" ".repeat(usize::from(area.width).saturating_sub(used))));
    below(frame, line.patch_style(theme.title_of_sheet()), area)
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
