//! Values of fields as A-MEM writes them.

use crate::format::AssemblyInput;
use crate::format::a_mem::note::NOTES;
use crate::format::writing::{Refusal, Result};
use crate::model::{Change, Document, Moment, Store};

pub fn one_of(field: &str, value: &str, known: &[&str]) -> Result<()> {
    let rule = || format!("it should be one of {}", known.join(", "));
    if known.contains(&value) { Ok(()) } else { Err(Refusal::bad_value(field, value, &rule())) }
}

/// Writes a timestamp as the format's own writer does.
pub fn timestamp(now: Moment) -> String {
    now.to_pattern(NOTES.time)
}

/// Returns the store's files in the form that functions for derived files need.
pub fn parts(store: &Store) -> AssemblyInput<'_> {
    AssemblyInput::of(&store.documents, &[])
}

pub fn rewritten(document: &Document, bytes: &[u8]) -> Change {
    Change::rewrite(&document.path, document.bytes.clone(), bytes)
}
