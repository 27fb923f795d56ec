//! Fixes what is wrong in the form.

use crate::tui::action::Action;
use crate::tui::state::app::App;
use crate::tui::update::editor::form_request::changed;

/// Applies the fix of the focused field, or else the first fix.
pub fn fix(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    let own = editor.findings(editor.field).find_map(|own| own.fix.clone());
    let any = || editor.judged.findings.iter().find_map(|own| own.fix.clone());
    let Some(fix) = own.or_else(any).filter(|_| editor.judged_version == editor.version) else {
        return app.say("There is nothing to fix here.");
    };
    editor.field = fix.field;
    editor.text().set(&fix.value);
    app.say(format!("{} · {} undoes it", fix.title, Action::Undo.editor_key()));
    changed(app)
}
