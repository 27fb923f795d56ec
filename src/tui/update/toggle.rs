//! The action `toggle`: marks a memory, or adds a filter to the search and removes it.

use crate::tui::filter_rows::facet_lines;
use crate::tui::state::app::{App, Pane, Screen, branch_term};
use crate::tui::update::marks;
use crate::tui::update::search_query::set_query;

/// Marks the memory under the cursor, or filters by the line under it.
pub fn toggle(app: &mut App) {
    match app.screen == Screen::Memories && app.focus == Pane::Memories {
        true => marks::toggle(app),
        false => toggle_line(app),
    }
}

/// Adds a term to the query, or removes it if the query has it.
pub fn toggle_term(app: &mut App, term: &str) {
    let terms: Vec<&str> = app.parsed.terms().filter_map(|span| app.query.get(span)).collect();
    let without: Vec<&str> = terms.iter().copied().filter(|own| *own != term).collect();
    let query = if without.len() < terms.len() {
        without.join(" ")
    } else {
        format!("{} {term}", app.query.trim()).trim().to_owned()
    };
    set_query(app, query)
}

/// Adds or removes the filter of the line under the cursor, in the stores or in the filters.
pub fn toggle_line(app: &mut App) {
    let term = match app.focus {
        Pane::Sessions => {
            app.tree.get(app.tree_cursor.at).cloned().and_then(|branch| branch_term(app, &branch))
        }
        Pane::Filters => {
            let Some(line) = facet_lines(app).into_iter().nth(app.filter_cursor.at) else { return };
            app.unfolded.all_filters |= line.unfolds;
            line.term
        }
        _ => None,
    };
    match term {
        Some(term) if app.screen == Screen::Memories => toggle_term(app, &term),
        _ => {}
    }
}

/// Filters by the store or session under the cursor, unless the search does so already.
pub fn keep_branch(app: &mut App) {
    let branch = app.tree.get(app.tree_cursor.at).cloned();
    let Some(term) = branch.and_then(|branch| branch_term(app, &branch)) else { return };
    if app.screen == Screen::Memories && !app.parsed.terms().any(|span| app.query.get(span) == Some(&*term)) {
        toggle_term(app, &term);
    }
}
