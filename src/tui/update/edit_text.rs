//! Edits a memory's text in the user's own editor.

use super::running_change::request_change;
use crate::tui::action::Action;
use crate::tui::message::Effect;
use crate::tui::state::app::{App, ChangeTarget};
use crate::usecase::ChangeCommand;

pub fn begin(app: &mut App, aim: ChangeTarget) {
    app.push_effect(Effect::EditText(Box::new(aim)));
}

/// Takes in the text after the editor was left.
pub fn edited(app: &mut App, aim: ChangeTarget, before: &str, after: Result<String, String>) {
    match after {
        Ok(after) if after == before => {
            app.say("The text is the same; nothing was changed.");
        }
        Ok(after) if after.trim().is_empty() && !before.trim().is_empty() => {
            let key = Action::Delete.key();
            app.say(format!("The editor left no text; nothing was changed. {key} deletes a memory."));
        }
        Ok(after) => request_change(app, Some(aim), ChangeCommand::text(after)),
        Err(why) => app.say(why),
    }
}
