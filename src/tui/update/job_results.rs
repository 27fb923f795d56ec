//! What comes back from the workers.

use std::sync::Arc;

use super::{
    change_memories, confirm, detail, difference, editor, field_prompt, list_view, marks, queued_keys,
    search_query, statistics, up_down_page_top_last,
};
use crate::model::EntryTracker;
use crate::query::Query;
use crate::store::Place;
use crate::tui::app::{App, Screen};
use crate::tui::list_cursor::SearchOrigin;
use crate::tui::list_view::problems;
use crate::tui::marks::ListScope;
use crate::tui::message::Effect;
use crate::tui::prompt::PromptPurpose;
use crate::tui::{store_tree, type_letters, why};
use crate::usecase::CheckedSnapshot;
use crate::work::{ExplainedRank, Job, JobResult, LoadedStores, SearchOutcome, SearchRequest};

/// Opens stores: from their first entries, which are there already, to everything.
pub fn open(app: &mut App, first: LoadedStores) -> Vec<Effect> {
    app.screen = if app.places.is_empty() { Screen::Welcome } else { Screen::Memories };
    // Whoever points at one session wants to see that one; Esc shows the others.
    if let [Place { session: Some(session), .. }] = app.places.as_slice() {
        app.query = search_query::term("session", session);
    }
    loaded(app, LoadedStores { counts: Vec::new(), ..first });
    app.push_effect(reload(app));
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
pub fn done(app: &mut App, done: JobResult) {
    match done {
        JobResult::Loaded(read) => loaded(app, read),
        JobResult::Checked(found) => checked(app, found),
        JobResult::Found(found) => arrived(app, *found),
        JobResult::Counted(counted) => statistics::counted(app, *counted),
        JobResult::DeletedCounted(count) => app.deleted.count = count,
        JobResult::Explained(why) => explained(app, *why),
        JobResult::FoundToMark(found) => marks::selected(app, *found),
        JobResult::ChangeDone(outcome) => change_memories::done(app, *outcome),
        JobResult::Planned(outcome) => confirm::planned(app, *outcome),
        JobResult::PlanStale(planned) => confirm::ask_again(app, *planned),
        JobResult::Inspected(seen) => list_view::arrived(app, *seen),
        JobResult::FormValidated(judged) => editor::judged(app, *judged),
        JobResult::DraftKept(version, outcome) => editor::kept(app, version, outcome),
        JobResult::TextKept(said) => editor::text_kept(app, &said),
        JobResult::FormSaved(saved) => editor::saved(app, *saved),
        JobResult::DraftFound(at, draft) => editor::draft_found(app, at, draft),
        JobResult::Exported(number, outcome) => field_prompt::exported(app, number, outcome),
        JobResult::Notice(said) => app.say(said),
        JobResult::Recovered(tended) => change_memories::cleanup_done(app, tended),
    }
}

fn loaded(app: &mut App, read: LoadedStores) {
    let held = list_view::cursor_key(app);
    let before = app.is_whole().then(|| list_view::new::newest(app)).flatten().map(|(created, _)| created);
    app.snapshot = read.snapshot;
    app.tallies = read.counts;
    app.problem_list = problems::listed_problems(&app.snapshot);
    store_tree::renew(app);
    type_letters::give_letters(app);
    if app.is_whole() {
        list_view::new::arrived(app, before);
    }
    if let Ok(parsed) = Query::parse(&app.query, app.now) {
        app.parsed = parsed;
        // A saved query that was refused may be another now.
        app.error = None;
    }
    search_query::search_again(app);
    if app.is_whole() {
        let (snapshot, data) = (Arc::clone(&app.snapshot), app.data.clone());
        app.give_job(Job::Check { snapshot, data, now: app.now });
        // After a change of the user's own nothing is waited for.
        if app.deleted.of.is_none() {
            count_deleted(app);
        }
    }
    change_memories::start_cleanup(app);
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
fn checked(app: &mut App, found: CheckedSnapshot) {
    if !Arc::ptr_eq(&found.of, &app.snapshot) {
        return;
    }
    if found.has_changed {
        return app.push_effect(reload_later(app));
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
fn told_more(app: &mut App, found: CheckedSnapshot) {
    if Arc::ptr_eq(&app.listed_snapshot, &found.of) {
        app.listed_snapshot = Arc::clone(&found.with);
        app.detail_key = None;
    }
    let held = list_view::cursor_key(app);
    for (tally, store) in app.tallies.iter_mut().zip(&found.with.stores) {
        tally.count_problems(store);
    }
    app.snapshot = found.with;
    app.problem_list = problems::listed_problems(&app.snapshot);
    list_view::renew(app, held);
    store_tree::renew(app);
}

/// The cursor goes to the memory that is sought. A search that is typed, and what is picked, start at
/// their best answer; with the search of before the cursor goes back. Else it stays on its memory, in
/// whichever order, unless it was never moved off the first entries. Where that memory is gone it stays
/// on its line. A list that is seen from its top stays so, and shows what is new.
fn arrived(app: &mut App, found: SearchOutcome) {
    let (results, facets) = match found.outcome {
        Ok(own) => own,
        Err(why) => return search_query::refused(app, &found.asked.query, why),
    };
    app.notice = found.unread.or_else(|| app.notice.take());
    let question = (found.asked.query.clone(), found.asked.order, shown(&found.asked));
    if question.2 != app.marks.shown() {
        return;
    }
    let same = app.answered_query.as_ref() == Some(&question);
    let moved = app.list_cursor.at > 0 || app.listed_snapshot.is_whole() || !app.queued_keys.is_empty();
    let was_read = app.listed_snapshot.is_whole();
    let (was, count) = (app.list_cursor, app.results.hits.len());
    let is_anew = !same && (app.search_origin.is_some() || app.marks.marks_pick);
    let mut own = app.selected().filter(|_| moved && !is_anew);
    let mut back =
        app.search_origin.as_ref().filter(|held| held.search == question.0.trim()).map(|held| held.at);
    if !Arc::ptr_eq(&app.listed_snapshot, &found.asked.snapshot) {
        let mut carry = EntryTracker::new(&app.listed_snapshot, &found.asked.snapshot);
        own = own.and_then(|at| carry.find(at, &|_| false));
        back = back.and_then(|at| carry.find(at, &|_| false));
        app.search_origin = app
            .search_origin
            .take()
            .and_then(|held| Some(SearchOrigin { at: carry.find(held.at, &|_| false)?, ..held }));
        app.marks = app.marks.moved_to(&mut carry);
        app.titles.clear();
        app.distinct_titles = Default::default();
        app.detail_key = None;
    }
    (app.why, app.why_place) = (None, None);
    app.match_lines.clear();
    // The matches were highlighted in it.
    app.detail_key = None;
    app.answered_query = Some(question);
    app.listed_snapshot = found.asked.snapshot;
    difference::relisted(app);
    app.results = results;
    if app.query.is_empty() || app.query.ends_with(' ') {
        app.completion_facets = facets.clone();
    }
    app.facets = facets;
    marks::picked(app);
    app.marks.count_hidden(&app.results.hits);
    let sought =
        app.awaited_memory.take().is_some_and(|sought| up_down_page_top_last::select_identity(app, &sought));
    let stays = sought || [own, back].into_iter().flatten().any(|at| up_down_page_top_last::go_to(app, at));
    let_go(app);
    if stays && same && was.top == 0 && !sought {
        // Only rows that came above it push the cursor out of sight. It stays in sight if its memory has moved.
        let came = app.results.hits.len().saturating_sub(count);
        (app.list_cursor.top, app.list_cursor.is_held) = (0, app.list_cursor.at <= was.at + came);
    } else if stays {
        app.list_cursor.is_held = false;
        app.list_cursor.top = app.list_cursor.at.saturating_sub(was.at.saturating_sub(was.top));
    } else if !same || !moved {
        app.list_cursor = Default::default();
    }
    if !was_read && same && !stays {
        queued_keys::drop_for_lost_memory(app);
    }
}

/// What was asked for.
fn shown(asked: &SearchRequest) -> ListScope {
    match (&asked.only, asked.pick) {
        (Some(_), _) => ListScope::Marked,
        (None, Some(pick)) => ListScope::Picked(pick),
        (None, None) => ListScope::Found,
    }
}

/// A search that was begun is over once its answer is there and nothing more is typed.
pub fn let_go(app: &mut App) {
    let is_typed = app.prompt.as_ref().is_some_and(|prompt| prompt.purpose == PromptPurpose::Search);
    let is_answered = app.answered_query.as_ref().is_some_and(|(query, ..)| *query == app.effective_query());
    if !is_typed && is_answered && app.error.is_none() {
        app.search_origin = None;
    }
}

fn explained(app: &mut App, why: ExplainedRank) {
    if Arc::ptr_eq(&why.snapshot, &app.listed_snapshot) && app.selected() == Some(why.at) {
        let rank = why.explanation.as_ref().map(|own| own.factors.rank);
        let place = rank.and_then(|rank| why::place(app, rank));
        app.why_place = place.map(|(place, next)| why::RankPlace {
            place,
            next: next.map(|hit| (hit, detail::title_of(app, hit.at))),
        });
        app.why = Some(why);
    }
}
