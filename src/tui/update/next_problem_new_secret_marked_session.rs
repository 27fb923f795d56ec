//! The actions that go to the next or previous problem, new memory, secret and the like.

use crate::format;
use crate::model::EntryRef;
use crate::tui::action::Action;
use crate::tui::list_view::new;
use crate::tui::possible_changes::among_memories;
use crate::tui::state::app::{App, Screen};
use crate::tui::update::select_memory::select;

/// What the keys after `]` and `[` go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextKind {
    Problem,
    New,
    Secret,
    Marked,
    /// The next memory of another session.
    Session,
}

impl NextKind {
    /// Returns what an action goes to, and true if it goes ahead.
    pub fn of(action: Action) -> Option<(NextKind, bool)> {
        Some(match action {
            Action::NextProblem => (NextKind::Problem, true),
            Action::PreviousProblem => (NextKind::Problem, false),
            Action::NextNew => (NextKind::New, true),
            Action::PreviousNew => (NextKind::New, false),
            Action::NextSecret => (NextKind::Secret, true),
            Action::PreviousSecret => (NextKind::Secret, false),
            Action::NextMarked => (NextKind::Marked, true),
            Action::PreviousMarked => (NextKind::Marked, false),
            Action::NextSession => (NextKind::Session, true),
            Action::PreviousSession => (NextKind::Session, false),
            _ => return None,
        })
    }

    /// True if a memory is of this kind, seen from the memory `from`.
    pub(super) fn is(self, app: &App, at: EntryRef, from: EntryRef) -> bool {
        let (store, entry) = app.listed_snapshot.get(at);
        match self {
            NextKind::Problem => store.problems_of(entry).next().is_some(),
            NextKind::New => new::is_new(app, at),
            NextKind::Secret => format::is_sensitive(store, entry),
            NextKind::Marked => app.marks.has(at),
            NextKind::Session => {
                (at.store, entry.session) != (from.store, app.listed_snapshot.get(from).1.session)
            }
        }
    }

    /// Returns the notice if there is none.
    pub(super) fn none(self) -> &'static str {
        match self {
            NextKind::Problem => "No memory in this list has a problem.",
            NextKind::New => "No memory in this list is new.",
            NextKind::Secret => "No memory in this list looks like it has a secret.",
            NextKind::Marked => "No memory in this list is marked.",
            NextKind::Session => "All memories in this list are of one session.",
        }
    }
}

/// Goes to the next or previous memory of a kind, around the ends of the list.
pub fn to_sought(app: &mut App, sought: NextKind, ahead: bool) {
    match (app.screen, sought) {
        (Screen::Memories, _) => {}
        (Screen::Problems, NextKind::Problem) => return to_problem(app, ahead),
        _ => return app.say(among_memories()),
    }
    let len = app.results.hits.len();
    let from = app.list_cursor.at;
    let own = app.selected();
    let is = |at: usize| own.is_some_and(|own| sought.is(app, app.results.hits[at].at, own));
    let mut ways = (1..=len).map(|by| if ahead { (from + by) % len } else { (from + len - by) % len });
    match ways.find(|&at| is(at)) {
        Some(at) => select(app, at),
        None => app.say(sought.none()),
    }
}

/// Goes to the next or previous problem in the view of problems, around its ends.
pub(super) fn to_problem(app: &mut App, ahead: bool) {
    let len = app.list_view.list.len().max(1);
    let cursor = &mut app.list_view.list.cursor;
    cursor.at = (cursor.at + if ahead { 1 } else { len - 1 }) % len;
}
