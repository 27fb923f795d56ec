//! The stores as a tree that folds, so that all stores are visible before the sessions of one.

use crate::format::store_names;
use crate::model::Severity;
use crate::tui::state::app::{App, StoreTreeRow};
use crate::tui::update::distinct_titles;
use crate::work::StoreTally;

/// The columns of a store's name in lists that are not the memories.
const SHORT: usize = 8;

pub fn lines(app: &App) -> Vec<StoreTreeRow> {
    let none = StoreTally::default();
    let mut tree = Vec::new();
    if app.snapshot.stores.len() > 1 {
        let count = app.is_whole().then(|| app.sum(|tally| tally.listed));
        tree.push(StoreTreeRow { store: None, name: None, is_session: false, count, worst: None });
    }
    for number in by_project(app) {
        let store = &app.snapshot.stores[number];
        let counted = app.tallies.get(number);
        let tally = counted.unwrap_or(&none);
        let of_store = StoreTreeRow {
            store: Some(number),
            name: None,
            is_session: false,
            count: counted.map(|tally| tally.listed),
            worst: match tally.problems {
                [0, 0, _] => None,
                [0, warnings, _] => Some((Severity::Warning, warnings)),
                [errors, ..] => Some((Severity::Error, errors)),
            },
        };
        tree.push(of_store.clone());
        if !app.is_unfolded(number) {
            continue;
        }
        for (index, session) in store.sessions.iter().enumerate() {
            let worst = tally.worst.get(index).copied().flatten();
            tree.push(StoreTreeRow {
                name: Some(session.name.clone()),
                is_session: true,
                count: tally.sessions.get(index).copied(),
                worst: worst.filter(|worst| *worst != Severity::Note).map(|worst| (worst, 0)),
                ..of_store.clone()
            });
        }
        tree.extend(tally.kinds.iter().map(|(kind, count)| StoreTreeRow {
            name: Some(kind.clone()),
            count: Some(*count),
            worst: None,
            ..of_store.clone()
        }));
    }
    tree
}

/// Stores of one project follow each other. Those of the project that palimp was started in come first.
fn by_project(app: &App) -> Vec<usize> {
    let project = |number: usize| app.snapshot.stores[number].project.as_ref();
    let first = |number: usize| match project(number) {
        Some(own) => {
            let is_same = |other: &usize| project(*other).is_some_and(|other| own.is_same(other));
            (0..number).find(is_same).unwrap_or(number)
        }
        None => number,
    };
    let mut order: Vec<usize> = (0..app.snapshot.stores.len()).collect();
    order.sort_by_cached_key(|number| (!app.start_project.has(*number), first(*number)));
    order
}

/// Folds or unfolds the store under the cursor. Returns false if nothing changes.
pub fn fold(app: &mut App, folds: bool) -> bool {
    let Some(branch) = app.tree.get(app.tree_cursor.at).cloned() else { return false };
    let Some((number, root)) =
        branch.store.and_then(|number| Some((number, app.snapshot.stores.get(number)?.root.clone())))
    else {
        return false;
    };
    if app.is_unfolded(number) != folds || app.snapshot.stores.len() < 2 {
        return false;
    }
    app.unfolded.fold([&root], folds);
    app.tree = lines(app);
    let own = app.tree.iter().position(|own| own.store == branch.store && own.name.is_none());
    app.tree_cursor.at = own.unwrap_or_default();
    true
}

/// Makes the tree again for the current stores. The cursor stays on its row.
pub fn renew(app: &mut App) {
    app.store_names = store_names(&app.snapshot);
    app.short_store_names = distinct_titles::store_names(app, SHORT);
    let before = app.tree.get(app.tree_cursor.at).cloned();
    app.tree = lines(app);
    let same =
        |own: &StoreTreeRow| before.as_ref().is_some_and(|b| (b.store, &b.name) == (own.store, &own.name));
    if let Some(at) = app.tree.iter().position(same) {
        app.tree_cursor.at = at;
    }
}
