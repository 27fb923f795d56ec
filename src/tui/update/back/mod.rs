//! The views that bring things back: opening them, their keys, and what comes of their jobs.

mod chores;
mod journal;
mod restore;

use std::sync::Arc;

use super::{change, walk};
use crate::deed::{By, ChangeRequest, Wanted};
use crate::tui::action::Action;
use crate::tui::app::{App, Screen};
use crate::tui::back::Back;
use crate::tui::cursor::Cursor;
use crate::tui::layout;
use crate::work::{Inspect, InspectRequest, Inspected, Job};

/// Whether one of these views fills the screen.
pub fn is_open(app: &App) -> bool {
    matches!(app.screen, Screen::Restore | Screen::Archive | Screen::Upkeep | Screen::Journal)
}

/// Does an action of these views; whether it is theirs.
pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Restore => open(app, Screen::Restore),
        Action::ArchiveView => open(app, Screen::Archive),
        Action::Journal => open(app, Screen::Journal),
        Action::Maintain | Action::Compact => {
            open(app, Screen::Upkeep);
            app.back.compacts = action == Action::Compact;
        }
        _ if is_open(app) => return act_within(app, action),
        Action::ChooseAll | Action::BringBack | Action::Difference | Action::ReplaceFile | Action::Verify => {
            let [backups, archive] = [Action::Restore, Action::ArchiveView].map(Action::key);
            app.say(format!("that is done in the views of {backups} and {archive}"));
        }
        _ => return false,
    }
    true
}

fn act_within(app: &mut App, action: Action) -> bool {
    match action {
        _ if go(app, action) => restore::follow(app),
        Action::Back | Action::Quit => leave(app),
        Action::NextPane | Action::PreviousPane => {
            app.back.inside = !app.back.inside;
        }
        Action::PaneLeft | Action::PaneRight => app.back.inside = action == Action::PaneRight,
        _ => {
            let is_done = match app.screen {
                Screen::Restore => restore::act(app, action),
                Screen::Journal => journal::act(app, action),
                _ => chores::act(app, action),
            };
            return is_done || is_of_another_view(app, action);
        }
    }
    true
}

/// Whether an action is one of these views, and of another than the one that is open; then that is
/// said.
fn is_of_another_view(app: &mut App, action: Action) -> bool {
    let (view, key) = match action {
        Action::BringBack => ("the archive and in backups", Action::ArchiveView.key()),
        Action::Difference | Action::ReplaceFile | Action::Verify => ("backups", Action::Restore.key()),
        Action::ChooseAll => ("backups, archive and upkeep", Action::Restore.key()),
        _ => return false,
    };
    app.say(format!("that is done in {view}: {key} goes there"));
    true
}

/// Opens a view anew and has it read.
fn open(app: &mut App, screen: Screen) {
    if app.places.is_empty() || !app.is_whole() {
        return app.say("the stores are still being read");
    }
    app.back = Back::default();
    app.screen = screen;
    refresh(app)
}

/// Has the view that is open read what it shows, of the stores as they are now.
pub fn refresh(app: &mut App) {
    let what = match app.screen {
        Screen::Restore => Inspect::Backups,
        Screen::Archive | Screen::Upkeep => Inspect::Upkeep,
        Screen::Journal => Inspect::Journal,
        _ => return,
    };
    ask(app, what)
}

fn ask(app: &mut App, what: Inspect) {
    let Some(data) = app.data.clone() else {
        return app.say("there is no folder of palimp's own data to look in; name one with --data-dir");
    };
    let request = InspectRequest { snapshot: Arc::clone(&app.snapshot), data, now: app.now, what };
    app.give_job(Job::Inspect(Box::new(request)));
}

/// Has a change planned, to be shown before it is made.
fn plan(app: &mut App, name: String, wanted: Wanted) {
    if let Some(request) = request(app, name, wanted) {
        look_at(app, request);
    }
}

fn look_at(app: &mut App, request: ChangeRequest) {
    app.say(format!("looking at what changes: {} …", request.name));
    change::hold(app, &request);
    app.give_job(Job::Plan(Box::new(request)));
}

/// A change of the stores as the view shows them; `None`, and why, where nothing may be changed.
fn request(app: &mut App, name: String, wanted: Wanted) -> Option<ChangeRequest> {
    let data = match (change::writable(app), app.data.clone()) {
        (Ok(()), Some(data)) => data,
        (Err(why), _) => {
            app.say(why);
            return None;
        }
        (Ok(()), None) => return None,
    };
    let snapshot = Arc::clone(app.back.read_of.as_ref().unwrap_or(&app.snapshot));
    Some(ChangeRequest { name, ..ChangeRequest::new(snapshot, By::Screen, wanted, data, app.now) })
}

/// One level back: from the difference, from within, and at last to the memories.
fn leave(app: &mut App) {
    if app.screen == Screen::Restore && app.back.restore.difference.take().is_some() {
        return;
    }
    match app.back.inside {
        true => app.back.inside = false,
        false => app.screen = Screen::Browse,
    }
}

/// Moves the cursor of what has the keys; whether the action is one that moves it.
fn go(app: &mut App, action: Action) -> bool {
    let (at, len, rows) = place(app);
    let Some(to) = walk::target(action, at, len, rows, app.count.times) else { return false };
    let back = &mut app.back;
    if back.restore.difference.is_some() {
        back.restore.difference = Some(to);
    } else if !back.inside {
        (back.at.at, back.journal.top) = (to, 0);
        // What a backup would bring is known by the backup that is open.
        if app.screen != Screen::Restore {
            back.within = Cursor::default();
        }
    } else if app.screen == Screen::Journal {
        back.journal.top = to;
    } else {
        back.within.at = to;
    }
    true
}

/// Where the cursor is, of how many lines, and how many are shown.
fn place(app: &App) -> (usize, usize, usize) {
    let (list, within) = rows(app);
    let back = &app.back;
    match back.restore.difference {
        Some(top) => (top, crate::tui::panes::back::difference(app, 80).len(), within),
        None if !back.inside => (back.at.at, lines(app), list),
        None if app.screen == Screen::Journal => {
            (back.journal.top, crate::tui::panes::back::step(app, 80).len(), within)
        }
        None => (back.within.at, lines_within(app), within),
    }
}

/// How many lines of the list are shown, and how many within.
fn rows(app: &App) -> (usize, usize) {
    let parts = layout::back(app);
    let rows = |area: ratatui::layout::Rect| usize::from(area.height.saturating_sub(1));
    (rows(parts.list), rows(parts.within))
}

fn lines(app: &App) -> usize {
    match app.screen {
        Screen::Restore => app.back.restore.list.as_ref().map_or(0, Vec::len),
        Screen::Archive => app.back.shelves().len(),
        Screen::Upkeep => app.back.tasks().len(),
        _ => app.back.journal.lines.len(),
    }
}

/// How many lines have a cursor of their own within the list's line.
fn lines_within(app: &App) -> usize {
    match app.screen {
        Screen::Restore => app.back.restore.items().len(),
        Screen::Journal => 0,
        _ => chores::within(app),
    }
}

/// Lists scroll so that their cursors stay on screen.
pub fn keep_in_view(app: &mut App) {
    if !is_open(app) {
        return;
    }
    let (list, inside) = rows(app);
    let (len, len_within) = (lines(app), lines_within(app));
    let back = &mut app.back;
    back.at.go(back.at.at, len, list);
    back.within.go(back.within.at, len_within, inside);
}

/// What a view shows was read.
pub fn arrived(app: &mut App, seen: Inspected) {
    let is_of = match &seen {
        Inspected::Backups(..) | Inspected::Opened(_) | Inspected::Verified(..) => {
            app.screen == Screen::Restore
        }
        Inspected::Upkeep(_) => matches!(app.screen, Screen::Archive | Screen::Upkeep),
        Inspected::Journal(_) | Inspected::Step(_) => app.screen == Screen::Journal,
    };
    if !is_of {
        // The view was left: it reads anew once it is opened again.
        return;
    }
    match seen {
        Inspected::Backups(list, unread) => restore::listed(app, list, unread),
        Inspected::Opened(opened) => restore::opened(app, *opened),
        Inspected::Verified(store, path, verified) => restore::verified(app, store, &path, verified),
        Inspected::Upkeep(seen) => chores::read(app, *seen),
        Inspected::Journal(accounts) => journal::read(app, accounts),
        Inspected::Step(shown) => app.back.journal.shown = Some(*shown),
    }
}
