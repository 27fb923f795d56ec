//! Values of fields as A-MEM writes them.

use crate::format::a_mem::note::NOTES;
use crate::format::writing::{Refusal, Result};
use crate::model::{Change, Document, Moment};

pub fn one_of(field: &str, value: &str, known: &[&str]) -> Result<()> {
    let rule = || format!("it should be one of {}", known.join(", "));
    if known.contains(&value) { Ok(()) } else { Err(Refusal::bad_value(field, value, &rule())) }
}

/// The longest name, in bytes: with `.jsonl` it is a file name.
const NAME: usize = 200;

/// Refuses a value that can't be the name of a file. `is_allowed` is false for what its format excludes besides.
pub fn check_file_name(field: &str, name: &str, is_allowed: bool) -> Result<()> {
    let rule = "it names a file: no separators, no control characters, at most 200 bytes";
    let is_name = !name.is_empty() && name.len() <= NAME && name.trim() == name;
    let is_plain = !name.chars().any(|c| c.is_control() || matches!(c, '/' | '\\'));
    if is_name && is_plain && is_allowed { Ok(()) } else { Err(Refusal::bad_value(field, name, rule)) }
}

/// Writes a timestamp as the format's own writer does.
pub fn timestamp(now: Moment) -> String {
    now.to_pattern(NOTES.time)
}

pub fn rewritten(document: &Document, bytes: &[u8]) -> Change {
    Change::rewrite(&document.path, document.bytes.clone(), bytes)
}
