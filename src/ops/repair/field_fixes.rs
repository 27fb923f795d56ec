//! Corrects fields that do not fit their format, with the fixes of the memory's form.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

use super::RepairContext;
use super::fix::{ByteEdit, ProblemFix, is_repaired_by_line};
use super::line_damage::{bytes, taking};
use super::repair_context::{FieldCorrections, FormCache};
use crate::format::writing::set_field;
use crate::model::{Code, Document, Entry, Problem, Splice, container};
use crate::ops::edit::{EditResult, as_set};
use crate::ops::form::{self, EditForm, FormFinding, as_settings};
use crate::ops::{Operation, is_json, writes};
use crate::text::json_edit::{Tape, scan};

impl<'a> RepairContext<'a> {
    /// Returns a record whose times all have a time zone, UTC if it is absent; `None` if none is absent.
    pub(super) fn with_zones(&self, document: &Document, number: u32) -> Option<Vec<u8>> {
        let facts = self.facts(document);
        let naive = facts.naive.get_or_init(|| {
            let naive = document.problems.iter().filter(|own| own.code == Code::NoTimezone);
            naive.filter_map(|own| own.record).collect()
        });
        let entry = naive.contains(&number).then(|| self.entry(document, number)).flatten()?;
        let own = self.corrections(document, entry, &|_, own| own.code == Code::NoTimezone)?;
        own.edits.into_iter().next().map(|(_, after)| after)
    }

    pub(super) fn entry(&self, document: &Document, number: u32) -> Option<&'a Entry> {
        let at = self.store().documents.binary_search_by(|own| own.path.cmp(&document.path)).ok()?;
        self.store().entries.get(self.store().entry_number(at as u32, number)? as usize)
    }

    /// Returns the edits that fix these findings, with a renewed checksum. Bytes outside the record stay.
    fn corrections(
        &self,
        document: &Document,
        entry: &Entry,
        is_meant: &dyn Fn(&EditForm, &FormFinding) -> bool,
    ) -> Option<FieldCorrections> {
        let (format, writes) = writes(self.store()).ok()?;
        writes.allows(Operation::Edit, &document.path).ok()?;
        let is_doubtful = |own: &&Problem| own.code == Code::ChecksumMismatch;
        if self.store().problems_of(entry).any(|own| is_doubtful(&own)) {
            return None;
        }
        let formed = self.formed(entry)?;
        let FormCache { form, findings, .. } = &*formed;
        let mut values = form.values();
        let mut titles = Vec::new();
        let mut corrected = HashSet::new();
        for fix in findings.iter().filter(|own| is_meant(form, own)).filter_map(|own| own.fix.as_ref()) {
            // The first problem of a field is the worst one. Its fix leaves nothing for the others.
            if !corrected.insert(fix.field) {
                continue;
            }
            titles.push(format!("{}: {}", form.fields.get(fix.field)?.name, fix.title));
            values.get_mut(fix.field)?.clone_from(&fix.value);
        }
        if titles.is_empty() {
            return None;
        }
        let settings = form.settings(&values);
        let edits = match is_repaired_by_line(document) && is_json(self.store(), entry) {
            true => {
                let raw = self.store().raw(entry);
                let mut tape = Tape::default();
                let before = scan(&mut tape, &raw).ok()?;
                let main = format.main_text(before).1.first().copied().unwrap_or("text");
                let mut after = raw.to_vec();
                for setting in as_settings(&settings) {
                    after = set_field(writes, &after, &setting, main).ok()?;
                }
                if *raw != *after {
                    after = writes.finish_edit(before, after, self.context.now, false).ok()?;
                }
                vec![(self.store().record(entry).span.range(), after)]
            }
            false => self.within(document, entry, &settings)?,
        };
        let is_edit = |(place, after): &ByteEdit| bytes(document, place.clone()).as_deref() != Some(after);
        edits.iter().any(is_edit).then_some(FieldCorrections { edits, titles })
    }

    /// Returns the form of a memory and its findings, cached, because problems of a memory follow
    /// one another.
    fn formed(&self, entry: &Entry) -> Option<Rc<FormCache>> {
        let of = (entry.document, entry.record);
        let mut last = self.caches.last_form.borrow_mut();
        if last.as_ref().is_none_or(|own| own.of != of) {
            let form = form::form(self.store(), entry, self.context.now).ok()?;
            let findings = form::judge(self.context, entry, &form, &form.values()).findings;
            *last = Some(Rc::new(FormCache { of, form, findings, whole: OnceCell::new() }));
        }
        last.clone()
    }

    /// Returns the edits that set fields of a memory in a document of many, or in a note.
    fn within(
        &self,
        document: &Document,
        entry: &Entry,
        settings: &[(String, String)],
    ) -> Option<Vec<ByteEdit>> {
        if settings.is_empty() || container(&document.path).is_some() || document.path.starts_with("..") {
            return None;
        }
        match as_set(self.context, entry, &as_settings(settings)).ok()? {
            EditResult::Record(after) => Some(vec![(self.store().record(entry).span.range(), after)]),
            EditResult::Files(changes) => {
                let [only] = changes.as_slice() else { return None };
                let own = only.splices().filter(|_| only.path == document.path)?;
                let edit = |own: Splice| {
                    let start = own.start as usize;
                    (start..start + own.was.len(), own.becomes.to_vec())
                };
                Some(own.into_iter().map(edit).collect())
            }
        }
    }

    /// Returns the fix of the field that a problem is about, and a fix of all fields if more are wrong.
    pub(super) fn of_schema(&self, document: &Document, problem: &Problem) -> Vec<ProblemFix> {
        if problem.code == Code::NoTimezone && is_repaired_by_line(document) {
            // The safe fix of its line does that.
            return Vec::new();
        }
        let own = self.schema_fix(document, problem, false);
        let all = own.as_ref().and_then(|_| self.every_field(document, problem));
        own.into_iter().chain(all).collect()
    }

    /// Returns the fix of the field that a problem is about; with `all`, of every field with its code.
    pub(super) fn schema_fix(&self, document: &Document, problem: &Problem, all: bool) -> Option<ProblemFix> {
        let confidence = sureness(problem.code)?;
        let entry = self.entry(document, problem.record?)?;
        let name = problem.message.strip_prefix('`').and_then(|rest| rest.split(['`', '[']).next());
        let is_meant = |form: &EditForm, own: &FormFinding| {
            let field = own.field.and_then(|at| form.fields.get(at)).map(|field| &*field.name);
            let is_it = own.message == problem.message || name.is_some() && field == name;
            own.code == problem.code && (all || is_it)
        };
        let own = self.corrections(document, entry, &is_meant)?;
        let reason = match problem.code {
            Code::NoTimezone => "It is read as UTC already.",
            _ => "It is the value nearest to this one that the format allows.",
        };
        let goes = taking(document, problem, own.edits);
        Some(ProblemFix::edit(own.titles.first()?, confidence, reason, goes))
    }

    /// Returns the fix of every field of a memory that can be fixed, if there are several.
    fn every_field(&self, document: &Document, problem: &Problem) -> Option<ProblemFix> {
        let entry = self.entry(document, problem.record?)?;
        let formed = self.formed(entry)?;
        let can = formed.findings.iter().filter(|own| own.fix.is_some());
        let sure: Vec<u8> = can.filter_map(|own| sureness(own.code)).collect();
        if sure.len() < 2 {
            return None;
        }
        let can = |_: &EditForm, own: &FormFinding| own.fix.is_some() && sureness(own.code).is_some();
        let own = formed.whole.get_or_init(|| self.corrections(document, entry, &can)).clone()?;
        let reason = format!("{}.", own.titles.join("; "));
        let goes = taking(document, problem, own.edits);
        Some(ProblemFix::edit("correct all its fields", sure.into_iter().min()?, reason, goes))
    }
}

/// Returns how sure the form's fix of such a problem is, in per cent; `None` if it is not used.
fn sureness(code: Code) -> Option<u8> {
    Some(match code {
        Code::NoTimezone => 90,
        Code::BadTimestamp => 80,
        Code::WrongType => 70,
        Code::OutOfRange => 60,
        Code::DanglingReference => 50,
        Code::TooLong | Code::MissingField => 40,
        _ => return None,
    })
}
