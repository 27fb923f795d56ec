//! The problems of all stores, ordered by severity, store, file and line, or by what is wrong.

use std::collections::HashSet;
use std::sync::Arc;

use ratatui::style::Style;
use ratatui::text::Line;

use crate::check::findings;
use crate::model::{Code, EntryRef, PathText, Problem, Role, Severity, Snapshot, Store};
use crate::ops::repair::{self, FixChoice, FixPreview, RepairTarget, Repairability};
use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::list_view::row::ListCell;
use crate::tui::list_view::{ListViewKind, RowDetails};
use crate::tui::state::app::App;
use crate::tui::state::list_view::{FixOption, ListedProblem, ProblemFixes};
use crate::tui::state::row_list::ListRow;
use crate::tui::theme::{self, sign};
use crate::tui::value_prompt::may_edit;

pub static KIND: ListViewKind = ListViewKind {
    orders: ["by severity", "by what is wrong"],
    none: "No problems.",
    is_beside: true,
    rows,
    key: |app, row| if let ListRow::Problem(at) = row { key(app, at) } else { String::new() },
    cells,
    about,
    hints,
    is_read: |app| app.is_whole(),
};

const SAFE: &str = "fix loses nothing";
/// At most this many bytes of a line are shown.
const SHOWN: usize = 2_000;
/// At most this many lines are shown as they are before a fix.
const BEFORE: usize = 12;

pub fn listed_problems(snapshot: &Snapshot) -> Vec<ListedProblem> {
    let of_store = |(store, own): (usize, &Arc<Store>)| {
        let own = Arc::clone(own);
        (0..snapshot.stores[store].problems.len()).map(move |at| ListedProblem {
            store,
            at,
            repair: repair::ease(&own, &own.problems[at], &HashSet::new()),
        })
    };
    let mut all: Vec<ListedProblem> = snapshot.stores.iter().enumerate().flat_map(of_store).collect();
    let order = |listed: &ListedProblem| {
        let own = &snapshot.stores[listed.store].problems[listed.at];
        (own.severity, listed.store, &own.file, own.line)
    };
    all.sort_by(|one, other| order(one).cmp(&order(other)));
    all
}

pub fn problem(app: &App, number: usize) -> Option<(usize, &Problem)> {
    let listed = app.problem_list.get(number)?;
    Some((listed.store, app.snapshot.stores.get(listed.store)?.problems.get(listed.at)?))
}

/// Returns the repair that loses nothing, if there is one.
fn repair_of(app: &App, number: usize) -> Option<&'static str> {
    match app.problem_list.get(number)?.repair {
        Repairability::Safe(title) => Some(title),
        _ => None,
    }
}

/// True if the form of its memory repairs the problem under the cursor, and nothing else does.
pub fn is_repaired_in_form(app: &App) -> bool {
    let Some(ListRow::Problem(number)) = app.list_view.row() else { return false };
    let is_by_hand = app.problem_list.get(number).is_some_and(|own| own.repair == Repairability::ByHand);
    let has_fix = app.list_view.fixes.as_ref().is_some_and(|own| !own.ways.is_empty());
    let at = problem(app, number).and_then(|(store, problem)| entry(&app.snapshot, store, problem));
    let may = |at: EntryRef| may_edit(app.snapshot.get(at).0, app.snapshot.get(at).1).is_ok();
    is_by_hand && !has_fix && at.is_some_and(may)
}

/// Returns the problem under the cursor, with the number of its store.
pub fn selected(app: &App) -> Option<(usize, &Problem)> {
    let Some(ListRow::Problem(number)) = app.list_view.row() else { return None };
    problem(app, number)
}

fn rows(app: &App) -> Vec<ListRow> {
    let mut all: Vec<usize> = (0..app.problem_list.len()).collect();
    if app.list_view.list.is_other_order {
        let order = |at: &usize| problem(app, *at).map(|(_, own)| (own.severity, own.code));
        all.sort_by_key(order);
    }
    let mut rows = Vec::with_capacity(all.len() + 16);
    let mut last: Option<(Severity, usize, &Problem)> = None;
    for number in all {
        let Some((store, own)) = problem(app, number) else { continue };
        if last.map(|(severity, ..)| severity) != Some(own.severity) {
            let [errors, warnings, notes] = app.problem_counts();
            let count = match own.severity {
                Severity::Error => errors,
                Severity::Warning => warnings,
                Severity::Note => notes,
            };
            rows.push(ListRow::Severity(own.severity, count));
        }
        if last.is_none_or(|last| (last.0, last.1, &last.2.file) != (own.severity, store, &own.file)) {
            rows.push(ListRow::File(number));
        }
        rows.push(ListRow::Problem(number));
        last = Some((own.severity, store, own));
    }
    rows
}

pub fn key(app: &App, number: usize) -> String {
    let Some((store, own)) = problem(app, number) else { return String::new() };
    format!("{store} {} {} {:?} {}", own.code.as_str(), own.file.to_text(), own.line, own.message)
}

pub fn entry(snapshot: &Snapshot, store: usize, problem: &Problem) -> Option<EntryRef> {
    let own = snapshot.stores.get(store)?;
    let document = own.documents.binary_search_by(|document| (*document.path).cmp(&problem.file)).ok()?;
    let entry = own.entry_number(document as u32, problem.record?)?;
    Some(EntryRef { store: store as u32, entry })
}

/// Makes the text of a problem's lines, before and after each fix; `None` if there is nothing to show.
pub fn to_fixes(lines: FixPreview) -> Option<ProblemFixes> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]).trim_end().to_owned();
    let ways = lines.fixes.into_iter().map(|(fix, after)| FixOption {
        after: after.as_deref().map(text),
        title: fix.title,
        reason: fix.reason,
        is_safe: fix.is_safe,
    });
    let (bytes, before) = (lines.before.len(), text(&lines.before));
    let own = ProblemFixes { bytes, before, ways: ways.collect(), chosen: None };
    (bytes > 0 || !own.ways.is_empty()).then_some(own)
}

/// Returns the number of the first problem whose line can't be read.
pub fn first_broken(app: &App) -> Option<usize> {
    let is_broken = |number: &usize| {
        let own = problem(app, *number).and_then(|(store, own)| Some((app.snapshot.stores.get(store)?, own)));
        own.is_some_and(|(store, own)| own.record.is_some_and(|record| !reads(store, own, record)))
    };
    (0..app.problem_list.len()).find(is_broken)
}

/// Returns the repair of the problem under the cursor, by the chosen fix or the best one.
pub fn wanted(app: &App) -> Option<RepairTarget> {
    let (store, problem) = selected(app)?;
    let of = app.snapshot.stores.get(store)?;
    let key = findings(of).into_iter().find(|own| std::ptr::eq(own.problem, problem))?.key;
    let way = app.list_view.fixes.as_ref().and_then(|own| own.ways.get(own.chosen.unwrap_or(0)));
    let pick = way.map_or(FixChoice::Number(1), |way| FixChoice::Title(way.title.clone()));
    Some(RepairTarget::Chosen(vec![(key, pick)]))
}

/// Shows a problem in full: message, meaning, what can be done, and the line before and after the fix.
fn about(app: &App, width: usize) -> RowDetails {
    let Some(ListRow::Problem(number)) = app.list_view.row() else { return RowDetails::default() };
    let Some((store, problem)) = problem(app, number) else { return RowDetails::default() };
    let line = problem.line.filter(|line| *line > 0).map_or(String::new(), |line| format!(" · line {line}"));
    let title = format!("{} · {}{line}", app.store_name(store), problem.file.to_text());
    let says = |text: &str, style: Style| theme::styled_lines(&theme::safe(app, text), width, style);
    let mut lines: Vec<Line<'static>> =
        says(&problem.message, app.palette.severity(problem.severity)).collect();
    if !is_said(problem.code.meaning(), &problem.message) {
        lines.extend(says(problem.code.meaning(), Style::new()));
    }
    let fix = Action::Fix.call();
    let is_any_safe = app.list_view.fixes.as_ref().is_some_and(|fix| fix.ways.iter().any(|way| way.is_safe));
    let what = app.snapshot.stores.get(store).and_then(|own| match is_repaired_in_form(app) {
        true if problem.code == Code::ChecksumMismatch => {
            Some(format!("What is changed in its form gets a new checksum: {fix} opens the form."))
        }
        true => Some(format!("It is repaired in its form: {fix} opens the form.")),
        false => can_do(own, problem, repair_of(app, number), is_any_safe),
    });
    lines.extend(what.iter().flat_map(|told| says(told, Style::new())));
    if let Some(fix) = &app.list_view.fixes {
        lines.push(Line::default());
        if fix.bytes > 0 {
            let order = if fix.ways.is_empty() { "" } else { "Before, " };
            lines.extend(says(&format!("{order}{} bytes:", fix.bytes), app.palette.dim()));
            let before: Vec<&str> = fix.before.lines().collect();
            let (shown, more) = before.split_at(before.len().min(BEFORE));
            lines.extend(shown.iter().flat_map(|line| says(line, Style::new())));
            if !more.is_empty() {
                lines.extend(says(&format!("… and {} lines more", more.len()), app.palette.dim()));
            }
        }
        for (at, way) in fix.ways.iter().enumerate() {
            let is_chosen = fix.chosen.unwrap_or(0) == at;
            let (mark, style) = if is_chosen { ("→", app.palette.accent()) } else { (" ", Style::new()) };
            let safe = if way.is_safe { " (loses nothing)" } else { "" };
            lines.extend(says(&format!("{mark} {}{safe}", way.title), style));
            if !is_chosen {
                continue;
            }
            lines.extend(says(&way.reason, app.palette.dim()));
            let Some(after) = &way.after else { continue };
            let head = if after.is_empty() { "After: (no line)" } else { "After:" };
            lines.extend(says(head, app.palette.dim()));
            let after = after.split('\n').filter(|line| !line.is_empty());
            lines.extend(after.flat_map(|line| says(line, Style::new())));
        }
    }
    lines.push(Line::default());
    lines.extend(says(problem.code.as_str(), app.palette.dim()));
    RowDetails { title, right: String::new(), lines }
}

/// True if a message already says what its code means: more than half of the words are the same.
fn is_said(meaning: &str, message: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        split.map(str::to_lowercase).collect()
    };
    let said = words(message);
    let meaning = words(meaning);
    meaning.iter().filter(|word| said.contains(word)).count() * 2 > meaning.len()
}

/// Says what can be done about a problem. Another problem of the same line may have a safe repair.
fn can_do(store: &Store, problem: &Problem, safe: Option<&str>, is_any_safe: bool) -> Option<String> {
    Some(match (safe, problem.record) {
        (Some(operation), _) => {
            format!("`palimp repair --all-safe` does this, and can lose nothing: {operation}.")
        }
        (None, Some(record)) if is_any_safe || reads(store, problem, record) => return None,
        (None, Some(_)) => "Each fix of this line may lose something: choose one.".into(),
        (None, None) => match problem.code {
            Code::IndexStale
            | Code::IndexBroken
            | Code::CountMismatch
            | Code::HashMismatch
            | Code::ProjectionStale
            | Code::EntryBlockStale => "`palimp reindex` makes it again from the memories.".into(),
            Code::DanglingReference => {
                "Put what is missing back, or correct the path in this file.".to_owned()
            }
            _ => return None,
        },
    })
}

fn reads(store: &Store, problem: &Problem, record: u32) -> bool {
    let place = store.documents.binary_search_by(|document| document.path.cmp(&problem.file));
    let records = place.ok().and_then(|place| store.documents.get(place)).map(|own| &own.records);
    records.and_then(|own| own.get(record as usize)).is_some_and(|own| own.memory().is_some())
}

/// Says in a few words what is wrong and with what: a field, a tag or an id. Untrusted text.
fn what(store: Option<&Store>, problem: &Problem) -> String {
    let document = store.and_then(|own| own.document_at(&problem.file));
    let name = match problem.code {
        Code::TornLine if document.is_some_and(|own| own.role == Role::Tombstones) => "torn tombstone".into(),
        Code::GluedRecords => "several memories on one line".to_owned(),
        Code::MultiLineRecord => "memory over several lines".into(),
        Code::NoTimezone => "no time zone".into(),
        Code::RawNewline => "line break within a text".into(),
        Code::InvalidUtf8 => "not UTF-8".into(),
        Code::BadJson => "no JSON".into(),
        Code::NulBytes => "NUL bytes".into(),
        Code::DanglingReference if problem.record.is_none() => "missing file or folder".into(),
        code => code.as_str().replace('-', " "),
    };
    let things = things(&problem.message);
    match (problem.code, things.as_slice(), &problem.id) {
        // A field, a source or a memory refers to something that is missing.
        (Code::DanglingReference, [.., missing], Some(own)) => format!("{name}  {own} → {missing}"),
        (Code::DanglingReference, [.., missing], None) => format!("{name}  {missing}"),
        (_, [first, ..], _) => format!("{name}  {first}"),
        (_, [], _) => name,
    }
}

fn things(message: &str) -> Vec<&str> {
    let mut things = Vec::new();
    let mut rest = message;
    while let Some(quote) = rest.find(['`', '"']) {
        let (sign, quoted) = rest[quote..].split_at(1);
        let Some(end) = quoted.find(sign) else { break };
        things.push(&quoted[..end]);
        rest = &quoted[end + 1..];
    }
    things.retain(|thing| !thing.is_empty() && !thing.starts_with("palimp "));
    things
}

/// Returns all the text of a problem, for the filter. Untrusted text.
pub fn words(app: &App, number: usize) -> String {
    let Some((store, own)) = problem(app, number) else { return String::new() };
    let what = what(app.snapshot.stores.get(store).map(Arc::as_ref), own);
    let (store, line) = (app.store_name(store), own.line.unwrap_or_default());
    // The verb calls it safe.
    let safe = if repair_of(app, number).is_some() { format!("{SAFE} safe") } else { String::new() };
    format!("{} {what} {store} {} {line} {} {safe}", own.code.as_str(), own.file.to_text(), own.message)
}

/// Returns the heading of a severity. As a filter, it shows only the problems of that severity.
pub fn heading(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "✖ errors",
        Severity::Warning => "⚠ warnings",
        Severity::Note => "· notes",
    }
}

fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    match row {
        ListRow::Severity(severity, count) => {
            let count = ListCell::right(count.to_string(), 5).styled(app.palette.dim());
            vec![ListCell::rest(heading(severity)).styled(app.palette.severity(severity)), count]
        }
        ListRow::File(number) => {
            let Some((store, own)) = problem(app, number) else { return Vec::new() };
            let text = format!("  {}  {}", app.store_name(store), own.file.to_text());
            vec![ListCell::rest(text).styled(app.palette.dim())]
        }
        ListRow::Problem(number) => {
            let Some((store, own)) = problem(app, number) else { return Vec::new() };
            let place = own.line.filter(|line| *line > 0).map_or(String::new(), |line| line.to_string());
            let severity = app.palette.severity(own.severity);
            let is_safe = repair_of(app, number).is_some();
            let mut cells = vec![
                ListCell::left(format!("  {}", sign(own.severity)), 3).styled(severity).close(),
                ListCell::right(place, 4).styled(app.palette.dim()).from(30).close(),
                ListCell::rest(what(app.snapshot.stores.get(store).map(Arc::as_ref), own)),
            ];
            cells
                .extend(is_safe.then(|| ListCell::left(SAFE, SAFE.len()).styled(app.palette.dim()).from(50)));
            cells
        }
        _ => Vec::new(),
    }
}

fn hints(app: &App) -> Vec<Hint> {
    let is_of_memory = selected(app).is_some_and(|(_, problem)| problem.record.is_some());
    let ways = app.list_view.fixes.as_ref().map_or(0, |own| own.ways.len());
    let mut hints = Vec::new();
    if ways > 0 && !app.is_readonly() {
        hints.push(act(Action::Fix, "fix"));
    } else if is_repaired_in_form(app) && !app.is_readonly() {
        hints.push(act(Action::Fix, "fix in its form"));
    }
    if ways > 1 {
        hints.push(hint(if app.list_view.in_details { "jk" } else { "Tab" }, "choose a fix"));
    }
    hints.extend(is_of_memory.then(|| hint("Enter", "its memory")));
    hints
}
