//! Plans the chosen fixes as one step, with what leaves the files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::fix::{
    ByteEdit, FixAction, ProblemFix, QuarantinePiece, RepairPlan, added_lines, is_repaired_by_line,
};
use super::line_damage::bytes;
use super::safe_line_fix::{after_edits, touched};
use super::{FixChoice, RepairContext, RepairTarget};
use crate::check::{findings, stale_files};
use crate::format::writing::AuditEvent;
use crate::model::plan::count_with_noun;
use crate::model::{Change, ChangeKind, Document, PathText, Plan, Problem, Store, Verb};
use crate::ops::{Refusal, Result, may_change, plan_and_after, with_backups, writes};
use crate::store::derived_files;

/// At most this many lines of a fix are shown, and this many characters of a line.
const TOLD: usize = 12;
const WIDE: usize = 160;

/// Plans the chosen repairs. The store must have all its problems.
pub fn chosen(bench: &RepairContext<'_>, which: &RepairTarget) -> Result<RepairPlan> {
    let store = bench.store();
    match which {
        RepairTarget::AllSafe => {
            let all = &store.problems;
            let safe = all.iter().zip(bench.each(all, |bench, own| bench.safe(own)));
            planned(bench, safe.filter_map(|(own, fix)| Some((own, fix?))).collect(), true)
        }
        RepairTarget::Code(code) => {
            let own: Vec<&Problem> = store.problems.iter().filter(|own| own.code == *code).collect();
            let best = own.iter().zip(bench.each(&own, |bench, own| bench.best(own)));
            let best: Vec<_> = best.filter_map(|(own, fix)| Some((*own, fix?))).collect();
            let mut repair = planned(bench, best, false)?;
            if !own.is_empty() && repair.plan.as_ref().is_none_or(Plan::is_empty) {
                let count = count_with_noun(own.len() as u64, "problem");
                let lines = vec![format!("{count} of the kind {}: no repair is known", code.as_str())];
                repair.plan = Some(Plan { lines, ..Plan::of(Verb::Repair, store.whole()?) });
            }
            Ok(repair)
        }
        RepairTarget::Chosen(all) => {
            let known = findings(store);
            let fix = |(name, pick): &(String, FixChoice)| {
                let by_key = || known.iter().find(|own| own.key == *name);
                let by_number = || known.get(name.parse::<usize>().ok()?.checked_sub(1)?);
                let missing = || format!("there is no problem {name:?}: `palimp check --json` names them.");
                let own = by_key().or_else(by_number).ok_or_else(|| Refusal::unfit(missing()))?;
                Ok((own.problem, picked(bench, own.problem, pick)?))
            };
            let fixes: Vec<(&Problem, ProblemFix)> = all.iter().map(fix).collect::<Result<_>>()?;
            planned(bench, fixes, false)
        }
    }
}

fn picked(bench: &RepairContext<'_>, problem: &Problem, pick: &FixChoice) -> Result<ProblemFix> {
    may_change(bench.store())?;
    let fixes = bench.fixes(problem);
    let count = fixes.len();
    let own = match pick {
        FixChoice::Number(number) => number.checked_sub(1).and_then(|at| fixes.into_iter().nth(at)),
        FixChoice::Title(title) => fixes.into_iter().find(|own| own.title == *title),
        FixChoice::Lines(lines) => bench.with_lines(problem, lines),
    };
    own.ok_or_else(|| match count {
        0 => Refusal::unfit(format!("palimp can't repair this by itself. {}", problem.message)),
        _ => {
            let fixes = count_with_noun(count as u64, "fix");
            Refusal::unfit(format!("the problem has {fixes}, and not this one."))
        }
    })
}

#[derive(Default)]
struct FixChanges {
    edits: BTreeMap<PathBuf, Vec<ByteEdit>>,
    /// Files that are changed as a whole, or removed.
    files: Vec<Change>,
    /// The start and the end of each edit, by file.
    taken: HashMap<PathBuf, BTreeMap<usize, usize>>,
    repair: RepairPlan,
    told: Vec<String>,
    count: usize,
    /// The number of fixes that have to wait for others.
    waiting: usize,
    rebuilds: bool,
}

impl FixChanges {
    fn add(&mut self, store: &Store, problem: &Problem, fix: ProblemFix) {
        match fix.act {
            FixAction::Rebuild => self.rebuilds = true,
            FixAction::Files(changes, out) => {
                let is_taken = |own: &Change| {
                    self.edits.contains_key(&own.path)
                        || self.files.iter().any(|other| other.path == own.path)
                };
                if changes.iter().any(is_taken) {
                    self.waiting += 1;
                    return;
                }
                if self.told.len() < TOLD * 3 {
                    self.told.push(format!("{}  {}", problem.file.to_text(), fix.title));
                    let added = String::from_utf8_lossy(added_lines(&changes).unwrap_or_default());
                    let lines = added.lines().filter(|own| !own.is_empty()).take(TOLD);
                    self.told.extend(lines.map(|own| format!("  + {}", cut(own))));
                }
                self.count += 1;
                self.files.extend(changes);
                self.repair.quarantined.extend(out);
            }
            FixAction::Edits(file, edits, out, new_file) => {
                if self.files.iter().any(|own| own.path == file) {
                    self.waiting += 1;
                    return;
                }
                let taken = self.taken.entry(file.clone()).or_default();
                let is_same =
                    |(range, _): &ByteEdit| taken.get(&range.start) == Some(&range.end) && !range.is_empty();
                let own = self.edits.get(&file).map(Vec::as_slice).unwrap_or_default();
                if edits.iter().all(|edit| is_same(edit) && own.contains(edit)) {
                    return;
                }
                if edits.iter().any(|(range, _)| is_taken(taken, range.start, range.end)) {
                    self.waiting += 1;
                    return;
                }
                taken.extend(edits.iter().map(|(range, _)| (range.start, range.end)));
                if self.told.len() < TOLD * 3
                    && let Some(document) = store.document_at(&file)
                {
                    self.told.extend(before_and_after(document, problem, &fix.title, &edits));
                }
                self.count += 1;
                self.edits.entry(file).or_default().extend(edits);
                self.files.extend(new_file);
                self.repair.quarantined.extend(out);
            }
        }
    }
}

/// True if a range overlaps one that is taken, or starts where one starts.
fn is_taken(taken: &BTreeMap<usize, usize>, start: usize, end: usize) -> bool {
    let before = taken.range(..=start).next_back();
    before.is_some_and(|(from, to)| *to > start || *from == start)
        || taken.range(start..).next().is_some_and(|(from, _)| *from < end)
}

/// Returns the lines before and after a fix, for people. Untrusted text.
fn before_and_after(document: &Document, problem: &Problem, title: &str, edits: &[ByteEdit]) -> Vec<String> {
    let lines = touched(document, edits);
    let line = problem.line.map_or(String::new(), |line| format!(":{line}"));
    let mut told = vec![format!("{}{line}  {title}", document.path.to_text())];
    let parts = |sign: char, bytes: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(bytes);
        let own = text.split('\n').take(TOLD).filter(|line| !line.trim().is_empty());
        own.map(|line| format!("  {sign} {}", cut(line.trim_end()))).collect()
    };
    let before = document.bytes.range(lines.clone()).unwrap_or_default();
    told.extend(parts('-', &before));
    told.extend(parts('+', &after_edits(document, lines, edits)));
    told
}

/// Shortens a line to its beginning and its end, where most damage is.
fn cut(line: &str) -> String {
    let count = line.chars().count();
    if count <= WIDE {
        return line.to_owned();
    }
    let head: String = line.chars().take(WIDE / 2).collect();
    let tail: String = line.chars().skip(count - WIDE / 2).collect();
    format!("{head}…{tail}")
}

/// Plans fixes. With `all`, derived files that are stale for another reason are rebuilt, too.
fn planned(bench: &RepairContext<'_>, fixes: Vec<(&Problem, ProblemFix)>, all: bool) -> Result<RepairPlan> {
    let context = bench.context;
    let (_, writes) = writes(context.store)?;
    // An incomplete store must not look as if it needed no repair.
    let none = Plan::of(Verb::Repair, context.store.whole()?);
    let mut own = FixChanges { rebuilds: all, ..FixChanges::default() };
    fixes.into_iter().for_each(|(problem, fix)| own.add(context.store, problem, fix));
    let bytes = |path: &Path| context.store.document_at(path).map(|own| own.bytes.clone());
    let edit = |(path, edits): (PathBuf, Vec<ByteEdit>)| Some(Change::edits(&path, bytes(&path)?, edits));
    let edited = std::mem::take(&mut own.edits).into_iter().filter_map(edit);
    let files = std::mem::take(&mut own.files);
    let changes: Vec<Change> = edited.chain(files).filter(|own| !own.is_empty()).collect();
    let mut repair = own.repair;
    if changes.is_empty() {
        let rebuilt =
            if own.rebuilds { stale_files::stale_files(context.store, context.now) } else { Vec::new() };
        let made_of = derived_files::derivation_inputs(context.store, &[]);
        repair.plan = (!rebuilt.is_empty()).then_some(Plan { derived: rebuilt, inputs: made_of, ..none });
        return Ok(repair);
    }
    let audit = writes.own().audit;
    let files: Vec<&Path> = changes.iter().map(|change| &*change.path).collect();
    let told = audit.map_or(Ok(Vec::new()), |audit| audit(context, AuditEvent::Repair, &files, own.count))?;
    let mut every = with_backups(context, changes);
    every.extend(told);
    let (mut plan, after) = plan_and_after(Verb::Repair, context, own.count, every)?;
    if own.rebuilds {
        // What is stale for another reason is rebuilt, too.
        let touched: HashSet<PathBuf> = plan.all().map(|change| change.path.clone()).collect();
        for change in stale_files::stale_files_with(context.store, &after, context.now) {
            // A fix may change a derived file itself. The file is then rebuilt instead, so that it also
            // gets what other programs add to the log meanwhile.
            let is_fixed = |own: &Change| own.path == change.path && own.kind() == ChangeKind::Rewrite;
            match plan.changes.iter().position(is_fixed) {
                Some(at) => {
                    plan.changes.remove(at);
                    plan.derived.push(change);
                }
                None if touched.contains(&change.path) => {}
                None => plan.derived.push(change),
            }
        }
    }
    plan.lines.splice(0..0, told_of(own.told, own.count, own.waiting));
    repair.plan = Some(plan);
    Ok(repair)
}

fn told_of(mut told: Vec<String>, count: usize, waiting: usize) -> Vec<String> {
    let shown = told.iter().filter(|line| !line.starts_with("  ")).count();
    told.extend((count > shown).then(|| format!("… and {} more", count - shown)));
    let more = count_with_noun(waiting as u64, "more fix");
    told.extend((waiting > 0).then(|| format!("{more} on the same lines: repair again for these")));
    told
}

impl RepairContext<'_> {
    /// Returns the first fix of a problem, carried on to problems of the same code on its lines.
    fn best(&self, problem: &Problem) -> Option<ProblemFix> {
        let document = self.document(problem);
        let log = document.filter(|own| is_repaired_by_line(own));
        let safe = log.and_then(|_| self.safe(problem));
        if let (None, Some(all)) = (safe, document.and_then(|own| self.schema_fix(own, problem, true))) {
            return Some(all);
        }
        let first = self.fixes(problem).into_iter().next()?;
        let further = log.filter(|_| first.is_safe).and_then(|own| self.carried_on(own, problem, &first));
        Some(further.unwrap_or(first))
    }

    /// Joins a safe fix of some lines with the best fixes of what is torn there afterwards.
    fn carried_on(&self, document: &Document, problem: &Problem, first: &ProblemFix) -> Option<ProblemFix> {
        let FixAction::Edits(_, edits, out, None) = &first.act else { return None };
        let [(lines, tidied)] = edits.as_slice() else { return None };
        // Learns from the whole file how records begin, because `made` is only a part of it.
        self.is_record(document, b"");
        let read = self.format?.read(document.role, &document.path, tidied, self.context.now);
        let made = Document::of_bytes(document.path.clone(), document.role, tidied.clone());
        let made = Document { records: read.records, ..made };
        let before = bytes(document, lines.clone())?;
        let (mut inner, mut pieces, mut last): (Vec<ByteEdit>, Vec<QuarantinePiece>, Option<ProblemFix>) =
            (Vec::new(), out.clone(), None);
        let is_torn = |own: &&Problem| {
            let record = own.record.and_then(|number| made.records.get(number as usize));
            own.code == problem.code && record.is_some_and(|own| own.memory().is_none())
        };
        for own in read.problems.iter().filter(is_torn) {
            let Some(fix) = self.of_line(&made, own).into_iter().max_by_key(|own| own.confidence) else {
                continue;
            };
            let FixAction::Edits(_, edits, gone, None) = &fix.act else { continue };
            let meets =
                |(at, _): &ByteEdit| inner.iter().any(|(own, _)| own.start < at.end && at.start < own.end);
            if edits.iter().any(meets) {
                continue;
            }
            pieces.extend(gone.iter().map(|own| {
                let at = lines.start + memchr::memmem::find(&before, &own.bytes).unwrap_or_default();
                QuarantinePiece { at: at as u64, line: problem.line.unwrap_or_default(), ..own.clone() }
            }));
            inner.extend(edits.iter().cloned());
            last = Some(fix);
        }
        let last = last?;
        inner.sort_by_key(|own| own.0.start);
        let mut after = tidied.clone();
        for (range, with) in inner.into_iter().rev() {
            after.splice(range, with);
        }
        let title = format!("{}; {}", first.title, last.title);
        let edits = vec![(lines.clone(), after)];
        Some(ProblemFix::edit(&title, last.confidence, last.reason, (&document.path, edits, pieces)))
    }
}
