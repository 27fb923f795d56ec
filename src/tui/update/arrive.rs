//! What comes back from the workers.

use std::sync::Arc;

use super::{
    change, compare, confirm, detail, early, editor, fields, filter, list_view, mark, statistics, walk,
};
use crate::deed::AllChecked;
use crate::model::Carry;
use crate::query::Query;
use crate::store::Place;
use crate::tui::app::{App, Screen};
use crate::tui::cursor::Held;
use crate::tui::list_view::problems;
use crate::tui::marks::Shown;
use crate::tui::msg::Effect;
use crate::tui::prompt::Purpose;
use crate::tui::{kinds, tree, why};
use crate::work::{Asked, Done, Explained, Found, Job, Loaded};

/// Opens stores: from their first entries, which are there already, to everything.
pub fn open(app: &mut App, first: Loaded) -> Vec<Effect> {
    app.screen = if app.places.is_empty() { Screen::Welcome } else { Screen::Browse };
    // Whoever points at one session wants to see that one; Esc shows the others.
    if let [Place { session: Some(session), .. }] = app.places.as_slice() {
        app.query = filter::term("session", session);
    }
    loaded(app, Loaded { tallies: Vec::new(), ..first });
    app.give(reload(app));
    std::mem::take(&mut app.effects)
}

/// Reads the stores anew.
pub fn reload(app: &App) -> Effect {
    load(app, true)
}

/// Reads the stores anew that others changed, when there is time.
pub fn reload_later(app: &App) -> Effect {
    load(app, false)
}

fn load(app: &App, is_urgent: bool) -> Effect {
    let previous = Arc::clone(&app.snapshot);
    Effect::Job(Job::Load { places: app.places.clone(), previous, is_urgent, now: app.now })
}

/// Takes in what a job came to.
pub fn done(app: &mut App, done: Done) {
    match done {
        Done::Loaded(read) => loaded(app, read),
        Done::Checked(found) => checked(app, found),
        Done::Found(found) => arrived(app, *found),
        Done::Counted(counted) => statistics::counted(app, *counted),
        Done::DeletedCounted(count) => app.deleted.count = count,
        Done::Explained(why) => explained(app, *why),
        Done::Selected(found) => mark::selected(app, *found),
        Done::Changed(outcome) => change::done(app, *outcome),
        Done::Planned(outcome) => confirm::planned(app, *outcome),
        Done::Moved(planned) => confirm::moved(app, *planned),
        Done::Inspected(seen) => list_view::arrived(app, *seen),
        Done::Judged(judged) => editor::judged(app, *judged),
        Done::Kept(version, outcome) => editor::kept(app, version, outcome),
        Done::TextKept(said) => editor::text_kept(app, &said),
        Done::Saved(saved) => editor::saved(app, *saved),
        Done::DraftFound(at, draft) => editor::draft_found(app, at, draft),
        Done::Exported(number, outcome) => fields::exported(app, number, outcome),
        Done::Said(said) => app.say(said),
        Done::Tended(tended) => change::tended(app, tended),
    }
}

fn loaded(app: &mut App, read: Loaded) {
    let held = list_view::hold(app);
    let before = app.is_whole().then(|| list_view::new::newest(app)).flatten().map(|(created, _)| created);
    app.snapshot = read.snapshot;
    app.tallies = read.tallies;
    app.problem_list = problems::of(&app.snapshot);
    tree::renew(app);
    kinds::give_letters(app);
    if app.is_whole() {
        list_view::new::arrived(app, before);
    }
    if let Ok(parsed) = Query::parse(&app.query, app.now) {
        app.parsed = parsed;
        // A saved query that was refused may be another now.
        app.error = None;
    }
    filter::again(app);
    if app.is_whole() {
        let (snapshot, data) = (Arc::clone(&app.snapshot), app.data.clone());
        app.give_job(Job::Check { snapshot, data, now: app.now });
        // After a change of the user's own nothing is waited for.
        if app.deleted.of.is_none() {
            count_deleted(app);
        }
    }
    change::tend(app);
    list_view::renew(app, held);
    list_view::refresh(app);
    statistics::refresh(app);
    editor::reloaded(app);
    confirm::reloaded(app);
}

/// Starts a count of the deleted memories if their number may have changed.
fn count_deleted(app: &mut App) {
    let Some(data) = app.data.clone().filter(|_| app.deleted.is_due(&app.tallies)) else { return };
    app.give_job(Job::CountDeleted { snapshot: Arc::clone(&app.snapshot), data, now: app.now });
}

/// The stores were checked. While an agent writes, a check only ends once there is a pause: the deleted
/// memories, too, are only counted then.
fn checked(app: &mut App, found: AllChecked) {
    if !Arc::ptr_eq(&found.of, &app.snapshot) {
        return;
    }
    if found.has_changed {
        return app.give(reload_later(app));
    }
    if let Some(why) = found.unread.first() {
        app.say(format!("What was erased could not be looked for: {why}"));
    }
    if !Arc::ptr_eq(&found.with, &found.of) {
        told_more(app, found);
    }
    count_deleted(app);
}

/// More was found wrong with the stores than reading them told. Their memories are the same.
fn told_more(app: &mut App, found: AllChecked) {
    if Arc::ptr_eq(&app.listed, &found.of) {
        app.listed = Arc::clone(&found.with);
        app.detail_of = None;
    }
    let held = list_view::hold(app);
    for (tally, store) in app.tallies.iter_mut().zip(&found.with.stores) {
        tally.count_problems(store);
    }
    app.snapshot = found.with;
    app.problem_list = problems::of(&app.snapshot);
    list_view::renew(app, held);
    tree::renew(app);
}

/// The cursor goes to the memory that is sought. A search that is typed, and what is picked, start at
/// their best answer; with the search of before the cursor goes back. Else it stays on its memory, in
/// whichever order, unless it was never moved off the first entries. Where that memory is gone it stays
/// on its line. A list that is seen from its top stays so, and shows what is new.
fn arrived(app: &mut App, found: Found) {
    let (results, facets) = match found.outcome {
        Ok(own) => own,
        Err(why) => return filter::refused(app, &found.asked.query, why),
    };
    app.notice = found.unread.or_else(|| app.notice.take());
    let question = (found.asked.query.clone(), found.asked.order, shown(&found.asked));
    if question.2 != app.marks.shown() {
        return;
    }
    let same = app.answered.as_ref() == Some(&question);
    let moved = app.list.at > 0 || app.listed.is_whole() || !app.early.is_empty();
    let was_read = app.listed.is_whole();
    let (was, count) = (app.list, app.results.hits.len());
    let is_anew = !same && (app.held.is_some() || app.marks.is_due);
    let mut own = app.selected().filter(|_| moved && !is_anew);
    let mut back = app.held.as_ref().filter(|held| held.search == question.0.trim()).map(|held| held.at);
    if !Arc::ptr_eq(&app.listed, &found.asked.snapshot) {
        let mut carry = Carry::new(&app.listed, &found.asked.snapshot);
        own = own.and_then(|at| carry.find(at, &|_| false));
        back = back.and_then(|at| carry.find(at, &|_| false));
        app.held =
            app.held.take().and_then(|held| Some(Held { at: carry.find(held.at, &|_| false)?, ..held }));
        app.marks = app.marks.carried(&mut carry);
        app.titles.clear();
        app.distinct_titles = Default::default();
        app.detail_of = None;
    }
    (app.why, app.why_place) = (None, None);
    app.found_lines.clear();
    // The matches were highlighted in it.
    app.detail_of = None;
    app.answered = Some(question);
    app.listed = found.asked.snapshot;
    compare::relisted(app);
    app.results = results;
    if app.query.is_empty() || app.query.ends_with(' ') {
        app.offered = facets.clone();
    }
    app.facets = facets;
    mark::picked(app);
    app.marks.see(&app.results.hits);
    let sought = app.sought.take().is_some_and(|sought| walk::find(app, &sought));
    let stays = sought || [own, back].into_iter().flatten().any(|at| walk::go_to(app, at));
    let_go(app);
    if stays && same && was.top == 0 && !sought {
        // Only rows that came above it push the cursor out of sight. It stays in sight if its memory has moved.
        let came = app.results.hits.len().saturating_sub(count);
        (app.list.top, app.list.is_held) = (0, app.list.at <= was.at + came);
    } else if stays {
        app.list.is_held = false;
        app.list.top = app.list.at.saturating_sub(was.at.saturating_sub(was.top));
    } else if !same || !moved {
        app.list = Default::default();
    }
    if !was_read && same && !stays {
        early::lost(app);
    }
}

/// What was asked for.
fn shown(asked: &Asked) -> Shown {
    match (&asked.only, asked.pick) {
        (Some(_), _) => Shown::Marked,
        (None, Some(pick)) => Shown::Picked(pick),
        (None, None) => Shown::Found,
    }
}

/// A search that was begun is over once its answer is there and nothing more is typed.
pub fn let_go(app: &mut App) {
    let is_typed = app.prompt.as_ref().is_some_and(|prompt| prompt.purpose == Purpose::Search);
    let is_answered = app.answered.as_ref().is_some_and(|(query, ..)| *query == app.searched());
    if !is_typed && is_answered && app.error.is_none() {
        app.held = None;
    }
}

fn explained(app: &mut App, why: Explained) {
    if Arc::ptr_eq(&why.snapshot, &app.listed) && app.selected() == Some(why.at) {
        let rank = why.explanation.as_ref().map(|own| own.factors.rank);
        let place = rank.and_then(|rank| why::place(app, rank));
        app.why_place = place.map(|(place, next)| why::Place {
            place,
            next: next.map(|hit| (hit, detail::title_of(app, hit.at))),
        });
        app.why = Some(why);
    }
}
