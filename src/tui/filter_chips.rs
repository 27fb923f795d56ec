//! The filters of a search. In the row below it a click drops one, and after them is the term that hides most. In their
//! pane they are rows.

use std::ops::Range;

use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::tui::state::app::{App, term};
use crate::tui::state::marks::ListScope;
use crate::tui::theme::{self, fit, width};
use crate::tui::{layout, search_completion};

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
        // A filter or an exclusion. Plain words are visible in the search itself.
        let filters = |term: &&str| term.starts_with('-') || !term.starts_with('"') && term.contains(':');
        let Some(term) = app.query.get(span.clone()).filter(filters) else { continue };
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

/// Draws the chips, then how many more memories there are without the term that hides most.
pub fn line(app: &App) -> Line<'static> {
    let mut spans = vec![Span::raw(" ")];
    for chip in visible_chips(app) {
        spans.extend([Span::styled(chip.text, app.palette.key()), Span::raw(" ")]);
    }
    let mut line = Line::from(spans);
    // The term that hides most is known once the typed search is answered.
    let is_known = is_settled(app) && app.marks.shown() == ListScope::Found;
    let blocker = app.results.blocker.as_ref().filter(|_| is_known);
    if let Some((term, count)) = blocker.and_then(|(span, count)| Some((app.query.get(span.clone())?, count)))
    {
        let told = format!("    without {}  {count} more", fit(&theme::safe(app, term), LONGEST));
        let room = usize::from(app.size.0).saturating_sub(line.width());
        if width(&told) < room {
            line.push_span(Span::styled(told, app.palette.dim()));
        }
    }
    line
}

pub fn at(app: &App, at: Position) -> Option<Range<usize>> {
    if layout::has_dialog(app) && !search_completion::is_typed(app) {
        return None;
    }
    let area = layout::frame(app).query;
    let row = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    if !row.contains(at) || !search_completion::shows_chips(app) {
        return None;
    }
    let on = |chip: &FilterChip| (chip.column..chip.column + width(&chip.text) as u16).contains(&at.x);
    visible_chips(app).into_iter().find(on).map(|chip| chip.span)
}

/// A line of the filters: a heading, a term with its count, or the line that unfolds the rest.
#[derive(Default)]
pub struct FilterRow {
    pub term: Option<String>,
    /// The text on screen. Untrusted text.
    pub text: String,
    pub count: usize,
    pub on: bool,
    /// True for a type, which has a letter.
    pub is_type: bool,
    pub unfolds: bool,
}

impl FilterRow {
    pub fn is_heading(&self) -> bool {
        self.term.is_none() && !self.unfolds
    }
}

/// The number of values that are shown while folded: for types, and for every other field.
const FOLDED_VALUES: [usize; 2] = [5, 2];

/// Returns the lines of the filters. A field with one value is left out, unless it is the type or in use.
pub fn facet_lines(app: &App) -> Vec<FilterRow> {
    let asked: Vec<&str> = app.parsed.terms().filter_map(|span| app.query.get(span)).collect();
    let facets = &app.facets;
    let words = ["high", "medium", "low"].iter().zip(facets.importance);
    let importance: Vec<(String, usize)> =
        words.filter(|(_, count)| *count > 0).map(|(word, count)| ((*word).to_owned(), count)).collect();
    let fields = facets.fields.iter().map(|(name, values)| (*name, values));
    let mut lines = Vec::new();
    let first = [("type", &facets.types), ("tag", &facets.tags), ("importance", &importance)];
    for (name, values) in first.into_iter().chain(fields) {
        let on = |value: &str| asked.contains(&term(name, value).as_str());
        if values.is_empty() || name != "type" && values.len() < 2 && !values.iter().any(|(own, _)| on(own)) {
            continue;
        }
        let is_type = name == "type";
        let few = if app.unfolded.all_filters { usize::MAX } else { FOLDED_VALUES[usize::from(!is_type)] };
        lines.push(FilterRow { text: name.into(), ..FilterRow::default() });
        for (at, (value, count)) in values.iter().enumerate() {
            if at < few || on(value) {
                let (term, on) = (Some(term(name, value)), on(value));
                lines.push(FilterRow {
                    term,
                    text: value.clone(),
                    count: *count,
                    on,
                    is_type,
                    unfolds: false,
                });
            }
        }
        let left = values.len().saturating_sub(few);
        if left > 0 {
            let text = format!(" … {left} more");
            lines.push(FilterRow { text, unfolds: true, ..FilterRow::default() });
        }
    }
    lines
}

/// True if the results are those of the typed search.
pub fn is_settled(app: &App) -> bool {
    app.error.is_none() && app.answered_query.as_ref().is_some_and(|(query, ..)| *query == app.query)
}
