//! Rows of the pane with filters.

use crate::tui::state::app::App;
use crate::tui::state::store_tree_row::term;

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
    /// True for the line that unfolds the rest.
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
