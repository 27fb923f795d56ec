//! The form in which a new text is written: as the old one, or as the program of the file writes it.

use crate::format::writing::{Refusal, Result};
use crate::model::Moment;
use crate::text::front_matter::Note;

pub fn with_ends(text: &str, end: &str) -> String {
    let plain = text.replace("\r\n", "\n");
    if end == "\n" { plain } else { plain.replace('\n', end) }
}

/// Returns a new text with the empty lines before the old one, and after it, and with its line ends.
pub fn kept_around(new: &str, old: &str, with_tail: bool) -> String {
    let is_end = |c: char| c == '\n' || c == '\r';
    let own = if end_of(old) == "\r\n" { with_ends(new, "\r\n") } else { new.to_owned() };
    let lead =
        if new.starts_with(is_end) { "" } else { &old[..old.len() - old.trim_start_matches(is_end).len()] };
    let tail =
        if with_tail && !new.ends_with(is_end) { &old[old.trim_end_matches(is_end).len()..] } else { "" };
    format!("{lead}{own}{tail}")
}

/// Returns the text of an entry as Hermes writes it.
pub fn entry_text(text: &str) -> Result<String> {
    let own = text.trim();
    let is_delimiter = own.split(['\n', '\r']).any(|line| line.trim() == "§");
    match own.is_empty() || is_delimiter {
        true => Err(Refusal::invalid(
            "the text should not be empty, and have no line of `§`: that ends a memory.",
        )),
        false => Ok(own.to_owned()),
    }
}

/// Sets `modified` below `metadata`, if it is there.
pub fn with_modified(text: &str, now: Moment) -> String {
    let Some(span) = Note::read(text).field("metadata").map(|own| own.span.clone()) else {
        return text.to_owned();
    };
    let set = |line: &str| match line.trim_start().strip_prefix("modified:") {
        Some(rest) => {
            let lead = &line[..line.len() - rest.len()];
            let end = &line[line.trim_end_matches(['\r', '\n']).len()..];
            format!("{lead} {}{end}", now.to_pattern("%Y-%m-%dT%H:%M:%S%.3fZ"))
        }
        None => line.to_owned(),
    };
    let own: String = text[span.clone()].split_inclusive('\n').map(set).collect();
    format!("{}{own}{}", &text[..span.start], &text[span.end..])
}

pub fn end_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
