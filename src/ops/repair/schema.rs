//! Fields that are not as their format has them, corrected: what the form of the memory offers.

use std::collections::HashSet;

use super::damage::{piece, range};
use super::fix::Fix;
use super::{Bench, line};
use crate::format::writing::{Deed, set_field};
use crate::model::{Code, Document, Entry, Problem};
use crate::ops::form::{self, Finding, as_settings};
use crate::ops::{is_json, writes};
use crate::text::edit::scan;
use crate::text::scan::Tape;

impl<'a> Bench<'a> {
    /// A record with times that say that they are UTC; `None` where all of them say where they are.
    pub(super) fn with_zones(&self, document: &Document, number: u32) -> Option<Vec<u8>> {
        let is_naive = {
            let mut naive = self.naive.borrow_mut();
            let known = naive.entry(document.path.clone());
            let own: &HashSet<u32> = known.or_insert_with(|| line::with(document, Code::NoTimezone));
            own.contains(&number)
        };
        let entry = is_naive.then(|| self.entry(document, number)).flatten()?;
        self.corrected(document, entry, &|own| own.code == Code::NoTimezone)
    }

    pub(super) fn entry(&self, document: &Document, number: u32) -> Option<&'a Entry> {
        let at = self.store().documents.binary_search_by(|own| own.path.cmp(&document.path)).ok()?;
        self.store().entries.get(self.store().place(at as u32, number)? as usize)
    }

    /// The record of a log with what fixes those findings; it is signed anew where it was signed.
    fn corrected(
        &self,
        document: &Document,
        entry: &Entry,
        is_meant: &dyn Fn(&Finding) -> bool,
    ) -> Option<Vec<u8>> {
        let (format, writes) = writes(self.store()).ok()?;
        writes.may(Deed::Edit, &document.path).ok()?;
        let is_doubtful = |own: &&Problem| own.code == Code::ChecksumMismatch;
        if !is_json(format, self.store(), entry)
            || self.store().problems_of(entry).any(|own| is_doubtful(&own))
        {
            return None;
        }
        let form = form::form(self.store(), entry, self.scene.now).ok()?;
        let mut values = form.values();
        let judged = form::judge(self.scene, entry, &form, &values);
        for fix in judged.findings.into_iter().filter(is_meant).filter_map(|own| own.fix) {
            *values.get_mut(fix.field)? = fix.value;
        }
        let raw = self.store().raw(entry);
        let mut tape = Tape::default();
        let before = scan(&mut tape, &raw).ok()?;
        let main = format.main_text(before).1.first().copied().unwrap_or("text");
        let mut after = raw.to_vec();
        for setting in as_settings(&form.settings(&values)) {
            after = set_field(writes, &after, &setting, main).ok()?;
        }
        let after = if *raw == *after { after } else { writes.signed(before, after, self.scene.now).ok()? };
        (*raw != *after).then_some(after)
    }

    /// What corrects the field that a problem is about.
    pub(super) fn of_schema(&self, document: &Document, problem: &Problem) -> Vec<Fix> {
        self.schema_fix(document, problem, false).into_iter().collect()
    }

    /// The same; with `all` every field that has a problem of that kind.
    pub(super) fn schema_fix(&self, document: &Document, problem: &Problem, all: bool) -> Option<Fix> {
        let confidence = sureness(problem.code)?;
        let entry = self.entry(document, problem.record?)?;
        let is_meant = |own: &Finding| own.code == problem.code && (all || own.message == problem.message);
        let form = form::form(self.store(), entry, self.scene.now).ok()?;
        let judged = form::judge(self.scene, entry, &form, &form.values());
        let own = judged.findings.into_iter().filter(|own| is_meant(own)).find_map(|own| own.fix)?;
        let title = format!("{}: {}", form.fields.get(own.field)?.name, own.title);
        let reason = "It is the value nearest to this one that the format allows.";
        let after = self.corrected(document, entry, &is_meant)?;
        let at = range(self.store().record(entry));
        let out = vec![piece(document, problem, (at.start, self.store().raw(entry).into_owned()))];
        Some(Fix::edit(&title, confidence, reason, (&document.path, vec![(at, after)], out)))
    }
}

/// How sure the form's own fix is for a problem of that kind.
fn sureness(code: Code) -> Option<u8> {
    Some(match code {
        Code::BadTimestamp => 80,
        Code::WrongType => 70,
        Code::OutOfRange => 60,
        Code::DanglingReference => 50,
        Code::TooLong | Code::MissingField => 40,
        _ => return None,
    })
}
