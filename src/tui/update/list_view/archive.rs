//! The archive: carrying out what is due, and bringing memories back.

use super::{aimed, look_at, request, upkeep};
use crate::deed::{SessionDeed, Wanted, memories};
use crate::model::EntryRef;
use crate::ops::archive::takes_sessions;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::list_view::Row;
use crate::tui::list_view::archive::stays;

/// Does an action of the view; whether it has one of the kind.
pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Archive => upkeep::carry_out(app),
        Action::BringBack => bring_back(app),
        _ => return false,
    }
    true
}

/// Shows what bringing the marked memories back, or the one under the cursor, comes to.
fn bring_back(app: &mut App) {
    let rows = if app.view.inside { app.view.row().into_iter().collect() } else { aimed(app) };
    let at = |row: Row| if let Row::Archived(at) = row { Some(at) } else { None };
    let at: Vec<EntryRef> = rows.into_iter().filter_map(at).collect();
    if at.is_empty() {
        return app.say("No archived memory is marked or under the cursor: nothing is changed.");
    }
    if let Some(why) = at.iter().find_map(|at| stays(app, *at)) {
        return app.say(why);
    }
    if let Some((store, session)) = whole_session(app, &at) {
        let wanted = Wanted::Session(store, SessionDeed::Unarchive(session.clone(), false));
        return super::plan(app, format!("the session {session}"), wanted);
    }
    let name = match (at.as_slice(), &app.view.read_of) {
        ([one], Some(snapshot)) => App::quoted(snapshot, *one),
        _ => memories(at.len()),
    };
    let Some(mut request) = request(app, name, Wanted::Unarchive) else { return };
    request.at = at;
    look_at(app, request);
}

/// The session that comes back with all that it has, where the store of the memories has no other way.
fn whole_session(app: &App, at: &[EntryRef]) -> Option<(usize, String)> {
    let snapshot = app.view.read_of.as_ref()?;
    let of = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        let session = store.session(entry).filter(|_| takes_sessions(store))?;
        Some((at.store as usize, session.name.clone()))
    };
    let first = of(at.first()?)?;
    at.iter().all(|own| of(own).as_ref() == Some(&first)).then_some(first)
}
