//! What goes wrong in real stores, done to single lines on purpose.

use crate::model::time::DAY;
use crate::model::{Code, Moment};
use crate::text::canonical;
use crate::text::json_edit::{quoted, scan, set};
use crate::text::json_scanner::Tape;

/// One thing that is wrong with one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The writer was stopped behind these words.
    Torn(&'static str),
    /// The line end was lost: the next record follows on the same line.
    Glued,
    /// A brace too many.
    ExtraBrace,
    /// A line break is in a string as itself.
    RawNewline,
    /// A power cut left NULs before the record.
    Nuls,
    /// It has the id of the first record of the file.
    DuplicateId,
    /// It refers to a record that is not there.
    DanglingReference,
    /// The clock of its last reader was ahead.
    FutureTimestamp,
    /// Its times have no zone.
    NoTimezone,
    /// One of its tags is longer than both formats allow.
    LongTag,
    /// It was changed after it was signed.
    ChecksumMismatch,
    /// It was signed as the specification's pseudo-code does.
    ChecksumLegacy,
}

/// A tag that is over the 30 and 32 characters of the two formats.
const LONG_TAG: &str = "[\"follow-up-from-the-quarterly-planning-round\"]";
const TIMES: [&str; 3] = ["created_at", "updated_at", "accessed_at"];

impl Damage {
    /// The code that `check` gives it.
    pub fn code(self) -> Code {
        match self {
            Damage::Torn(_) => Code::TornLine,
            Damage::Glued => Code::GluedRecords,
            Damage::ExtraBrace => Code::ExtraBrace,
            Damage::RawNewline => Code::RawNewline,
            Damage::Nuls => Code::NulBytes,
            Damage::DuplicateId => Code::DuplicateId,
            Damage::DanglingReference => Code::DanglingReference,
            Damage::FutureTimestamp => Code::FutureTimestamp,
            Damage::NoTimezone => Code::NoTimezone,
            Damage::LongTag => Code::TooLong,
            Damage::ChecksumMismatch => Code::ChecksumMismatch,
            Damage::ChecksumLegacy => Code::ChecksumLegacy,
        }
    }

    /// The line as it is on disk then, with its end.
    pub fn done_to(self, line: &str, first: &str, is_last: bool) -> Vec<u8> {
        let with = |name: &str, raw: &str| changed(line, &[(name, raw.to_owned())]);
        let whole = match self {
            Damage::Torn(words) => {
                let end = line.find(words).map_or(line.len() / 2, |at| at + words.len());
                let part = line.get(..end).unwrap_or(line);
                return if is_last { part.into() } else { format!("{part}\n").into() };
            }
            Damage::Glued => return line.into(),
            Damage::ExtraBrace => format!("{line}}}"),
            // Minified JSON has spaces in strings alone.
            Damage::RawNewline => line.replacen(' ', "\n", 1),
            Damage::Nuls => format!("{}{line}", "\0".repeat(24)),
            Damage::DuplicateId => with("id", &quoted(&member(first, "id"))),
            Damage::DanglingReference => with("references", "[\"mem_lost_404\"]"),
            Damage::FutureTimestamp => {
                let written = Moment::parse(&member(line, "created_at")).map(|own| own.0);
                let ahead = written.map(|own| own.plus(40 * DAY).to_rfc3339());
                with("accessed_at", &quoted(&ahead.unwrap_or_default()))
            }
            Damage::NoTimezone => {
                let naive = |name| quoted(member(line, name).trim_end_matches('Z'));
                changed(line, &TIMES.map(|name| (name, naive(name))))
            }
            Damage::LongTag => with("tags", LONG_TAG),
            Damage::ChecksumMismatch => line.replacen("\"decay_factor\":1.0", "\"decay_factor\":0.9", 1),
            Damage::ChecksumLegacy => {
                let mut tape = Tape::default();
                let sum = scan(&mut tape, line.as_bytes()).map(canonical::legacy_checksum);
                with("checksum", &quoted(&sum.unwrap_or_default()))
            }
        };
        (whole + "\n").into()
    }
}

/// The text of a member of a line.
pub fn member(line: &str, name: &str) -> String {
    let mut tape = Tape::default();
    let value = scan(&mut tape, line.as_bytes()).ok();
    value.and_then(|own| Some(own.get(name)?.plain())).unwrap_or_default()
}

/// A line with other members, and signed anew where it was signed.
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
