//! The border of a pane.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear};

use super::app::{App, Pane};
use super::layout;
use super::theme::{self, Theme};

/// A pane's border, drawn, and the area within it.
pub fn framed(
    app: &App,
    frame: &mut Frame<'_>,
    pane: Option<Pane>,
    title: &str,
    foot: &str,
    area: Rect,
) -> Rect {
    // A low pane is its content alone: it lies under nothing, and nothing lies beside it.
    if pane.is_some() && !layout::has_borders(area) {
        frame.render_widget(Clear, area);
        return area;
    }
    let focused = pane.is_none_or(|pane| pane == app.focus && app.prompt.is_none());
    let style = if focused { Theme::of(app).focus() } else { Style::new() };
    bordered(frame, style, focused, title, foot, area)
}

/// A border of what has no keys, drawn, and the area within it.
pub fn plain(frame: &mut Frame<'_>, title: &str, foot: &str, area: Rect) -> Rect {
    bordered(frame, Style::new(), false, title, foot, area)
}

fn bordered(frame: &mut Frame<'_>, style: Style, focused: bool, title: &str, foot: &str, area: Rect) -> Rect {
    let kind = if focused { BorderType::Thick } else { BorderType::Plain };
    let width = usize::from(area.width.saturating_sub(4));
    let mut block = Block::bordered().border_type(kind).border_style(style);
    block = block.title(format!(" {} ", theme::fit(title, width)));
    if !foot.is_empty() {
        block = block.title_bottom(Line::from(format!(" {} ", theme::fit(foot, width))).right_aligned());
    }
    let inner = block.inner(area);
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    inner
}
