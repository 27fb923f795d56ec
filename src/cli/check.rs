//! `palimp check`: problems; writes nothing.

use std::collections::HashSet;
use std::path::Path;

use serde::Serialize;

use super::Context;
use super::failure::{Exit, Result, say};
use super::open;
use super::out::{cut, terminal_width};
use crate::check::{findings, groups};
use crate::deed::checked;
use crate::model::{Severity, Store, Tell};
use crate::ops::repair::repairs;
use crate::text::columns::wrap;
use crate::text::secrets::mask;
use crate::text::show::{columns, show};

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

/// Lists the problems of every store; on a terminal those of a kind together.
pub fn run(context: &mut Context) -> Result {
    let snapshot = open::snapshot(context)?;
    let width = terminal_width().filter(|_| !context.options.json && !context.options.all);
    let mut counts = [0; 3];
    for store in &snapshot.stores {
        let data = open::data_folder(context)?;
        let checked = checked(Some(&data), store, context.now);
        checked.unread.iter().for_each(|why| say(why));
        let (store, disagreeing) = (&checked.store, &checked.anew);
        store.problems.iter().for_each(|problem| counts[problem.severity as usize] += 1);
        match width {
            Some(width) => print_groups(context, store, width)?,
            None => {
                let anew = disagreeing.iter().map(|change| &*change.path).collect();
                print_each(context, store, &anew)?;
            }
        }
    }
    let [errors, warnings, notes] = counts;
    let all = if width.is_some() && errors + warnings + notes > 0 { "; --all lists each" } else { "" };
    say(&format!("{}{all}", groups::tally(errors, warnings, notes)));
    // A note harms nothing: a healthy store with notes is clean.
    let clean = counts[Severity::Error as usize] + counts[Severity::Warning as usize] == 0;
    Ok(if clean { Exit::Done } else { Exit::Nothing })
}

/// Where what belongs to a group starts.
const INDENT: usize = 18;

/// Each problem, a line or a document each. `anew` are the files that `reindex` makes anew.
fn print_each(context: &mut Context, store: &Store, anew: &HashSet<&Path>) -> Result<()> {
    for finding in findings(store) {
        let problem = finding.problem;
        let row = Row {
            store: store.root.told().into_owned(),
            file: problem.file.told().into_owned(),
            line: problem.line,
            id: problem.id.clone(),
            code: problem.code.as_str(),
            severity: problem.severity.as_str(),
            message: problem.message.clone(),
            problem: finding.key,
            fix: "none",
            fixes: Vec::new(),
        };
        let row = match repairs(store, problem, anew) {
            Some(title) => Row { fix: "safe", fixes: vec![Fix { n: 1, title, confidence: 1.0 }], ..row },
            None => row,
        };
        context.row(&row, || to_line(&row))?;
    }
    Ok(())
}

/// The problems of a store by code and field, each with its first places.
fn print_groups(context: &mut Context, store: &Store, width: usize) -> Result<()> {
    let groups = groups::groups(store.problems.iter());
    if groups.is_empty() {
        return Ok(());
    }
    let kind = |group: &groups::Group<'_>| match group.field {
        Some(field) => format!("{} {field}", group.code.as_str()),
        None => group.code.as_str().to_owned(),
    };
    let longest = groups.iter().map(|group| kind(group).chars().count()).max().unwrap_or(0).min(width / 3);
    let mut line = |text: String| context.out.line(&cut(&text, width));
    line(store.root.told().into_owned())?;
    for group in &groups {
        let (severity, count) = (group.severity.as_str(), group.count);
        let head = format!("  {severity:8}{count:>6}  {:longest$}", kind(group));
        let whole = format!("{head}  {}", group.message);
        if columns(&whole) <= width {
            line(whole)?;
        } else {
            line(head)?;
            for part in wrap(&show(&mask(group.message)), width.saturating_sub(INDENT).max(INDENT)) {
                line(format!("{:INDENT$}{part}", ""))?;
            }
        }
        for file in &group.files {
            line(format!("{:INDENT$}{}", "", file.told()))?;
        }
        if group.more_files > 0 {
            line(format!("{:INDENT$}… and {} more files", "", group.more_files))?;
        }
    }
    Ok(())
}

fn to_line(row: &Row) -> String {
    let file = if row.file.is_empty() { "." } else { &row.file };
    let line = row.line.map(|line| format!(":{line}")).unwrap_or_default();
    let id = row.id.as_deref().map(|id| format!(" {id}")).unwrap_or_default();
    format!("{:8} {}/{file}{line}{id}  {}  {}", row.severity, row.store, row.code, row.message)
}
