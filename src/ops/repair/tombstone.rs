//! A torn tombstone: the memory that it names stays deleted, and the line is completed.

use std::path::Path;

use super::Bench;
use super::damage::{leaves, left_of, range, with_end};
use super::fix::Fix;
use crate::model::{Document, Problem, Record, Role};
use crate::text::salvage::completed;

/// So sure is a tombstone of which the id is there: it deletes already.
const NAMED: u8 = 90;

impl Bench<'_> {
    /// What can be done about a torn tombstone. No copy of a memory fills it, as it has the id of one and is none.
    pub(super) fn of_tombstone(
        &self,
        document: &Document,
        problem: &Problem,
        record: &Record,
        content: &[u8],
    ) -> Vec<Fix> {
        let mut fixes: Vec<Fix> = self.of_journal(document, problem, record, content).into_iter().collect();
        let Some(id) = record.names() else { return fixes };
        let whole = self.others().tombstones.get(&(&*document.path, id)).and_then(|own| own.whole);
        if let Some(line) = whole {
            let (edits, out) = leaves(document, problem, record);
            let title = format!("move it to quarantine: line {line} is a tombstone of that memory, too");
            let reason = "The memory stays deleted.";
            fixes.push(Fix::edit(&title, 98, reason, (&document.path, edits, out)));
        }
        let start = memchr::memchr(b'{', content).unwrap_or_default();
        let content = content.get(start..).unwrap_or_default();
        let salvage = completed(content).and_then(|own| {
            let fix = self.of_salvage(document, problem, record, (content, &own))?;
            Some(Fix { confidence: NAMED, ..fix })
        });
        fixes.extend(salvage);
        fixes
    }

    /// The line as the deletion wrote it, where undo data has it.
    fn of_journal(
        &self,
        document: &Document,
        problem: &Problem,
        record: &Record,
        content: &[u8],
    ) -> Option<Fix> {
        let torn = content.trim_ascii_end();
        let added = &self.others().added;
        let from = added.partition_point(|own| (own.0, own.1) < (&*document.path, torn));
        let of_file = added.get(from..).unwrap_or_default().iter();
        let begins = |own: &&(&Path, &[u8], &str)| own.0 == document.path && own.1.starts_with(torn);
        let mut whole = of_file.take_while(begins).filter(|own| self.is_record(document, own.1));
        let (_, line, from) = whole.next()?;
        if whole.any(|own| own.1 != *line) {
            return None;
        }
        let id = crate::format::legible_id(line)?;
        // A tombstone that is whole in the log is not the torn one.
        let is_whole =
            self.others().tombstones.get(&(&*document.path, &*id)).is_some_and(|own| own.whole.is_some());
        if is_whole {
            return None;
        }
        let is_named = record.names().is_some() || torn.len() > NAMELESS;
        let edit = with_end(document, range(record), line.to_vec());
        let out = left_of(document, problem, range(record), &edit);
        let title = format!("fill it from {from}: {id} stays deleted");
        let reason = "It begins with the bytes that survived.";
        is_named
            .then(|| Fix::edit(&title, 99, reason, (&document.path, vec![edit], out.into_iter().collect())))
    }

    /// Why a torn tombstone should not go: what it names would be a memory again.
    pub(super) fn why_comes_back(&self, document: &Document, record: &Record) -> Option<String> {
        let id = record.names().filter(|_| document.role == Role::Tombstones)?;
        let all = self.others().tombstones.get(&(&*document.path, id));
        let is_alone = all.is_some_and(|own| own.count == 1);
        is_alone.then(|| format!("{id} is no longer deleted then, for nothing else says so."))
    }
}

/// Fewer bytes of a tombstone could be of any.
const NAMELESS: usize = 8;
