//! Keys that mark memories, or that filter by the line under the cursor, and the action `duplicates`. A mark belongs to
//! a memory, not to a line: it stays there when the list is searched, ordered or read again.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::EntryRef;
use crate::model::entry_tracker::track_entries;
use crate::query::ResultPick;
use crate::tui::action::Action;
use crate::tui::filter_chips::facet_lines;
use crate::tui::possible_changes::among_memories;
use crate::tui::state::app::{App, Pane, Screen, branch_term, open_range};
use crate::tui::update::search_query::{self, set_query};
use crate::tui::update::select_memory;
use crate::work::SearchOutcome;

pub fn act(app: &mut App, action: Action) {
    if app.screen != Screen::Memories {
        return app.say(among_memories());
    }
    if let Err(why) = search_query::check_query(app) {
        return app.say(why);
    }
    match action {
        Action::Marked => return only(app),
        Action::MarkRange => range(app),
        _ if app.results.hits.is_empty() => nothing(app),
        // Memories that the filter hides keep their marks as they are.
        _ => {
            for hit in &app.results.hits {
                app.marks.set(hit.at, action == Action::MarkAll || !app.marks.has(hit.at));
            }
        }
    }
    app.focus = Pane::Memories;
}

/// Marks or unmarks the memory under the cursor, and moves to the next line.
pub fn toggle(app: &mut App) {
    if app.marks.range.is_some() {
        return range(app);
    }
    if let Err(why) = search_query::check_query(app) {
        return app.say(why);
    }
    let Some(at) = app.selected() else { return nothing(app) };
    app.marks.set(at, !app.marks.has(at));
    select_memory::step(app, 1);
}

/// Begins a range at the cursor, or marks the lines from its beginning to the cursor.
fn range(app: &mut App) {
    let Some(at) = app.selected() else { return nothing(app) };
    let Some(lines) = open_range(app) else {
        app.marks.range = Some(at);
        return;
    };
    for line in lines {
        if let Some(hit) = app.results.hits.get(line) {
            app.marks.set(hit.at, true);
        }
    }
    app.marks.range = None;
}

/// Marks the open range and ends it, because a change is for all of it.
pub fn end_range(app: &mut App) {
    let is_shown = app.screen == Screen::Memories && search_query::check_query(app).is_ok();
    if is_shown && app.marks.range.is_some() {
        range(app);
    }
}

fn nothing(app: &mut App) {
    app.say("Nothing is shown, so nothing was marked.");
}

/// Shows only the marked memories, or the former list again.
fn only(app: &mut App) {
    if app.marks.is_empty() && !app.marks.only_marked {
        return app.say(format!("Nothing is marked: {} marks.", Action::Toggle.key()));
    }
    app.marks.only_marked = !app.marks.only_marked;
    app.marks.range = None;
    app.focus = Pane::Memories;
    // The cursor stays on its memory, if the new list has it.
    app.awaited_memory = app.selected().map(|at| App::identity(&app.listed_snapshot, at));
    search_query::search_again(app)
}

/// Removes an open range, the list of marked memories, the marks, or a pick. False if there is none.
pub fn back(app: &mut App) -> bool {
    if app.marks.range.take().is_some() {
        return true;
    }
    if app.marks.only_marked {
        only(app);
    } else if !app.marks.is_empty() {
        app.marks.clear();
        app.marks.count_hidden(&app.results.hits);
    } else if app.marks.pick.take().is_some() {
        search_query::search_again(app);
    } else {
        return false;
    }
    true
}

pub fn selected(app: &mut App, found: SearchOutcome) {
    let results = match found.outcome {
        Ok((results, _)) => results,
        Err(why) => return app.say(why.message),
    };
    // Deleted memories come last in the snapshot, so all others keep their places.
    if Arc::ptr_eq(&found.of, &app.listed_snapshot) {
        app.listed_snapshot = Arc::clone(&found.asked.snapshot);
    }
    let before = app.marks.count();
    let all = results.hits.iter().map(|hit| hit.at);
    for at in track_entries(&found.asked.snapshot, &app.listed_snapshot, all) {
        app.marks.set(at, true);
    }
    app.marks.count_hidden(&app.results.hits);
    let new = app.marks.count() - before;
    app.say(format!("`{}` finds {}; {new} more are marked", found.asked.query, results.hits.len()));
}

fn toggle_term(app: &mut App, term: &str) {
    let with = || format!("{} {term}", app.query.trim()).trim().to_owned();
    let query = search_query::without_terms(app, |own| own == term).unwrap_or_else(with);
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

/// Lists what is picked from the results of the search, and marks some of it.
pub fn pick(app: &mut App, pick: &'static ResultPick) {
    let can = match app.is_whole() && !app.places.is_empty() {
        true => search_query::check_query(app),
        false => Err("The stores are still being read.".into()),
    };
    if let Err(why) = can {
        return app.say(why);
    }
    (app.screen, app.focus) = (Screen::Memories, Pane::Memories);
    (app.marks.only_marked, app.marks.pick, app.marks.marks_pick) = (false, Some(pick), true);
    app.marks.range = None;
    app.say("Looking …");
    search_query::search_again(app)
}

/// Marks what is picked. If it is picked again after other programs changed memories, another
/// memory of a group may be the one to keep: it loses its mark, and no memory gets a new mark.
pub fn picked(app: &mut App) {
    let Some(picked) = &app.results.picked else { return };
    if std::mem::take(&mut app.marks.marks_pick) {
        picked.marked.iter().for_each(|at| app.marks.set(*at, true));
        app.notice = Some(picked.summary.clone());
        return;
    }
    if picked.marked.is_empty() {
        return;
    }
    let marked: HashSet<EntryRef> = picked.marked.iter().copied().collect();
    for hit in app.results.hits.iter().filter(|hit| !marked.contains(&hit.at)) {
        app.marks.set(hit.at, false);
    }
}
