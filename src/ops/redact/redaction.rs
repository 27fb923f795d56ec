//! What a redaction replaces, and by what.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use crate::detectors::{self, Detection, Kind, MASK, masked};
use crate::store::erase::salted;
use crate::text::line_ends;

/// What replaces a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedactionStyle {
    /// `••••••`, behind the prefix of a token.
    Mask,
    /// The name of the rule: `[REDACTED:github-token]`.
    Label,
    /// A name made of a keyed digest, so that the same value gets the same name: `redacted-email-1a2b3c4d`.
    Pseudonym,
}

/// The values to replace.
#[derive(Clone, PartialEq, Eq)]
pub enum RedactedValues {
    /// What the detectors find, of these kinds; of every kind if there are none.
    Detected(Vec<Kind>),
    /// These texts.
    Texts(Vec<String>),
    /// A range of a record's line.
    Span(RecordSpan),
}

/// A range of a line, in bytes, in a record as it was when the user named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSpan {
    /// The record's key. After another change, the bytes of the range would be others.
    pub key: String,
    /// The number of the line in the record, from 0; `None` if only one line can be meant.
    pub line: Option<u32>,
    pub span: Range<usize>,
}

/// A value is never printed, not even by a failed test.
impl fmt::Debug for RedactedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RedactedValues::Detected(kinds) => write!(f, "Detected({kinds:?})"),
            RedactedValues::Texts(all) => write!(f, "Texts({})", all.len()),
            RedactedValues::Span(own) => write!(f, "{own:?}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    pub values: RedactedValues,
    /// What replaces them.
    pub style: RedactionStyle,
    /// The key of the pseudonyms, and of the digests of false alarms.
    pub key: Vec<u8>,
    /// Digests of findings that the user calls false alarms. They stay.
    pub false_alarms: BTreeSet<String>,
}

impl Redaction {
    /// Returns what replaces a value. `found` is the detection of this very place.
    pub(super) fn replacement(&self, value: &[u8], found: Option<&Detection>) -> String {
        // The same value has the same pseudonym wherever it is, so what is around it must not count.
        let alone = detectors::detect(value, None).into_iter().find(|own| own.span == (0..value.len()));
        let own = found.or(alone.as_ref());
        match self.style {
            RedactionStyle::Mask => own.map_or_else(
                || MASK.to_owned(),
                |own| masked(own.kind, value, own.hidden.start - own.span.start),
            ),
            RedactionStyle::Label => detectors::label(own.map(|own| &*own.rule)),
            RedactionStyle::Pseudonym => {
                detectors::pseudonym(alone.map(|own| own.kind), &value_digest(&self.key, value))
            }
        }
    }

    pub(super) fn is_false_alarm(&self, value: &[u8]) -> bool {
        !self.false_alarms.is_empty() && self.false_alarms.contains(&value_digest(&self.key, value))
    }

    /// True if a short text has one of the values.
    pub(super) fn is_in(&self, text: &str) -> bool {
        match &self.values {
            RedactedValues::Texts(texts) => {
                texts.iter().any(|own| line_ends::contains(text.as_bytes(), own.as_bytes()))
            }
            _ => !detectors::detect(text.as_bytes(), None).is_empty(),
        }
    }
}

/// Returns the digest by which a verdict on a value is kept, and which names it in a pseudonym.
pub fn value_digest(key: &[u8], value: &[u8]) -> String {
    let own = salted(key, value);
    own.rsplit_once(':').map_or_else(String::new, |(_, digest)| digest.to_owned())
}
