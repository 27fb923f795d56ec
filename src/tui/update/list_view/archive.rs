//! The archive: carrying out what is due, and bringing memories back.

use super::{aimed, look_at, request, upkeep};
use crate::deed::{Wanted, memories};
use crate::model::EntryRef;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::list_view::Row;

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
    let name = match (at.as_slice(), &app.view.read_of) {
        ([one], Some(snapshot)) => App::quoted(snapshot, *one),
        _ => memories(at.len()),
    };
    let Some(mut request) = request(app, name, Wanted::Unarchive) else { return };
    request.at = at;
    look_at(app, request);
}
