//! Damage as in real stores, done to single lines.

use crate::model::time::DAY;
use crate::model::{Code, Moment};
use crate::text::canonical;
use crate::text::json_edit::{quoted, scan, set};
use crate::text::json_scanner::Tape;

/// A tag above the limits of the two formats, 30 and 32 characters.
const LONG_TAG: &str = "[\"follow-up-from-the-quarterly-planning-round\"]";
const TIMES: [&str; 3] = ["created_at", "updated_at", "accessed_at"];

/// Returns the broken line as it is on disk, with its line end if it keeps one. `code` is what `check` calls it. The
/// writer of a torn line stopped after `words`.
pub fn damaged(line: &str, (code, words): (Code, &str), first: &str, is_last: bool) -> Vec<u8> {
    let with = |name: &str, raw: &str| changed(line, &[(name, raw.to_owned())]);
    let whole = match code {
        Code::TornLine => {
            let end = line.find(words).map_or(line.len() / 2, |at| at + words.len());
            let part = line.get(..end).unwrap_or(line);
            return if is_last { part.into() } else { format!("{part}\n").into() };
        }
        Code::GluedRecords => return line.into(),
        Code::ExtraBrace => format!("{line}}}"),
        // Minified JSON has spaces only in strings.
        Code::RawNewline => line.replacen(' ', "\n", 1),
        // As after a power cut.
        Code::NulBytes => format!("{}{line}", "\0".repeat(24)),
        Code::DuplicateId => with("id", &quoted(&member(first, "id"))),
        Code::DanglingReference => with("references", "[\"mem_lost_404\"]"),
        // The clock of its last reader was ahead.
        Code::FutureTimestamp => {
            let written = Moment::parse(&member(line, "created_at")).map(|own| own.0);
            let ahead = written.map(|own| own.plus(40 * DAY).to_rfc3339());
            with("accessed_at", &quoted(&ahead.unwrap_or_default()))
        }
        Code::NoTimezone => {
            let naive = |name| quoted(member(line, name).trim_end_matches('Z'));
            changed(line, &TIMES.map(|name| (name, naive(name))))
        }
        Code::TooLong => with("tags", LONG_TAG),
        Code::ChecksumMismatch => line.replacen("\"decay_factor\":1.0", "\"decay_factor\":0.9", 1),
        // Its checksum follows the specification's pseudo-code.
        Code::ChecksumLegacy => {
            let mut tape = Tape::default();
            let sum = scan(&mut tape, line.as_bytes()).map(canonical::legacy_checksum);
            with("checksum", &quoted(&sum.unwrap_or_default()))
        }
        _ => line.to_owned(),
    };
    (whole + "\n").into()
}

/// Returns the text of a member of a line.
pub fn member(line: &str, name: &str) -> String {
    let mut tape = Tape::default();
    let value = scan(&mut tape, line.as_bytes()).ok();
    value.and_then(|own| Some(own.get(name)?.plain())).unwrap_or_default()
}

/// Sets members of a line, and renews its checksum if it has one.
fn changed(line: &str, members: &[(&str, String)]) -> String {
    let mut bytes = line.as_bytes().to_vec();
    for (name, raw) in members {
        bytes = set(&bytes, &[name], raw).unwrap_or(bytes);
    }
    let is_signed = line.contains("\"checksum\"") && members.iter().all(|(name, _)| *name != "checksum");
    if is_signed {
        let mut tape = Tape::default();
        let sum = scan(&mut tape, &bytes).map(canonical::checksum).unwrap_or_default();
        bytes = set(&bytes, &["checksum"], &quoted(&sum)).unwrap_or(bytes);
    }
    String::from_utf8(bytes).unwrap_or_default()
}
