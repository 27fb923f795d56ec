//! What is wrong with a changed form, by the format's own reading of the one record. This is fast
//! enough to run at every key.

use super::{EditForm, as_settings, field_fix, items};
use crate::format::Format;
use crate::format::field_reader::Fault;
use crate::model::{Change, Code, Document, Entry, Moment, Store};
use crate::ops::edit::{EditResult, after_edit};
use crate::ops::form::finding::{FormValidation, finding, named, of_refusal};
use crate::ops::{Refusal, WriteContext, writes};

/// Judges the record of a form with these values, without other records.
pub fn judge(
    context: &WriteContext<'_>,
    entry: &Entry,
    form: &EditForm,
    values: &[String],
) -> FormValidation {
    let raw = context.store.raw(entry);
    let mut judged = FormValidation { findings: Vec::new(), bytes: (raw.len(), raw.len()) };
    let Ok((format, _)) = writes(context.store) else { return judged };
    let document = context.store.document(entry);
    let kind = context.store.memory(entry).map_or("", |memory| memory.kind());
    match edited(&mut judged, context, entry, form, form.settings(values)) {
        EditResult::Record(new) => {
            judged.bytes.1 = new.len();
            let before = format.form(&document.path, kind, &raw, context.now);
            let after = format.form(&document.path, kind, &new, context.now);
            let known: Vec<&Fault> = before.faults.iter().map(|(_, fault)| fault).collect();
            for (at, fault) in &after.faults {
                let name = at.and_then(|at| after.fields.get(at)).map(|asked| asked.name.as_str());
                let field = name.and_then(|name| place(form, name)).or_else(|| named(form, &fault.2));
                judged.findings.push(finding(field, fault, !known.contains(&fault)));
            }
            // The other problems of the record come from the reading of its file, and stay as they are.
            others(&mut judged, document, entry, form, &before.faults);
        }
        EditResult::Files(changes) => of_files(&mut judged, context, format, entry, form, &changes),
    }
    if let Err(refusal) = crate::ops::edit::fits_words(context, entry, &tags_of(form, values)) {
        judged.add(form, &refusal);
    }
    field_fix::offer(&mut judged, form, values, context);
    judged
}

/// Sets the fields. Each mistake becomes a finding, and the fields without a mistake are set.
fn edited(
    judged: &mut FormValidation,
    context: &WriteContext<'_>,
    entry: &Entry,
    form: &EditForm,
    mut set: Vec<(String, String)>,
) -> EditResult {
    let set_all = |set: &[(String, String)]| after_edit(context, entry, &as_settings(set));
    while !set.is_empty() {
        let refusal = match set_all(&set) {
            Ok(edited) => return edited,
            Err(refusal) => refusal,
        };
        judged.add(form, &refusal);
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

fn tags_of(form: &EditForm, values: &[String]) -> Vec<String> {
    let at = form.find("tags").filter(|at| form.fields[*at].kind.is_list());
    at.filter(|at| form.fields[*at].value != values[*at]).map(|at| items(&values[at])).unwrap_or_default()
}

/// Adds problems of the record that its fields do not show, such as a line that was repaired to read it.
fn others(
    judged: &mut FormValidation,
    document: &Document,
    entry: &Entry,
    form: &EditForm,
    known: &[(Option<usize>, Fault)],
) {
    let own = document.problems.iter().filter(|problem| problem.record == Some(entry.record));
    for problem in own {
        let fault = (problem.code, problem.severity, problem.message.clone());
        if !known.iter().any(|(_, own)| *own == fault || own.0 == fault.0 && own.2 == fault.2) {
            judged.findings.push(finding(named(form, &fault.2), &fault, false));
        }
    }
}

fn of_files(
    judged: &mut FormValidation,
    context: &WriteContext<'_>,
    format: &dyn Format,
    entry: &Entry,
    form: &EditForm,
    changes: &[Change],
) {
    let document = context.store.document(entry);
    let own = |change: &&Change| change.path == document.path;
    let after = changes.iter().find(own).and_then(Change::after);
    let problems = match &after {
        Some(bytes) => {
            let reading = format.read(document.role, &document.path, bytes, context.now);
            let record = reading.records.get(entry.record as usize);
            judged.bytes.1 = record.map_or(bytes.len(), |record| record.span.len() as usize);
            reading.problems
        }
        // Nothing is changed, or nothing in its own file.
        None => document.problems.clone(),
    };
    let of_record = |own: &&crate::model::Problem| own.record == Some(entry.record);
    let fault = |own: &crate::model::Problem| (own.code, own.severity, own.message.clone());
    let known: Vec<Fault> = document.problems.iter().filter(of_record).map(fault).collect();
    for problem in problems.iter().filter(of_record) {
        let fault = fault(problem);
        judged.findings.push(finding(named(form, &fault.2), &fault, !known.contains(&fault)));
    }
}

/// Returns the field with this name, or the first field inside it.
fn place(form: &EditForm, name: &str) -> Option<usize> {
    let within = format!("{name}.");
    form.find(name).or_else(|| form.fields.iter().position(|field| field.name.starts_with(&within)))
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
