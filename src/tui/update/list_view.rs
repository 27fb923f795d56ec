//! The views that are a list: opening them, the keys that all of them have, and the results of their jobs.

pub mod backups;
pub mod change_request;
mod delete_menu;
mod journal;
mod loaded;
mod marks;
pub mod new;
pub mod problems;
pub mod row_refresh;
pub mod secrets;
mod upkeep_compact;

use ratatui::layout::{Position, Rect};

use crate::tui::action::Action;
use crate::tui::layout;
use crate::tui::list_view::{self, ListViewKind};
use crate::tui::state::app::{App, Screen};
use crate::tui::state::list_view::EscStep;
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::state::row_list::{ListCursor, ListRow, RowList};
use crate::tui::update::list_view::row_refresh::{cursor_key, follow, open_view, renew};
use crate::tui::update::{running_change, select_memory};
use crate::work::Inspected;

pub use crate::tui::update::list_view::row_refresh::{filter, filter_typed};

/// Does an action of these views. False if the action is not theirs.
pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Backups => open_view(app, Screen::Backups),
        Action::BringBack if !matches!(app.screen, Screen::Backups | Screen::Upkeep) => {
            open_view(app, Screen::Backups)
        }
        Action::Journal => open_view(app, Screen::Journal),
        Action::Problems => open_view(app, Screen::Problems),
        Action::Fix if app.screen == Screen::Memories => problems::open_at_memory(app),
        Action::New => open_view(app, Screen::New),
        Action::Secrets => open_view(app, Screen::Secrets),
        Action::Loaded => open_view(app, Screen::Loaded),
        Action::Upkeep => open_view(app, Screen::Upkeep),
        _ => match list_view::current_kind(app) {
            Some(kind) => return act_within(app, kind, action),
            None => return is_of_another_view(app, action),
        },
    }
    true
}

fn act_within(app: &mut App, kind: &ListViewKind, action: Action) -> bool {
    // An action on rows is for the whole open range.
    if matches!(
        action,
        Action::Archive
            | Action::BringBack
            | Action::Seen
            | Action::Fix
            | Action::ReplaceFile
            | Action::Real
            | Action::FalseAlarm
            | Action::Undecided
            | Action::Redact
            | Action::Delete
    ) && app.list_view.focused().range.is_some()
    {
        marks::range(app);
    }
    let is_done = match app.screen {
        Screen::Backups => backups::act(app, action),
        Screen::Journal => journal::act(app, action),
        Screen::Upkeep => upkeep_compact::act(app, action),
        Screen::New => new::act(app, action),
        Screen::Secrets => secrets::act(app, action),
        Screen::Loaded => loaded::act(app, action),
        _ => problems::act(app, action),
    };
    if is_done || go(app, kind, action) {
        return true;
    }
    match action {
        Action::Back | Action::Close => leave(app),
        Action::NextPane | Action::PreviousPane | Action::PaneRight if app.list_view.list.is_empty() => {
            app.say("There is nothing here to look at.");
        }
        Action::NextPane | Action::PreviousPane => app.list_view.in_details = !app.list_view.in_details,
        Action::PaneLeft | Action::PaneRight => app.list_view.in_details = action == Action::PaneRight,
        Action::Open if app.list_view.list.is_empty() => app.say("There is nothing here to open."),
        Action::Open => app.list_view.in_details = true,
        Action::Delete if app.screen.lists_memories() => match delete_menu::menu(app) {
            Ok(menu) => app.delete_menu = Some(menu),
            Err(why) => app.say(why),
        },
        Action::Edit if app.screen.lists_memories() => delete_menu::edit(app),
        Action::Toggle => marks::toggle(app),
        Action::MarkRange => marks::range(app),
        Action::MarkAll => marks::all(app, false),
        Action::InvertMarks => marks::all(app, true),
        Action::Marked => marks::only(app),
        Action::Search => {
            // The former text stays until another is typed.
            let before = app.list_view.focused().filter.clone();
            app.open_prompt(PromptPurpose::RowFilter, "").former_text = before;
            filter_typed(app, "", false);
        }
        Action::DropFilter => row_refresh::filter(app, ""),
        Action::Order => order(app, kind),
        Action::CopyId | Action::CopyText | Action::CopyPath | Action::CopyJson | Action::CopyCommand => {
            crate::tui::update::copy::copy_rows(app, action);
        }
        _ => return is_of_another_view(app, action),
    }
    true
}

/// True if an action belongs to another of these views than the open one. A notice then says so.
fn is_of_another_view(app: &mut App, action: Action) -> bool {
    let (view, key) = match action {
        Action::Difference | Action::ReplaceFile => ("backups", Action::BringBack.call()),
        Action::Verify => ("backups, and for erasures in the journal", Action::BringBack.call()),
        Action::Fix => ("problems", Action::Problems.call()),
        Action::Real | Action::FalseAlarm | Action::Undecided | Action::FalseAlarms | Action::Redact => {
            ("secrets", Action::Secrets.call())
        }
        Action::Seen => ("what is new", Action::New.call()),
        _ => return false,
    };
    app.say(format!("That is done in {view}: {key} goes there."));
    true
}

/// Moves the focused cursor, or scrolls the text. False if the action does not move.
fn go(app: &mut App, kind: &ListViewKind, action: Action) -> bool {
    let (list, below) = layout::list_view(app);
    let rows = |area: Rect| usize::from(area.height.saturating_sub(1));
    let own = &app.list_view;
    let scrolls = own.in_details && !list_view::has_rows(app);
    let (at, len, rows) = match (own.in_details, scrolls) {
        (false, _) => (own.list.cursor.at, own.list.len(), rows(list)),
        (true, false) => {
            let rows = list_view::parts_below(app, kind, below).0.height;
            (own.details.cursor.at, own.details.len(), usize::from(rows))
        }
        (true, true) => {
            let lines = (kind.about)(app, usize::from(below.width.saturating_sub(2))).lines.len();
            (own.top, select_memory::scroll_positions(lines, rows(below)), rows(below))
        }
    };
    let Some(to) = select_memory::cursor_target(action, at, len, rows) else {
        return false;
    };
    match scrolls {
        true => app.list_view.top = to,
        false => app.list_view.focused_mut().cursor.at = to,
    }
    true
}

pub fn keep_in_view(app: &mut App) {
    let Some(kind) = list_view::current_kind(app) else { return };
    follow(app);
    let (list, below) = layout::list_view(app);
    app.list_view.list.keep_in_view(usize::from(list.height.saturating_sub(1)));
    let rows = usize::from(list_view::parts_below(app, kind, below).0.height);
    app.list_view.details.keep_in_view(rows);
}

/// Goes back by one level, which the hint names.
fn leave(app: &mut App) {
    if running_change::stop(app) {
        return;
    }
    match app.list_view.esc() {
        EscStep::Difference => app.list_view.backups.difference = false,
        EscStep::Range => app.list_view.focused_mut().range = None,
        EscStep::Only => marks::only(app),
        EscStep::Filter => row_refresh::filter(app, ""),
        EscStep::Details => app.list_view.in_details = false,
        EscStep::Marks => app.list_view.list.marks.clear(),
        EscStep::View => app.screen = Screen::Memories,
    }
}

fn order(app: &mut App, kind: &ListViewKind) {
    if app.list_view.in_details {
        return app.say("This list has one order alone.");
    }
    let key = cursor_key(app);
    app.list_view.list.is_other_order = !app.list_view.list.is_other_order;
    renew(app, key);
    app.say(format!("The order is: {}.", kind.orders[usize::from(app.list_view.list.is_other_order)]));
}

pub fn click(app: &mut App, at: Position) {
    let (list, below) = layout::list_view(app);
    if list.contains(at) {
        app.list_view.in_details = false;
        select(&mut app.list_view.list, list.y + 1, at);
    } else if below.contains(at) {
        app.list_view.in_details = true;
        let rows = list_view::current_kind(app).map(|kind| list_view::parts_below(app, kind, below).0);
        if let Some(rows) = rows.filter(|rows| list_view::has_rows(app) && rows.contains(at)) {
            select(&mut app.list_view.details, rows.y, at);
        }
    }
}

fn select(rows: &mut RowList, first: u16, at: Position) {
    let place = at.y.checked_sub(first).map(|row| rows.cursor.top + usize::from(row));
    if let Some(number) = place.and_then(|place| rows.number_at(place)) {
        rows.cursor = ListCursor { at: number, ..rows.cursor };
    }
}

/// Focuses the part of the view under the mouse while the wheel turns. Returns the former focus.
pub fn under_wheel(app: &mut App, at: Position) -> bool {
    let (list, below) = layout::list_view(app);
    let before = app.list_view.in_details;
    if list.contains(at) || below.contains(at) {
        app.list_view.in_details = below.contains(at);
    }
    before
}

/// Takes in what was read for a view. The result is dropped if the user left that view.
pub fn arrived(app: &mut App, seen: Inspected) {
    let screen = match &seen {
        Inspected::Backups(..) | Inspected::Opened(_) | Inspected::Verified(..) => Screen::Backups,
        Inspected::Upkeep(_) => Screen::Upkeep,
        Inspected::Journal(..) | Inspected::Step(_) | Inspected::Erased(..) => Screen::Journal,
        Inspected::Secrets(_) => Screen::Secrets,
        Inspected::Instructions(_) => Screen::Loaded,
        Inspected::Fixes(..) => Screen::Problems,
        Inspected::CleanUpRules(_) => Screen::CleanUp,
    };
    if app.screen != screen {
        return;
    }
    let key = cursor_key(app);
    let looked = match &seen {
        Inspected::Verified(store, path, verified, _) => Some(((*store, path.clone()), verified.is_whole)),
        _ => None,
    };
    match seen {
        Inspected::Backups(list, unread) => backups::listed(app, list, unread),
        Inspected::Opened(opened) => backups::opened(app, *opened),
        Inspected::Verified(store, path, verified, differs) => {
            backups::verified(app, (store, &path), (verified, differs))
        }
        Inspected::Upkeep(seen) => {
            let seen = *seen;
            let own = &mut app.list_view;
            (own.chores, own.fading, own.batches) = (seen.chores, seen.fading, seen.batches);
            own.read_snapshot = Some(seen.snapshot);
        }
        Inspected::Journal(accounts, newest) => journal::read(app, accounts, newest),
        Inspected::Step(shown) => journal::shown(app, *shown),
        Inspected::Secrets(found) => secrets::read(app, found),
        Inspected::Instructions(found) => app.list_view.instructions = found,
        Inspected::Erased(store, step, told) => backups::erased_verified(app, (store, step), told),
        Inspected::CleanUpRules(rules) => {
            return app.clean_up.iter_mut().for_each(|own| own.rules = Some(rules.clone()));
        }
        Inspected::Fixes(store, of, fixes) => return problems::fixes_found(app, (store, &of), fixes),
    }
    let is_first = key.is_none();
    renew(app, key);
    backups::offer(app, looked);
    if is_first && app.screen == Screen::Journal {
        let newest = app.list_view.list.each().position(|row| matches!(row, ListRow::Step(..)));
        app.list_view.list.cursor.at = newest.unwrap_or_default();
    }
}
