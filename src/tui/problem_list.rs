//! The problems of all stores in the order in which they are listed: by severity, store, file and line.

use super::app::App;
use crate::model::{EntryRef, Problem, Severity, Snapshot};

/// A row of the problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// How many there are of a severity.
    Severity(Severity, usize),
    /// The store and file of the problem of that number, and of those below it.
    File(usize),
    /// The problem of that number.
    Problem(usize),
}

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

/// The problems with the rows that head them.
pub fn rows(app: &App) -> Vec<Row> {
    let mut rows = Vec::with_capacity(app.problem_list.len() + 16);
    let mut last: Option<(Severity, usize, &Problem)> = None;
    for (number, &(store, at)) in app.problem_list.iter().enumerate() {
        let own = &app.snapshot.stores[store].problems[at];
        let severity = last.map(|(severity, ..)| severity);
        if severity != Some(own.severity) {
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

/// The problem under the cursor, with its store.
pub fn selected(app: &App) -> Option<(usize, &Problem)> {
    let &(store, at) = app.problem_list.get(app.problem.at)?;
    Some((store, app.snapshot.stores.get(store)?.problems.get(at)?))
}

/// The memory or line that a problem concerns, where it is one.
pub fn entry(snapshot: &Snapshot, store: usize, problem: &Problem) -> Option<EntryRef> {
    let own = snapshot.stores.get(store)?;
    let document = own.documents.iter().position(|document| document.path == problem.file)? as u32;
    let record = problem.record?;
    let entry = own.entries.iter().position(|own| own.document == document && own.record == record)?;
    Some(EntryRef { store: store as u32, entry: entry as u32 })
}
