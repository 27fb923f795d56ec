//! Takes the results of a search into the list.

use std::sync::Arc;

use crate::model::entry_tracker::have_equal_bytes;
use crate::model::{EntryRef, EntryTracker, Snapshot};
use crate::query::{Hit, Query};
use crate::tui::state::app::{App, Pane, ReadingView};
use crate::tui::state::marks::ListScope;
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::state::row_list::SearchOrigin;
use crate::tui::update::{difference, marks, search_query, select_memory};
use crate::tui::why;
use crate::work::{SearchOutcome, SearchRequest};

/// Takes in results. The cursor goes to the awaited memory, if there is one, or to what an undo brought back.
/// A search that is being typed, and a pick, begin at their best result. If the search becomes the former one,
/// the cursor returns to its memory. Otherwise it stays on its memory in any order, unless it never left the
/// first entries. If that memory is gone, it stays on its line. A list seen from its top stays there.
pub(super) fn arrived(app: &mut App, found: SearchOutcome) {
    let (results, facets) = match found.outcome {
        Ok(answer) => answer,
        Err(why) => return search_query::refused(app, &found.asked.query, why),
    };
    app.notice = found.unread.or_else(|| app.notice.take());
    let question = (found.asked.query.clone(), found.asked.order, shown(&found.asked));
    if question.2 != app.marks.shown() {
        return;
    }
    let same = app.answered_query.as_ref() == Some(&question);
    let moved = app.list_cursor.at > 0
        || app.listed_snapshot.is_whole()
        || !app.queued_keys.is_empty()
        || app.reading != ReadingView::No;
    let was_read = app.listed_snapshot.is_whole();
    let (was, count) = (app.list_cursor, app.results.hits.len());
    let is_new_search = !same && (app.search_origin.is_some() || app.marks.marks_pick);
    let mut selected = app.selected().filter(|_| moved && !is_new_search);
    let origin = app.search_origin.as_ref().filter(|origin| origin.search == question.0.trim());
    let mut back = origin.map(|origin| origin.at);
    let mut reversed = None;
    if !Arc::ptr_eq(&app.listed_snapshot, &found.asked.snapshot) {
        if (app.changes.listed + 1..=found.asked.changes).contains(&app.changes.reversal)
            && app.reading == ReadingView::No
        {
            reversed =
                first_reversed((&app.listed_snapshot, app.selected()), &found.asked.snapshot, &results.hits);
        }
        let mut tracker = EntryTracker::new(&app.listed_snapshot, &found.asked.snapshot);
        let mut find = |at| tracker.find(at, &|_| false);
        (selected, back) = (selected.and_then(&mut find), back.and_then(&mut find));
        let origin = app.search_origin.take();
        app.search_origin = origin.and_then(|origin| Some(SearchOrigin { at: find(origin.at)?, ..origin }));
        app.marks = app.marks.moved_to(&mut tracker);
        app.distinct_titles = Default::default();
        app.detail_key = None;
    }
    (app.why, app.why_place) = (None, None);
    app.match_lines.clear();
    // The detail highlights the matches of the search before.
    app.detail_key = None;
    app.answered_query = Some(question);
    app.listed_snapshot = found.asked.snapshot;
    app.changes.listed = found.asked.changes;
    difference::relisted(app);
    app.results = results;
    app.are_ranks_alike = why::are_ranks_alike(&app.results.hits);
    if let Ok(parsed) = Query::parse(&app.query, app.now) {
        app.parsed = parsed.with_similar(&app.results.similar);
    }
    if app.query.is_empty() || app.query.ends_with(' ') {
        app.completion_facets = facets.clone();
    }
    app.facets = facets;
    marks::picked(app);
    app.marks.count_hidden(&app.results.hits);
    let sought = app.awaited_memory.take().is_some_and(|sought| select_memory::select_identity(app, &sought));
    let stays =
        sought || [reversed, selected, back].into_iter().flatten().any(|at| select_memory::go_to(app, at));
    // Another memory must not take the place of the one that was read, unseen.
    if !stays && std::mem::take(&mut app.reading) != ReadingView::No {
        app.focus = Pane::Memories;
        app.notice.get_or_insert_with(|| "The memory that was read is no longer in this list.".into());
    }
    let_go(app);
    if stays && same && was.top == 0 && !sought {
        // New rows above may push the cursor off the screen, but a new place of its memory may not.
        let came = app.results.hits.len().saturating_sub(count);
        (app.list_cursor.top, app.list_cursor.is_held) = (0, app.list_cursor.at <= was.at + came);
    } else if stays {
        app.list_cursor.is_held = false;
        app.list_cursor.top = app.list_cursor.at.saturating_sub(was.at.saturating_sub(was.top));
    } else if !same || !moved {
        app.list_cursor = Default::default();
    }
    // The queued keys must not act on another memory.
    if !was_read && same && !stays && !app.queued_keys.is_empty() {
        app.queued_keys.clear();
        app.say("The memory that was under the cursor is gone: nothing was done.");
    }
}

/// Returns the first listed memory that an undo or a redo brought back, or else the first that it changed. `None` if the
/// one under the cursor was changed.
fn first_reversed(
    (was, cursor): (&Snapshot, Option<EntryRef>),
    is: &Snapshot,
    hits: &[Hit],
) -> Option<EntryRef> {
    let mut tracker = EntryTracker::new(is, was);
    let mut changed = Vec::new();
    for at in hits.iter().map(|hit| hit.at) {
        let before = tracker.find(at, &|_| false).filter(|old| tracker.is_in_place(at, *old));
        let Some(old) = before else { return Some(at) };
        if !std::ptr::eq(was.get(old).0, is.get(at).0) && !have_equal_bytes(was.get(old), is.get(at)) {
            changed.push((at, old));
        }
    }
    let is_at_cursor = changed.iter().any(|(_, old)| Some(*old) == cursor);
    changed.first().filter(|_| !is_at_cursor).map(|(at, _)| *at)
}

pub(super) fn shown(asked: &SearchRequest) -> ListScope {
    match (&asked.only, asked.pick) {
        (Some(_), _) => ListScope::Marked,
        (None, Some(pick)) => ListScope::Picked(pick),
        (None, None) => ListScope::Found,
    }
}

/// Ends a search once it is answered and the user types no more.
pub fn let_go(app: &mut App) {
    let is_typed = app.prompt.as_ref().is_some_and(|prompt| prompt.purpose == PromptPurpose::Search);
    let is_answered = app.answered_query.as_ref().is_some_and(|(query, ..)| *query == app.effective_query());
    if !is_typed && is_answered && app.error.is_none() {
        app.search_origin = None;
    }
}
