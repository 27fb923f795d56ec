//! What goes wrong in real stores, done to single records on purpose.

use crate::model::Code;

/// One thing that is wrong with one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The writer was stopped in the middle of the line.
    Torn,
    /// The line end was lost: the next record follows on the same line.
    Glued,
    /// A brace too many.
    ExtraBrace,
    /// A line break is in a string as itself.
    RawNewline,
    /// A power cut left NULs before the record.
    Nuls,
    /// It has the id of an earlier record.
    DuplicateId,
    /// It refers to a record that is not there.
    DanglingReference,
    /// Its clock was ahead.
    FutureTimestamp,
    /// Its timestamp has no zone.
    NoTimezone,
    /// One of its tags is longer than both formats allow.
    LongTag,
    /// It was changed after it was signed.
    ChecksumMismatch,
    /// It was signed as the specification's pseudo-code does.
    ChecksumLegacy,
}

/// A tag that is over the 30 and 32 characters of the two formats.
pub const LONG_TAG: &str = "follow-up-from-the-quarterly-planning-round";

impl Damage {
    /// The code that `check` gives it.
    pub fn code(self) -> Code {
        match self {
            Damage::Torn => Code::TornLine,
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

    /// Whether the record can still be read.
    pub fn leaves_it_readable(self) -> bool {
        !matches!(self, Damage::Torn | Damage::RawNewline)
    }

    /// What is before the record, the record, and what ends it, as they are on disk.
    pub fn bytes(self, line: &str) -> (&'static [u8], String, &'static [u8]) {
        match self {
            Damage::Torn => (b"", first_part(line).to_owned(), b"\n"),
            Damage::Glued => (b"", line.to_owned(), b""),
            Damage::ExtraBrace => (b"", line.to_owned(), b"}\n"),
            // Minified JSON has spaces in strings alone.
            Damage::RawNewline => (b"", line.replacen(' ', "\n", 1), b"\n"),
            Damage::Nuls => (&[0; 24], line.to_owned(), b"\n"),
            _ => (b"", line.to_owned(), b"\n"),
        }
    }
}

fn first_part(line: &str) -> &str {
    let cut = (line.len() * 3 / 5..line.len()).find(|at| line.is_char_boundary(*at));
    cut.and_then(|at| line.get(..at)).unwrap_or(line)
}
