//! How each message changes the app. There is no input or output here, and no clock.

pub mod action_dispatch;
mod change_memories;
mod clean_up;
mod command_help;
pub mod confirm;
mod copy;
pub mod delete_menu;
pub mod detail;
mod difference;
pub mod distinct_titles;
pub mod editor;
pub mod field_prompt;
pub mod list_view;
pub mod marks;
mod mouse;
mod pager;
mod pane_focus;
mod prompt;
mod queued_keys;
pub mod reference_go_back;
pub mod reload;
pub mod running_change;
pub mod search_query;
mod search_results;
pub mod select_memory;
pub mod statistics;
pub mod stores_loaded;
pub mod tutor;

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::model::Moment;
use crate::tui::action::{Action, following};
use crate::tui::filter_chips::facet_lines;
use crate::tui::key_lookup::{self, KeyMeaning};
use crate::tui::message::{Effect, Msg};
use crate::tui::panes::confirm::receipt_lines;
use crate::tui::panes::health;
use crate::tui::state::app::{self, App, Pane, ReadingView, Screen};
use crate::tui::state::pending_changes::ActiveChange;
use crate::tui::update::queued_keys::awaited;
use crate::tui::update::search_results::arrived;
use crate::tui::update::stores_loaded::{checked, loaded};
use crate::tui::{layout, why};
use crate::work::{ExplainedRank, JobResult};

pub use crate::tui::update::reload::load_now;
pub use crate::tui::update::stores_loaded::open;

/// A second Ctrl-c within this many microseconds quits.
const QUIT_INTERVAL: i64 = 1_000_000;

pub fn ready(app: &mut App) {
    detail::refresh(app);
    statistics::ready(app);
    difference::ready(app);
}

/// Changes the app, and returns the effects outside it. Call [`ready`] before a frame: after many
/// keys at once, it reads only the last memory under the cursor.
pub fn take(app: &mut App, msg: Msg, now: Moment) -> Vec<Effect> {
    // With reduced motion, ages must not change while nothing else happens.
    if !(app.reduced_motion && matches!(msg, Msg::Tick | Msg::ShowProgress)) {
        app.now = now;
    }
    // Keys in the detail, the references and the comparison depend on what these show.
    if app.focus != Pane::Memories || app.tab.is_list() || app.screen == Screen::Difference {
        ready(app);
    }
    let before = app.selected();
    match msg {
        Msg::Key(key) if key.kind != KeyEventKind::Release => key_pressed(app, key),
        Msg::Key(_) => {}
        Msg::Mouse(event) => mouse::mouse(app, event),
        Msg::Paste(text) => prompt::paste(app, &text),
        Msg::Resize(width, height) => app.size = (width, height),
        Msg::Done(done) => job_done(app, done),
        Msg::TextEdited(aim, before, after) => change_memories::text_edited(app, *aim, &before, after),
        Msg::FormPartEdited(what, before, after) => editor::edit_json_field::lent(app, what, &before, after),
        Msg::SaveDraft => editor::keep(app),
        Msg::StoresChanged => app.push_effect(reload::load(app, false)),
        Msg::MaskValues => app.revealed = false,
        Msg::HideBriefNotice => {
            let brief = app.brief_notice.take();
            app.notice.take_if(|notice| brief.as_ref() == Some(&*notice));
        }
        Msg::ShowNextKeys => app.shows_next_keys = !app.key_sequence.is_empty(),
        Msg::ShowProgress => running_change::show_progress(app),
        Msg::Tick => running_change::start_recovery(app),
    };
    if !matches!(app.screen, Screen::Difference | Screen::Editor) {
        app.difference = None;
    }
    if app.focus != Pane::Detail {
        app.reading = ReadingView::No;
    }
    // The cursor of the stores may have moved to another branch.
    if !app.places.is_empty() && app.effective_query() != app.requested_query {
        search_query::search_again(app);
    }
    // The queued keys are pressed once they need not wait.
    if app.queued_action.is_none_or(|action| awaited(app, action).is_none()) {
        for key in std::mem::take(&mut app.queued_keys) {
            keep_in_view(app);
            key_pressed(app, key);
        }
    }
    tutor::look(app);
    keep_in_view(app);
    if app.selected() != before || app.why.is_none() {
        pane_focus::ask_why(app);
    }
    editor::typing::refresh(app);
    if let Some(at) = app.effects.iter().position(|effect| matches!(effect, Effect::Quit)) {
        // The draft of an open form is kept first, and all changes are finished.
        if let Some(job) = editor::leave::unkept(app) {
            app.effects.insert(at, Effect::Job(job));
        }
        if app.change_count > 0 {
            app.effects.retain(|effect| !matches!(effect, Effect::Quit));
            app.quits_when_done = true;
            app.say("A change is being finished; then palimp ends.");
        }
    }
    std::mem::take(&mut app.effects)
}

/// Scrolls the lists so that their cursors stay on screen, whatever changed.
pub fn keep_in_view(app: &mut App) {
    let frame = layout::frame(app);
    let (hits, branches, ties) = (app.results.hits.len(), app.tree.len(), app.ties.len());
    app.list_cursor.go(app.list_cursor.at, hits, frame.rows(Pane::Memories));
    app.tree_cursor.go(app.tree_cursor.at, branches, frame.rows(Pane::Sessions));
    app.health_cursor.go(app.health_cursor.at, health::rows(app).len(), frame.rows(Pane::Health));
    app.tie_cursor.go(app.tie_cursor.at, ties, frame.rows(Pane::Detail));
    if frame.pane(Pane::Filters).is_some() {
        app.filter_cursor.at = select_memory::past_heading(app, app.filter_cursor.at);
        let lines = facet_lines(app).len();
        app.filter_cursor.go(app.filter_cursor.at, lines, frame.rows(Pane::Filters));
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
    if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
        return interrupt(app);
    }
    app.last_interrupt = None;
    if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('z') {
        return app.push_effect(Effect::Suspend);
    }
    if queued_keys::queue_behind(app, key) {
        return;
    }
    let asked_to_type = app.unconfirmed_action.take();
    let waits = app.changes.active.as_ref().is_some_and(ActiveChange::is_open);
    if !waits {
        app.notice = None;
    }
    let is_redraw = key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('l');
    if is_redraw && (waits || layout::has_dialog(app)) {
        return app.push_effect(Effect::Redraw);
    }
    if waits {
        return running_change::waiting_key(app, key);
    }
    if app.changes.receipt.is_some() {
        return receipt_key(app, key);
    }
    if app.confirm.is_some() {
        return confirm::key(app, key);
    }
    if app.delete_menu.is_some() {
        return delete_menu::key(app, key);
    }
    if app.prompt.is_some() {
        return prompt::key(app, key);
    }
    if app.screen == Screen::Editor {
        return editor::key(app, key);
    }
    if app.screen == Screen::CleanUp {
        return match clean_up::is_help(app, key) {
            true => command_help::open_help(app),
            false => clean_up::key(app, key),
        };
    }
    if let Some(action) = asked_to_type.filter(|_| Action::Save.keys().contains(&key_lookup::name(key))) {
        return action_dispatch::act(app, action);
    }
    let waiting = std::mem::take(&mut app.key_sequence);
    app.shows_next_keys = false;
    match reference_go_back::meaning_while_reading(app, key_lookup::lookup(&waiting, key)) {
        KeyMeaning::Act(action) if queued_keys::queue_if_early(app, action, &waiting, key) => {}
        KeyMeaning::Act(action) if app.linear && action.opens_input() => {
            // The user sees no form, so typed words could end in one. A key that is no part of a word opens it.
            app.unconfirmed_action = Some(action);
            let [search, save] = [Action::Search, Action::Save].map(Action::key);
            let name = action.info().name;
            app.say(format!("{name}: {save} opens it, any other key does not. {search} searches."));
        }
        KeyMeaning::Act(action) => action_dispatch::act(app, action),
        KeyMeaning::Waiting(keys) => app.key_sequence = keys,
        KeyMeaning::Nothing if !waiting.is_empty() && key.code != KeyCode::Esc => {
            let following = following(app.screen, &waiting);
            let choices: Vec<String> =
                following.iter().map(|(key, known)| format!("{key} {}", known.name)).collect();
            let (key, choices) = (key_lookup::name(key), choices.join(", "));
            app.say(format!("There is no key {waiting} {key}: after {waiting} comes {choices}."));
        }
        KeyMeaning::Nothing => {}
    }
}

fn receipt_key(app: &mut App, key: KeyEvent) {
    match key.code {
        KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => app.changes.receipt = None,
        KeyCode::Char('o') => confirm::open_place(app),
        _ => {
            let (lines, rows) = receipt_lines(app);
            let by = confirm::scroll_by_key(key, false, rows).unwrap_or_default();
            let last = lines.len().saturating_sub(rows);
            app.changes.receipt_top = app.changes.receipt_top.min(last).saturating_add_signed(by).min(last);
        }
    }
}

/// Handles Ctrl-c: it cancels the input, and a second one within a second quits.
fn interrupt(app: &mut App) {
    if app.last_interrupt.is_some_and(|at| app.monotonic_now.0 - at.0 < QUIT_INTERVAL) {
        return app.push_effect(Effect::Quit);
    }
    app.last_interrupt = Some(app.monotonic_now);
    app.key_sequence.clear();
    app.queued_keys.clear();
    app.unconfirmed_action = None;
    app.delete_menu = None;
    confirm::close(app);
    app.changes.receipt = None;
    app.marks.range = None;
    running_change::stop(app);
    prompt::close(app);
    let [close, quit] = [Action::Close, Action::Quit].map(Action::key);
    app.say(format!("Ctrl-c once more quits; {close} closes a view, {quit} quits."));
}

fn job_done(app: &mut App, done: JobResult) {
    match done {
        JobResult::Loaded(read) => loaded(app, read),
        JobResult::Checked(found) => checked(app, found),
        JobResult::Found(found) => arrived(app, *found),
        JobResult::Counted(of, counted) => statistics::counted(app, of, *counted),
        JobResult::DeletedCounted(count) => app.deleted.count = count,
        JobResult::Explained(why) => explained(app, *why),
        JobResult::FoundToMark(found) => marks::selected(app, *found),
        JobResult::ChangeDone(outcome) => running_change::done(app, *outcome),
        JobResult::Planned(outcome) => confirm::planned(app, *outcome),
        JobResult::CleanUpPlanned(number, outcome) => clean_up::planned(app, number, *outcome),
        JobResult::PlanStale(planned) => confirm::ask_again(app, *planned),
        JobResult::CleanUpRuleKept(outcome) => clean_up::rule_kept(app, outcome),
        JobResult::VerdictKept(outcome) => {
            list_view::secrets::verdict_kept(app, outcome);
            clean_up::verdict_kept(app);
        }
        JobResult::Inspected(seen) => list_view::arrived(app, *seen),
        JobResult::FormValidated(judged) => editor::results::judged(app, *judged),
        JobResult::DraftKept(version, outcome) => editor::results::kept(app, version, outcome),
        JobResult::TextKept(said) => {
            let before = app.notice.take().unwrap_or_default();
            app.say(format!("{before} {said}").trim());
        }
        JobResult::FormSaved(saved) => editor::results::saved(app, *saved),
        JobResult::DraftFound(at, draft) => editor::results::draft_found(app, at, draft),
        JobResult::Exported(number, outcome) => field_prompt::exported(app, number, outcome),
        JobResult::Notice(said) => app.say(said),
        JobResult::Recovered(tended) => running_change::recovery_done(app, tended),
    }
}

fn explained(app: &mut App, why: ExplainedRank) {
    if Arc::ptr_eq(&why.snapshot, &app.listed_snapshot) && app.selected() == Some(why.at) {
        let rank = why.explanation.as_ref().map(|own| own.factors.rank);
        let place = rank.and_then(|rank| why::place(app, rank));
        app.why_place = place.map(|(place, next)| app::RankPlace {
            place,
            next: next.map(|hit| (hit, detail::title_of(app, hit.at).into_raw())),
        });
        app.why = Some(why);
    }
}
