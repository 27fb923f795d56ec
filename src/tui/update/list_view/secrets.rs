//! The view of findings: the action `secrets` opens it, and its keys give verdicts, redact and erase.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::detectors::label;
use crate::model::EntryRef;
use crate::ops::redact::{RecordSpan, RedactedValues, Redaction, RedactionStyle};
use crate::store::erase::SecretValues;
use crate::tui::action::Action;
use crate::tui::list_view::secrets;
use crate::tui::possible_changes::writable;
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::pending_changes::{DeleteMenu, DeleteMenuItem};
use crate::tui::state::row_list::ListRow;
use crate::tui::update::delete_menu::ValuesToErase;
use crate::tui::update::list_view::change_request::aimed_in_list;
use crate::tui::update::list_view::row_refresh::{cursor_key, renew};
use crate::tui::update::reference_go_back;
use crate::usecase::value_holders::SHORTEST_VALUE;
use crate::usecase::{FindingList, ListedFinding, Triage, Verdict, memory_count};
use crate::work::Job;

pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Open if !app.list_view.in_details => open(app),
        Action::Real => note(app, Verdict::Yes),
        Action::FalseAlarm => note(app, Verdict::No),
        Action::Undecided => note(app, Verdict::Skip),
        Action::FalseAlarms => show_false_alarms(app),
        Action::Redact => redact(app),
        _ => return false,
    }
    true
}

pub fn read(app: &mut App, found: Result<FindingList, String>) {
    let view = &mut app.list_view.findings;
    match found {
        Ok(list) => (view.list, view.failure) = (Some(list), None),
        Err(why) => view.failure = Some(why),
    }
}

fn chosen(app: &App) -> Vec<&ListedFinding> {
    let finding = |row| if let ListRow::Finding(at) = row { secrets::finding(app, at) } else { None };
    aimed_in_list(app).into_iter().filter_map(finding).collect()
}

fn values(found: &[&ListedFinding]) -> Vec<Vec<u8>> {
    let all: BTreeSet<Vec<u8>> = found.iter().map(|own| own.finding.value.clone()).collect();
    all.into_iter().collect()
}

fn memories<'a>(found: impl Iterator<Item = &'a ListedFinding>) -> Vec<EntryRef> {
    found.map(|own| own.at).collect::<BTreeSet<EntryRef>>().into_iter().collect()
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

fn note(app: &mut App, verdict: Verdict) {
    if let Err(why) = writable(app) {
        return app.say(why);
    }
    let values = values(&chosen(app));
    let Some(data) = app.data.clone().filter(|_| !values.is_empty()) else { return nothing(app) };
    app.give_job(Job::KeepVerdict { values, verdict, data });
}

pub fn verdict_kept(app: &mut App, outcome: Result<(Vec<Vec<u8>>, Verdict, Triage), String>) {
    let (values, verdict, triage) = match outcome {
        Ok(kept) => kept,
        Err(why) => return app.say(why),
    };
    app.list_view.findings.triage = triage;
    let key = cursor_key(app);
    if let Some(list) = &mut app.list_view.findings.list {
        list.note(&values, verdict);
    }
    app.list_view.list.marks.clear();
    if app.screen == crate::tui::state::app::Screen::Secrets {
        renew(app, key);
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
    let key = cursor_key(app);
    let view = &mut app.list_view.findings;
    view.shows_false_alarms = !view.shows_false_alarms;
    let has_any = view.list.iter().flat_map(|own| &own.all).any(|own| own.verdict == Some(Verdict::No));
    let shown = view.shows_false_alarms;
    renew(app, key);
    app.say(match (has_any, shown) {
        (false, _) => "There is no false alarm.",
        (true, true) => "The false alarms are the last group of the list.",
        (true, false) => "The false alarms are hidden.",
    });
}

/// Returns the lines of the menu that take the values of the chosen findings out wherever they are: the memories stay, or go.
pub fn value_lines(app: &App) -> Vec<DeleteMenuItem> {
    let found = chosen(app);
    let values = values(&found);
    let Some(list) = app.list_view.findings.list.as_ref().filter(|_| !values.is_empty()) else {
        return Vec::new();
    };
    let count = memory_count(holders(app, &values).len());
    let name = name(&found);
    let own = ValuesToErase { snapshot: &list.snapshot, values: SecretValues::of(&values), name: &name };
    vec![own.take_out(&format!("{count} and every copy")), own.erase(&count)]
}

const STYLES: [(char, &str, RedactionStyle); 3] = [
    ('m', "mask", RedactionStyle::Mask),
    ('l', "label", RedactionStyle::Label),
    ('p', "pseudonym", RedactionStyle::Pseudonym),
];

pub fn redact(app: &mut App) {
    match redact_menu(app) {
        Ok(Some(menu)) => app.delete_menu = Some(menu),
        Ok(None) => nothing(app),
        Err(why) => app.say(why),
    }
}

/// Makes the menu: small letters for the chosen memories, capital letters for all that have the values.
fn redact_menu(app: &App) -> Result<Option<DeleteMenu>, String> {
    writable(app)?;
    let found = chosen(app);
    let Some(list) = app.list_view.findings.list.as_ref().filter(|_| !found.is_empty()) else {
        return Ok(None);
    };
    let replaced = replaced(app, &found)?;
    let target = |at: Vec<EntryRef>| {
        let name = match at.len() {
            1 => format!("{} in 1 memory", name(&found)),
            several => format!("{} in {}", name(&found), memory_count(several)),
        };
        ChangeTarget { snapshot: Arc::clone(&list.snapshot), at, name, ..ChangeTarget::default() }
    };
    let own = target(memories(found.iter().copied()));
    let mut lines: Vec<DeleteMenuItem> =
        STYLES.map(|style| redact_line(&found, style, &replaced, None)).into();
    lines.extend(value_lines(app).into_iter().take(1));
    let all = holders(app, &values(&found));
    if all.len() > own.at.len() && matches!(replaced, RedactedValues::Texts(_)) {
        let all = target(all);
        lines.extend(STYLES.map(|(key, name, style)| {
            redact_line(&found, (key.to_ascii_uppercase(), name, style), &replaced, Some(&all))
        }));
    }
    Ok(Some(DeleteMenu { verb: "Redact", aim: own, lines }))
}

/// Returns what is replaced. A short value is in other texts by chance, so it is replaced in its place alone.
fn replaced(app: &App, found: &[&ListedFinding]) -> Result<RedactedValues, String> {
    let values = values(found);
    let is_short = values.iter().any(|own| own.len() < SHORTEST_VALUE);
    match found {
        [one] if is_short => span(app, one),
        _ if is_short => Err(format!(
            "A value under {SHORTEST_VALUE} bytes is redacted alone, in its place: Esc clears the marks."
        )),
        _ => {
            let texts = values.into_iter().map(String::from_utf8).collect::<Result<_, _>>();
            texts.map(RedactedValues::Texts).map_err(|_| "The value is not UTF-8: erase its memory.".into())
        }
    }
}

fn span(app: &App, own: &ListedFinding) -> Result<RedactedValues, String> {
    let moved = || "The stores changed meanwhile. Nothing was changed; try again.".to_owned();
    let list = app.list_view.findings.list.as_ref().ok_or_else(moved)?;
    let (store, entry) = list.snapshot.get(own.at);
    let line = own.finding.line.checked_sub(store.record(entry).line).ok_or_else(moved)?;
    let span = own.finding.span.clone();
    Ok(RedactedValues::Span(RecordSpan { key: store.key(entry), line: Some(line), span }))
}

fn redact_line(
    found: &[&ListedFinding],
    (key, name, style): (char, &'static str, RedactionStyle),
    replaced: &RedactedValues,
    all: Option<&ChangeTarget>,
) -> DeleteMenuItem {
    let first = found.first().map(|own| &own.finding);
    let becomes = match style {
        RedactionStyle::Mask => first.map_or(String::new(), |own| own.masked.clone()),
        RedactionStyle::Label => label(first.map(|own| &*own.rule)),
        RedactionStyle::Pseudonym => "the same name for the same value".to_owned(),
    };
    let about = match all {
        Some(all) => format!("{becomes}  in all {} that have it", memory_count(all.at.len())),
        None => becomes,
    };
    let redaction =
        Redaction { values: replaced.clone(), style, key: Vec::new(), false_alarms: BTreeSet::new() };
    DeleteMenuItem { key, name, about, wanted: Arc::new(redaction), all_found: all.cloned(), refused: None }
}
