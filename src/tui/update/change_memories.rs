//! Actions that change memories: they find the memories and request the change.

use super::{delete_menu, edit_text, editor, field_prompt, marks};
use crate::model::State;
use crate::ops;
use crate::tui::action::Action;
use crate::tui::message::{Effect, FormPart};
use crate::tui::possible_changes::{aimed, broken, deed, place, refused, writable};
use crate::tui::state::app::App;
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::update::pin;
use crate::tui::update::running_change::request_change;
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
    let aim = aimed(app, action)?;
    if let (Some(at), Some(deed)) = (aim.one(), deed(action)) {
        let (store, entry) = aim.snapshot.get(at);
        if entry.state == State::Broken {
            return Err(broken());
        }
        ops::may(store, entry, deed).map_err(refused)?;
    }
    match action {
        Action::Edit => return editor::open(app, &aim),
        Action::EditJson => {
            editor::open(app, &aim)?;
            app.push_effect(Effect::EditFormPart(FormPart::Record));
        }
        Action::EditText => edit_text::begin(app, aim),
        Action::Archive => request_change(app, Some(aim), ChangeCommand::Archive),
        Action::Pin => {
            let wanted = pin::pinning(&aim);
            request_change(app, Some(aim), wanted);
        }
        Action::Repeat => {
            let wanted =
                app.changes.last_change.clone().ok_or("nothing was changed yet that could be repeated")?;
            request_change(app, Some(aim), wanted);
        }
        Action::Delete => app.delete_menu = Some(delete_menu::of(app, aim)),
        Action::Tag => field_prompt::open(app, PromptPurpose::Tag, Some(aim)),
        Action::KeepUntil => field_prompt::open(app, PromptPurpose::KeepUntil, Some(aim)),
        Action::Importance => field_prompt::open(app, PromptPurpose::Importance, Some(aim)),
        Action::Type => field_prompt::open(app, PromptPurpose::Type, Some(aim)),
        Action::Category => field_prompt::open(app, PromptPurpose::Category, Some(aim)),
        _ => {}
    }
    Ok(())
}
