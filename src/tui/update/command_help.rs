//! The actions `command`, `command line` and `help`. The palette has first the recent actions, then those
//! that can be done here, then the rest.

use crate::tui::action::{Action, ActionInfo, exists_in, offered, runs_in};
use crate::tui::list_view::focused_memory;
use crate::tui::possible_changes;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::prompt::PromptPurpose;

const LAST: usize = 4;

pub fn open_help(app: &mut App) {
    app.open_prompt(PromptPurpose::Help, "");
}

/// Remembers an action. The newest comes first, and each is kept once.
pub fn remember(app: &mut App, action: Action) {
    if action.is_navigation() {
        return;
    }
    app.recent_actions.retain(|own| *own != action);
    app.recent_actions.insert(0, action);
    app.recent_actions.truncate(LAST);
}

/// Returns the actions in the order of the palette, and how many of the first ones can be done here.
pub fn order(app: &App) -> (Vec<&'static ActionInfo>, usize) {
    let (mut here, rest): (Vec<&ActionInfo>, Vec<&ActionInfo>) =
        offered(app.screen).into_iter().partition(|known| can(app, known.action));
    let last = |known: &&ActionInfo| app.recent_actions.iter().position(|own| *own == known.action);
    // Actions that only move come later: their keys are known, or explained in the help.
    here.sort_by_key(|known| (last(known).unwrap_or(usize::MAX), known.action.is_navigation()));
    let count = here.len();
    (here.into_iter().chain(rest).collect(), count)
}

fn can(app: &App, action: Action) -> bool {
    let is_listed = app.screen == Screen::Memories;
    match action {
        _ if !exists_in(app.screen, action) => false,
        _ if matches!(app.screen, Screen::Editor | Screen::CleanUp) => runs_in(app.screen, action),
        Action::Undo => possible_changes::can(app, action),
        Action::Redo | Action::RenameTag => !app.is_readonly(),
        // In other views, these two act on rows of some views only.
        Action::Archive if !is_listed => false,
        Action::Fix if !is_listed => matches!(app.screen, Screen::Problems | Screen::Loaded),
        Action::Edit if app.screen.lists_memories() => possible_changes::checked_row(app).is_ok(),
        Action::Delete if app.screen.lists_memories() => !app.is_readonly() && focused_memory(app).is_some(),
        _ if action == Action::Repeat || possible_changes::check_of(action).is_some() => {
            possible_changes::can(app, action)
        }
        Action::Real | Action::FalseAlarm | Action::Undecided | Action::Redact => !app.is_readonly(),
        Action::Delete => app.is_first_run() || possible_changes::can(app, action),
        Action::Demo => app.is_first_run(),
        Action::Search | Action::DropFilter | Action::NextMatch | Action::PreviousMatch | Action::Ranking => {
            is_listed && !app.places.is_empty()
        }
        Action::Reference | Action::CopyId | Action::CopyText | Action::CopyPath | Action::CopyJson => {
            app.selected().is_some()
        }
        Action::GoBack => !app.reference_trail.is_empty(),
        _ => true,
    }
}
