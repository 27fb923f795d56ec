//! Says what stays wrong after a fix: applies it to the documents in memory, reads them again, and compares problems.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::RepairContext;
use super::fix::{FixAction, ProblemFix, is_repaired_by_line};
use crate::format::AssemblyInput;
use crate::model::plan::count_with_noun;
use crate::model::{Change, Code, PathText, Problem, Severity};
use crate::ops::plan_and_after;
use crate::store::derived_files;

/// With more errors than this in a store, no outcome is read: each reads the whole store again.
const MOST: usize = 64;

impl RepairContext<'_> {
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
        Some(format!(
            "A check then finds {counts} that it does not find now, the worst in {file}: {}",
            worst.message
        ))
    }

    fn problems_after(&self, act: &FixAction) -> Option<Vec<Problem>> {
        let (store, now) = (self.store(), self.context.now);
        let changes = match act {
            FixAction::Rebuild => return None,
            FixAction::Edits(file, edits, _) => {
                vec![Change::edits(file, store.document_at(file)?.bytes.clone(), edits.clone())]
            }
            FixAction::Split(file, edits, new) => {
                vec![Change::edits(file, store.document_at(file)?.bytes.clone(), edits.clone()), new.clone()]
            }
            FixAction::Files(changes, _) => changes.clone(),
        };
        let (plan, _) = plan_and_after("repair", self.context, 0, changes).ok()?;
        let all: Vec<Change> = plan.all().cloned().collect();
        let documents = derived_files::documents_after(store, &all, now);
        let outside: Vec<(PathBuf, Vec<u8>)> =
            store.outside_files.iter().map(|(path, bytes)| (path.clone(), bytes.to_vec())).collect();
        let folders = derived_files::folders_of(&documents);
        let parts = AssemblyInput {
            outside_files: (!outside.is_empty()).then_some(&outside),
            load_settings: &store.load_settings,
            ..AssemblyInput::of(&documents, &folders)
        };
        let between = self.format?.assemble(&parts, now).problems;
        Some(documents.iter().flat_map(|own| own.problems.iter().cloned()).chain(between).collect())
    }
}
