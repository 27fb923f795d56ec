//! Keys that come before what they are done with is there: before the search is answered, the stores or
//! a view are read, or the change before is made. They wait, and are pressed in their order.

use crossterm::event::{KeyCode, KeyEvent};

use super::{keep_in_view, key_pressed, up_down_page_top_last};
use crate::tui::action::Action;
use crate::tui::app::{App, Pane, Screen};
use crate::tui::key_lookup;
use crate::tui::list_view;

/// What an action waits for, if it does.
fn awaited(app: &App, action: Action) -> Option<&'static str> {
    if action == Action::Repeat && app.change_count > 0 {
        return Some("This waits for the change before it. Esc cancels it.");
    }
    if is_of_rows(action) && is_unread(app) {
        return Some("This waits until the view is read. Esc cancels it.");
    }
    let moves = is_move(action) && app.focus == Pane::Memories;
    if !action.info().waits_for_search && !moves {
        return None;
    }
    if is_search_pending(app) {
        return Some("This waits for the search. Esc cancels it.");
    }
    if moves {
        // Rows that are read later come behind those that are shown.
        return None;
    }
    let is_read = app.listed_snapshot.is_whole() || app.screen != Screen::Memories || app.error.is_some();
    (!is_read).then_some("This waits until all stores are read. Esc cancels it.")
}

/// Whether the list still answers another question than the one that is asked.
pub fn is_search_pending(app: &App) -> bool {
    let shown = app.marks.shown();
    app.screen == Screen::Memories
        && app.error.is_none()
        && app.answered_query.as_ref().is_some_and(|(query, order, of)| {
            *query != app.effective_query() || *order != app.order() || *of != shown
        })
}

/// Whether the view that is open, or what of it was opened, is still being read.
fn is_unread(app: &App) -> bool {
    let is_read = list_view::current_kind(app).is_none_or(|kind| (kind.is_read)(app));
    app.data.is_some() && (!is_read || app.list_view.backups.opening.is_some() && app.list_view.in_details)
}

/// Whether an action is done with the rows of a view.
fn is_of_rows(action: Action) -> bool {
    is_move(action)
        || matches!(
            action,
            Action::Open
                | Action::Toggle
                | Action::MarkRange
                | Action::MarkAll
                | Action::InvertMarks
                | Action::Marked
                | Action::Search
                | Action::Narrow
                | Action::Order
                | Action::NextPane
                | Action::PreviousPane
                | Action::PaneLeft
                | Action::PaneRight
                | Action::Archive
                | Action::BringBack
                | Action::ReplaceFile
                | Action::Difference
                | Action::Verify
                | Action::Undo
                | Action::Redo
                | Action::CopyId
                | Action::CopyText
                | Action::CopyPath
                | Action::CopyJson
                | Action::CopyCommand
        )
}

/// Whether an action moves the cursor from row to row.
fn is_move(action: Action) -> bool {
    up_down_page_top_last::cursor_target(action, 0, 0, 0, None).is_some()
}

/// Whether an action waits, with its key, those `before` it that lead to it, and those after it.
pub fn queue_if_early(app: &mut App, action: Action, before: &str, key: KeyEvent) -> bool {
    let Some(told) = awaited(app, action) else { return false };
    queue_key(app, action, before, key);
    app.say(told);
    true
}

/// Has an action wait, with its key and those `before` it.
pub fn queue_key(app: &mut App, action: Action, before: &str, key: KeyEvent) {
    app.queued_keys.extend(before.split(' ').filter_map(key_lookup::parse_key));
    app.queued_keys.push(key);
    app.queued_action = Some(action);
}

/// Whether a digit waits with the move that comes after it.
pub fn holds_digit(app: &mut App, key: KeyEvent) -> bool {
    is_unread(app) && queue_if_early(app, Action::Down, "", key)
}

/// Whether a key comes after one that waits: it waits too, and Esc drops them all.
pub fn queue_behind(app: &mut App, key: KeyEvent) -> bool {
    if app.queued_keys.is_empty() {
        return false;
    }
    match key.code {
        KeyCode::Esc => {
            app.queued_keys.clear();
            app.say("Canceled: nothing was done.");
        }
        _ => app.queued_keys.push(key),
    }
    true
}

/// Presses the keys that waited, once what they waited for is there.
pub fn replay_keys(app: &mut App) {
    let waits = |app: &App| app.queued_action.is_some_and(|action| awaited(app, action).is_some());
    // A count was typed for the list as it was before its digit went to a pane.
    if app.queued_keys.is_empty() || waits(app) || app.count.typed.is_some() && is_search_pending(app) {
        return;
    }
    for key in std::mem::take(&mut app.queued_keys) {
        keep_in_view(app);
        key_pressed(app, key);
    }
}

/// The memory under the cursor when they were pressed is gone: they mean no other.
pub fn drop_for_lost_memory(app: &mut App) {
    if !app.queued_keys.is_empty() {
        app.queued_keys.clear();
        app.say("The memory that was under the cursor is gone: nothing was done.");
    }
}

/// The change before was not made: what was to repeat it is not done.
pub fn refused(app: &mut App) {
    if app.queued_action == Some(Action::Repeat) {
        app.queued_keys.clear();
    }
}
