//! Keys that come too early: before the search is answered, the stores or a view are read, or the
//! change before them is made. They wait, and are then pressed in their order.

use crossterm::event::{KeyCode, KeyEvent};

use crate::tui::action::Action;
use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::update::select_memory;
use crate::tui::{key_lookup, list_view};

/// Returns the notice about what an action waits for; `None` if it need not wait.
pub fn awaited(app: &App, action: Action) -> Option<&'static str> {
    if (action == Action::Repeat || opens_text(action)) && app.change_count > 0 {
        return Some("This waits for the change before it. Esc cancels it.");
    }
    if opens_text(action) && app.changes.listed < app.changes.ended && app.error.is_none() {
        return Some("This waits until all stores are read. Esc cancels it.");
    }
    // The open view, or the backup that is being opened in it, may still be being read.
    let is_view_read = list_view::current_kind(app).is_none_or(|kind| (kind.is_read)(app));
    let is_opening = app.list_view.backups.opening.is_some() && app.list_view.in_details;
    if is_of_rows(action) && app.data.is_some() && (!is_view_read || is_opening) {
        return Some("This waits until the view is read. Esc cancels it.");
    }
    let moves = (is_move(action) || action == Action::Open) && app.focus == Pane::Memories;
    // A key for a row of the panes at the left: if it came before their rows are read, it would be for no row, and keys
    // typed quickly would do something else than keys typed slowly.
    let is_beside = app.screen == Screen::Memories
        && matches!(app.focus, Pane::Filters | Pane::Health)
        && (is_move(action) || matches!(action, Action::Open | Action::Toggle));
    if !action.info().waits_for_search && !moves && !is_beside {
        return None;
    }
    // The list may still show the answer to another search.
    let is_other = app.answered_query.as_ref().is_some_and(|(query, order, of)| {
        *query != app.effective_query() || *order != app.order() || *of != app.marks.shown()
    });
    if app.screen == Screen::Memories && app.error.is_none() && is_other {
        return Some("This waits for the search. Esc cancels it.");
    }
    if moves {
        // Rows that are read later come after those on screen.
        return None;
    }
    let is_read = app.listed_snapshot.is_whole() || app.screen != Screen::Memories || app.error.is_some();
    (!is_read).then_some("This waits until all stores are read. Esc cancels it.")
}

/// True if an action opens the text of a memory. Opened before the user's own change is read, the text would
/// be of the time before it, and the change would be taken for one of another program.
fn opens_text(action: Action) -> bool {
    matches!(action, Action::Edit | Action::EditJson | Action::EditText)
}

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
                | Action::Real
                | Action::FalseAlarm
                | Action::Undecided
                | Action::FalseAlarms
                | Action::Redact
                | Action::Delete
                | Action::Undo
                | Action::Redo
                | Action::CopyId
                | Action::CopyText
                | Action::CopyPath
                | Action::CopyJson
                | Action::CopyCommand
        )
}

fn is_move(action: Action) -> bool {
    select_memory::cursor_target(action, 0, 0, 0).is_some()
}

/// Queues an action that comes too early: its key, and the keys `before` it in its sequence. True if it has to wait.
pub fn queue_if_early(app: &mut App, action: Action, before: &str, key: KeyEvent) -> bool {
    let Some(told) = awaited(app, action) else { return false };
    app.queued_keys.extend(before.split(' ').filter_map(key_lookup::parse_key));
    app.queued_keys.push(key);
    app.queued_action = Some(action);
    app.say(told);
    true
}

/// Queues a key if others wait. Esc drops them all. True if keys waited.
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

/// Drops keys that wait for a change, because it was not made: the user must see why.
pub fn refused(app: &mut App) {
    if app.queued_action.is_some_and(|action| action == Action::Repeat || opens_text(action)) {
        app.queued_keys.clear();
    }
}
