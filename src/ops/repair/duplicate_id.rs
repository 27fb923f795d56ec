//! Memories that share an id: one gets a new id, or a copy goes. If they differ, removal is never
//! the first fix.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

use super::RepairContext;
use super::fix::ProblemFix;
use super::line_damage::{ProblemRecord, leaves, taking};
use super::repair_context::{NewIds, StoreRecord};
use crate::format::writing::uuid;
use crate::model::{Document, PathText, Problem, Record, Role};
use crate::ops::{Operation, writes};
use crate::text::digest::digest;
use crate::text::json_edit::{Tape, quoted, scan, set};

impl RepairContext<'_> {
    pub(super) fn of_duplicate(&self, twin: ProblemRecord<'_>) -> Vec<ProblemFix> {
        let ProblemRecord { document, problem, record, content } = twin;
        let Some(id) = record.id() else { return Vec::new() };
        let Ok((_, writes)) = writes(self.store()) else { return Vec::new() };
        // With a new id, a deleted or erased memory would be back.
        let is_gone = self.why_gone(&document.path, document.role, content).is_some();
        let renumbered = if is_gone { None } else { self.renumbered(twin, id) };
        let before = self.before(document, record, id);
        let may_go = writes.allows(Operation::Delete, &document.path).is_ok();
        let Some(before) = before.filter(|_| may_go) else {
            let copy = if may_go { self.copy_elsewhere(twin, id) } else { Vec::new() };
            return copy.into_iter().chain(renumbered).collect();
        };
        let goes = |own: &Record, title: &str, confidence, reason: &str| {
            ProblemFix::edit(title, confidence, reason, leaves(document, problem, own))
        };
        let removed = match () {
            () if *document.raw(before) == *content => {
                Some(goes(record, "remove this copy", 95, "Both are the same, byte for byte."))
            }
            () if is_same(&document.raw(before), content, None) => {
                Some(goes(record, "remove this copy", 90, "Both say the same, and are spelled differently."))
            }
            // If they differ, removal is offered only beside a new id, or if the memory is deleted or erased.
            () => (is_gone || renumbered.is_some()).then(|| {
                let is_older = Reverse(record.memory().and_then(|memory| memory.created))
                    > Reverse(before.memory().and_then(|memory| memory.created));
                let old = if is_older { record } else { before };
                let reason = "They differ. An agent that updates by appending means the newer one.";
                goes(old, "keep the newer one, and move the other to quarantine", 30, reason)
            }),
        };
        renumbered.into_iter().chain(removed).collect()
    }

    /// Returns the fixes for two equal memories in different files of a session: each removes one of them.
    fn copy_elsewhere(&self, twin: ProblemRecord<'_>, id: &str) -> Vec<ProblemFix> {
        let ProblemRecord { document, problem, record, content } = twin;
        let session = self.session_at(&document.path);
        let is_first = |own: &&StoreRecord<'_>| {
            let order = |own: &Document| (own.role, own.path.clone());
            own.session == session
                && matches!(own.document.role, Role::Records | Role::Archive)
                && order(own.document) < order(document)
        };
        let others = self.others().here.get(id).into_iter().flatten();
        let first = others
            .filter(is_first)
            .find(|own| is_same(&own.document.raw(own.record), content, Some("archived")));
        let Some(first) = first else { return Vec::new() };
        let is_exact = *first.document.raw(first.record) == *content;
        let place = format!("{}:{}", first.document.path.to_text(), first.record.line);
        let goes = leaves(document, problem, record);
        if (first.document.role, document.role) == (Role::Records, Role::Archive) {
            let reason = format!("It is in {place}, too: the archiving was interrupted.");
            let back = ProblemFix::edit("undo the archiving: remove the archived copy", 90, &*reason, goes);
            return std::iter::once(back).chain(self.finished(problem, first, &reason)).collect();
        }
        let (confidence, reason) = match is_exact {
            true => (95, format!("It is the same as {place}, byte for byte.")),
            false => (90, format!("It says the same as {place}, and is spelled differently.")),
        };
        vec![ProblemFix::edit("remove this copy", confidence, reason, goes)]
    }

    /// Returns the fix that removes an archived memory from the live file, as its archiving would have done.
    fn finished(&self, problem: &Problem, live: &StoreRecord<'_>, reason: &str) -> Option<ProblemFix> {
        let (_, writes) = writes(self.store()).ok()?;
        writes.allows(Operation::Delete, &live.document.path).ok()?;
        let place = Problem { file: live.document.path.clone(), ..problem.clone() }.at_line(live.record.line);
        let title = "finish the archiving: remove it from the live file";
        Some(ProblemFix::edit(title, 95, reason, leaves(live.document, &place, live.record)))
    }

    /// Returns the record before this one that has the same id.
    fn before<'d>(&self, document: &'d Document, record: &Record, id: &str) -> Option<&'d Record> {
        let facts = self.facts(document);
        let records_by_id = facts.records_by_id.get_or_init(|| {
            let mut all = HashMap::<String, Vec<u32>>::new();
            for (number, own) in (0..).zip(&document.records) {
                if let Some(id) = own.id() {
                    all.entry(id.to_owned()).or_default().push(number);
                }
            }
            all
        });
        let all = records_by_id.get(id)?;
        let start = |number: &u32| document.records.get(*number as usize).map(|own| own.span.start);
        let at = all.partition_point(|own| start(own) < Some(record.span.start));
        document.records.get(*all.get(at.checked_sub(1)?)? as usize)
    }

    /// Returns a new id for each memory with this id, except the first.
    fn free(&self, id: &str) -> Rc<NewIds> {
        if let Some(known) = self.caches.new_ids.borrow().get(id) {
            return Rc::clone(known);
        }
        let mut ids = (2_u64..).map(|number| another(id, number));
        let rest = self.others().here.get(id).into_iter().flatten().skip(1);
        let named = rest.filter_map(|own| {
            let path = &own.document.path;
            let free = ids.find(|id| !self.is_taken(path, id))?;
            Some(((path.clone(), own.record.span.start), free))
        });
        let found = Rc::new(named.collect::<NewIds>());
        self.caches.new_ids.borrow_mut().insert(id.to_owned(), Rc::clone(&found));
        found
    }

    fn renumbered(&self, twin: ProblemRecord<'_>, id: &str) -> Option<ProblemFix> {
        let ProblemRecord { document, problem, record, content } = twin;
        let (format, writes) = writes(self.store()).ok()?;
        writes.allows(Operation::Edit, &document.path).ok()?;
        if format.forbids_rebase(&document.path) {
            return None;
        }
        let mut tape = Tape::default();
        let before = scan(&mut tape, content).ok()?;
        let name = before.members().find(|(_, value)| value.is_text(id))?.0.text()?.into_owned();
        let free = self.free(id);
        let free = free.get(&(document.path.clone(), record.span.start))?;
        let after = set(content, &[&name], &quoted(free)).ok()?;
        let after = writes.finish_edit(before, after, self.context.now, false).ok()?;
        let reason = format!("Both stay. No memory has the id {free}; references mean the other one then.");
        let goes = taking(document, problem, vec![(record.span.range(), after)]);
        Some(ProblemFix::edit("give it an id of its own", 60, reason, goes))
    }
}

fn another(id: &str, number: u64) -> String {
    let own = format!("{id}-{number}");
    let is_uuid = id.len() == 36 && id.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    if is_uuid { uuid(digest(own.as_bytes()).to_be_bytes()) } else { own }
}

/// True if two records say the same, even in another spelling; `without` a member, if one is named.
fn is_same(one: &[u8], other: &[u8], without: Option<&str>) -> bool {
    let value = |own: &[u8]| {
        let mut value = serde_json::from_slice::<serde_json::Value>(own).ok()?;
        if let Some(name) = without {
            value.as_object_mut()?.remove(name);
        }
        Some(value)
    };
    value(one).is_some_and(|own| Some(own) == value(other))
}
