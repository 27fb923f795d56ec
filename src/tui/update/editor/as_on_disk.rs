//! Makes the form as the memory is on disk.

use std::sync::Arc;

use crate::tui::action::Action;
use crate::tui::state::app::App;
use crate::tui::update::editor::form_request::changed;

pub fn as_on_disk(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    let form = Arc::clone(&editor.form);
    for (text, field) in editor.texts.iter_mut().zip(&form.fields) {
        text.set(&field.value);
    }
    app.say(format!("Every field is as on disk · {} undoes it", Action::Undo.editor_key()));
    changed(app)
}
