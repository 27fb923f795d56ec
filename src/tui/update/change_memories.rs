//! Actions that change memories: they find the memories and request the change. `pin`, `repeat` and `edit text` are
//! done here.

use crate::model::{EntryRef, PINNED};
use crate::tui::action::Action;
use crate::tui::message::Effect;
use crate::tui::possible_changes::{checked, place, writable};
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::update::editor::edit_json_field::edit_json;
use crate::tui::update::running_change::request_change;
use crate::tui::update::{confirm, delete_menu, editor, field_prompt, marks};
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
        Action::EditText => app.push_effect(Effect::EditText(Box::new(aim))),
        Action::Archive => request_change(app, Some(aim), ChangeCommand::Archive),
        Action::Pin => pin(app, aim),
        Action::Merge => confirm::begin_merge(app, aim),
        Action::Repeat => return repeat(app, aim),
        Action::Delete => delete_menu::open(app, aim),
        Action::Tag => field_prompt::open(app, PromptPurpose::Tag, Some(aim)),
        Action::KeepUntil => field_prompt::open(app, PromptPurpose::KeepUntil, Some(aim)),
        _ if action.info().asks.is_some() => field_prompt::open(app, PromptPurpose::Value(action), Some(aim)),
        _ => {}
    }
    Ok(())
}

/// Takes in the text after the editor was left.
pub fn text_edited(app: &mut App, aim: ChangeTarget, before: &str, after: Result<String, String>) {
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

pub fn pin(app: &mut App, aim: ChangeTarget) {
    let wanted = pinning(&aim);
    request_change(app, Some(aim), wanted);
}

/// Returns the command that pins memories, or unpins them if all are pinned.
fn pinning(aim: &ChangeTarget) -> ChangeCommand {
    let is_pinned = |at: &EntryRef| {
        let (store, entry) = aim.snapshot.get(*at);
        store.memory(entry).is_some_and(|memory| memory.has_tag(PINNED))
    };
    let (mut add, mut remove) = (vec![PINNED.to_owned()], Vec::new());
    if aim.at.iter().all(is_pinned) {
        std::mem::swap(&mut add, &mut remove);
    }
    ChangeCommand::Tag { add, remove }
}

/// Makes the last change, of other memories.
pub fn repeat(app: &mut App, aim: ChangeTarget) -> Result<(), String> {
    let wanted = app.changes.last_change.clone().ok_or("nothing was changed yet that could be repeated")?;
    request_change(app, Some(aim), wanted);
    Ok(())
}
