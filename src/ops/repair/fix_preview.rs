//! The lines that a problem is on, before and after each of its fixes.

use std::ops::Range;

use super::RepairContext;
use super::fix::{ByteEdit, FixAction, ProblemFix};
use super::line_damage::{self, stretch};
use super::safe_line_fix::{after_edits, touched, without_end};
use crate::model::{Code, Document, Problem};
use crate::ops::repair::fix::is_repaired_by_line;

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
                let lines = own.act.added();
                (own, lines)
            };
            return FixPreview { before: Vec::new(), fixes: fixes.into_iter().map(added).collect() };
        };
        let place = place(document, problem, &fixes);
        let shown = |fix: ProblemFix| {
            let after = match &fix.act {
                FixAction::Edits(_, edits, _) | FixAction::Split(_, edits, _) => {
                    Some(after_edits(document, place.clone(), edits))
                }
                _ => None,
            };
            (fix, after)
        };
        let before = without_end(line_damage::bytes(document, place.clone()).unwrap_or_default());
        FixPreview { before, fixes: fixes.into_iter().map(shown).collect() }
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
        FixAction::Edits(_, edits, _) | FixAction::Split(_, edits, _) => Some(edits),
        FixAction::Rebuild | FixAction::Files(..) => None,
    }
}
