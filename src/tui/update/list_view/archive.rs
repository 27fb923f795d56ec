//! The archive: carries out what is due, and brings memories back.

use super::upkeep_compact;
use crate::model::EntryRef;
use crate::ops::archive::takes_sessions;
use crate::tui::action::Action;
use crate::tui::list_view::ListRow;
use crate::tui::list_view::archive::why_not_restorable;
use crate::tui::state::app::App;
use crate::tui::update::list_view::change_request::{aimed, look_at, request};
use crate::usecase::{ChangeCommand, SessionCommand, memory_count};

pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Archive => upkeep_compact::carry_out(app),
        Action::BringBack => bring_back(app),
        _ => return false,
    }
    true
}

/// Plans to bring back the marked memories, or the one under the cursor.
fn bring_back(app: &mut App) {
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
        return crate::tui::update::list_view::change_request::plan(
            app,
            format!("the session {session}"),
            wanted,
        );
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
