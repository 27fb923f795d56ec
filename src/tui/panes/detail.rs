//! The memory under the cursor.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Paragraph;

use crate::tui::app::{App, Pane, Tab};
use crate::tui::border::framed;
use crate::tui::theme;

/// Draws the memory, or its bytes, or what it is tied to.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    let title = match app.selected() {
        Some(at) => {
            let named = App::name_of(&app.listed, at);
            format!("5 {}  {}", app.shown_tab().title(), theme::safe(app, &named))
        }
        None => "5 Detail".into(),
    };
    let others: Vec<&str> =
        app.tabs().into_iter().filter(|tab| *tab != app.shown_tab()).map(Tab::title).collect();
    let foot = format!("}} {}", others.join(" · "));
    let inner = framed(app, frame, Some(Pane::Detail), &title, &foot, area);
    if app.shown_tab().is_list() && !app.ties.is_empty() {
        let row = |at: usize| app.detail.get(at).cloned().unwrap_or_default();
        let focused = app.focus == Pane::Detail;
        return super::draw_lines(
            frame,
            &theme::Theme::of(app),
            inner,
            app.tie,
            app.ties.len(),
            focused,
            row,
        );
    }
    let shown = app.detail.iter().skip(app.detail_top).take(usize::from(inner.height)).cloned();
    frame.render_widget(Paragraph::new(shown.collect::<Vec<_>>()), inner);
}
