//! The action `reveal`: it shows masked values for a moment.

use crate::tui::message::Effect;
use crate::tui::state::app::App;

pub fn reveal(app: &mut App) {
    app.revealed = true;
    app.push_effect(Effect::MaskSoon);
}
