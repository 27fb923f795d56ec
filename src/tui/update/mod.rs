//! How each message changes the app. No input or output, no clock.

mod act;
mod arrive;
mod borders;
mod change;
mod colours;
mod compare;
mod confirm;
mod copy;
pub mod count;
mod detail;
pub mod distinct_titles;
mod early;
mod edit_text;
pub mod editor;
mod fields;
pub mod filter;
mod focus;
mod launch;
mod list_view;
mod mark;
mod menu;
mod mouse;
mod order;
mod page;
mod prompt;
mod references;
mod search;
mod statistics;
mod tabs;
pub mod tutor;
mod walk;
mod why;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::action::Action;
use super::app::{App, Pane, Screen};
use super::bulk::Going;
use super::health;
use super::keys::{self, Pressed};
use super::layout;
use super::msg::{Effect, Msg};
use super::panes::receipt;
use crate::model::Moment;

#[cfg(test)]
pub fn act(app: &mut App, action: Action) -> Vec<Effect> {
    act::act(app, action);
    std::mem::take(&mut app.effects)
}
pub use arrive::{open, reload};
pub use change::can;
pub use detail::{set_off, text_of};
pub use filter::{FacetLine, facet_lines};
pub use mark::open_range;
pub use references::leads_back;

/// A second Ctrl-c within this many microseconds quits.
const TWICE: i64 = 1_000_000;

/// Changes the app, and says what is to be done outside it.
#[cfg(test)]
pub fn update(app: &mut App, msg: Msg, now: Moment) -> Vec<Effect> {
    app.running = now;
    let effects = take(app, msg, now);
    ready(app);
    effects
}

/// Makes what the next frame alone needs.
pub fn ready(app: &mut App) {
    detail::refresh(app);
    statistics::ready(app);
    compare::ready(app);
}

/// Changes the app, and says what is to be done outside it. A frame needs [`ready`] before it:
/// of many keys that come at once, each memory under the cursor but the last is not read.
pub fn take(app: &mut App, msg: Msg, now: Moment) -> Vec<Effect> {
    // Else ages would go by while nothing happens.
    if !(app.reduced_motion && matches!(msg, Msg::Tick | Msg::Going)) {
        app.now = now;
    }
    // Keys of the detail, and of what its memory is tied to, go by what is shown of it.
    if app.focus != Pane::Memories || app.tab.is_list() || app.screen == Screen::Compare {
        ready(app);
    }
    let before = app.selected();
    match msg {
        Msg::Key(key) if key.kind != KeyEventKind::Release => key_pressed(app, key),
        Msg::Key(_) => {}
        Msg::Mouse(event) => mouse::mouse(app, event),
        Msg::Paste(text) => prompt::paste(app, &text),
        Msg::Resize(width, height) => app.size = (width, height),
        Msg::Done(done) => arrive::done(app, done),
        Msg::Edited(aim, before, after) => edit_text::edited(app, *aim, &before, after),
        Msg::Lent(what, before, after) => editor::lent(app, what, &before, after),
        Msg::Keep => editor::keep(app),
        Msg::Changed => app.give(arrive::reload_later(app)),
        Msg::Mask => app.revealed = false,
        Msg::Told => list_view::new::was_told(app),
        Msg::Waited => app.waited = !app.waiting.is_empty(),
        Msg::Going => change::figure(app),
        Msg::Tick => change::tend(app),
    };
    let may_be_count = app.count.typed.is_some();
    if !matches!(app.screen, Screen::Compare | Screen::Sessions | Screen::Edit) && !may_be_count {
        app.compare = None;
    }
    filter::follow_tree(app);
    early::press(app);
    tutor::look(app);
    keep_in_view(app);
    if app.selected() != before || app.why.is_none() {
        why::ask(app);
    }
    editor::refresh(app);
    editor::keep_before_leaving(app);
    borders::keep(app);
    change::finish_first(app);
    std::mem::take(&mut app.effects)
}

/// Lists scroll so that their cursors stay on screen, whatever changed.
pub fn keep_in_view(app: &mut App) {
    let frame = layout::frame(app);
    let (hits, branches, ties) = (app.results.hits.len(), app.tree.len(), app.ties.len());
    app.list.go(app.list.at, hits, frame.rows(Pane::Memories));
    app.branch.go(app.branch.at, branches, frame.rows(Pane::Sessions));
    app.vital.go(app.vital.at, health::rows(app).len(), frame.rows(Pane::Health));
    app.tie.go(app.tie.at, ties, frame.rows(Pane::Detail));
    if frame.pane(Pane::Facets).is_some() {
        app.facet.at = walk::past_heading(app, app.facet.at);
        app.facet.go(app.facet.at, filter::facet_lines(app).len(), frame.rows(Pane::Facets));
    }
    list_view::keep_in_view(app);
    confirm::keep_in_view(app);
    let palette = layout::palette_rows(app);
    if let Some(prompt) = app.prompt.as_mut().filter(|prompt| prompt.purpose.is_list()) {
        let choices = prompt.choices();
        prompt.choice.go(prompt.choice.at, choices, palette);
    }
}

fn key_pressed(app: &mut App, key: KeyEvent) {
    // Not every terminal says when the mouse lets go.
    app.dragged = None;
    if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
        return interrupt(app);
    }
    app.interrupted = None;
    if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('z') {
        return app.give(Effect::Suspend);
    }
    if early::comes_after(app, key) {
        return;
    }
    let asked_to_type = app.asked_to_type.take();
    if app.bulk.going.as_ref().is_some_and(Going::is_open) {
        return change::waiting_key(app, key);
    }
    app.notice = None;
    if app.bulk.receipt.is_some() {
        return receipt_key(app, key);
    }
    if app.confirm.is_some() {
        return confirm::key(app, key);
    }
    if app.menu.is_some() {
        return menu::key(app, key);
    }
    if app.prompt.is_some() {
        return prompt::key(app, key);
    }
    if app.screen == Screen::Edit {
        return editor::key(app, key);
    }
    if asked_to_type.is_some_and(|action| is_yes_to_type(app, key, action)) {
        return;
    }
    if app.waiting.is_empty() {
        if count::digit(app, key) {
            return;
        }
        if key.code == KeyCode::Esc && count::dropped(app) {
            return;
        }
    }
    let waiting = std::mem::take(&mut app.waiting);
    app.waited = false;
    match keys::press(&waiting, key) {
        Pressed::Act(action) if early::holds(app, action, &waiting, key) => {}
        Pressed::Act(action) if app.linear && action.types() => ask_to_type(app, action),
        Pressed::Act(action) if count::give(app, action, &waiting, key) => {
            act::act(app, action);
            app.count.times = None;
        }
        Pressed::Act(_) => {}
        Pressed::Waiting(keys) => {
            count::goes_on(app);
            app.waiting = keys;
        }
        Pressed::Nothing => app.count.typed = None,
    }
}

/// In linear mode, a typed word could end in a form, because the user sees no form. So an action that opens a
/// form first waits for a key that is not part of a word.
fn ask_to_type(app: &mut App, action: Action) {
    app.count.typed = None;
    app.asked_to_type = Some(action);
    let (name, key) = (action.known().name, Action::Save.key());
    app.say(format!("{name}: {key} opens it, any other key does not. {} searches.", Action::Search.key()));
}

/// Does the action if the key is the one that it waits for.
fn is_yes_to_type(app: &mut App, key: KeyEvent, action: Action) -> bool {
    let is_yes = Action::Save.keys().contains(&keys::name(key));
    if is_yes {
        act::act(app, action);
    }
    is_yes
}

/// What an erasure came to stays until it is left.
fn receipt_key(app: &mut App, key: KeyEvent) {
    match key.code {
        KeyCode::Char('l') if key.modifiers.contains(KeyModifiers::CONTROL) => app.give(Effect::Redraw),
        KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => app.bulk.receipt = None,
        _ => {
            let (lines, rows) = receipt::lines(app);
            let by = confirm::scrolled(key, false, rows).unwrap_or_default();
            let last = lines.len().saturating_sub(rows);
            app.bulk.receipt_top = app.bulk.receipt_top.min(last).saturating_add_signed(by).min(last);
        }
    }
}

/// Ctrl-c leaves what is being typed; twice within a second it quits.
fn interrupt(app: &mut App) {
    if app.interrupted.is_some_and(|at| app.running.0 - at.0 < TWICE) {
        return app.give(Effect::Quit);
    }
    app.interrupted = Some(app.running);
    app.waiting.clear();
    app.early.clear();
    app.asked_to_type = None;
    app.count.typed = None;
    app.menu = None;
    app.confirm = None;
    app.bulk.receipt = None;
    app.marks.range = None;
    change::stop(app);
    prompt::close(app);
    let [close, quit] = [Action::Quit, Action::QuitNow].map(Action::key);
    app.say(format!("Ctrl-c once more quits; {close} closes a view, {quit} quits."));
}

/// What is said where something is done with the memories, and another view is open.
fn among_memories() -> String {
    format!("That is done among the memories: {} goes there.", Action::Browse.key())
}
