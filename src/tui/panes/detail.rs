//! The memory under the cursor.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::model::EntryRef;
use crate::tui::pane_titles::{margins, pane};
use crate::tui::state::app::{App, Pane, Tab};
use crate::tui::theme::{self, put};

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    let tab = app.shown_tab();
    let title = match (app.is_reading(), tab) {
        (true, _) => format!("{} {} of {}", tab.title(), app.list_cursor.at + 1, app.results.hits.len()),
        (false, Tab::Read) => "5 Detail".to_owned(),
        (false, _) => format!("5 {}", tab.title()),
    };
    let what = app.selected().map(|at| what(app, at, area)).unwrap_or_default();
    let inner = pane(app, frame, Pane::Detail, &title, &theme::safe(app, &what), area);
    if tab.is_list() && !app.ties.is_empty() {
        let row = |at: usize| app.detail.get(at).cloned().unwrap_or_default();
        let focused = app.focus == Pane::Detail;
        return super::draw_lines(app, frame, inner, app.tie_cursor, app.ties.len(), focused, row);
    }
    let shown = app.detail.iter().skip(app.detail_top).take(usize::from(inner.height)).cloned();
    put(frame, shown, margins(inner));
}

/// Returns its type and store, and with more room its session and age, or its id. Untrusted text.
fn what(app: &App, at: EntryRef, area: Rect) -> String {
    let (store, entry) = app.listed_snapshot.get(at);
    let memory = store.memory(entry);
    let kind = memory.map_or("broken", |memory| memory.kind()).to_owned();
    let mut parts = vec![kind, app.store_name(at.store as usize).to_owned()];
    if area.width >= 60 {
        parts.extend(store.session(entry).map(|session| session.name.clone()));
        parts.extend(store.time_of(entry).map(|time| time.ago_at(app.now)));
    } else if area.width >= 44 {
        parts.extend(memory.and_then(|memory| memory.id()).map(str::to_owned));
    }
    parts.join(" · ")
}
