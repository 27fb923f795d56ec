//! What is wrong with a changed form, by the format's own reading of the one record: fast enough to run at every key.
//! What saving it would do: the plan, and what `check` would find in the store then.

use std::sync::Arc;

use super::finding::{FormFinding, FormValidation, finding, named, of_refusal};
use super::{EditForm, FieldKind, FormField, as_settings, field_fix, items};
use crate::format::field_reader::Fault;
use crate::format::{AssemblyInput, Format};
use crate::model::{Change, Code, Document, Entry, Moment, Plan, Problem, Store, Verb};
use crate::ops::edit::{EditResult, EditStrictness, after_edit, edit_with, fits_words};
use crate::ops::{Refusal, Result, WriteContext, writes};
use crate::store::derived_files;

/// Judges the record of a form with these values, without other records.
pub fn judge(
    context: &WriteContext<'_>,
    entry: &Entry,
    form: &EditForm,
    values: &[String],
) -> FormValidation {
    let mut judge = FormJudge { context, entry, form, judged: FormValidation::default() };
    judge.judge_record(values);
    field_fix::offer(&mut judge.judged, form, values, context);
    judge.judged
}

/// The result of saving a form.
#[derive(Clone, Debug)]
pub struct SavePreview {
    /// What is wrong with the form.
    pub judged: FormValidation,
    /// The plan, or why there is none.
    pub plan: Result<Plan>,
    /// The store's documents after the plan; empty if there is no plan.
    pub after: Vec<Arc<Document>>,
}

/// Plans to save a form, and reads the store as it would be then.
pub fn verdict(context: &WriteContext<'_>, entry: &Entry, form: &EditForm, values: &[String]) -> SavePreview {
    let mut judge = FormJudge { context, entry, form, judged: FormValidation::default() };
    judge.judge_record(values);
    let set = form.settings(values);
    // A format may refuse an edit of nothing.
    let plan = match set.is_empty() {
        true => context.store.whole().map(|whole| Plan::of(Verb::Edit, whole)).map_err(Refusal::from),
        false => edit_with(context, entry, &as_settings(&set), EditStrictness::Shown),
    };
    let mut after = Vec::new();
    match &plan {
        Err(_) if judge.judged.is_refused() => {}
        Err(refusal) => judge.judged.add(form, refusal),
        Ok(plan) => {
            let changes: Vec<Change> = plan.all().cloned().collect();
            after = derived_files::documents_after(context.store, &changes, context.now);
            if !plan.is_empty() {
                judge.judge_store(plan, &after);
            }
        }
    }
    let mut judged = judge.judged;
    field_fix::offer(&mut judged, form, values, context);
    SavePreview { judged, plan, after }
}

struct FormJudge<'a> {
    context: &'a WriteContext<'a>,
    entry: &'a Entry,
    form: &'a EditForm,
    judged: FormValidation,
}

impl FormJudge<'_> {
    fn judge_record(&mut self, values: &[String]) {
        let (store, now) = (self.context.store, self.context.now);
        let raw = store.raw(self.entry);
        self.judged.bytes = (raw.len(), raw.len());
        let Ok((format, _)) = writes(store) else { return };
        let document = store.document(self.entry);
        let kind = store.memory(self.entry).map_or("", |memory| memory.kind());
        match self.edited(self.form.settings(values)) {
            EditResult::Record(new) => {
                self.judged.bytes.1 = new.len();
                let before = format.form(&document.path, kind, &raw, now);
                let after = format.form(&document.path, kind, &new, now);
                let known: Vec<&Fault> = before.faults.iter().map(|(_, fault)| fault).collect();
                for (at, fault) in &after.faults {
                    let name = at.and_then(|at| after.fields.get(at)).map(|asked| asked.name.as_str());
                    let field = name.and_then(|name| place(self.form, name));
                    let field = field.or_else(|| named(self.form, &fault.2));
                    self.judged.findings.push(finding(field, fault, !known.contains(&fault)));
                }
                self.judge_rest(document, &known);
            }
            EditResult::Files(changes) => self.judge_files(format, &changes),
        }
        if let Err(refusal) = fits_words(self.context, self.entry, &tags_of(self.form, values)) {
            self.judged.add(self.form, &refusal);
        }
    }

    /// Sets the fields. Each mistake becomes a finding, and the fields without a mistake are set.
    fn edited(&mut self, mut set: Vec<(String, String)>) -> EditResult {
        let set_all = |set: &[(String, String)]| after_edit(self.context, self.entry, &as_settings(set));
        while !set.is_empty() {
            let refusal = match set_all(&set) {
                Ok(edited) => return edited,
                Err(refusal) => refusal,
            };
            self.judged.add(self.form, &refusal);
            // The mistake is in the field without which the refusal is gone or another.
            let is_mistake = |at: &usize| {
                let others = [&set[..*at], &set[at + 1..]].concat();
                set_all(&others).err().is_none_or(|other| other.message != refusal.message)
            };
            match (0..set.len()).find(is_mistake) {
                Some(at) => drop(set.remove(at)),
                None => break,
            }
        }
        EditResult::Files(Vec::new())
    }

    /// Adds problems of the record that its fields do not show, such as a line that was repaired to read it. They come
    /// from the reading of its file, and stay as they are.
    fn judge_rest(&mut self, document: &Document, known: &[&Fault]) {
        for fault in faults_of(&document.problems, self.entry) {
            if !known.iter().any(|own| **own == fault || own.0 == fault.0 && own.2 == fault.2) {
                self.judged.findings.push(finding(named(self.form, &fault.2), &fault, false));
            }
        }
    }

    fn judge_files(&mut self, format: &dyn Format, changes: &[Change]) {
        let document = self.context.store.document(self.entry);
        let own = |change: &&Change| change.path == document.path;
        let problems = match changes.iter().find(own).and_then(Change::after) {
            Some(bytes) => {
                let reading = format.read(document.role, &document.path, &bytes, self.context.now);
                let record = reading.records.get(self.entry.record as usize);
                self.judged.bytes.1 = record.map_or(bytes.len(), |record| record.span.len() as usize);
                reading.problems
            }
            // Nothing is changed, or nothing in its own file.
            None => document.problems.clone(),
        };
        let known = faults_of(&document.problems, self.entry);
        for fault in faults_of(&problems, self.entry) {
            let field = named(self.form, &fault.2);
            self.judged.findings.push(finding(field, &fault, !known.contains(&fault)));
        }
    }

    /// Adds the problems that the files would have after the plan and don't have before it.
    fn judge_store(&mut self, plan: &Plan, after: &[Arc<Document>]) {
        let store = self.context.store;
        let Ok((format, _)) = writes(store) else { return };
        let folders = derived_files::folders_of(after);
        let load_settings = &store.load_settings;
        let parts = AssemblyInput { load_settings, ..AssemblyInput::of(after, &folders) };
        let together = format.assemble(&parts, self.context.now).problems;
        let touched = |document: &&Arc<Document>| plan.changes.iter().any(|own| own.path == document.path);
        let alone = after.iter().filter(touched).flat_map(|document| &document.problems);
        let path = &store.document(self.entry).path;
        for problem in together.iter().chain(alone).filter(|own| !is_known(&store.problems, own)) {
            let is_own = problem.record == Some(self.entry.record) && problem.file == *path;
            let field = if is_own { field_of(self.form, problem) } else { None };
            let new = finding(field, &fault_of(problem), true);
            let is_same = |own: &FormFinding| own.code == new.code && own.message == new.message;
            if !self.judged.findings.iter().any(is_same) {
                self.judged.findings.push(new);
            }
        }
    }
}

fn fault_of(problem: &Problem) -> Fault {
    (problem.code, problem.severity, problem.message.clone())
}

fn faults_of(problems: &[Problem], entry: &Entry) -> Vec<Fault> {
    problems.iter().filter(|own| own.record == Some(entry.record)).map(fault_of).collect()
}

fn tags_of(form: &EditForm, values: &[String]) -> Vec<String> {
    let at = form.find("tags").filter(|at| form.fields[*at].kind.is_list());
    at.filter(|at| form.fields[*at].value != values[*at]).map(|at| items(&values[at])).unwrap_or_default()
}

/// Returns the field with this name, or the first field inside it.
fn place(form: &EditForm, name: &str) -> Option<usize> {
    let within = format!("{name}.");
    form.find(name).or_else(|| form.fields.iter().position(|field| field.name.starts_with(&within)))
}

/// True if the store has the problem already. Numbers in a problem of a whole file may differ.
fn is_known(known: &[Problem], problem: &Problem) -> bool {
    known.iter().any(|own| {
        let same = own.code == problem.code && own.file == problem.file && own.record == problem.record;
        same && (problem.record.is_none() || own.message == problem.message)
    })
}

fn field_of(form: &EditForm, problem: &Problem) -> Option<usize> {
    let holds = |field: &FormField| field.kind == FieldKind::References;
    named(form, &problem.message).or_else(|| match problem.code {
        Code::DanglingReference => form.fields.iter().position(holds),
        Code::DuplicateId => form.find("id"),
        _ => None,
    })
}

/// Adds the matching code of `check` to a refusal.
pub fn with_code(store: &Store, entry: &Entry, refusal: Refusal, now: Moment) -> Refusal {
    let has_code = Code::ALL.iter().any(|code| refusal.message.contains(&format!("({})", code.as_str())));
    if has_code || !matches!(refusal.code, "E_SCHEMA_INVALID" | "E_SIZE_LIMIT") {
        return refusal;
    }
    let Ok(form) = super::form(store, entry, now) else { return refusal };
    let code = of_refusal(&form, &refusal).code.as_str();
    Refusal { message: format!("{} ({code})", refusal.message), ..refusal }
}
