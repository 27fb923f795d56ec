//! The view of findings: the action `secrets` opens it, and its keys give verdicts, redact and erase.

mod redact;

use crate::model::EntryRef;
use crate::store::erase::SecretValues;
use crate::tui::action::Action;
use crate::tui::list_view::secrets;
use crate::tui::possible_changes::writable;
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::list_row::ListRow;
use crate::tui::state::pending_changes::DeleteMenuItem;
use crate::tui::update::list_view::change_request::aimed;
use crate::tui::update::list_view::row_refresh::{cursor_key, renew};
use crate::tui::update::reference_go_back;
use crate::usecase::value_holders::SHORTEST_VALUE;
use crate::usecase::{ChangeCommand, EraseOptions, FindingList, ListedFinding, Verdict, memory_count};
use crate::work::Job;

pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Open if !app.list_view.in_details => open(app),
        Action::Real => note(app, Verdict::Yes),
        Action::FalseAlarm => note(app, Verdict::No),
        Action::Undecided => note(app, Verdict::Skip),
        Action::FalseAlarms => show_false_alarms(app),
        Action::Redact => redact::open(app),
        _ => return false,
    }
    true
}

/// Takes in the findings, or why they are unknown.
pub fn read(app: &mut App, found: Result<FindingList, String>) {
    let view = &mut app.list_view.findings;
    match found {
        Ok(list) => (view.list, view.failure) = (Some(list), None),
        Err(why) => view.failure = Some(why),
    }
}

fn chosen(app: &App) -> Vec<&ListedFinding> {
    let rows = if app.list_view.in_details { app.list_view.row().into_iter().collect() } else { aimed(app) };
    let own = rows.into_iter().filter_map(|row| if let ListRow::Finding(at) = row { Some(at) } else { None });
    own.filter_map(|at| secrets::finding(app, at)).collect()
}

/// Returns the values of findings, each once.
fn values(found: &[&ListedFinding]) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = found.iter().map(|own| own.finding.value.clone()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the memories of findings, each once.
fn memories<'a>(found: impl Iterator<Item = &'a ListedFinding>) -> Vec<EntryRef> {
    let mut all: Vec<EntryRef> = found.map(|own| own.at).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn holders(app: &App, values: &[Vec<u8>]) -> Vec<EntryRef> {
    let all = app.list_view.findings.list.iter().flat_map(|own| &own.all);
    memories(all.filter(|own| values.binary_search(&own.finding.value).is_ok()))
}

/// Returns the name of values, masked. Untrusted text.
fn name(found: &[&ListedFinding]) -> String {
    match values(found).len() {
        1 => found.first().map_or(String::new(), |own| own.finding.masked.clone()),
        several => format!("{several} values"),
    }
}

fn nothing(app: &mut App) {
    app.say("No finding is under the cursor, and none is marked: nothing is changed.");
}

fn open(app: &mut App) {
    let Some(ListRow::Finding(number)) = app.list_view.row() else { return nothing(app) };
    let Some(list) = &app.list_view.findings.list else { return };
    let Some(at) = list.all.get(number).map(|own| own.at) else { return };
    let snapshot = std::sync::Arc::clone(&list.snapshot);
    reference_go_back::open_memory_of(app, &snapshot, at);
}

/// Starts to keep a verdict on the values of the chosen findings.
fn note(app: &mut App, verdict: Verdict) {
    if let Err(why) = writable(app) {
        return app.say(why);
    }
    let values = values(&chosen(app));
    let Some(data) = app.data.clone().filter(|_| !values.is_empty()) else { return nothing(app) };
    app.give_job(Job::KeepVerdict { values, verdict, data });
}

pub fn verdict_kept(app: &mut App, outcome: Result<(Vec<Vec<u8>>, Verdict), String>) {
    let (values, verdict) = match outcome {
        Ok(kept) => kept,
        Err(why) => return app.say(why),
    };
    let held = cursor_key(app);
    if let Some(list) = &mut app.list_view.findings.list {
        list.note(&values, verdict);
    }
    app.list_view.list.marks.clear();
    if app.screen == crate::tui::state::app::Screen::Secrets {
        renew(app, held);
    }
    let what = if values.len() == 1 { "It is".to_owned() } else { format!("{} values are", values.len()) };
    let (one, several) = match verdict {
        Verdict::Yes => ("real", "real"),
        Verdict::No => ("a false alarm", "false alarms"),
        Verdict::Skip => ("not decided", "not decided"),
    };
    let shows = match verdict == Verdict::No && !app.list_view.findings.shows_false_alarms {
        true => format!(" {} shows the false alarms.", Action::FalseAlarms.call()),
        false => String::new(),
    };
    app.say(format!("{what} {}.{shows}", if values.len() == 1 { one } else { several }));
}

fn show_false_alarms(app: &mut App) {
    let held = cursor_key(app);
    let view = &mut app.list_view.findings;
    view.shows_false_alarms = !view.shows_false_alarms;
    let has_any = view.list.iter().flat_map(|own| &own.all).any(|own| own.verdict == Some(Verdict::No));
    let shown = view.shows_false_alarms;
    renew(app, held);
    app.say(match (has_any, shown) {
        (false, _) => "There is no false alarm.",
        (true, true) => "The false alarms are the last group of the list.",
        (true, false) => "The false alarms are hidden.",
    });
}

/// Returns the line of the menu that erases the values of the chosen findings wherever they are.
pub fn erase_values(app: &App) -> Option<DeleteMenuItem> {
    let found = chosen(app);
    let values = values(&found);
    let list = app.list_view.findings.list.as_ref().filter(|_| !values.is_empty())?;
    let count = memory_count(holders(app, &values).len());
    let is_short = values.iter().any(|own| own.len() < SHORTEST_VALUE);
    let refused = is_short.then(|| {
        format!(
            "A value under {SHORTEST_VALUE} bytes is in other texts by chance: erase the memory, or redact the value."
        )
    });
    // The memories are found when it is planned: deleted ones and copies in every file can hold the value, too.
    let snapshot = std::sync::Arc::clone(&list.snapshot);
    let target = ChangeTarget { snapshot, name: name(&found), ..ChangeTarget::default() };
    let values = SecretValues::of(values);
    Some(DeleteMenuItem {
        key: 'v',
        name: "erase value",
        about: format!("{} everywhere: {count}, every copy, for good", target.name),
        wanted: ChangeCommand::Erase(EraseOptions { values, ..EraseOptions::default() }),
        all_found: Some(target),
        refused,
    })
}
