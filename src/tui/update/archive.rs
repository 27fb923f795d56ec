//! The action `archive`.

use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::update::running_change::request_change;
use crate::usecase::ChangeCommand;

pub fn archive(app: &mut App, aim: ChangeTarget) {
    request_change(app, Some(aim), ChangeCommand::Archive);
}
