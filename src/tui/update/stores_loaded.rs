//! Takes in stores that were read or checked.

use std::sync::Arc;

use crate::model::Moment;
use crate::query::Query;
use crate::store::Place;
use crate::tui::list_view::{new, problems};
use crate::tui::message::Effect;
use crate::tui::state::app::{self, App, Screen, StartProject};
use crate::tui::update::list_view::{self, row_refresh};
use crate::tui::update::reload::{load, load_now};
use crate::tui::update::{confirm, editor, running_change, search_query, statistics};
use crate::tui::{store_tree, type_letters};
use crate::usecase::CheckedSnapshot;
use crate::work::{Job, LoadedStores};

/// Opens stores: shows their first entries, and starts to read everything.
pub fn open(app: &mut App, first: LoadedStores) -> Vec<Effect> {
    app.screen = Screen::Memories;
    // A user who names one session wants to see only that one. Esc shows the others.
    if let [Place { session: Some(session), .. }] = app.places.as_slice() {
        app.query = app::term("session", session);
    }
    loaded(app, LoadedStores { counts: Vec::new(), ..first });
    app.push_effect(load_now(app));
    std::mem::take(&mut app.effects)
}

pub(super) fn loaded(app: &mut App, read: LoadedStores) {
    let key = row_refresh::cursor_key(app);
    let newest = || list_view::new::newest(app, Moment(i64::MIN), |_, _| true);
    let before = app.is_whole().then(newest).flatten().map(|(written, _)| written);
    let unseen = new::unseen_names(app);
    app.snapshot = read.snapshot;
    app.changes.read = read.changes;
    app.tallies = read.counts;
    app.problem_list = problems::listed_problems(&app.snapshot);
    let start = app.start.as_deref().map(|start| StartProject::of(start, app.home.as_deref(), &app.snapshot));
    app.start_project = start.unwrap_or_default();
    store_tree::renew(app);
    type_letters::give_letters(app);
    if app.is_whole() {
        list_view::new::arrived(app, before, &unseen);
    }
    if let Ok(parsed) = Query::parse(&app.query, app.now) {
        app.parsed = parsed;
        // A saved query that was refused may be valid in the new state.
        app.error = None;
    }
    search_query::search_again(app);
    if app.is_whole() {
        let (snapshot, data) = (Arc::clone(&app.snapshot), app.data.clone());
        app.give_job(Job::Check { snapshot, data, now: app.now });
        // After a change by the user, the deleted memories are counted at once.
        if app.deleted.of.is_none() {
            count_deleted(app);
        }
    }
    running_change::start_recovery(app);
    row_refresh::renew(app, key);
    row_refresh::refresh(app);
    statistics::refresh(app);
    editor::results::reloaded(app);
    confirm::reloaded(app);
}

fn count_deleted(app: &mut App) {
    let Some(data) = app.data.clone().filter(|_| app.deleted.is_due(&app.tallies)) else { return };
    app.give_job(Job::CountDeleted { snapshot: Arc::clone(&app.snapshot), data, now: app.now });
}

/// Takes in a check of the stores. While an agent writes, the check and the count of deleted
/// memories wait for a pause.
pub(super) fn checked(app: &mut App, found: CheckedSnapshot) {
    if !Arc::ptr_eq(&found.of, &app.snapshot) {
        return;
    }
    if found.has_changed {
        return app.push_effect(load(app, false));
    }
    if let Some(why) = found.unread.first() {
        app.say(format!("What was erased could not be looked for: {why}"));
    }
    app.list_view.findings.triage = found.triage;
    // The check found problems beyond those of reading. The memories are the same.
    if !Arc::ptr_eq(&found.with, &found.of) {
        if Arc::ptr_eq(&app.listed_snapshot, &found.of) {
            app.listed_snapshot = Arc::clone(&found.with);
            app.detail_key = None;
        }
        let key = row_refresh::cursor_key(app);
        for (tally, store) in app.tallies.iter_mut().zip(&found.with.stores) {
            tally.count_problems(store);
        }
        app.snapshot = found.with;
        app.problem_list = problems::listed_problems(&app.snapshot);
        row_refresh::renew(app, key);
        store_tree::renew(app);
        editor::results::add_known(app);
    }
    app.list_view.before_undo = None;
    count_deleted(app);
}
