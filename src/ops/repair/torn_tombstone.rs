//! Repairs a torn tombstone: its line is completed, and the memory that it names stays deleted.

use std::path::Path;

use super::RepairContext;
use super::fix::ProblemFix;
use super::line_damage::{ProblemRecord, leaves};
use crate::model::{Document, Record, Role};
use crate::text::json_salvage::complete_object;

/// The confidence of a completed tombstone whose id survived. It already deletes its memory.
const NAMED: u8 = 90;

impl RepairContext<'_> {
    /// It is never filled in from a copy of its memory.
    pub(super) fn of_tombstone(&self, torn: ProblemRecord<'_>) -> Vec<ProblemFix> {
        let mut fixes: Vec<ProblemFix> = self.of_journal(torn).into_iter().collect();
        let Some(id) = torn.record.named_id() else { return fixes };
        let whole = self.others().tombstones.get(&(&*torn.document.path, id)).and_then(|own| own.whole);
        fixes.extend(whole.map(|line| {
            let title = format!("move it to quarantine: line {line} is a tombstone of that memory, too");
            let goes = leaves(torn.document, torn.problem, torn.record);
            ProblemFix::edit(&title, 98, "The memory stays deleted.", goes)
        }));
        let start = memchr::memchr(b'{', torn.content).unwrap_or_default();
        let content = torn.content.get(start..).unwrap_or_default();
        let salvage = complete_object(content).and_then(|own| {
            let fix = self.of_salvage(ProblemRecord { content, ..torn }, &own)?;
            Some(ProblemFix { confidence: NAMED, ..fix })
        });
        fixes.extend(salvage);
        fixes
    }

    /// Returns the fix with the line as the deletion wrote it, if undo data has it.
    fn of_journal(&self, torn: ProblemRecord<'_>) -> Option<ProblemFix> {
        let (document, content) = (torn.document, torn.content.trim_ascii_end());
        let added = &self.others().added;
        let from = added.partition_point(|own| (own.0, own.1) < (&*document.path, content));
        let of_file = added.get(from..).unwrap_or_default().iter();
        let begins = |own: &&(&Path, &[u8], &str)| own.0 == document.path && own.1.starts_with(content);
        let mut whole = of_file.take_while(begins).filter(|own| self.is_record(document, own.1));
        let (_, line, from) = whole.next()?;
        if whole.any(|own| own.1 != *line) {
            return None;
        }
        let id = crate::format::legible_id(line)?;
        // A tombstone that is intact in the log is not the torn one.
        let all = self.others().tombstones.get(&(&*torn.document.path, &*id));
        if all.is_some_and(|own| own.whole.is_some()) {
            return None;
        }
        let is_named = torn.record.named_id().is_some() || content.len() > NAMELESS;
        let title = format!("fill it from {from}: {id} stays deleted");
        let reason = "It begins with the bytes that survived.";
        is_named.then(|| ProblemFix::edit(&title, 99, reason, torn.becomes(line.to_vec())))
    }

    /// Returns why a torn tombstone should not be removed: the memory that it names would be live again.
    pub(super) fn why_comes_back(&self, document: &Document, record: &Record) -> Option<String> {
        let id = record.named_id().filter(|_| document.role == Role::Tombstones)?;
        let all = self.others().tombstones.get(&(&*document.path, id));
        let is_alone = all.is_some_and(|own| own.count == 1);
        is_alone.then(|| format!("{id} is no longer deleted then, because no other tombstone names it."))
    }
}

/// A tombstone with fewer bytes could belong to any memory.
const NAMELESS: usize = 8;
