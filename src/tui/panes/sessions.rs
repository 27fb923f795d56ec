//! The tree of stores and sessions.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::Tell;
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
        None => (format!("▾ {}", short(store)), theme.strong()),
    };
    let (mark, mark_style) = match branch.worst {
        Some(severity) => (sign(severity), theme.severity(severity)),
        None => (" ", theme.dim()),
    };
    let room = width.saturating_sub(theme::width(&count) + 3);
    Line::from(vec![
        Span::styled(column(&theme::safe(app, &name), room), style),
        Span::styled(format!(" {count}"), theme.dim()),
        Span::styled(format!("{mark} "), mark_style),
    ])
}

/// A store at its default place is named after the project, with its format; another one
/// by the last two folders of its path.
fn short(store: &crate::model::Store) -> String {
    let root = &store.root;
    let place = crate::format::by_name(store.format).map(|format| std::path::Path::new(format.about().place));
    if let Some(place) = place.filter(|place| root.ends_with(place))
        && let Some(project) = root.ancestors().nth(place.iter().count()).and_then(std::path::Path::file_name)
    {
        return format!("{} {}", project.told(), store.format);
    }
    let parts: Vec<String> = root.iter().map(|part| part.told().into_owned()).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}
