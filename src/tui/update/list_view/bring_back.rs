//! The action `bring back`: out of the archive, and out of a backup.

use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, PathText};
use crate::ops::archive::takes_sessions;
use crate::tui::list_view::archive::why_not_restorable;
use crate::tui::list_view::backups::chosen;
use crate::tui::state::app::App;
use crate::tui::state::list_row::ListRow;
use crate::tui::update::list_view::change_request::{aimed, look_at, plan, request, restore_backup};
use crate::tui::update::list_view::replace_file;
use crate::usecase::{ChangeCommand, SessionCommand, memory_count};

/// Plans to bring back the marked memories, or the one under the cursor.
pub fn from_archive(app: &mut App) {
    let rows = if app.list_view.in_details { app.list_view.row().into_iter().collect() } else { aimed(app) };
    let at = |row: ListRow| if let ListRow::Archived(at) = row { Some(at) } else { None };
    let at: Vec<EntryRef> = rows.into_iter().filter_map(at).collect();
    if at.is_empty() {
        return app.say("No archived memory is marked or under the cursor: nothing is changed.");
    }
    if let Some(why) = at.iter().find_map(|at| why_not_restorable(app, *at)) {
        return app.say(why);
    }
    if let Some((store, session)) = whole_session(app, &at) {
        let wanted = ChangeCommand::Session(store, SessionCommand::Unarchive(session.clone(), false));
        return plan(app, format!("the session {session}"), wanted);
    }
    let name = match (at.as_slice(), &app.list_view.read_snapshot) {
        ([one], Some(snapshot)) => App::quoted_title(snapshot, *one),
        _ => memory_count(at.len()),
    };
    let Some(mut request) = request(app, name, ChangeCommand::Unarchive) else { return };
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

/// Plans to bring back what is marked in the open backup.
pub fn from_backup(app: &mut App) {
    let marked = chosen(&app.list_view.details);
    let Some(opened) = &app.list_view.backups.opened else { return app.say("Open a backup first: Enter.") };
    match &opened.compared.whole_only {
        Some(_) if opened.verified.is_whole => return replace_file::replace(app),
        Some(why) => return app.say(format!("{why}, and {}.", replace_file::damaged(&opened.verified))),
        None if marked.is_empty() => return app.say("Nothing is marked: Space marks, * marks all."),
        None => {}
    }
    let (count, file) = (count_with_noun(marked.len() as u64, "memory"), opened.copy.file.to_text());
    let name = format!("{count} of {file}");
    restore_backup(app, name, (marked, false))
}
