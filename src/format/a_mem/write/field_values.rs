//! Values of fields as A-MEM writes them.

use crate::format::AssemblyInput;
use crate::format::Format;
use crate::format::a_mem::AMem;
use crate::format::writing::Refusal;
use crate::format::writing::Result;
use crate::model::Change;
use crate::model::Code;
use crate::model::Document;
use crate::model::Moment;
use crate::model::Role;
use crate::model::Store;
use std::path::Path;

/// Refuses a value that the format does not allow. `rule` is a phrase that says what it allows.
pub fn bad_value(field: &str, value: &str, rule: &str) -> Refusal {
    Refusal::invalid(format!("{field} can't be {value:?}: {rule}."))
}

pub fn one_of(field: &str, value: &str, known: &[&str]) -> Result<()> {
    let rule = || format!("it should be one of {}", known.join(", "));
    if known.contains(&value) { Ok(()) } else { Err(bad_value(field, value, &rule())) }
}

/// Writes a timestamp as the format's own writer does.
pub fn timestamp(now: Moment) -> String {
    now.to_pattern("%Y-%m-%dT%H:%M:%S%.6f+00:00")
}

/// Returns the store's files in the form that functions for derived files need.
pub fn parts(store: &Store) -> AssemblyInput<'_> {
    AssemblyInput { documents: &store.documents, folders: &[], locks: &[], outside_files: None }
}

pub fn rewritten(document: &Document, bytes: &[u8]) -> Change {
    Change::rewrite(&document.path, document.bytes.clone(), bytes)
}

/// Adds a line end to the text, unless the text that it replaces ends without one.
pub fn ended(text: &str, end: &str, before: &str) -> String {
    let is_open = !before.is_empty() && !before.ends_with('\n');
    let stays = text.is_empty() || text.ends_with('\n') || is_open;
    if stays { text.to_owned() } else { format!("{text}{end}") }
}

/// Refuses new problems: a word that is not in the schema, broken front matter. Old ones may stay.
pub fn no_worse(path: &Path, before: Option<&[u8]>, after: &[u8], now: Moment) -> Result<()> {
    let faults = |bytes: &[u8]| {
        let problems = AMem.read(Role::Records, path, bytes, now).problems.into_iter();
        let ours = problems.filter(|own| matches!(own.code, Code::OutOfRange | Code::BadFrontMatter));
        ours.map(|own| own.message).collect::<Vec<_>>()
    };
    let known = before.map(faults).unwrap_or_default();
    match faults(after).into_iter().find(|fault| !known.contains(fault)) {
        Some(fault) => Err(Refusal::invalid(fault)),
        None => Ok(()),
    }
}
