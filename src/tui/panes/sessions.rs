//! The tree of stores and sessions.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::tui::app::{App, Branch, Pane};
use crate::tui::border::framed;
use crate::tui::theme::{self, Theme, column, sign};

/// Draws the tree.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let foot = match app.snapshot.stores.len() {
        1 => "1 store".to_owned(),
        several => format!("{several} stores"),
    };
    let inner = framed(app, frame, Some(Pane::Sessions), "1 Stores & sessions", &foot, area);
    let width = usize::from(inner.width);
    let has_keys = app.focus == Pane::Sessions;
    let row = |at: usize| app.tree.get(at).map(|branch| line(app, branch, width)).unwrap_or_default();
    super::draw_lines(frame, &Theme::of(app), inner, app.branch, app.tree.len(), has_keys, row);
}

fn line(app: &App, branch: &Branch, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let Some(store) = app.snapshot.stores.get(branch.store) else { return Line::default() };
    let count = match branch.count {
        Some(count) => count.to_string(),
        None => "…".into(),
    };
    let (name, style) = match &branch.name {
        Some(name) => (format!("  {name}"), ratatui::style::Style::new()),
        None => (format!("▾ {}", short(&store.root)), theme.strong()),
    };
    let (mark, mark_style) = match branch.worst {
        Some(severity) => (sign(severity), theme.severity(severity)),
        None => (" ", theme.dim()),
    };
    let room = width.saturating_sub(count.width() + 3);
    Line::from(vec![
        Span::styled(column(&theme::safe(app, &name), room), style),
        Span::styled(format!(" {count}"), theme.dim()),
        Span::styled(format!("{mark} "), mark_style),
    ])
}

/// The last two folders of a path: enough to tell stores apart in a narrow pane.
fn short(root: &std::path::Path) -> String {
    let parts: Vec<String> = root.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}
