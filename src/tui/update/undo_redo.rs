//! The actions `undo` and `redo`: of the last change.

use crate::tui::state::app::App;
use crate::tui::update::running_change::request_change;
use crate::usecase::ChangeCommand;

pub fn undo(app: &mut App) {
    request_change(app, None, ChangeCommand::Undo);
}

pub fn redo(app: &mut App) {
    request_change(app, None, ChangeCommand::Redo);
}
