//! The filters of a search, in the row below it; a click drops one. After them is the term that hides most.

use std::ops::Range;

use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::layout;
use super::theme::{self, Theme, fit, width};
use crate::tui::state::app::App;
use crate::tui::state::marks::ListScope;
use crate::tui::{filter_rows, search_suggestions};

/// On a smaller terminal the list gets this row.
const SMALLEST: (u16, u16) = (60, 16);
/// The maximum number of columns of a term.
const LONGEST: usize = 40;

/// A term of the search, and its place on the screen.
pub struct FilterChip {
    /// The bytes of the term in the search.
    pub span: Range<usize>,
    /// Safe text.
    text: String,
    column: u16,
}

/// Returns the filters that fit into the row.
pub fn visible_chips(app: &App) -> Vec<FilterChip> {
    if app.error.is_some() || app.size.0 < SMALLEST.0 || app.size.1 < SMALLEST.1 {
        return Vec::new();
    }
    let (mut chips, mut column) = (Vec::new(), 1);
    for span in app.parsed.terms() {
        let Some(term) = app.query.get(span.clone()).filter(|term| filters(term)) else { continue };
        let text = format!("[{} ×]", fit(&theme::safe(app, term), LONGEST));
        let next = column + width(&text) + 1;
        if next > usize::from(app.size.0) {
            break;
        }
        chips.push(FilterChip { span, text, column: column as u16 });
        column = next;
    }
    chips
}

/// True if a term is a filter or an exclusion. Plain words are visible in the search itself.
fn filters(term: &str) -> bool {
    term.starts_with('-') || !term.starts_with('"') && term.contains(':')
}

/// Draws the chips, then how many more memories there are without the term that hides most.
pub fn line(app: &App) -> Line<'static> {
    let theme = Theme::of(app);
    let mut spans = vec![Span::raw(" ")];
    for chip in visible_chips(app) {
        spans.extend([Span::styled(chip.text, theme.key()), Span::raw(" ")]);
    }
    let mut line = Line::from(spans);
    if let Some((term, count)) = hides_most(app) {
        let told = format!("    without {}  {count} more", fit(&theme::safe(app, term), LONGEST));
        let room = usize::from(app.size.0).saturating_sub(line.width());
        if width(&told) < room {
            line.push_span(Span::styled(told, theme.dim()));
        }
    }
    line
}

/// Returns the term that hides most, and how many. Returns `None` until the typed search is answered.
fn hides_most(app: &App) -> Option<(&str, usize)> {
    let (span, count) = app.results.blocker.as_ref()?;
    let is_known = filter_rows::is_settled(app) && app.marks.shown() == ListScope::Found;
    Some((app.query.get(span.clone()).filter(|_| is_known)?, *count))
}

/// Returns the term whose chip is at a place of the screen.
pub fn at(app: &App, at: Position) -> Option<Range<usize>> {
    if layout::has_dialog(app) && !search_suggestions::is_typed(app) {
        return None;
    }
    let area = layout::frame(app).query;
    let row = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    if !row.contains(at) || !search_suggestions::shows_chips(app) {
        return None;
    }
    let on = |chip: &FilterChip| (chip.column..chip.column + width(&chip.text) as u16).contains(&at.x);
    visible_chips(app).into_iter().find(on).map(|chip| chip.span)
}
