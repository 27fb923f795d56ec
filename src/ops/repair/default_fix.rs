//! The fix that a repair by code uses for a problem: the first one, carried on as far as possible.

use super::RepairContext;
use super::fix::{ByteEdit, FixAction, ProblemFix, QuarantinePiece};
use super::line_damage::bytes;
use crate::model::{Document, Problem};
use crate::ops::repair::fix::is_repaired_by_line;

impl RepairContext<'_> {
    /// Returns the first fix of a problem, carried on to problems of the same code on its lines.
    pub(super) fn best(&self, problem: &Problem) -> Option<ProblemFix> {
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
        let FixAction::Edits(_, edits, out) = &first.act else { return None };
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
            let FixAction::Edits(_, edits, gone) = &fix.act else { continue };
            let meets = |edit: &ByteEdit| {
                inner.iter().any(|own| own.0.start < edit.0.end && edit.0.start < own.0.end)
            };
            if edits.iter().any(meets) {
                continue;
            }
            pieces.extend(gone.iter().map(|own| {
                let at = memchr::memmem::find(&before, &own.bytes).unwrap_or_default();
                QuarantinePiece {
                    at: (lines.start + at) as u64,
                    line: problem.line.unwrap_or_default(),
                    ..own.clone()
                }
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
