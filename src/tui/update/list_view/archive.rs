//! The keys of the archive.

use super::upkeep_compact;
use crate::tui::action::Action;
use crate::tui::state::app::App;
use crate::tui::update::list_view::bring_back;

pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Archive => upkeep_compact::carry_out(app),
        Action::BringBack => bring_back::from_archive(app),
        _ => return false,
    }
    true
}
