//! Copies parts of the memory under the cursor. Values masked on screen are masked in the copy, too.

use crate::model::{EntryRef, PathText, Snapshot};
use crate::text::safe_text::sanitize_lines;
use crate::tui::action::Action;
use crate::tui::message::Effect;
use crate::tui::state::app::App;
use crate::tui::state::file_place::place;
use crate::tui::theme;

pub fn copy(app: &mut App, action: Action) {
    let Some(at) = app.selected() else { return app.say("There is no memory here to copy.") };
    let (what, text) = match action {
        Action::CopyId => ("the id", App::name_of(&app.listed_snapshot, at)),
        Action::CopyText => ("the text", text(app, at)),
        Action::CopyPath => ("the path and line", path_and_line(&app.listed_snapshot, at)),
        Action::CopyJson => ("the JSON", record(app, at)),
        _ => ("the command", command(app, at)),
    };
    give(app, what, &text);
}

/// Copies a text, and says in a notice what it is.
pub fn give(app: &mut App, what: &str, text: &str) {
    let lines: Vec<String> = sanitize_lines(&theme::masked(app, text)).collect();
    app.say(format!("Copied {what}."));
    app.push_effect(Effect::Copy(lines.join("\n")));
}

fn text(app: &App, at: EntryRef) -> String {
    let (store, entry) = app.listed_snapshot.get(at);
    crate::format::text_of(store, entry).text
}

/// Returns where a memory is on disk. Untrusted text.
pub fn path_and_line(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    place(&store.root.join(&store.document(entry).path), Some(store.record(entry).line))
}

fn record(app: &App, at: EntryRef) -> String {
    let (store, entry) = app.listed_snapshot.get(at);
    let bytes = store.raw(entry);
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

/// Returns the command that shows the memory, quoted for a shell.
fn command(app: &App, at: EntryRef) -> String {
    let (store, _) = app.listed_snapshot.get(at);
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    format!(
        "palimp show {} --store {}",
        quoted(&App::name_of(&app.listed_snapshot, at)),
        quoted(&store.root.to_text())
    )
}
