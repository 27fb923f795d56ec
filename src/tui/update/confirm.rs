//! A plan that waits for a yes, with the choices of a merge, and the new question if other programs changed what was shown.

use std::collections::HashSet;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, PathText, Snapshot};
use crate::ops::command::Consent;
use crate::ops::merge::{MergeChoice, MergedText};
use crate::tui::message::Effect;
use crate::tui::state::app::{App, ChangeTarget, Screen};
use crate::tui::state::confirmation::{Confirmation, TypedWord};
use crate::tui::state::pending_changes::{ActiveChange, PlacesBeside};
use crate::tui::update::list_view::change_request::look_at;
use crate::tui::update::running_change::{self, request_change};
use crate::tui::update::{queued_keys, reload};
use crate::tui::{confirm, layout};
use crate::usecase::{ChangeRequest, PlannedChange, count_changed_since, memory_count, name_of};
use crate::work::{Job, PagerInput};

pub fn planned(app: &mut App, outcome: Result<PlannedChange, String>) {
    app.changes.active = None;
    match outcome {
        Ok(planned) if planned.is_empty() => {
            let lines = planned.plans.iter().flat_map(|own| &own.plan.lines);
            let why = planned.left_out().into_iter().chain(planned.notes.iter().chain(lines).cloned());
            let why: String = why.map(|why| format!(" · {why}")).collect();
            app.say(format!("{}: there is nothing to change{why}", planned.request.name));
        }
        Ok(planned) if planned.request.progress.go_on().is_err() => {
            app.say("It was stopped. Nothing was changed.")
        }
        Ok(planned) => {
            app.notice = None;
            show(app, planned);
        }
        Err(why) => app.say(why),
    }
}

/// Shows a plan. An erasure and a large deletion need a typed word.
pub(super) fn show(app: &mut App, planned: PlannedChange) {
    let question = question(&planned);
    app.changes.places = PlacesBeside::of(&planned.not_reached);
    let (command, records) = (&planned.request.command, planned.records());
    let is_typed = match command.rules().consent {
        Consent::Key => false,
        Consent::TypedIfMany => records > MANY,
        Consent::Typed => true,
    };
    let [_, verb, _] = command.words();
    let typed = is_typed.then(|| TypedWord { required: format!("{verb} {records}"), so_far: String::new() });
    app.confirm = Some(Confirmation {
        planned: Box::new(planned),
        question,
        typed_word: typed,
        changed_count: 0,
        top: 0,
        rows: Vec::new(),
        head: Vec::new(),
        laid: (0, 0, 0),
    });
}

/// Opens the next file beside the stores in `$PAGER`, at the line of its first match.
pub fn open_place(app: &mut App) {
    let Some((path, line, number)) = app.changes.places.next() else {
        return app.say("No file beside the stores has it, or none that has lines.");
    };
    app.say(format!("{number}: {}:{line}", path.to_text()));
    app.push_effect(Effect::OpenPager(PagerInput::File(path, line)));
}

/// Asks again if other programs changed what the user agreed to; nothing was written. If the user is busy
/// with something else, only a notice appears, so that no key answers the question by mistake.
pub fn ask_again(app: &mut App, planned: PlannedChange) {
    let given = running_change::finish_queued(app);
    queued_keys::refused(app);
    if app.changes.active.as_ref().is_some_and(|going| !going.is_planning) {
        app.changes.active = None;
    }
    // A user who leaves must see that the change was not made.
    app.quits_when_done = false;
    let changed = planned.concurrent.as_ref().map(|own| own.told()).unwrap_or_default();
    let is_busy = app.prompt.is_some()
        || app.delete_menu.is_some()
        || app.confirm.is_some()
        || app.changes.active.is_some()
        || app.screen == Screen::Editor
        || app.clean_up.is_some() && !given.of_clean_up;
    let left: String = planned.left_out().iter().map(|line| format!(" · {line}")).collect();
    let why = match planned.is_empty() {
        true => Some(format!("{changed}. Nothing of the plan remains; nothing was changed.{left}")),
        false => is_busy.then(|| format!("{changed}. Nothing was changed; ask for it once more.")),
    };
    if let (Some(why), Some(clean_up), true) = (&why, &mut app.clean_up, given.of_clean_up) {
        clean_up.fail(why);
    }
    app.notice = why;
    if app.notice.is_none() {
        show(app, planned);
    }
    app.push_effect(reload::load_now(app));
}

/// Counts the memories of a waiting plan that changed since they were shown.
pub fn reloaded(app: &mut App) {
    let Some(confirm) = &mut app.confirm else { return };
    let snapshot: &Snapshot = &app.snapshot;
    if snapshot.is_whole() {
        confirm.changed_count = count_changed_since(&confirm.planned, snapshot);
    }
}

/// Wraps the plan to the width of the screen, and keeps its scroll position valid.
pub fn keep_in_view(app: &mut App) {
    let (width, most) = (confirm::width(app), confirm::most(app));
    let Some(confirm) = &mut app.confirm else { return };
    confirm.lay(width, most);
    let rows = confirm::parts(app).map_or(0, |parts| parts.rows);
    if let Some(confirm) = &mut app.confirm {
        confirm.scroll(0, rows);
    }
}

/// Returns how far a key scrolls a box; `None` if it does not. With `types`, letters are text.
pub fn scroll_by_key(key: KeyEvent, types: bool, rows: usize) -> Option<isize> {
    let page = rows.saturating_sub(1).max(1) as isize;
    let all = isize::MAX / 2;
    Some(match key.code {
        KeyCode::Down => 1,
        KeyCode::Up => -1,
        KeyCode::PageDown => page,
        KeyCode::PageUp => -page,
        KeyCode::Home => -all,
        KeyCode::End => all,
        KeyCode::Char(c) if key.modifiers.contains(KeyModifiers::CONTROL) => match c {
            'd' => (page / 2).max(1),
            'u' => -(page / 2).max(1),
            _ => return None,
        },
        KeyCode::Char(c) if !types => match c {
            'j' => 1,
            'k' => -1,
            'g' => -all,
            'G' => all,
            _ => return None,
        },
        _ => return None,
    })
}

/// A deletion of more memories needs a typed word.
const MANY: usize = 50;
const NAMED: usize = 5;

fn question(planned: &PlannedChange) -> String {
    let request = &planned.request;
    let [_, verb, _] = request.command.words();
    let asked = planned.display_name();
    let of = match request.at.len() {
        several if several > planned.records() => format!(" of {several}"),
        _ => String::new(),
    };
    // Memories that are left out of the plan are not counted.
    let changing: HashSet<EntryRef> = planned.changing.iter().copied().collect();
    let changes = |at: &&EntryRef| changing.is_empty() || changing.contains(*at);
    let hidden: Vec<EntryRef> = request.hidden.iter().filter(changes).copied().collect();
    let hidden = match hidden.as_slice() {
        [] => String::new(),
        [own] if request.at.len() == 1 => {
            format!(", hidden by the filter: {}", App::quoted_title(&request.snapshot, *own))
        }
        own => {
            let more = if own.len() > NAMED { ", …" } else { "" };
            let named = own.iter().take(NAMED);
            let names: Vec<String> = named.map(|at| App::quoted_title(&request.snapshot, *at)).collect();
            format!(", {} of them hidden by the filter: {}{more}", own.len(), names.join(", "))
        }
    };
    if let Some(choice) = request.command.get::<MergeChoice>() {
        let store = request.at.first().map(|at| request.snapshot.get(*at).0);
        let name =
            store.and_then(|store| Some(name_of(store, choice.target(store).ok()?))).unwrap_or_default();
        return format!("{verb} {} into {name}{hidden}?", memory_count(request.at.len()));
    }
    let what = request.command.change_in_words();
    if request.erases_values() {
        let files: usize = planned.erasures.iter().map(|own| own.places.len()).sum();
        let memories = memory_count(planned.records());
        let with = if planned.erasures.iter().any(|own| own.keeps_memories) { "out of" } else { "with" };
        return format!(
            "{verb} {} everywhere, {with} {memories}? It is in {}",
            request.name,
            count_with_noun(files as u64, "file")
        );
    }
    format!("{verb} {asked}{of}{what}{hidden}?")
}

/// Handles a key while a plan waits. Only `y`, or the typed word and Enter, mean yes.
pub fn key(app: &mut App, key: KeyEvent) {
    let is_seen = app.size.0 >= layout::SMALLEST.0 && app.size.1 >= layout::SMALLEST.1;
    let rows = confirm::parts(app).map_or(0, |parts| parts.rows);
    if is_seen && merge_key(app, key) {
        return;
    }
    let Some(confirm) = &mut app.confirm else { return };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if let (KeyCode::Char('u' | 'w'), true, Some(typed)) = (key.code, control, &mut confirm.typed_word) {
        // Prompts edit like readline. Both words are cleared, because neither is right without the other.
        typed.so_far.clear();
        return;
    }
    if let Some(by) = scroll_by_key(key, confirm.typed_word.is_some(), rows) {
        confirm.scroll(by, rows);
        return;
    }
    match (key.code, &mut confirm.typed_word) {
        // The user can't agree to what the screen is too small to show.
        (KeyCode::Char('y') | KeyCode::Enter, _) if !is_seen => {}
        (KeyCode::Esc, _) | (KeyCode::Char('n' | 'q'), None) => {
            close(app);
            app.say("Nothing was changed.");
        }
        (KeyCode::Char('y'), None) if key.modifiers.is_empty() => go(app),
        (KeyCode::Enter, Some(typed)) if typed.so_far.trim() == typed.required => go(app),
        // A low screen has one row for this, and the row above shows what to type.
        (KeyCode::Enter, Some(_)) if app.size.1 < 10 => app.say("Type it first."),
        (KeyCode::Enter, Some(typed)) => {
            app.notice = Some(format!("Type `{}` first. Nothing is changed yet.", typed.required));
        }
        (KeyCode::Backspace, Some(typed)) => _ = typed.so_far.pop(),
        (KeyCode::Char(c), Some(typed))
            if (key.modifiers - KeyModifiers::SHIFT).is_empty()
                && typed.so_far.len() < typed.required.len() =>
        {
            typed.so_far.push(c)
        }
        _ => {}
    }
}

/// Closes the question without a yes. A clean-up takes its plan back.
pub fn close(app: &mut App) {
    if let (Some(left), Some(own)) = (app.confirm.take(), &mut app.clean_up) {
        own.take_back(*left.planned);
    }
}

fn go(app: &mut App) {
    let Some(confirm) = app.confirm.take() else { return };
    let request = &confirm.planned.request;
    running_change::enqueue(app, Some(request));
    let what = format!("{} {}", request.command.words()[0], confirm.planned.display_name());
    app.say(format!("{what} …"));
    app.changes.active =
        Some(ActiveChange { progress: Arc::clone(&request.progress), what, is_planning: false });
    app.give_job(Job::Commit(confirm.planned));
}

/// Starts to plan the merge. The first memory stays; a key of the preview chooses another one.
pub fn begin_merge(app: &mut App, aim: ChangeTarget) {
    let Some(into) = aim.at.first().map(|at| key_of(&aim.snapshot, *at)) else { return };
    request_change(app, Some(aim), Arc::new(MergeChoice { into, text: MergedText::Both }));
}

fn key_of(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    store.key(entry)
}

/// Returns the next text of a memory that others become a part of.
fn next_text(text: MergedText) -> MergedText {
    match text {
        MergedText::Both => MergedText::OfTarget,
        MergedText::OfTarget => MergedText::OfOthers,
        MergedText::OfOthers => MergedText::Both,
    }
}

/// Says what the text will be, and which keys change that.
pub fn merge_line(choice: &MergeChoice) -> String {
    let [now, then] = [choice.text, next_text(choice.text)].map(|text| match text {
        MergedText::Both => "both, and nothing twice",
        MergedText::OfTarget => "only that of the one that stays",
        MergedText::OfOthers => "only that of the other",
    });
    format!("Its text: {now}. Tab: {then}. i: another one stays.")
}

/// Handles a key of the preview: Tab chooses another text, `i` another memory that stays. False if it is neither.
fn merge_key(app: &mut App, key: KeyEvent) -> bool {
    let Some(confirm) = &app.confirm else { return false };
    let request = &confirm.planned.request;
    let Some(mut choice) = request.command.get::<MergeChoice>().cloned() else { return false };
    match key.code {
        KeyCode::Tab => choice.text = next_text(choice.text),
        KeyCode::Char('i') if key.modifiers.is_empty() => {
            let keys: Vec<String> = request.at.iter().map(|at| key_of(&request.snapshot, *at)).collect();
            let place = keys.iter().position(|key| *key == choice.into).map_or(0, |place| place + 1);
            choice.into = keys.into_iter().cycle().nth(place).unwrap_or(choice.into);
        }
        _ => return false,
    }
    let request = ChangeRequest { command: Arc::new(choice), progress: Arc::default(), ..request.clone() };
    app.confirm = None;
    look_at(app, request);
    true
}
