//! Copies parts of the memory under the cursor, and titles and paths of rows. Values masked on screen are masked in the
//! copy, too.

use crate::model::{EntryRef, PathText, Snapshot};
use crate::text::safe_text::sanitize_lines;
use crate::tui::action::Action;
use crate::tui::list_view::{self, row};
use crate::tui::message::Effect;
use crate::tui::state::app::{App, place};
use crate::tui::state::row_list::ListRow;
use crate::tui::theme;
use crate::tui::update::list_view::change_request::aimed;

pub fn copy(app: &mut App, action: Action) {
    let Some(at) = app.selected() else { return app.say("There is no memory here to copy.") };
    let (store, entry) = app.listed_snapshot.get(at);
    let name = App::name_of(&app.listed_snapshot, at);
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let (what, text) = match action {
        Action::CopyId => ("the id", name),
        Action::CopyText => ("the text", crate::format::text_of(store, entry).text.into_raw()),
        Action::CopyPath => ("the path and line", path_and_line(&app.listed_snapshot, at)),
        Action::CopyJson => ("the JSON", String::from_utf8_lossy(&store.raw(entry)).trim_end().to_owned()),
        _ => {
            let root = quoted(&store.root.to_text());
            ("the command", format!("palimp show {} --store {root}", quoted(&name)))
        }
    };
    give(app, what, &text);
}

pub fn give(app: &mut App, what: &str, text: &str) {
    let lines: Vec<String> = sanitize_lines(&theme::masked(app, text)).collect();
    app.say(format!("Copied {what}."));
    app.push_effect(Effect::Copy(lines.join("\n")));
}

/// Returns where a memory is on disk. Untrusted text.
fn path_and_line(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    place(&store.root.join(&store.document(entry).path), Some(store.record(entry).line))
}

pub fn copy_rows(app: &mut App, action: Action) {
    let rows = aimed(app);
    let lines: Vec<String> = match action {
        Action::CopyText => rows.iter().map(|row| title_of_row(app, *row)).collect(),
        Action::CopyPath => rows.iter().filter_map(|row| path_of_row(app, *row)).collect(),
        _ => return app.say("In this view y t copies the title, and y p the path."),
    };
    if lines.is_empty() {
        return app.say("There is nothing here to copy.");
    }
    let what = if action == Action::CopyText { "the title" } else { "the path" };
    let what = if lines.len() == 1 { what.to_owned() } else { format!("{} lines", lines.len()) };
    give(app, &what, &lines.join("\n"));
}

fn title_of_row(app: &App, row: ListRow) -> String {
    let title = match row {
        ListRow::Problem(number) => {
            list_view::problems::problem(app, number).map(|(_, own)| own.message.clone())
        }
        // Of a finding the masked value is copied, never the value.
        ListRow::Finding(number) => list_view::secrets::finding(app, number)
            .map(|own| format!("{}  {}  {}", own.finding.masked, own.finding.rule, own.title)),
        _ => None,
    };
    title.unwrap_or_else(|| row::title(app, row))
}

/// Returns where the thing of a row is on disk. Untrusted text.
fn path_of_row(app: &App, row: ListRow) -> Option<String> {
    let root = |store: usize| app.snapshot.stores.get(store).map(|store| store.root.clone());
    Some(match row {
        ListRow::Finding(number) => {
            let own = list_view::secrets::finding(app, number)?;
            place(&root(own.at.store as usize)?.join(&own.finding.file), Some(own.finding.line))
        }
        ListRow::Backup(_) => {
            let own = app.list_view.backups.of(Some(row))?;
            root(own.store)?.join(&own.copy.path).to_text().into_owned()
        }
        ListRow::Problem(number) => {
            let (store, own) = list_view::problems::problem(app, number)?;
            place(&root(store)?.join(&own.file), own.line)
        }
        ListRow::New(_) | ListRow::Fading(_) | ListRow::Archived(_) => {
            path_and_line(list_view::snapshot_of_rows(app), list_view::memory_of(app, row)?)
        }
        ListRow::Moved(store, at) => {
            let moved = app.list_view.journal.accounts.as_ref()?.get(store)?.changed_files.get(at)?;
            root(store)?.join(&moved.0).to_text().into_owned()
        }
        ListRow::Step(store, _) | ListRow::Others(store, _) | ListRow::Fault(store, _) => {
            root(store)?.to_text().into_owned()
        }
        ListRow::Chore(at) => root(app.list_view.chores.get(at)?.store)?.to_text().into_owned(),
        _ => return None,
    })
}
