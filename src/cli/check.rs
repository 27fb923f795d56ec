//! `palimp check`: lists problems, and writes nothing.

use std::sync::Arc;

use serde::Serialize;

use super::columns::{OutputTerminal, TextStyle};
use super::failure::warn;
use super::{Context, Exit, Limit, ReadScope, Result, load_stores, say};
use crate::check::findings;
use crate::check::problem_groups::{FileProblems, LocatedProblem, ProblemGroup, groups, tally};
use crate::detectors::mask;
use crate::disk::RealDisk;
use crate::disk::host::Host;
use crate::format::store_names;
use crate::model::plan::count_with_noun;
use crate::model::{PathText, Severity, Snapshot, Store};
use crate::ops::WriteContext;
use crate::ops::repair::{self, RepairContext, RepairSources};
use crate::text::columns::{column, fit, wrap};
use crate::text::safe_text::{display_width, sanitize};
use crate::text::shell_quote;
use crate::usecase::{CheckedStore, check_store, repair_sources};

#[derive(Serialize)]
struct ProblemRow {
    store: String,
    file: String,
    line: Option<u32>,
    id: Option<String>,
    code: &'static str,
    severity: &'static str,
    message: String,
    problem: String,
    fix: &'static str,
    fixes: Vec<FixRow>,
}

#[derive(Serialize)]
struct FixRow {
    n: usize,
    title: String,
    reason: String,
    confidence: f64,
    safe: bool,
}

impl FixRow {
    fn of((at, own): (usize, repair::ProblemFix)) -> FixRow {
        let confidence = f64::from(own.confidence) / 100.0;
        FixRow { n: at + 1, title: own.title, reason: own.reason, confidence, safe: own.is_safe }
    }
}

/// Lists the problems of every store; on a terminal, grouped by code.
pub fn run(context: &mut Context, limit: Limit) -> Result {
    let snapshot = load_stores::snapshot(context, ReadScope::All)?;
    let data = load_stores::data_folder(context)?;
    let terminal = OutputTerminal::of(context).filter(|_| !context.options.all);
    let host = Host::here(&data, context.now);
    let mut all: Vec<CheckedStore> = Vec::new();
    let mut room = limit.most();
    for store in &snapshot.stores {
        let checked = check_store(&RealDisk, Some(&data), store, context.now);
        checked.unread.iter().for_each(|why| warn(why));
        if terminal.is_none() && room > 0 {
            let material = repair_sources(host, &checked.store, &checked.store.problems).unwrap_or_default();
            print_each(context, &checked, &material, room)?;
            room = room.saturating_sub(checked.store.problems.len());
        }
        all.push(checked);
    }
    let mut counts = [0; 3];
    let problems = all.iter().flat_map(|own| &own.store.problems);
    problems.for_each(|problem| counts[problem.severity as usize] += 1);
    match terminal {
        Some(terminal) => print_groups(context, &all, (counts, limit), terminal)?,
        None => {
            context.more(limit, counts.iter().sum())?;
            say(&tally(counts));
        }
    }
    // A note harms nothing: a healthy store with notes is clean.
    let clean = counts[Severity::Error as usize] + counts[Severity::Warning as usize] == 0;
    Ok(if clean { Exit::Done } else { Exit::Nothing })
}

/// Prints each problem with its fixes, up to the limit: one line or one JSON document each.
fn print_each(
    context: &mut Context,
    checked: &CheckedStore,
    material: &RepairSources,
    most: usize,
) -> Result<()> {
    let store: &Store = &checked.store;
    let write_context = WriteContext::of(store, context.now, [0; 16]);
    let bench = RepairContext::of(&write_context, material, checked.rebuilt());
    let all: Vec<_> = findings(store).into_iter().take(most).collect();
    let fixes = bench.each(&all, |bench, own| bench.fixes(own.problem));
    for (finding, fixes) in all.into_iter().zip(fixes) {
        let problem = finding.problem;
        let fix = match fixes.first() {
            Some(own) if own.is_safe => "safe",
            Some(_) => "choice",
            None => "none",
        };
        let row = ProblemRow {
            store: store.root.to_text().into_owned(),
            file: problem.file.to_text().into_owned(),
            line: problem.line,
            id: problem.id.clone(),
            code: problem.code.as_str(),
            severity: problem.severity.as_str(),
            message: problem.message.clone(),
            problem: finding.key,
            fix,
            fixes: fixes.into_iter().enumerate().map(FixRow::of).collect(),
        };
        context.row(&row, || to_line(&row))?;
    }
    Ok(())
}

const INDENT: usize = 4;

/// Prints the problems by code, each with its first places, and what to do next.
fn print_groups(
    context: &mut Context,
    all: &[CheckedStore],
    (counts, limit): ([usize; 3], Limit),
    terminal: OutputTerminal,
) -> Result<()> {
    let material = RepairSources::default();
    let now = context.now;
    let found = all.iter().enumerate().flat_map(|(store, own)| {
        let write_context = WriteContext::of(&own.store, now, [0; 16]);
        let bench = RepairContext::of(&write_context, &material, own.rebuilt());
        let safe = bench.each(&own.store.problems, |bench, problem| bench.safe(problem).is_some());
        let problems = own.store.problems.iter().zip(safe);
        problems.map(move |(problem, is_safe)| LocatedProblem { store, problem, is_safe })
    });
    let found: Vec<LocatedProblem<'_>> = found.collect();
    let groups = groups(found.iter().copied());
    let stores = Snapshot::of(all.iter().map(|own| Arc::clone(&own.store)).collect());
    let names = store_names(&stores);
    let lines: Vec<String> = groups
        .iter()
        .take(limit.most())
        .flat_map(|group| lines_of(group, (&groups, &names), terminal))
        .collect();
    context.out.drawn(&lines)?;
    context.more(limit, groups.len())?;
    let safe = found.iter().filter(|own| own.is_safe).count();
    Ok(next(context, counts, safe).iter().try_for_each(|line| context.out.line(line))?)
}

/// Returns the lines of a group: what is wrong, whether it can be repaired, and where it is.
fn lines_of(
    group: &ProblemGroup<'_>,
    (all, names): (&[ProblemGroup<'_>], &[String]),
    terminal: OutputTerminal,
) -> Vec<String> {
    let (sign, look) = match group.severity {
        Severity::Error => ("✖", TextStyle::Bad),
        Severity::Warning => ("⚠", TextStyle::Warning),
        Severity::Note => ("·", TextStyle::Dim),
    };
    let figures = all.iter().map(|own| own.count).max().unwrap_or(0).to_string().len();
    let codes = all.iter().map(|own| own.code.as_str().len()).max().unwrap_or(0);
    let fix = group.fix();
    let before = figures + codes + 5;
    let room = terminal.width.saturating_sub(before + if fix.is_empty() { 0 } else { fix.len() + 2 }).max(24);
    let parts = wrap(&sanitize(&mask(&group.describe())), room);
    let mut lines = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let head = format!("{sign} {:>figures$} {:codes$}", group.count, group.code.as_str());
        lines.push(match number {
            0 if fix.is_empty() => format!("{}  {}", terminal.painted(&head, look), part.trim_end()),
            0 => format!("{}  {}  {fix}", terminal.painted(&head, look), column(part, room)),
            _ => format!("{:before$}{}", "", part.trim_end()),
        });
    }
    let widest = names.iter().map(|name| display_width(&sanitize(&mask(name)))).max().unwrap_or(0).min(16);
    let name = |own: &FileProblems<'_>| match names {
        [_] => String::new(),
        _ => column(&sanitize(&mask(&names[own.store])), widest) + "  ",
    };
    let place =
        |own: &FileProblems<'_>| format!("{:INDENT$}{}{}", "", name(own), sanitize(&mask(&own.describe())));
    lines.extend(group.files.iter().map(|own| fit(&place(own), terminal.width)));
    let more = (group.more_files > 0).then(|| count_with_noun(group.more_files as u64, "more file"));
    lines.extend(more.map(|more| format!("{:INDENT$}… and {more}", "")));
    lines
}

/// Returns lines with the number of problems, and what to do about them.
fn next(context: &Context, counts: [usize; 3], safe: usize) -> Vec<String> {
    let stores: String = context
        .options
        .stores
        .iter()
        .map(|path| format!(" {}", shell_quote::word(&path.to_text())))
        .collect();
    let repair = match safe {
        0 => String::new(),
        safe => format!(". {safe} can be repaired safely: palimp repair --all-safe{stores}"),
    };
    let is_any = counts.iter().any(|count| *count > 0);
    let each = is_any.then(|| format!("Each one: palimp check --all{stores}"));
    [format!("{}{repair}", tally(counts))].into_iter().chain(each).collect()
}

fn to_line(row: &ProblemRow) -> String {
    let file = if row.file.is_empty() { "." } else { &row.file };
    let line = row.line.map(|line| format!(":{line}")).unwrap_or_default();
    let id = row.id.as_deref().map(|id| format!(" {id}")).unwrap_or_default();
    let fixes = match row.fixes.len() {
        0 => String::new(),
        count => format!("  [{}: {}]", row.problem, count_with_noun(count as u64, "fix")),
    };
    format!("{:8} {}/{file}{line}{id}  {}  {}{fixes}", row.severity, row.store, row.code, row.message)
}
