//! A file and a line as text.

use crate::model::PathText;

/// Returns a file and a line in it, as `file:line`. Untrusted text.
pub fn place(file: &std::path::Path, line: Option<u32>) -> String {
    match line.filter(|line| *line > 0) {
        Some(line) => format!("{}:{line}", file.to_text()),
        None => file.to_text().into_owned(),
    }
}
