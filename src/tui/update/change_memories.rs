//! Actions that change memories: they find the memories and request the change.

use super::editor::edit_json_field::edit_json;
use super::running_change::request_change;
use super::{delete_menu, edit_text, editor, field_prompt, marks, merge, pin, repeat};
use crate::tui::action::Action;
use crate::tui::possible_changes::{checked, place, writable};
use crate::tui::state::app::App;
use crate::tui::state::prompt::PromptPurpose;
use crate::usecase::ChangeCommand;

pub fn act(app: &mut App, action: Action) {
    if let Err(why) = begin(app, action) {
        app.say(why);
    }
}

fn begin(app: &mut App, action: Action) -> Result<(), String> {
    writable(app)?;
    match action {
        Action::Undo => request_change(app, None, ChangeCommand::Undo),
        Action::Redo => request_change(app, None, ChangeCommand::Redo),
        Action::RenameTag => {
            place(app)?;
            field_prompt::open(app, PromptPurpose::RenameTag, None);
        }
        _ => return with_memories(app, action),
    }
    Ok(())
}

fn with_memories(app: &mut App, action: Action) -> Result<(), String> {
    if action != Action::EditText {
        marks::end_range(app);
    }
    let aim = checked(app, action)?;
    match action {
        Action::Edit => return editor::open(app, &aim),
        Action::EditJson => {
            editor::open(app, &aim)?;
            edit_json(app);
        }
        Action::EditText => edit_text::begin(app, aim),
        Action::Archive => request_change(app, Some(aim), ChangeCommand::Archive),
        Action::Pin => pin::pin(app, aim),
        Action::Merge => merge::begin(app, aim),
        Action::Repeat => return repeat::repeat(app, aim),
        Action::Delete => delete_menu::open(app, aim),
        Action::Tag => field_prompt::open(app, PromptPurpose::Tag, Some(aim)),
        Action::KeepUntil => field_prompt::open(app, PromptPurpose::KeepUntil, Some(aim)),
        _ if action.info().asks.is_some() => field_prompt::open(app, PromptPurpose::Value(action), Some(aim)),
        _ => {}
    }
    Ok(())
}
