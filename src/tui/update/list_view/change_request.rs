//! Changes of rows of a list view, and the actions `bring back`, out of the archive and out of a backup, and
//! `replace file`.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::plan::count_with_noun;
use crate::model::{BackupCheck, EntryRef, PathText};
use crate::ops::archive::takes_sessions;
use crate::ops::session::UnarchiveSession;
use crate::tui::list_view::backups::chosen;
use crate::tui::list_view::upkeep::why_not_restorable;
use crate::tui::state::app::App;
use crate::tui::state::row_list::ListRow;
use crate::tui::update::running_change;
use crate::tui::{list_view, possible_changes};
use crate::usecase::{BackupRestore, ChangeRequest, Command, Requester, UnarchiveMemories, memory_count};

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

/// Returns the row of the list, if its text has the keys, or else what [`aimed`] returns.
pub fn aimed_in_list(app: &App) -> Vec<ListRow> {
    if app.list_view.in_details { app.list_view.row().into_iter().collect() } else { aimed(app) }
}

/// Starts to plan a change. The plan is shown before the change is made.
pub fn plan(app: &mut App, name: String, command: Arc<dyn Command>) {
    if let Some(request) = request(app, name, command) {
        look_at(app, request);
    }
}

pub fn look_at(app: &mut App, request: ChangeRequest) {
    app.say(format!("Looking at what changes: {} …", request.name));
    running_change::plan(app, Box::new(request));
}

/// Makes a change of the stores that the view shows. If nothing may be changed, says why.
pub fn request(app: &mut App, name: String, command: Arc<dyn Command>) -> Option<ChangeRequest> {
    if let Err(why) = possible_changes::writable(app) {
        app.say(why);
        return None;
    }
    let data = app.data.clone()?;
    let snapshot = Arc::clone(app.list_view.read_snapshot.as_ref().unwrap_or(&app.snapshot));
    Some(ChangeRequest { name, ..ChangeRequest::new(snapshot, Requester::Screen, command, data, app.now) })
}

fn restore_backup(app: &mut App, name: String, (chosen, whole): (HashSet<u64>, bool)) {
    let Some(opened) = &app.list_view.backups.opened else { return };
    let (copy, bytes) = (opened.copy.clone(), Arc::clone(&opened.bytes));
    let restoring = BackupRestore { store: opened.store, copy, bytes, chosen, whole };
    app.list_view.read_snapshot = Some(Arc::clone(&opened.snapshot));
    plan(app, name, Arc::new(restoring))
}

pub fn from_archive(app: &mut App) {
    let rows = aimed_in_list(app);
    let at = |row: ListRow| if let ListRow::Archived(at) = row { Some(at) } else { None };
    let at: Vec<EntryRef> = rows.into_iter().filter_map(at).collect();
    if at.is_empty() {
        return app.say("No archived memory is marked or under the cursor: nothing is changed.");
    }
    if let Some(why) = at.iter().find_map(|at| why_not_restorable(app, *at)) {
        return app.say(why);
    }
    if let Some((store, session)) = whole_session(app, &at) {
        let wanted = Arc::new(UnarchiveSession { store, id: session.clone(), allow_large: false });
        return plan(app, format!("the session {session}"), wanted);
    }
    let name = match (at.as_slice(), &app.list_view.read_snapshot) {
        ([one], Some(snapshot)) => App::quoted_title(snapshot, *one),
        _ => memory_count(at.len()),
    };
    let Some(mut request) = request(app, name, Arc::new(UnarchiveMemories)) else { return };
    request.at = at;
    look_at(app, request);
}

/// Returns the session of the memories, if their store can only bring back a whole session.
fn whole_session(app: &App, at: &[EntryRef]) -> Option<(usize, String)> {
    let snapshot = app.list_view.read_snapshot.as_ref()?;
    let of = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        let session = store.session(entry).filter(|_| takes_sessions(store))?;
        Some((at.store as usize, session.name.clone()))
    };
    let first = of(at.first()?)?;
    at.iter().all(|own| of(own).as_ref() == Some(&first)).then_some(first)
}

pub fn from_backup(app: &mut App) {
    let marked = chosen(&app.list_view.details);
    let Some(opened) = &app.list_view.backups.opened else { return app.say("Open a backup first: Enter.") };
    match &opened.compared.whole_only {
        Some(_) if opened.verified.is_whole => return replace(app),
        Some(why) => return app.say(format!("{why}, and {}.", damaged(&opened.verified))),
        None if marked.is_empty() => return app.say("Nothing is marked: Space marks, * marks all."),
        None => {}
    }
    let (count, file) = (count_with_noun(marked.len() as u64, "memory"), opened.copy.file.to_text());
    let name = format!("{count} of {file}");
    restore_backup(app, name, (marked, false))
}

/// Plans to replace the whole file by the backup. Memories that were written later are lost.
pub fn replace(app: &mut App) {
    let Some(opened) = &app.list_view.backups.opened else { return app.say("Open a backup first: Enter.") };
    if opened.compared.is_alike {
        return app.say("The file is as the backup has it.");
    }
    if !opened.verified.is_whole {
        return app.say(format!("Nothing is changed: {}.", damaged(&opened.verified)));
    }
    let lost = opened.compared.items.iter().filter(|item| item.kind.is_only_here()).count();
    let what = if opened.compared.deletes { "deletion" } else { "memory" };
    let lost = match lost {
        0 => String::new(),
        _ => format!(" (drops {} that the backup lacks)", count_with_noun(lost as u64, what)),
    };
    let name = format!("{}{lost}", opened.copy.file.to_text());
    let marked = chosen(&app.list_view.details);
    restore_backup(app, name, (marked, true))
}

pub fn damaged(verified: &BackupCheck) -> String {
    format!("the backup is damaged, so it does not replace the file ({})", verified.found)
}
