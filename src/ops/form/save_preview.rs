//! What saving a form would do: the plan, and what `check` would find in the store then.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::validate::judge;
use super::{EditForm, as_settings, field_fix};
use crate::format::AssemblyInput;
use crate::model::{Change, Document, Entry, Plan, Problem};
use crate::ops::edit::{EditStrictness, edit_with};
use crate::ops::form::finding::{FormFinding, FormValidation, finding, named};
use crate::ops::{Refusal, Result, WriteContext, writes};
use crate::store::derived_files;

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
    let mut judged = judge(context, entry, form, values);
    let set = form.settings(values);
    // A format may refuse an edit of nothing.
    let plan = match set.is_empty() {
        true => context.store.whole().map(|whole| Plan::of("edit", whole)).map_err(Refusal::from),
        false => edit_with(context, entry, &as_settings(&set), EditStrictness::Shown),
    };
    let mut after = Vec::new();
    match &plan {
        Err(_) if judged.is_refused() => {}
        Err(refusal) => judged.add(form, refusal),
        Ok(plan) => {
            let changes: Vec<Change> = plan.all().cloned().collect();
            after = derived_files::documents_after(context.store, &changes, context.now);
            if !plan.is_empty() {
                store_wide(&mut judged, context, entry, form, plan, &after);
            }
        }
    }
    field_fix::offer(&mut judged, form, values, context);
    SavePreview { judged, plan, after }
}

/// Adds the problems that the files would have after the plan and don't have before it.
fn store_wide(
    judged: &mut FormValidation,
    context: &WriteContext<'_>,
    entry: &Entry,
    form: &EditForm,
    plan: &Plan,
    after: &[Arc<Document>],
) {
    let Ok((format, _)) = writes(context.store) else { return };
    let folders: BTreeSet<PathBuf> = after
        .iter()
        .flat_map(|document| document.path.ancestors().skip(1).map(PathBuf::from))
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    let folders: Vec<PathBuf> = folders.into_iter().collect();
    let load_settings = &context.store.load_settings;
    let parts = AssemblyInput { load_settings, ..AssemblyInput::of(after, &folders) };
    let together = format.assemble(&parts, context.now).problems;
    let touched = |document: &&Arc<Document>| plan.changes.iter().any(|own| own.path == document.path);
    let alone = after.iter().filter(touched).flat_map(|document| &document.problems);
    let path = &context.store.document(entry).path;
    for problem in together.iter().chain(alone).filter(|own| !is_known(&context.store.problems, own)) {
        let is_own = problem.record == Some(entry.record) && problem.file == *path;
        let field = if is_own { field_of(form, problem) } else { None };
        let new = finding(field, &(problem.code, problem.severity, problem.message.clone()), true);
        let is_same = |own: &FormFinding| own.code == new.code && own.message == new.message;
        if !judged.findings.iter().any(is_same) {
            judged.findings.push(new);
        }
    }
}

/// True if the store has the problem already. Numbers in a problem of a whole file may differ.
fn is_known(known: &[Problem], problem: &Problem) -> bool {
    known.iter().any(|own| {
        let same = own.code == problem.code && own.file == problem.file && own.record == problem.record;
        same && (problem.record.is_none() || own.message == problem.message)
    })
}

fn field_of(form: &EditForm, problem: &Problem) -> Option<usize> {
    use crate::model::Code;
    named(form, &problem.message).or_else(|| match problem.code {
        Code::DanglingReference => {
            let holds = |field: &super::FormField| field.kind == super::FieldKind::References;
            form.fields.iter().position(holds)
        }
        Code::DuplicateId => form.find("id"),
        _ => None,
    })
}
