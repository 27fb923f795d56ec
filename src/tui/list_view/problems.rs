//! The problems of all stores: by severity, store, file and line, or by what is wrong.

use ratatui::style::Style;
use ratatui::text::Line;

use super::row::{Cell, Row};
use super::{About, Kind};
use crate::model::{EntryRef, Problem, Severity, Snapshot, Tell};
use crate::tui::app::App;
use crate::tui::panes::hints::{Hint, hint};
use crate::tui::theme::{self, Theme, sign, wrap};

pub static KIND: Kind = Kind {
    orders: ["by severity", "by what is wrong"],
    none: "No problems.",
    is_beside: true,
    rows,
    about,
    hints,
    is_read: |app| app.is_whole(),
};

/// So many bytes of a line are shown.
const SHOWN: usize = 2_000;

/// Every problem as its store and its number there, in the order of the list.
pub fn of(snapshot: &Snapshot) -> Vec<(usize, usize)> {
    let stores = snapshot.stores.iter().enumerate();
    let mut all: Vec<(usize, usize)> =
        stores.flat_map(|(number, store)| (0..store.problems.len()).map(move |at| (number, at))).collect();
    let order = |&(store, at): &(usize, usize)| {
        let own = &snapshot.stores[store].problems[at];
        (own.severity, store, &own.file, own.line)
    };
    all.sort_by(|one, other| order(one).cmp(&order(other)));
    all
}

/// The problem of that number, with its store.
pub fn problem(app: &App, number: usize) -> Option<(usize, &Problem)> {
    let &(store, at) = app.problem_list.get(number)?;
    Some((store, app.snapshot.stores.get(store)?.problems.get(at)?))
}

/// The problem under the cursor, with its store.
pub fn selected(app: &App) -> Option<(usize, &Problem)> {
    let Some(Row::Problem(number)) = app.view.row() else { return None };
    problem(app, number)
}

/// The problems with the rows that head them.
fn rows(app: &App) -> Vec<Row> {
    let mut all: Vec<usize> = (0..app.problem_list.len()).collect();
    if app.view.list.is_turned {
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
            rows.push(Row::Severity(own.severity, count));
        }
        if last.is_none_or(|last| (last.0, last.1, &last.2.file) != (own.severity, store, &own.file)) {
            rows.push(Row::File(number));
        }
        rows.push(Row::Problem(number));
        last = Some((own.severity, store, own));
    }
    rows
}

pub fn key(app: &App, number: usize) -> String {
    let Some((store, own)) = problem(app, number) else { return String::new() };
    format!("{store} {} {} {:?} {}", own.code.as_str(), own.file.told(), own.line, own.message)
}

/// The memory or line that a problem concerns, where it is one.
pub fn entry(snapshot: &Snapshot, store: usize, problem: &Problem) -> Option<EntryRef> {
    let own = snapshot.stores.get(store)?;
    let document = own.documents.iter().position(|document| document.path == problem.file)? as u32;
    let record = problem.record?;
    let entry = own.entries.iter().position(|own| own.document == document && own.record == record)?;
    Some(EntryRef { store: store as u32, entry: entry as u32 })
}

/// The bytes of the line that the problem under the cursor concerns.
pub fn text(app: &App) -> Option<String> {
    let (store, problem) = selected(app)?;
    let (own, entry) = app.snapshot.get(entry(&app.snapshot, store, problem)?);
    let bytes = own.read(entry).unwrap_or_default();
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    Some(format!("{} bytes:\n{}", bytes.len(), start.trim_end()))
}

/// The problem under the cursor in full: where it is, what it means, what was found, the line itself.
fn about(app: &App, width: usize) -> About {
    let Some((store, problem)) = selected(app) else { return About::default() };
    let theme = Theme::of(app);
    let line = problem.line.filter(|line| *line > 0).map_or(String::new(), |line| format!(" · line {line}"));
    let title = format!("{} · {}{line}", app.store_name(store), problem.file.told());
    let says = |text: &str, style: Style| {
        wrap(&theme::safe(app, text), width).into_iter().map(move |line| Line::styled(line, style))
    };
    let mut lines: Vec<Line<'static>> = says(problem.code.meaning(), Style::new()).collect();
    lines.extend(says(&problem.message, theme.severity(problem.severity)));
    if let Some((count, bytes)) = app.view.text.split_first() {
        lines.push(Line::default());
        lines.extend(says(count, theme.dim()));
        lines.extend(says(&bytes.join("\n"), Style::new()));
    }
    lines.push(Line::default());
    lines.extend(says(problem.code.as_str(), theme.dim()));
    About { title, right: String::new(), lines }
}

pub fn cells(app: &App, row: Row) -> Vec<Cell> {
    let theme = Theme::of(app);
    match row {
        Row::Severity(severity, count) => {
            let name = match severity {
                Severity::Error => "errors",
                Severity::Warning => "warnings",
                Severity::Note => "notes",
            };
            let head = format!("{} {name}", sign(severity));
            let count = Cell::right(count.to_string(), 5).styled(theme.dim());
            vec![Cell::rest(head).styled(theme.severity(severity)), count]
        }
        Row::File(number) => {
            let Some((store, own)) = problem(app, number) else { return Vec::new() };
            let text = format!("  {}  {}", app.store_name(store), own.file.told());
            vec![Cell::rest(text).styled(theme.dim())]
        }
        Row::Problem(number) => {
            let Some((_, own)) = problem(app, number) else { return Vec::new() };
            let place = own.line.filter(|line| *line > 0).map_or(String::new(), |line| line.to_string());
            let severity = theme.severity(own.severity);
            vec![
                Cell::left(format!("  {}", sign(own.severity)), 3).styled(severity).close(),
                Cell::right(place, 4).styled(theme.dim()).from(30).close(),
                Cell::rest(own.message.clone()),
            ]
        }
        _ => Vec::new(),
    }
}

fn hints(app: &App) -> Vec<Hint> {
    let is_of_memory = selected(app).is_some_and(|(_, problem)| problem.record.is_some());
    if is_of_memory { vec![hint("Enter", "open its memory")] } else { Vec::new() }
}
