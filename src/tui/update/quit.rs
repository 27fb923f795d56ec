//! The action `quit`. It waits until all changes are finished.

use crate::tui::message::Effect;
use crate::tui::state::app::App;

pub fn quit(app: &mut App) {
    app.push_effect(Effect::Quit);
}

pub fn quit_after_changes(app: &mut App) {
    if app.change_count > 0 && app.effects.iter().any(|effect| matches!(effect, Effect::Quit)) {
        app.effects.retain(|effect| !matches!(effect, Effect::Quit));
        app.quits_when_done = true;
        app.say("A change is being finished; then palimp ends.");
    }
}
