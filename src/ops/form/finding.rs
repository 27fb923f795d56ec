//! What is wrong with what a form holds.

use super::{EditForm, FieldKind};
use crate::format::field_reader::Fault;
use crate::model::{Code, Problem, Severity};
use crate::ops::Refusal;

/// A problem of a record in a form.
#[derive(Clone, Debug, PartialEq)]
pub struct FormFinding {
    /// The number of its field, if it concerns one.
    pub field: Option<usize>,
    /// The code in `check`.
    pub code: Code,
    /// Its severity in `check`. If it must not be written at all, it is an error.
    pub severity: Severity,
    /// What is wrong. May quote the store: untrusted text.
    pub message: String,
    /// True if the form causes it; false if the store has it already.
    pub is_new: bool,
    /// The fix, if there is one.
    pub fix: Option<FieldFix>,
}

impl FormFinding {
    /// Returns a problem that `check` has found in the memory.
    pub fn known(form: &EditForm, problem: &Problem) -> FormFinding {
        let fault = (problem.code, problem.severity, problem.message.clone());
        finding(named(form, &problem.message), &fault, false)
    }

    /// True if it prevents saving.
    pub fn refuses(&self) -> bool {
        self.is_new && self.severity == Severity::Error
    }
}

/// The result of judging a form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormValidation {
    /// The findings: those that prevent saving first, then by severity.
    pub findings: Vec<FormFinding>,
    /// The length of the record in bytes, before and after the change.
    pub bytes: (usize, usize),
}

impl FormValidation {
    /// True if it can't be saved.
    pub fn is_refused(&self) -> bool {
        self.findings.iter().any(FormFinding::refuses)
    }

    /// True if saving it causes a new warning in `check`.
    pub fn warns(&self) -> bool {
        self.findings.iter().any(|own| own.is_new && own.severity == Severity::Warning)
    }

    /// Adds a refusal as a finding, unless its field has one that prevents saving.
    pub fn add(&mut self, form: &EditForm, refusal: &Refusal) {
        let new = of_refusal(form, refusal);
        if !self.findings.iter().any(|own| own.refuses() && own.field == new.field) {
            self.findings.push(new);
        }
    }
}

/// A value that fixes a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldFix {
    /// What it does, in a few words.
    pub title: String,
    /// The number of the field.
    pub field: usize,
    /// The new value of the field.
    pub value: String,
}

pub fn of_refusal(form: &EditForm, refusal: &Refusal) -> FormFinding {
    let message = &refusal.message;
    let is_tag = message.contains(" tag ") || message.starts_with("a tag");
    let field = named(form, message).or_else(|| form.find("tags").filter(|_| is_tag));
    let is_number = |at: usize| {
        matches!(form.fields[at].kind, FieldKind::Number { .. } | FieldKind::Flag | FieldKind::Json)
    };
    let code = match refusal.code {
        "E_SIZE_LIMIT" => Code::LimitExceeded,
        _ if field.is_some_and(is_number) => Code::WrongType,
        _ => Code::OutOfRange,
    };
    finding(field, &(code, Severity::Error, message.clone()), true)
}

pub fn finding(field: Option<usize>, (code, severity, message): &Fault, is_new: bool) -> FormFinding {
    FormFinding { field, code: *code, severity: *severity, message: message.clone(), is_new, fix: None }
}

/// Returns the field that a message names by its name, or by a longer name that ends with it.
pub fn named(form: &EditForm, message: &str) -> Option<usize> {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let is_meant = |own: &str, quoted: &str| {
        let bare = quoted.split('[').next().unwrap_or_default();
        quoted == own
            || bare == own
            || quoted.ends_with(&format!(".{own}"))
            || bare.ends_with(&format!(".{own}"))
    };
    let mut fields: Vec<usize> = (0..form.fields.len()).collect();
    fields.sort_by_key(|at| std::cmp::Reverse(form.fields[*at].name.len()));
    fields.into_iter().find(|at| quoted.iter().any(|quoted| is_meant(&form.fields[*at].name, quoted)))
}
