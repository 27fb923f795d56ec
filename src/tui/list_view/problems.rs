//! The problems of all stores: by severity, store, file and line, or by what is wrong.

use std::collections::HashSet;

use ratatui::style::Style;
use ratatui::text::Line;

use super::row::{Cell, Row};
use super::{About, Kind};
use crate::model::{Code, EntryRef, Problem, Severity, Snapshot, Store, Tell};
use crate::ops::repair::{self, Ease};
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

/// The line that the problem under the cursor is in, before and after a repair that can lose nothing, where
/// there is one; otherwise its memory.
pub fn line(app: &App) -> Option<Fix> {
    let (store, problem) = selected(app)?;
    let at = entry(&app.snapshot, store, problem)?;
    let (own, entry) = app.snapshot.get(at);
    let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]).trim_end().to_owned();
    let lines = repair::beside(own, problem, app.now);
    let first = lines.and_then(|own| Some((own.before, own.fixes.into_iter().next()?.1?)));
    Some(match first {
        Some((before, after)) => {
            Fix { bytes: before.len(), before: text(&before), after: Some(text(&after)) }
        }
        None => {
            let bytes = own.read(entry).unwrap_or_default();
            Fix { bytes: bytes.len(), before: text(&bytes), after: None }
        }
    })
}

/// A line with a problem, and what a repair makes of it. Untrusted text.
#[derive(Default)]
pub struct Fix {
    pub bytes: usize,
    pub before: String,
    /// Empty where nothing is left of it.
    pub after: Option<String>,
}

/// The problem under the cursor in full: what was found, what it means, what can be done about it, and the
/// line as it is and as it would be.
fn about(app: &App, width: usize) -> About {
    let Some((store, problem)) = selected(app) else { return About::default() };
    let theme = Theme::of(app);
    let line = problem.line.filter(|line| *line > 0).map_or(String::new(), |line| format!(" · line {line}"));
    let title = format!("{} · {}{line}", app.store_name(store), problem.file.told());
    let says = |text: &str, style: Style| {
        wrap(&theme::safe(app, text), width).into_iter().map(move |line| Line::styled(line, style))
    };
    let mut lines: Vec<Line<'static>> = says(&problem.message, theme.severity(problem.severity)).collect();
    if !is_said(problem.code.meaning(), &problem.message) {
        lines.extend(says(problem.code.meaning(), Style::new()));
    }
    lines.extend(
        app.snapshot
            .stores
            .get(store)
            .and_then(|own| can_do(own, problem))
            .into_iter()
            .flat_map(|told| says(&told, Style::new()).collect::<Vec<_>>()),
    );
    if let Some(fix) = &app.view.fix {
        lines.push(Line::default());
        let order = if fix.after.is_some() { "Before, " } else { "" };
        lines.extend(says(&format!("{order}{} bytes:", fix.bytes), theme.dim()));
        lines.extend(says(&fix.before, Style::new()));
        if let Some(after) = &fix.after {
            lines.extend(says("After:", theme.dim()));
            lines.extend(
                after
                    .split('\n')
                    .flat_map(|line| says(if line.is_empty() { "(no line)" } else { line }, Style::new())),
            );
        }
    }
    lines.push(Line::default());
    lines.extend(says(problem.code.as_str(), theme.dim()));
    About { title, right: String::new(), lines }
}

/// Whether a message says what its code means: most begin with the same words.
fn is_said(meaning: &str, message: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        split.map(str::to_lowercase).collect()
    };
    let said = words(message);
    let meaning = words(meaning);
    meaning.iter().filter(|word| said.contains(word)).count() * 2 > meaning.len()
}

/// What can be done about a problem.
fn can_do(store: &Store, problem: &Problem) -> Option<String> {
    let ease = repair::ease(store, problem, &HashSet::new());
    Some(match (ease, problem.record) {
        (Ease::Safe(deed), _) => {
            format!("`palimp repair --all-safe` does this, and can lose nothing: {deed}.")
        }
        (_, Some(record)) => match reads(store, problem, record) {
            true => "It can be repaired in the memory: Enter goes there.".into(),
            false => "No repair of this line is safe: it has to be edited in its file.".into(),
        },
        (_, None) => return None,
    })
}

/// Whether a record with a problem can be read as a memory.
fn reads(store: &Store, problem: &Problem, record: u32) -> bool {
    let place = store.documents.binary_search_by(|document| document.path.cmp(&problem.file));
    let records = place.ok().and_then(|place| store.documents.get(place)).map(|own| &own.records);
    records.and_then(|own| own.get(record as usize)).is_some_and(|own| own.view().is_some())
}

/// What is wrong, in two or three words, and what it is about: a field, a tag, an id. Untrusted text.
fn what(problem: &Problem) -> String {
    let name = match problem.code {
        Code::GluedRecords => "memories on one line".to_owned(),
        Code::MultiLineRecord => "memory over several lines".into(),
        Code::NoTimezone => "no time zone".into(),
        Code::RawNewline => "line break within a text".into(),
        Code::InvalidUtf8 => "not UTF-8".into(),
        Code::BadJson => "no JSON".into(),
        Code::NulBytes => "NUL bytes".into(),
        code => code.as_str().replace('-', " "),
    };
    match thing(&problem.message) {
        Some(thing) => format!("{name}  {thing}"),
        None => name,
    }
}

/// What a message quotes first. A command is no thing.
fn thing(message: &str) -> Option<&str> {
    let quote = message.find(['`', '"'])?;
    let (sign, rest) = message[quote..].split_at(1);
    let thing = &rest[..rest.find(sign)?];
    (!thing.is_empty() && !thing.starts_with("palimp ")).then_some(thing)
}

/// All that a problem says: what a filter looks in. Untrusted text.
pub fn words(app: &App, number: usize) -> String {
    let Some((store, own)) = problem(app, number) else { return String::new() };
    let (store, line) = (app.store_name(store), own.line.unwrap_or_default());
    format!("{} {} {store} {} {line} {}", own.code.as_str(), what(own), own.file.told(), own.message)
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
            let Some((store, own)) = problem(app, number) else { return Vec::new() };
            let place = own.line.filter(|line| *line > 0).map_or(String::new(), |line| line.to_string());
            let severity = theme.severity(own.severity);
            let of = app.snapshot.stores.get(store);
            let is_safe =
                of.is_some_and(|of| matches!(repair::ease(of, own, &HashSet::new()), Ease::Safe(_)));
            let mut cells = vec![
                Cell::left(format!("  {}", sign(own.severity)), 3).styled(severity).close(),
                Cell::right(place, 4).styled(theme.dim()).from(30).close(),
                Cell::rest(what(own)),
            ];
            cells.extend(is_safe.then(|| Cell::left("safe repair", 11).styled(theme.dim()).from(50)));
            cells
        }
        _ => Vec::new(),
    }
}

fn hints(app: &App) -> Vec<Hint> {
    let is_of_memory = selected(app).is_some_and(|(_, problem)| problem.record.is_some());
    if is_of_memory { vec![hint("Enter", "open its memory")] } else { Vec::new() }
}
