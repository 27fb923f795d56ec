//! Copies titles and paths of rows.

use crate::model::PathText;
use crate::tui::action::Action;
use crate::tui::list_view::{self, row};
use crate::tui::state::app::App;
use crate::tui::state::file_place::place;
use crate::tui::state::list_row::ListRow;
use crate::tui::update::copy as memory;
use crate::tui::update::list_view::change_request::aimed;

pub fn copy(app: &mut App, action: Action) {
    let rows = aimed(app);
    let lines: Vec<String> = match action {
        Action::CopyText => rows.iter().map(|row| title_of(app, *row)).collect(),
        Action::CopyPath => rows.iter().filter_map(|row| path_of(app, *row)).collect(),
        _ => return app.say("In this view y t copies the title, and y p the path."),
    };
    if lines.is_empty() {
        return app.say("There is nothing here to copy.");
    }
    let what = if action == Action::CopyText { "the title" } else { "the path" };
    let what = if lines.len() == 1 { what.to_owned() } else { format!("{} lines", lines.len()) };
    memory::give(app, &what, &lines.join("\n"));
}

/// Returns the message of a problem, or the title of another row.
fn title_of(app: &App, row: ListRow) -> String {
    let problem =
        if let ListRow::Problem(number) = row { list_view::problems::problem(app, number) } else { None };
    // Of a finding the masked value is copied, never the value.
    let found =
        if let ListRow::Finding(number) = row { list_view::secrets::finding(app, number) } else { None };
    if let Some(own) = found {
        return format!("{}  {}  {}", own.finding.masked, own.finding.rule, own.title);
    }
    problem.map_or_else(|| row::title(app, row), |(_, own)| own.message.clone())
}

/// Returns where the thing of a row is on disk. Untrusted text.
fn path_of(app: &App, row: ListRow) -> Option<String> {
    let root = |store: usize| app.snapshot.stores.get(store).map(|store| store.root.clone());
    let of_memory = |at| memory::path_and_line(&app.snapshot, at);
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
        ListRow::New(at) => of_memory(at),
        ListRow::Fading(at) => {
            let at = list_view::fading::memory(app, at)?;
            memory::path_and_line(app.list_view.read_snapshot.as_ref()?, at)
        }
        ListRow::Archived(at) => memory::path_and_line(app.list_view.read_snapshot.as_ref()?, at),
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
