//! Edits a field, or the whole memory as JSON, in the user's own editor.

use crate::ops::{self, WriteContext};
use crate::tui::action::Action;
use crate::tui::editor::is_open;
use crate::tui::message::{Effect, FormPart};
use crate::tui::state::app::App;
use crate::tui::update::editor::form_request::{ask, changed, request};
use crate::work::Job;

pub fn text_for(app: &App, what: FormPart) -> Option<String> {
    let editor = app.editor.as_ref()?;
    match what {
        FormPart::Field(at) => Some(editor.texts.get(at)?.as_str().to_owned()),
        FormPart::Record => {
            let (store, entry) = editor.snapshot.get(editor.at);
            let context = WriteContext::of(store, app.now, [0; 16]);
            Some(ops::form::record_text(&context, entry, &editor.form, &editor.values()))
        }
    }
}

/// Takes in the result of another editor: `before` is the text it got, `after` the new text or an error.
pub fn lent(app: &mut App, what: FormPart, before: &str, after: Result<String, String>) {
    let Some(editor) = &mut app.editor else { return };
    let after = match after {
        Ok(after) if after == before => return app.say("The text is the same."),
        Ok(after) => after,
        Err(why) => return app.say(why),
    };
    match what {
        FormPart::Field(at) => {
            let is_area = matches!(editor.form.fields[at].kind, ops::form::FieldKind::Text { .. });
            let after = if is_area { after } else { after.trim().replace(['\n', '\r'], " ") };
            editor.field = at;
            editor.text().set(&after);
        }
        FormPart::Record => {
            let (store, entry) = editor.snapshot.get(editor.at);
            match ops::form::values_of(store, entry, &editor.form, &after) {
                Ok(values) => {
                    let fields = editor.texts.iter_mut().zip(&editor.form.fields).zip(&values);
                    fields
                        .filter(|((_, field), _)| is_open(field))
                        .for_each(|((text, _), value)| text.set(value));
                }
                Err(refusal) => {
                    app.say(format!("{} Nothing was changed.", refusal.message));
                    let keep = request(app).map(|request| Effect::Job(Job::KeepText(request, after)));
                    return app.effects.extend(keep);
                }
            }
        }
    }
    changed(app);
    ask(app, true);
    app.say(format!("It is taken into the form; {} saves it.", Action::Save.key()));
}
