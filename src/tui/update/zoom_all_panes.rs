//! The actions `zoom` and `all panes`.

use crate::tui::layout;
use crate::tui::state::app::App;

pub fn zoom(app: &mut App) {
    match layout::is_single(app) {
        true => app.say("This pane has the whole screen already."),
        false => app.zoomed = true,
    }
}

pub fn all_panes(app: &mut App) {
    app.zoomed = false;
}
