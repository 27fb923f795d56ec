//! `palimp check`: problems; writes nothing.

use serde::Serialize;

use super::Context;
use super::failure::{Exit, Failure, say};
use super::open;
use crate::check::findings;
use crate::model::Severity;
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

fn to_line(row: &Row) -> String {
    let file = if row.file.is_empty() { "." } else { &row.file };
    let line = row.line.map(|line| format!(":{line}")).unwrap_or_default();
    let id = row.id.as_deref().map(|id| format!(" {id}")).unwrap_or_default();
    format!("{:8} {}/{file}{line}{id}  {}  {}", row.severity, row.store, row.code, row.message)
}
