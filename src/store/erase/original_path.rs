//! The file that a backup or a packed file is a copy of.

use crate::model::{PathText, path_from_text};
use crate::store::hidden_names::OldFileName;
use crate::text::second_version::without_editors_mark;
use std::path::{Path, PathBuf};

/// Returns the path of the original of a copy: without the marks of a copy in its name.
pub fn original(path: &Path) -> PathBuf {
    let Some(name) = path.file_name() else { return path.to_owned() };
    let second = OldFileName::read(name);
    let own = second.as_ref().map_or(name, |own| own.file.as_os_str()).to_text();
    let ends = [".backup", ".bak", ".tmp"].iter().filter_map(|end| own.find(end));
    let own = &own[..ends.min().unwrap_or(own.len())];
    let own = without_editors_mark(own).unwrap_or(own);
    // Formats have packed logs of their own, but no packed documents.
    let own = own.strip_suffix(".gz").filter(|own| own.ends_with(".md")).unwrap_or(own);
    let own = own
        .rsplit_once('@')
        .filter(|(_, at)| at.split('+').all(|own| own.parse::<u64>().is_ok()))
        .map_or(own, |(own, _)| own);
    let own = rotated(own).unwrap_or(own);
    if own.is_empty() { path.to_owned() } else { path.with_file_name(path_from_text(own)) }
}

/// Returns the name of the log of which a file is an older part: `a.jsonl` for `a.jsonl.1` and `a.jsonl.2.gz`.
fn rotated(name: &str) -> Option<&str> {
    let (log, number) = name.strip_suffix(".gz").unwrap_or(name).rsplit_once('.')?;
    (log.ends_with(".jsonl") && number.parse::<u32>().is_ok()).then_some(log)
}

/// True if a file, or the original of a copy, has one record per line.
pub fn is_log_or_copy(path: &Path) -> bool {
    let own = original(path);
    let name = own.file_name().unwrap_or_default().to_text();
    name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")
}
