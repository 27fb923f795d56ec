//! Memories that share an id: one of two equal ones goes, or one gets an id of its own.

use super::Bench;
use super::damage::{leaves, range};
use super::fix::Fix;
use crate::format::writing::Deed;
use crate::model::{Document, Problem, Record};
use crate::ops::writes;
use crate::text::edit::{quoted, scan, set};
use crate::text::scan::Tape;

impl Bench<'_> {
    /// What can be done about a memory whose id another has.
    pub(super) fn of_duplicate(&self, document: &Document, problem: &Problem, record: &Record) -> Vec<Fix> {
        let Some(id) = record.view().and_then(|view| view.id) else { return Vec::new() };
        let Ok((_, writes)) = writes(self.store()) else { return Vec::new() };
        let raw = document.raw(record);
        let is_same_id = |own: &&Record| own.view().is_some_and(|view| view.id == Some(id));
        let before = document.records.iter().take_while(|own| own.span.start < record.span.start);
        let first = before.filter(is_same_id).last();
        let mut fixes = Vec::new();
        if let (Some(first), Ok(())) = (first, writes.may(Deed::Delete, &document.path)) {
            let (goes, title, confidence, reason) = match *document.raw(first) == *raw {
                true => (record, "remove this copy", 95, "Both are the same, byte for byte."),
                false => {
                    (first, "keep the later one", 50, "An agent that updates by appending means the last.")
                }
            };
            let (edits, out) = leaves(document, problem, goes);
            fixes.push(Fix::edit(title, confidence, reason, (&document.path, edits, out)));
        }
        fixes.extend(self.renumbered(document, problem, record, id));
        fixes
    }

    fn renumbered(&self, document: &Document, problem: &Problem, record: &Record, id: &str) -> Option<Fix> {
        let (format, writes) = writes(self.store()).ok()?;
        writes.may(Deed::Edit, &document.path).ok()?;
        if format.is_bound(&document.path) {
            return None;
        }
        let raw = document.raw(record);
        let mut tape = Tape::default();
        let before = scan(&mut tape, &raw).ok()?;
        let name = before.members().find(|(_, value)| value.is_text(id))?.0.text()?.into_owned();
        let free = (2..1000).map(|number| format!("{id}-{number}")).find(|own| !self.others().has(own))?;
        let after = set(&raw, &[&name], &quoted(&free)).ok()?;
        let after = writes.signed(before, after, self.scene.now).ok()?;
        let reason = format!("No memory has the id {free}. References mean the other one then.");
        let edits = vec![(range(record), after)];
        let out = super::line::taken(document, problem, &edits);
        Some(Fix::edit("give it an id of its own", 40, reason, (&document.path, edits, out)))
    }
}
