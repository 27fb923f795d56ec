//! `palimp check`: problems; writes nothing.

use std::sync::Arc;

use serde::Serialize;

use super::Context;
use super::backup::gone;
use super::failure::{Exit, Failure, say};
use super::open;
use crate::check::findings;
use crate::model::{Severity, Store};
use crate::ops::repair::repairs;

#[derive(Serialize)]
struct Row {
    store: String,
    file: String,
    line: Option<u32>,
    id: Option<String>,
    code: &'static str,
    severity: &'static str,
    message: String,
    problem: String,
    fix: &'static str,
    fixes: Vec<Fix>,
}

#[derive(Serialize)]
struct Fix {
    n: u32,
    title: &'static str,
    confidence: f64,
}

/// Lists the problems of every store.
pub fn run(context: &mut Context) -> Result<Exit, Failure> {
    let snapshot = open::snapshot(context)?;
    let mut counts = [0; 3];
    for store in &snapshot.stores {
        let store = &with_written_anew(context, store)?;
        for finding in findings(store) {
            counts[finding.problem.severity as usize] += 1;
            let row = Row {
                store: store.root.display().to_string(),
                file: finding.problem.file.to_string_lossy().into_owned(),
                line: finding.problem.line,
                id: finding.problem.id.clone(),
                code: finding.problem.code.as_str(),
                severity: finding.problem.severity.as_str(),
                message: finding.problem.message.clone(),
                problem: finding.key,
                fix: if repairs(store, finding.problem).is_some() { "safe" } else { "none" },
                fixes: repairs(store, finding.problem)
                    .map(|title| Fix { n: 1, title, confidence: 1.0 })
                    .into_iter()
                    .collect(),
            };
            if context.options.json {
                context.out.json(&row)?;
            } else {
                context.out.line(&to_line(&row))?;
            }
        }
    }
    let [errors, warnings, notes] = counts;
    say(&format!("{errors} errors, {warnings} warnings, {notes} notes"));
    // A note harms nothing: a healthy store with notes is clean.
    let clean = counts[Severity::Error as usize] + counts[Severity::Warning as usize] == 0;
    Ok(if clean { Exit::Done } else { Exit::Nothing })
}

/// The store with the problems that only our own list of what was erased can tell.
fn with_written_anew(context: &Context, store: &Arc<Store>) -> Result<Arc<Store>, Failure> {
    let anew = match gone(&open::data_folder(context)?, store) {
        Ok(gone) => gone.written_anew(store, context.now),
        Err(failure) => {
            say(failure.message());
            Vec::new()
        }
    };
    if anew.is_empty() {
        return Ok(Arc::clone(store));
    }
    let mut store = Store::clone(store);
    store.problems.extend(anew);
    store.problems.sort_by(|a, b| (&a.file, a.line, a.code).cmp(&(&b.file, b.line, b.code)));
    Ok(Arc::new(store))
}

fn to_line(row: &Row) -> String {
    let file = if row.file.is_empty() { "." } else { &row.file };
    let line = row.line.map(|line| format!(":{line}")).unwrap_or_default();
    let id = row.id.as_deref().map(|id| format!(" {id}")).unwrap_or_default();
    format!("{:8} {}/{file}{line}{id}  {}  {}", row.severity, row.store, row.code, row.message)
}
