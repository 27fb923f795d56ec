//! The action `this project`: only the memories of one project, and all again.

use crate::model::{PathText, Project};
use crate::tui::state::app::{App, Pane};
use crate::tui::state::store_tree_row;
use crate::tui::update::search_query::set_query;

/// Drops the project from the search. If it has none, limits the search to the project of the store under the cursor,
/// to the one that palimp was started in, or else to that of the memory under the cursor.
pub fn toggle(app: &mut App) {
    let terms: Vec<&str> = app.parsed.terms().filter_map(|span| app.query.get(span)).collect();
    let others: Vec<&str> = terms.iter().copied().filter(|term| !term.starts_with("project:")).collect();
    if others.len() < terms.len() {
        return set_query(app, others.join(" "));
    }
    let Some(term) = term(app) else {
        return app.say("No project is known for these memories.");
    };
    if app.focus == Pane::Sessions {
        app.focus = Pane::Memories;
    }
    set_query(app, format!("{term} {}", app.query.trim()).trim().to_owned())
}

fn term(app: &App) -> Option<String> {
    let projects = || app.snapshot.stores.iter().filter_map(|store| store.project.as_ref());
    let of_store = |number: usize| {
        let store = app.snapshot.stores.get(number)?;
        store.project.as_ref().or_else(|| projects().find(|project| store.is_of(project)))
    };
    let project = match app.focus {
        Pane::Sessions => of_store(app.tree.get(app.tree_cursor.at)?.store?),
        _ if app.start_project.project.is_some() => app.start_project.project.as_ref(),
        _ => of_store(app.selected()?.store as usize),
    }?;
    let is_other = |other: &&Project| other.name() == project.name() && !other.is_same(project);
    Some(match projects().find(is_other) {
        Some(_) => store_tree_row::term("project", &project.path.to_text()),
        None => store_tree_row::term("project", &project.name()),
    })
}
