//! Changes of rows of a list view.

use std::collections::HashSet;
use std::sync::Arc;

use crate::tui::list_view::{self};
use crate::tui::possible_changes;
use crate::tui::state::app::App;
use crate::tui::state::list_row::ListRow;
use crate::tui::update::running_change;
use crate::usecase::{BackupRestore, ChangeCommand, ChangeRequest, Requester};
use crate::work::Job;

/// Returns the marked rows, even those that a filter hides, or else the row under the cursor.
pub fn aimed(app: &App) -> Vec<ListRow> {
    let own = app.list_view.focused();
    if own.marks.is_empty() {
        return own.selected().into_iter().collect();
    }
    let all = match (app.list_view.in_details, list_view::current_kind(app)) {
        (false, Some(kind)) => (kind.rows)(app),
        _ => list_view::detail_rows(app),
    };
    all.into_iter().filter(|row| row.level().is_none() && own.marks.contains(&row.key(app))).collect()
}

/// Starts to plan a change. The plan is shown before the change is made.
pub fn plan(app: &mut App, name: String, wanted: ChangeCommand) {
    if let Some(request) = request(app, name, wanted) {
        look_at(app, request);
    }
}

pub fn look_at(app: &mut App, request: ChangeRequest) {
    app.say(format!("Looking at what changes: {} …", request.name));
    running_change::wait_for_plan(app, &request);
    app.give_job(Job::Plan(Box::new(request)));
}

/// Makes a change of the stores that the view shows. If nothing may be changed, says why.
pub fn request(app: &mut App, name: String, wanted: ChangeCommand) -> Option<ChangeRequest> {
    let data = match (possible_changes::writable(app), app.data.clone()) {
        (Ok(()), Some(data)) => data,
        (Err(why), _) => {
            app.say(why);
            return None;
        }
        (Ok(()), None) => return None,
    };
    let snapshot = Arc::clone(app.list_view.read_snapshot.as_ref().unwrap_or(&app.snapshot));
    Some(ChangeRequest { name, ..ChangeRequest::new(snapshot, Requester::Screen, wanted, data, app.now) })
}

/// Plans to restore the chosen memories of the open backup, or the whole file.
pub fn restore_backup(app: &mut App, name: String, (chosen, whole): (HashSet<u64>, bool)) {
    let Some(opened) = &app.list_view.backups.opened else { return };
    let (copy, bytes) = (opened.copy.clone(), Arc::clone(&opened.bytes));
    let restoring = BackupRestore { store: opened.store, copy, bytes, chosen, whole };
    app.list_view.read_snapshot = Some(Arc::clone(&opened.snapshot));
    plan(app, name, ChangeCommand::RestoreBackup(restoring))
}
