//! Actions that change memories: they find the memories and request the change. `pin`, `repeat` and `edit text` are
//! done here.

use std::sync::Arc;

use crate::model::{EntryRef, PINNED};
use crate::ops::tag::ChangeTags;
use crate::tui::action::Action;
use crate::tui::message::{Effect, FormPart};
use crate::tui::possible_changes::{checked, place, writable};
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::update::running_change::request_change;
use crate::tui::update::{confirm, delete_menu, editor, field_prompt, marks};
use crate::usecase::{ArchiveMemories, EditMemory, ReverseLast};

pub fn act(app: &mut App, action: Action) {
    if let Err(why) = begin(app, action) {
        app.say(why);
    }
}

fn begin(app: &mut App, action: Action) -> Result<(), String> {
    writable(app)?;
    if matches!(action, Action::Undo | Action::Redo) {
        request_change(app, None, Arc::new(ReverseLast { is_redo: action == Action::Redo }));
        return Ok(());
    }
    if action == Action::RenameTag {
        place(app)?;
        field_prompt::open(app, PromptPurpose::RenameTag, None);
        return Ok(());
    }
    if action != Action::EditText {
        marks::end_range(app);
    }
    let aim = checked(app, action)?;
    match action {
        Action::Edit => return editor::open(app, &aim),
        Action::EditJson => {
            editor::open(app, &aim)?;
            app.push_effect(Effect::EditFormPart(FormPart::Record));
        }
        Action::EditText => app.push_effect(Effect::EditText(Box::new(aim))),
        Action::Archive => request_change(app, Some(aim), Arc::new(ArchiveMemories)),
        Action::Pin => pin(app, aim),
        Action::Merge => confirm::begin_merge(app, aim),
        Action::Repeat => {
            let last = app.changes.last_change.clone();
            request_change(app, Some(aim), last.ok_or("nothing was changed yet that could be repeated")?);
        }
        Action::Delete => app.delete_menu = Some(delete_menu::menu(app, aim)),
        Action::Tag => field_prompt::open(app, PromptPurpose::Tag, Some(aim)),
        Action::KeepUntil => field_prompt::open(app, PromptPurpose::KeepUntil, Some(aim)),
        _ => field_prompt::open(app, PromptPurpose::Value(action), Some(aim)),
    }
    Ok(())
}

/// Takes in the text after the editor was left.
pub fn text_edited(app: &mut App, aim: ChangeTarget, before: &str, after: Result<String, String>) {
    match after {
        Ok(after) if after == before => app.say("The text is the same; nothing was changed."),
        Ok(after) if after.trim().is_empty() && !before.trim().is_empty() => {
            let key = Action::Delete.key();
            app.say(format!("The editor left no text; nothing was changed. {key} deletes a memory."));
        }
        Ok(after) => request_change(app, Some(aim), Arc::new(EditMemory::text(after))),
        Err(why) => app.say(why),
    }
}

/// Pins memories, or unpins them if all are pinned.
fn pin(app: &mut App, aim: ChangeTarget) {
    let is_pinned = |at: &EntryRef| {
        let (store, entry) = aim.snapshot.get(*at);
        store.memory(entry).is_some_and(|memory| memory.has_tag(PINNED))
    };
    let (mut add, mut remove) = (vec![PINNED.to_owned()], Vec::new());
    if aim.at.iter().all(is_pinned) {
        std::mem::swap(&mut add, &mut remove);
    }
    request_change(app, Some(aim), Arc::new(ChangeTags { add, remove }));
}
