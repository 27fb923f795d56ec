//! The stores, and the sessions of the unfolded ones.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::tui::pane_titles::pane;
use crate::tui::state::app::{App, Pane, StoreTreeRow};
use crate::tui::theme::{self, column, sign};
use crate::tui::update::distinct_titles;

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let inner = pane(app, frame, Pane::Sessions, "1 Stores", "", area);
    let width = usize::from(inner.width).saturating_sub(1);
    let has_keys = app.focus == Pane::Sessions;
    let row = |at: usize| app.tree.get(at).map(|branch| line(app, branch, width)).unwrap_or_default();
    super::draw_lines(app, frame, inner, app.tree_cursor, app.tree.len(), has_keys, row);
}

fn line(app: &App, branch: &StoreTreeRow, width: usize) -> Line<'static> {
    let count = match branch.count {
        Some(count) => count.to_string(),
        None => "…".into(),
    };
    let (mark, mark_style) = match branch.worst {
        Some((severity, 0)) => (format!(" {}", sign(severity)), app.palette.severity(severity)),
        Some((severity, count)) => (format!(" {}{count}", sign(severity)), app.palette.severity(severity)),
        None => (String::new(), app.palette.dim()),
    };
    let room = width.saturating_sub(theme::width(&count) + theme::width(&mark) + 2);
    let name = match (branch.store, &branch.name) {
        (None, _) => "▾ all stores".to_owned(),
        (Some(_), Some(name)) => format!("    {name}"),
        (Some(store), None) => {
            let fold = if app.is_unfolded(store) { "▾" } else { "▸" };
            let names = distinct_titles::store_names(app, room.saturating_sub(2));
            format!("{fold} {}", names.get(store).map_or("", String::as_str))
        }
    };
    Line::from(vec![
        Span::styled(column(&theme::safe(app, &name), room), Style::new()),
        Span::styled(format!(" {count}"), app.palette.dim()),
        Span::styled(mark, mark_style),
    ])
}
