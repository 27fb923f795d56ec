//! One file without what is erased. Pure.

use std::ops::Range;
use std::path::Path;

use super::contents::raw;
use super::wanted::{Wanted, is_log};
use crate::format::writing::{Members, Refusal, is_code};
use crate::model::plan::{self, whole_lines};
use crate::model::{Document, Role, Span};
use crate::text::edit;
use crate::text::json::{Json, Kind};
use crate::text::lines;
use crate::text::needle::Needles;
use crate::text::scan::Tape;

/// Ranges of a file, each with what takes its place.
pub type Edits = Vec<(Range<usize>, Vec<u8>)>;

/// What becomes of a file.
pub enum Outcome {
    /// It holds nothing that is erased.
    Same,
    /// Records go.
    Edits(Edits),
    /// It is one record, and goes.
    Gone,
}

/// A file without the records that are erased. `main` tells what is torn.
pub fn clean(wanted: &Wanted<'_>, path: &Path, bytes: &[u8], main: &Needles) -> Result<Outcome, Refusal> {
    if matches!(wanted.role(path), Role::Tombstones | Role::Index | Role::Config | Role::Metadata) {
        return Ok(Outcome::Same);
    }
    let records = wanted.read(path, bytes);
    let taken: Vec<Span> = records
        .iter()
        .filter(|own| wanted.takes(path, raw(bytes, own), own.view(), Some(main)))
        .map(|own| own.span)
        .collect();
    match (taken.is_empty(), is_log(path), records.len()) {
        (true, ..) => Ok(Outcome::Same),
        (false, true, _) => Ok(Outcome::Edits(lines::holes(bytes, &taken))),
        (false, false, 1) => Ok(Outcome::Gone),
        _ => Err(Refusal::unfit(format!(
            "{} is one document with other records in it, which this version does not take apart.",
            path.display()
        ))),
    }
}

/// The file with the edits made.
pub fn applied(bytes: &[u8], edits: Edits) -> Vec<u8> {
    plan::apply(bytes, &whole_lines(bytes, edits))
}

/// The edits that leave in a file of tombstones nothing but id, time and a code of the
/// records that are erased.
pub fn clean_tombstones(wanted: &Wanted<'_>, own: &Document, all: &Needles, reason: &str) -> Edits {
    let mut edits = Edits::new();
    for record in &own.records {
        let raw = own.raw(record);
        if !wanted.takes(&own.path, raw, record.view(), Some(all)) {
            continue;
        }
        let range = record.span.start as usize..record.span.end as usize;
        match bare_tombstone(raw, all, reason) {
            Some(bare) if bare == raw => {}
            Some(bare) => edits.push((range, bare)),
            None => edits.extend(lines::holes(&own.bytes, &[record.span])),
        }
    }
    edits
}

/// A tombstone with nothing in it but what it needs; `None` where it can't be read.
fn bare_tombstone(raw: &[u8], all: &Needles, reason: &str) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let object = edit::scan(&mut tape, raw).ok().filter(|own| own.kind() == Kind::Object)?;
    let stored = object.get("reason").and_then(|own| own.text());
    let is_code = stored.as_deref().is_none_or(|own| is_code(own) && !all.any(own.as_bytes()));
    let known =
        |name: Json<'_>| ["id", "timestamp", "reason", "session_id"].iter().any(|own| name.is_text(own));
    if is_code && object.members().all(|(name, _)| known(name)) {
        return Some(raw.to_vec());
    }
    let mut members = Members::default();
    for name in ["id", "timestamp"] {
        let value = object.get(name).and_then(|own| own.text())?;
        members.or_text(name, &value);
    }
    members.or_text("reason", stored.as_deref().filter(|_| is_code).unwrap_or(reason));
    let mut line = members.to_line(&[]);
    line.pop();
    Some(line)
}

/// A JSON document without the members and items that say what is searched for; `None` where
/// it is no JSON.
pub fn scrubbed(bytes: &[u8], needles: &Needles) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let value = edit::scan(&mut tape, bytes).ok()?;
    let (start, end) = value.span();
    let clean = without(value, needles, 0)?;
    Some([&bytes[..start], &clean, &bytes[end..]].concat())
}

/// How deep values are taken apart; what is nested deeper goes as a whole.
const DEPTH: usize = 64;

fn without(value: Json<'_>, needles: &Needles, depth: usize) -> Option<Vec<u8>> {
    if !needles.any(value.raw()) {
        return Some(value.raw().to_vec());
    }
    let inner = |value| if depth < DEPTH { without(value, needles, depth + 1) } else { None };
    match value.kind() {
        Kind::Object => {
            let kept = value.members().filter(|(name, _)| !needles.any(name.raw()));
            let kept = kept.filter_map(|(name, value)| Some([name.raw(), b":", &inner(value)?].concat()));
            Some([b"{", &kept.collect::<Vec<_>>().join(&b',')[..], b"}"].concat())
        }
        Kind::Array => {
            let kept: Vec<Vec<u8>> = value.items().filter_map(inner).collect();
            Some([b"[", &kept.join(&b',')[..], b"]"].concat())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_loses_the_terms_that_only_an_erased_record_had() {
        let needles = Needles::of(["the erased text"]);
        let index =
            br#"{ "a": 1.0, "the erased text": ["x"], "b": ["say: the erased text", "y", {"c": 2}] }"#;
        let clean = scrubbed(index, &needles).unwrap();
        assert_eq!(clean, br#"{"a":1.0,"b":["y",{"c": 2}]}"#);
    }

    #[test]
    fn a_tombstone_keeps_id_time_and_a_code() {
        let all = Needles::of(["the erased text"]);
        let bare =
            |raw: &str| String::from_utf8(bare_tombstone(raw.as_bytes(), &all, "erased").unwrap()).unwrap();
        let fine = r#"{"id":"a","timestamp":"t","reason":"user_request"}"#;
        assert_eq!(bare(fine), fine);
        let prose = r#"{"id":"a","timestamp":"t","reason":"said: the erased text","was":"x"}"#;
        assert_eq!(bare(prose), r#"{"id":"a","timestamp":"t","reason":"erased"}"#);
    }
}
