//! What a fix does: the lines that a problem is on before and after it, and what stays wrong. For that it is applied to
//! the documents in memory, which are read again, and their problems are compared.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use super::RepairContext;
use super::fix::{ByteEdit, FixAction, ProblemFix, added_lines, is_repaired_by_line};
use super::line_damage::{self, stretch};
use super::safe_line_fix::{after_edits, touched, without_end};
use crate::format::AssemblyInput;
use crate::model::plan::count_with_noun;
use crate::model::{Change, Code, Document, PathText, Problem, Severity, Verb};
use crate::ops::plan_and_after;
use crate::store::derived_files;

/// With more errors than this in a store, no outcome is read: each reads the whole store again.
const MOST: usize = 64;

/// The lines that a problem is on, before and after each fix.
#[derive(Clone, Debug, Default)]
pub struct FixPreview {
    /// The lines before a fix; empty if they are unknown.
    pub before: Vec<u8>,
    /// The fixes, each with the lines after it; `None` if it changes other files.
    pub fixes: Vec<(ProblemFix, Option<Vec<u8>>)>,
}

impl RepairContext<'_> {
    /// Returns the lines that a problem is on, and its fixes.
    pub fn beside(&self, problem: &Problem) -> FixPreview {
        let fixes = self.fixes(problem);
        let Some(document) = self.document(problem) else {
            let added = |own: ProblemFix| {
                let lines = match &own.act {
                    FixAction::Files(changes, _) => added_lines(changes).map(<[u8]>::to_vec),
                    _ => None,
                };
                (own, lines)
            };
            return FixPreview { before: Vec::new(), fixes: fixes.into_iter().map(added).collect() };
        };
        let place = place(document, problem, &fixes);
        let shown = |fix: ProblemFix| {
            let after = edits_of(&fix).map(|edits| after_edits(document, place.clone(), edits));
            (fix, after)
        };
        let before = without_end(line_damage::bytes(document, place.clone()).unwrap_or_default());
        FixPreview { before, fixes: fixes.into_iter().map(shown).collect() }
    }

    /// Adds to the reasons of the fixes what a check of the outcome finds. A line of a log has no outcome of its own,
    /// unless other files count the lines.
    pub(super) fn with_outcomes(&self, problem: &Problem, fixes: Vec<ProblemFix>) -> Vec<ProblemFix> {
        let is_bound = |file: &Path| self.format.is_some_and(|format| format.forbids_rebase(file));
        let is_apart = |file: &Path| self.store().document_at(file).is_some_and(is_repaired_by_line);
        if is_apart(&problem.file) && !is_bound(&problem.file) {
            return fixes;
        }
        let errors = self.store().problems.iter().filter(|own| own.severity == Severity::Error).count();
        let told = |fix: &ProblemFix| match errors > MOST {
            true => Some(format!("What stays wrong is unknown: there are more than {MOST} errors.")),
            false => self.new_problems(&fix.act),
        };
        let with = |fix: ProblemFix| match told(&fix).filter(|_| !fix.is_safe) {
            Some(wrong) => ProblemFix { reason: format!("{} {wrong}", fix.reason), ..fix },
            None => fix,
        };
        fixes.into_iter().map(with).collect()
    }

    /// Returns a sentence about the errors and warnings that a store has after a fix and does not have now. `None` if
    /// there are none. May quote the store.
    fn new_problems(&self, act: &FixAction) -> Option<String> {
        let found = self.problems_after(act)?;
        let mut known: HashMap<(&Path, Code), usize> = HashMap::new();
        let now = self.store().problems.iter().map(|own| (&*own.file, own.code));
        now.for_each(|own| *known.entry(own).or_default() += 1);
        let mut new: Vec<&Problem> = Vec::new();
        for own in &found {
            match known.get_mut(&(&*own.file, own.code)).filter(|left| **left > 0) {
                Some(left) => *left -= 1,
                None if own.severity == Severity::Note => {}
                None => new.push(own),
            }
        }
        let worst = new.iter().min_by_key(|own| own.severity)?;
        let errors = new.iter().filter(|own| own.severity == Severity::Error).count();
        let counts = [(errors, "error"), (new.len() - errors, "warning")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what)| count_with_noun(count as u64, what)).collect();
        let (counts, file) = (counts.join(" and "), worst.file.to_text());
        let worst = &worst.message;
        Some(format!("A check then finds {counts} that it does not find now, the worst in {file}: {worst}"))
    }

    fn problems_after(&self, act: &FixAction) -> Option<Vec<Problem>> {
        let (store, now) = (self.store(), self.context.now);
        let changes = match act {
            FixAction::Rebuild => return None,
            FixAction::Edits(file, edits, _, new) => {
                let edited = Change::edits(file, store.document_at(file)?.bytes.clone(), edits.clone());
                std::iter::once(edited).chain(new.clone()).collect()
            }
            FixAction::Files(changes, _) => changes.clone(),
        };
        let (plan, _) = plan_and_after(Verb::Repair, self.context, 0, changes).ok()?;
        let all: Vec<Change> = plan.all().cloned().collect();
        let documents = derived_files::documents_after(store, &all, now);
        let (outside, folders) = (&store.outside_files, derived_files::folders_of(&documents));
        let parts = AssemblyInput {
            outside_files: (!outside.is_empty()).then_some(outside),
            load_settings: &store.load_settings,
            ..AssemblyInput::of(&documents, &folders)
        };
        let between = self.format?.assemble(&parts, now).problems;
        Some(documents.iter().flat_map(|own| own.problems.iter().cloned()).chain(between).collect())
    }
}

/// Returns the part of a file that a problem is about; in a log, its complete lines.
fn place(document: &Document, problem: &Problem, fixes: &[ProblemFix]) -> Range<usize> {
    let record = problem.record.and_then(|number| document.records.get(number as usize));
    let own = match (record, problem.record) {
        // The problem covers both sides and all markers.
        _ if problem.code == Code::ConflictMarkers => edited(document, fixes),
        (Some(_), Some(number)) if is_repaired_by_line(document) => {
            stretch(document, number as usize).map(|own| with_safe(document, own, fixes))
        }
        (Some(record), _) => Some(record.span.range()),
        _ => None,
    };
    let first = || fixes.iter().find_map(|own| Some(touched(document, edits_of(own)?)));
    own.or_else(first).unwrap_or_default()
}

/// Returns the lines with those before and after them that a safe fix joins to them.
fn with_safe(document: &Document, lines: Range<usize>, fixes: &[ProblemFix]) -> Range<usize> {
    let safe = fixes.iter().filter(|own| own.is_safe).filter_map(edits_of).map(|own| touched(document, own));
    let joined = safe.filter(|own| {
        own.start <= lines.start && own.end > lines.end || own.start < lines.start && own.end >= lines.end
    });
    joined.fold(lines.clone(), |all, own| all.start.min(own.start)..all.end.max(own.end))
}

/// Returns all lines that the fixes change, and the lines between them.
fn edited(document: &Document, fixes: &[ProblemFix]) -> Option<Range<usize>> {
    let all: Vec<ByteEdit> = fixes.iter().filter_map(edits_of).flatten().cloned().collect();
    (!all.is_empty()).then(|| touched(document, &all))
}

fn edits_of(fix: &ProblemFix) -> Option<&Vec<ByteEdit>> {
    match &fix.act {
        FixAction::Edits(_, edits, ..) => Some(edits),
        FixAction::Rebuild | FixAction::Files(..) => None,
    }
}
