//! Removes erased records from one file. Pure.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use super::erased_contents::raw;
use super::index_copies::without_entries;
use super::matcher::ErasureMatcher;
use crate::format::writing::{RecordMembers, Refusal, is_code};
use crate::model::plan::{self, whole_lines};
use crate::model::{Bytes, Change, Document, PathText, Record, Role};
use crate::store::erase::original_path::{is_log_or_copy, original};
use crate::text::json::{Json, JsonKind};
use crate::text::json_scanner::Tape;
use crate::text::needle::Needles;
use crate::text::{json_edit, lines};

/// The largest size one file may unpack to, in bytes. Small in unit tests.
pub const ERASE_UNPACK_LIMIT: u64 = if cfg!(test) { 1 << 20 } else { 256 << 20 };

/// Ranges of a file, each with the bytes that replace it.
pub type ErasureEdits = Vec<(Range<usize>, Vec<u8>)>;

/// How erased content is recognized besides by name, and why it is erased.
#[derive(Clone, Copy)]
pub struct ErasureMarks<'a> {
    /// Main texts. They identify torn records.
    pub main: &'a Needles,
    /// Texts that only erased parts of documents have. Records that stay may repeat them.
    pub parts: &'a Needles,
    /// The reason code of the erasure.
    pub reason: &'a str,
    /// True for a file that agents read and write: what came to it meanwhile stays.
    pub is_live: bool,
}

pub enum CleanedFile {
    /// Nothing in it is erased.
    Same,
    /// A log: these records are removed or replaced.
    Edits(ErasureEdits),
    /// A document: these are its new bytes.
    Becomes(Vec<u8>),
    /// The file is one record, which is erased.
    Gone,
}

impl CleanedFile {
    /// Returns the remaining bytes, or `None` if the file is removed.
    pub fn left(self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            CleanedFile::Same => Some(bytes.to_vec()),
            CleanedFile::Edits(edits) => Some(plan::apply(bytes, &whole_lines(bytes, edits))),
            CleanedFile::Becomes(new) => Some(new),
            CleanedFile::Gone => None,
        }
    }

    /// Returns the change of a file with the bytes `base`, or `None` if it stays the same.
    pub fn change(self, path: &Path, base: Bytes) -> Option<Change> {
        match self {
            CleanedFile::Same => None,
            CleanedFile::Edits(edits) => Some(Change::edits(path, base, edits)),
            CleanedFile::Becomes(new) => Some(Change::rewrite(path, base, new)),
            CleanedFile::Gone => Some(Change::remove(path, base)),
        }
    }
}

/// Removes erased content from a file. Fails if the file holds erased content and can't be taken apart.
pub fn clean(
    wanted: &ErasureMatcher<'_>,
    path: &Path,
    bytes: &[u8],
    marks: ErasureMarks<'_>,
) -> Result<CleanedFile, Refusal> {
    let role = wanted.role(path);
    if role == Role::Tombstones {
        return Ok(CleanedFile::Same);
    }
    let cleaned = match role {
        _ if wanted.is_index(path, bytes) => {
            without_entries(wanted, path, bytes).map_or(CleanedFile::Same, CleanedFile::Becomes)
        }
        Role::Config | Role::Metadata => CleanedFile::Same,
        _ => without_records(wanted, path, bytes, marks)?,
    };
    if wanted.values.is_empty() {
        return Ok(cleaned);
    }
    masked(wanted, path, bytes, cleaned)
}

/// Masks the values in what stays of a file.
fn masked(
    wanted: &ErasureMatcher<'_>,
    path: &Path,
    bytes: &[u8],
    cleaned: CleanedFile,
) -> Result<CleanedFile, Refusal> {
    let left = match &cleaned {
        CleanedFile::Same => Cow::Borrowed(bytes),
        CleanedFile::Becomes(new) => Cow::Borrowed(&**new),
        CleanedFile::Edits(edits) => Cow::Owned(plan::apply(bytes, &whole_lines(bytes, edits.clone()))),
        CleanedFile::Gone => return Ok(cleaned),
    };
    let is_log = is_log_or_copy(path) && wanted.is_of_format(path) && wanted.values.any(&left);
    let by_record = is_log.then(|| masked_records(wanted, path, &left)).flatten();
    let Some(masked) = by_record.or_else(|| wanted.values.masked(&left)) else { return Ok(cleaned) };
    let resigned = wanted.erases().map(|own| own.resigned(&original(path), &masked)).transpose()?.flatten();
    Ok(CleanedFile::Becomes(resigned.unwrap_or(masked)))
}

/// Masks the values in each record of a log, and renews what the format derives from a record. `None` if a value is left.
fn masked_records(wanted: &ErasureMatcher<'_>, path: &Path, bytes: &[u8]) -> Option<Vec<u8>> {
    let edit = |own: &Record| {
        let before = raw(bytes, own);
        let masked = wanted.values.masked(before)?;
        let mut tape = Tape::default();
        let finished = json_edit::scan(&mut tape, before)
            .ok()
            .and_then(|before| wanted.format.finish_edit(before, masked.clone(), wanted.now, false).ok());
        Some((own.span.range(), finished.filter(|own| !wanted.values.any(own)).unwrap_or(masked)))
    };
    let records = wanted.read(path, bytes, None);
    let edits: ErasureEdits = records.iter().filter_map(edit).collect();
    let left = plan::apply(bytes, &whole_lines(bytes, edits));
    (!wanted.values.any(&left)).then_some(left)
}

fn without_records(
    wanted: &ErasureMatcher<'_>,
    path: &Path,
    bytes: &[u8],
    marks: ErasureMarks<'_>,
) -> Result<CleanedFile, Refusal> {
    let records = wanted.read(path, bytes, Some(marks.main));
    let is_new = |own: &Record| marks.is_live && wanted.is_new(path, raw(bytes, own), own.memory());
    let is_taken = |own: &&Record| {
        wanted.is_erased(path, raw(bytes, own), own.memory(), Some(marks.main)) && !is_new(own)
    };
    if is_log_or_copy(path) {
        let (taken, stay): (Vec<&Record>, Vec<&Record>) = records.iter().partition(is_taken);
        let edits = cleaned_log(wanted, (path, bytes), (&taken, &stay), marks);
        return Ok(if edits.is_empty() { CleanedFile::Same } else { CleanedFile::Edits(edits) });
    }
    let parts = wanted.parts(path, bytes, marks.is_live);
    let is_taken = records.iter().any(|own| is_taken(&own));
    // A file of several memories that is not UTF-8 is not taken apart. Only a copy of it goes as a whole.
    let has_parts = || wanted.erases().is_some_and(|own| !own.parts(&original(path), bytes).is_empty());
    let is_torn = std::str::from_utf8(bytes).is_err() && has_parts();
    if is_torn && (is_taken || !parts.is_empty()) {
        if !marks.is_live {
            return Ok(CleanedFile::Gone);
        }
        return Err(Refusal::corrupt(format!("{} is not UTF-8: repair it first.", path.to_text())));
    }
    match (is_taken, records.len()) {
        (true, 1) => Ok(CleanedFile::Gone),
        (true, _) => Err(Refusal::unfit(format!(
            "{} is one document with other memories in it. This version can't take it apart.",
            path.to_text()
        ))),
        (false, _) => {
            let erases = wanted.erases().filter(|_| !parts.is_empty());
            let new = erases.map(|erases| erases.without(&original(path), bytes, &parts)).transpose()?;
            Ok(new.map_or(CleanedFile::Same, CleanedFile::Becomes))
        }
    }
}

/// Returns the edits of a log. The format may replace an erased record; otherwise its line goes.
fn cleaned_log(
    wanted: &ErasureMatcher<'_>,
    (path, bytes): (&Path, &[u8]),
    (taken, stay): (&[&Record], &[&Record]),
    marks: ErasureMarks<'_>,
) -> ErasureEdits {
    let range = |own: &Record| own.span.range();
    let (mut edits, mut holes) = (ErasureEdits::new(), Vec::new());
    for own in taken {
        match wanted.hollow(path, raw(bytes, own), marks.reason) {
            Some(line) => edits.push((range(own), line)),
            None => holes.push(own.span),
        }
    }
    edits.extend(lines::removal_edits(bytes, &holes));
    let Some(erases) = wanted.erases() else { return edits };
    let path = original(path);
    let unsaid =
        |own: &&Record| Some((range(own), erases.without_repeats(&path, raw(bytes, own), marks.parts)?));
    edits.extend(stay.iter().filter_map(unsaid));
    edits
}

/// Returns the edits that reduce the tombstones of erased records to id, time and a code.
pub fn clean_tombstones(
    wanted: &ErasureMatcher<'_>,
    own: &Document,
    all: &Needles,
    reason: &str,
) -> ErasureEdits {
    let mut edits = ErasureEdits::new();
    for record in &own.records {
        let raw = own.raw(record);
        if !wanted.is_erased(&own.path, &raw, record.memory(), Some(all)) {
            continue;
        }
        let range = record.span.range();
        let has = |bytes: &[u8]| all.any(bytes) || !wanted.values.is_empty() && wanted.values.any(bytes);
        match bare_tombstone(&raw, &has, reason) {
            Some(bare) if *raw == *bare => {}
            Some(bare) => edits.push((range, bare)),
            None => edits.extend(lines::removal_edits(&own.bytes, &[record.span])),
        }
    }
    edits
}

/// Reduces a tombstone to the members it needs. Returns `None` if it can't be read.
fn bare_tombstone(raw: &[u8], has: &dyn Fn(&[u8]) -> bool, reason: &str) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let object = json_edit::scan(&mut tape, raw).ok().filter(|own| own.kind() == JsonKind::Object)?;
    let stored = object.get("reason").and_then(|own| own.text());
    let is_code = stored.as_deref().is_none_or(|own| is_code(own) && !has(own.as_bytes()));
    let known =
        |name: Json<'_>| ["id", "timestamp", "reason", "session_id"].iter().any(|own| name.is_text(own));
    if is_code && object.members().all(|(name, _)| known(name)) {
        return Some(raw.to_vec());
    }
    let mut members = RecordMembers::default();
    for name in ["id", "timestamp"] {
        let value = object.get(name).and_then(|own| own.text())?;
        members.or_text(name, &value);
    }
    members.or_text("reason", stored.as_deref().filter(|_| is_code).unwrap_or(reason));
    let mut line = members.to_line(&[]);
    line.pop();
    Some(line)
}

/// Removes what contains a needle from a JSON document. Returns `None` if it is not JSON.
pub fn scrubbed(bytes: &[u8], needles: &Needles) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let value = json_edit::scan(&mut tape, bytes).ok()?;
    let (start, end) = value.span();
    let clean = without(value, needles, 0)?;
    Some([&bytes[..start], &clean, &bytes[end..]].concat())
}

/// A value nested deeper than this goes as one piece if it contains a needle.
const DEPTH: usize = 64;

fn without(value: Json<'_>, needles: &Needles, depth: usize) -> Option<Vec<u8>> {
    if !needles.any(value.raw()) {
        return Some(value.raw().to_vec());
    }
    let inner = |value| if depth < DEPTH { without(value, needles, depth + 1) } else { None };
    match value.kind() {
        JsonKind::Object => {
            let kept = value.members().filter(|(name, _)| !needles.any(name.raw()));
            let kept = kept.filter_map(|(name, value)| Some([name.raw(), b":", &inner(value)?].concat()));
            Some([b"{", &kept.collect::<Vec<_>>().join(&b',')[..], b"}"].concat())
        }
        JsonKind::Array => {
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
        let bare = |raw: &str| {
            String::from_utf8(bare_tombstone(raw.as_bytes(), &|own| all.any(own), "erased").unwrap()).unwrap()
        };
        let fine = r#"{"id":"a","timestamp":"t","reason":"user_request"}"#;
        assert_eq!(bare(fine), fine);
        let prose = r#"{"id":"a","timestamp":"t","reason":"said: the erased text","was":"x"}"#;
        assert_eq!(bare(prose), r#"{"id":"a","timestamp":"t","reason":"erased"}"#);
    }
}
