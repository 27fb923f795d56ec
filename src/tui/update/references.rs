//! From memory to memory: along references and back, and from a row of a view to its memory and back.

use ratatui::text::Line;

use super::{filter, list_view, statistics, walk};
use crate::model::{EntryRef, State, Tie};
use crate::tui::app::{App, Identity, Pane, Screen, Step, Tab};
use crate::tui::list_view::problems;
use crate::tui::theme::{self, Theme};

/// What a memory refers to, and what refers to it: a line each.
pub fn lines(app: &App, at: EntryRef, ties: &[Tie], width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    if app.listed.get(at).0.view(app.listed.get(at).1).is_none() {
        return vec![Line::styled("A broken line refers to nothing.", theme.dim())];
    }
    if ties.is_empty() {
        return vec![Line::styled("Refers to nothing, and nothing refers to it.", theme.dim())];
    }
    let line = |tie: &Tie| {
        let arrow = if tie.outward { "→" } else { "←" };
        let name = if tie.name.is_empty() { "(no id)" } else { &tie.name };
        let what = match tie.other {
            Some(other) => super::detail::title_of(app, other),
            None => "⚠ not in this store".to_owned(),
        };
        Line::from(theme::fit(
            &theme::safe(app, &format!("{arrow} {name}  {what}  ({})", tie.relation)),
            width,
        ))
    };
    ties.iter().map(line).collect()
}

/// The events of a memory's trace: when, after the first, and what.
pub fn timeline(app: &App, at: EntryRef, events: &[Tie], width: usize) -> Vec<Line<'static>> {
    let created = |event: EntryRef| {
        let (store, entry) = app.listed.get(event);
        store.view(entry).and_then(|view| view.created)
    };
    let first = events.first().and_then(|tie| created(tie.other?));
    let line = |tie: &Tie| {
        let Some(event) = tie.other else { return Line::default() };
        let mark = if event == at { "●" } else { "│" };
        let after = match (first, created(event)) {
            (Some(first), Some(when)) => after((when.0 - first.0).max(0)),
            _ => "?".into(),
        };
        let what = super::detail::title_of(app, event);
        Line::from(theme::fit(&theme::safe(app, &format!("{mark} {after:>9}  {what}")), width))
    };
    events.iter().map(line).collect()
}

/// Microseconds since the first event, as people read them.
fn after(micros: i64) -> String {
    let seconds = micros as f64 / 1e6;
    match seconds {
        ..100.0 => format!("+{seconds:.3} s"),
        ..6_000.0 => format!("+{:.1} min", seconds / 60.0),
        ..172_800.0 => format!("+{:.1} h", seconds / 3_600.0),
        _ => format!("+{:.1} d", seconds / 86_400.0),
    }
}

/// Goes along the reference under the cursor of the references; from elsewhere along the
/// only one that leads out, or to the list of several.
pub fn follow(app: &mut App) {
    let Some(at) = app.selected() else { return };
    if app.shown_tab().is_list() && app.focus == Pane::Detail {
        if let Some(tie) = app.ties.get(app.tie.at).cloned() {
            along(app, at, &tie);
        }
        return;
    }
    let store = app.listed.get(at).0;
    let ties = app.listed.references().ties(store, at);
    let out: Vec<&Tie> = ties.iter().filter(|tie| tie.outward).collect();
    match out.as_slice() {
        [] => app.say("This memory refers to no other."),
        [only] => along(app, at, &(*only).clone()),
        several => {
            app.say(format!("{} references: Enter follows one.", several.len()));
            app.tab = Tab::References;
            app.focus = Pane::Detail;
            app.tie = Default::default();
        }
    }
}

fn along(app: &mut App, from: EntryRef, tie: &Tie) {
    let Some(to) = tie.other else {
        return app.say(format!("Nothing in this store is called {}.", tie.name));
    };
    let step = Step { memory: App::identity(&app.listed, from), query: app.query.clone() };
    app.trail.push(step);
    let sought = App::identity(&app.listed, to);
    let state = app.listed.get(to).1.state;
    reach(app, sought, state)
}

/// Back to where the last reference was followed from, under the search of then.
pub fn go_back(app: &mut App) {
    let Some(step) = app.trail.pop() else { return app.say("There is nothing to go back to.") };
    app.tie = Default::default();
    if step.query == app.query {
        if !walk::find(app, &step.memory) {
            app.say("What was followed from is no longer there.");
        }
        return;
    }
    app.sought = Some(step.memory);
    filter::ask(app, step.query)
}

/// Puts the cursor on a memory. A search that hides it is lifted.
pub fn reach(app: &mut App, sought: Identity, state: State) {
    app.tie = Default::default();
    if walk::find(app, &sought) {
        return;
    }
    app.sought = Some(sought);
    app.say("The search was lifted to show it; Ctrl-o brings it back.");
    let query = match state {
        State::Live | State::Broken => String::new(),
        aside => format!("is:{}", aside.as_str()),
    };
    filter::ask(app, query)
}

/// From a problem to its memory.
pub fn open_problem(app: &mut App) {
    let Some((store, problem)) = problems::selected(app) else { return };
    match problems::entry(&app.snapshot, store, problem) {
        Some(at) => open_memory(app, at),
        None => app.say("This problem is about the file, not about one memory."),
    }
}

/// From a row of a view to its memory.
pub fn open_memory(app: &mut App, at: EntryRef) {
    let state = app.snapshot.get(at).1.state;
    let sought = App::identity(&app.snapshot, at);
    if leave_view(app, |app| reach(app, sought, state)) {
        app.say("The search was lifted to show it; Esc goes back.");
    }
}

/// From a day of the statistics to its memories.
pub fn open_search(app: &mut App, query: String) {
    leave_view(app, |app| filter::ask(app, query));
}

/// To the memories, with the way back to the view that is open. Whether the search is another now.
fn leave_view(app: &mut App, go: impl FnOnce(&mut App)) -> bool {
    let view = std::mem::replace(&mut app.screen, Screen::Browse);
    app.focus = Pane::Memories;
    let before = app.query.clone();
    go(app);
    let is_other = before != app.query;
    app.opened = Some((view, before, app.query.clone()));
    is_other
}

/// The view that Esc leads back to: what is listed was opened from it, and nothing else was searched for.
pub fn leads_back(app: &App) -> Option<Screen> {
    let marks = &app.marks;
    let is_all = marks.range.is_none() && !marks.only && marks.pick.is_none();
    let is_there = app.focus == Pane::Memories && is_all;
    let (view, _, shown) = app.opened.as_ref()?;
    (is_there && *shown == app.query).then_some(*view)
}

/// Back to the view that the memory was opened from, unless something else was searched for.
pub fn back_to_view(app: &mut App) -> bool {
    let Some(view) = leads_back(app) else { return false };
    let Some((_, before, _)) = app.opened.take() else { return false };
    app.screen = view;
    let held = list_view::hold(app);
    list_view::renew(app, held);
    statistics::recount(app);
    if before != app.query {
        filter::ask(app, before);
    }
    true
}
