//! What the text of any file of these folders can show: orders to a model, a sync program's second version, and blocks
//! without an end.

use std::path::Path;

use crate::model::{Code, PathText, Problem, Record, Severity};
use crate::text::prompt_injection;

/// How sync programs name the version that they set aside.
const SET_ASIDE: [&str; 3] = [".sync-conflict-", "conflicted copy", "(conflict "];

/// Returns the problems of a file's text. `records` are its memories.
pub fn problems(path: &Path, bytes: &[u8], records: &[Record]) -> Vec<Problem> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |code, severity, at: usize, message: String| {
        let line = 1 + memchr::memchr_iter(b'\n', &bytes[..at]).count() as u32;
        let problem = Problem::of_file(code, severity, path, message).at_line(line);
        let record = records.iter().position(|own| own.span.range().contains(&at));
        found.push(match record {
            Some(number) => problem.of_record(number as u32, records[number].view().and_then(|own| own.id)),
            None => problem,
        });
    };
    for (at, what) in prompt_injection::signs(text) {
        add(Code::UntrustedText, Severity::Warning, at, what.to_owned());
    }
    let name = path.file_name().unwrap_or_default().to_text().to_lowercase();
    if SET_ASIDE.iter().any(|own| name.contains(own)) {
        let message = "A sync program set this version aside. Compare it with the other file, and keep one.";
        add(Code::SyncConflict, Severity::Warning, 0, message.into());
    }
    if let Some((at, name)) = open_block(text) {
        let message =
            format!("The block {name:?} has no end: its program may take what follows for its own.");
        add(Code::UnclosedBlock, Severity::Note, at, message);
    }
    found
}

/// Returns the first block between `<!-- NAME:start -->` and `<!-- NAME:end -->` that has no end, and its name.
fn open_block(text: &str) -> Option<(usize, &str)> {
    text.match_indices(":start -->").find_map(|(end, _)| {
        let start = text[..end].rfind("<!--")?;
        let name = text[start + 4..end].trim();
        let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
        let has_end = || text[end..].contains(&format!("<!-- {name}:end -->"));
        (is_name && !has_end()).then_some((start, name))
    })
}
