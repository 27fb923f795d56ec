//! A memory's text in the user's own editor.

use super::change::ask;
use crate::deed::Wanted;
use crate::tui::action::Action;
use crate::tui::app::{Aim, App};
use crate::tui::msg::Effect;

/// Opens the editor with it.
pub fn begin(app: &mut App, aim: Aim) {
    app.give(Effect::Edit(Box::new(aim)));
}

/// The editor was left.
pub fn edited(app: &mut App, aim: Aim, before: &str, after: Result<String, String>) {
    match after {
        Ok(after) if after == before => {
            app.say("The text is the same; nothing was changed.");
        }
        Ok(after) if after.trim().is_empty() && !before.trim().is_empty() => {
            let key = Action::Delete.key();
            app.say(format!("The editor left no text; nothing was changed. {key} deletes a memory."));
        }
        Ok(after) => ask(app, Some(aim), Wanted::text(after)),
        Err(why) => app.say(why),
    }
}
