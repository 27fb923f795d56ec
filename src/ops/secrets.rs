//! Finds what looks sensitive in the records of a store, field by field.
//!
//! Ids, checksums, hashes, references and times of a format are never searched: they only look random.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

use crate::detectors::{Detection, Kind, NameList, detect, masked};
use crate::format::lines_of;
use crate::model::{Document, Entry, Store};
use crate::text::json::{Json, StringUnit, units};
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// A sensitive value in a record.
#[derive(Clone)]
pub struct Finding {
    /// The file, relative to the store's root.
    pub file: PathBuf,
    /// The line that it starts on, from 1.
    pub line: u32,
    /// Where it is in that line, in bytes.
    pub span: Range<usize>,
    /// The kind of value.
    pub kind: Kind,
    /// The rule that found it.
    pub rule: Cow<'static, str>,
    /// The value with its secret part hidden.
    pub masked: String,
    /// The value itself, unescaped. It must not be shown.
    pub value: Vec<u8>,
}

/// Returns what looks sensitive in an entry, in the order of its text.
pub fn findings(store: &Store, entry: &Entry, names: Option<&NameList>) -> Vec<Finding> {
    let (document, record) = (store.document(entry), store.record(entry));
    let raw = store.raw(entry);
    let found = sensitive_parts(&raw, names);
    if found.is_empty() {
        return Vec::new();
    }
    let before = before_on_its_line(document, entry.record, record.span.start);
    let one = |(place, own, value): (Range<usize>, Detection, Vec<u8>)| {
        let lead = &raw[..place.start];
        let newlines = memchr::memchr_iter(b'\n', lead).count();
        let start = lead.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let on_line = if newlines == 0 { before } else { 0 };
        Finding {
            file: document.path.clone(),
            line: record.line + newlines as u32,
            span: place.start - start + on_line..place.end - start + on_line,
            kind: own.kind,
            masked: masked(own.kind, &value, own.hidden.start - own.span.start),
            rule: own.rule,
            value,
        }
    };
    found.into_iter().map(one).collect()
}

/// Returns how many bytes are on the record's first line before it.
fn before_on_its_line(document: &Document, record: u32, start: u64) -> usize {
    if let Some((lines, bytes)) = lines_of(document, record).filter(|(lines, _)| lines.start < start) {
        let lead = bytes.get(..(start - lines.start) as usize).unwrap_or_default();
        return lead.len() - lead.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    }
    let lead = document.bytes.get(..start as usize).unwrap_or_default();
    let line = lead.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    lead[line..].strip_prefix(crate::text::lines::BOM).unwrap_or(&lead[line..]).len()
}

/// What may be found in a field.
#[derive(Clone, Copy, PartialEq)]
enum FieldContent {
    /// Everything.
    Free,
    /// It is an id or a hash of somebody else: only what has the form of a token.
    Opaque,
    /// It is the format's own: nothing.
    Own,
}

/// Returns each sensitive value of a record: where it is stored, what it is, and its text.
pub fn sensitive_parts(raw: &[u8], names: Option<&NameList>) -> Vec<(Range<usize>, Detection, Vec<u8>)> {
    let mut tape = Tape::default();
    let Ok(root) = scan(&mut tape, raw) else { return in_text(raw, names) };
    let mut all = Vec::new();
    root.each_string(&mut |path, value| in_string(path, value, names, &mut all));
    all.sort_by_key(|(place, ..)| place.start);
    all
}

fn in_string(
    path: &[Cow<'_, str>],
    value: Json<'_>,
    names: Option<&NameList>,
    all: &mut Vec<(Range<usize>, Detection, Vec<u8>)>,
) {
    let content = content_of(path);
    let Some(inner) = value.quoted().filter(|inner| content != FieldContent::Own && !inner.is_empty()) else {
        return;
    };
    let (text, places) = unescaped(inner);
    // The member's name says what the value is: `"password": "…"`.
    let lead = path.last().map(|name| format!("{name}: ")).unwrap_or_default();
    let with_name = [lead.as_bytes(), &text].concat();
    let start = value.span().0 + 1;
    for mut own in detect(&with_name, names) {
        let fits = own.span.start >= lead.len()
            && (content == FieldContent::Free
                || matches!(own.kind, Kind::Token | Kind::PrivateKey | Kind::Jwt));
        if !fits {
            continue;
        }
        for span in [&mut own.span, &mut own.hidden] {
            *span = span.start - lead.len()..span.end - lead.len();
        }
        let at = |place: usize| start + places.as_ref().map_or(place, |all| all[place]);
        let bytes = text[own.span.clone()].to_vec();
        all.push((at(own.span.start)..at(own.span.end), own, bytes));
    }
}

/// Returns the text of the inside of a JSON string. If it has escapes, also where each byte is stored.
fn unescaped(inner: &[u8]) -> (Cow<'_, [u8]>, Option<Vec<usize>>) {
    let Some(escaped) = std::str::from_utf8(inner).ok().filter(|own| own.contains('\\')) else {
        return (Cow::Borrowed(inner), None);
    };
    let (mut text, mut places) = (Vec::new(), Vec::new());
    let mut rest = escaped;
    while !rest.is_empty() {
        let len = escape_len(rest);
        let at = escaped.len() - rest.len();
        let mut bytes = [0; 4];
        for unit in units(&rest[..len]) {
            let own = match unit {
                StringUnit::Char(own) => own.encode_utf8(&mut bytes),
                StringUnit::Lone(_) => char::REPLACEMENT_CHARACTER.encode_utf8(&mut bytes),
            };
            places.extend(std::iter::repeat_n(at, own.len()));
            text.extend_from_slice(own.as_bytes());
        }
        rest = &rest[len..];
    }
    places.push(escaped.len());
    (Cow::Owned(text), Some(places))
}

/// Returns the length of the first character of a JSON string as it is spelled.
fn escape_len(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let plain = || rest.chars().next().map_or(1, char::len_utf8);
    match bytes {
        [b'\\', b'u', ..] => {
            let is_pair = bytes.len() >= 12
                && matches!(bytes[2..4], [b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B'])
                && bytes[6..].starts_with(b"\\u");
            if is_pair { 12 } else { 6.min(bytes.len()) }
        }
        [b'\\', _, ..] => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        _ => plain(),
    }
}

/// Like [`sensitive_parts`], for a record that is no JSON: a note, a section, a broken line.
fn in_text(raw: &[u8], names: Option<&NameList>) -> Vec<(Range<usize>, Detection, Vec<u8>)> {
    let field = |at: usize| {
        let start = raw[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |own| own + 1);
        let line = String::from_utf8_lossy(&raw[start..at]).into_owned();
        name_before(&line).map_or(FieldContent::Free, |name| content_of(&[Cow::Owned(name)]))
    };
    let fits = |own: &Detection| match field(own.span.start) {
        FieldContent::Own => false,
        FieldContent::Opaque => matches!(own.kind, Kind::Token | Kind::PrivateKey | Kind::Jwt),
        FieldContent::Free => true,
    };
    let own = |own: Detection| (own.span.clone(), raw[own.span.clone()].to_vec(), own);
    detect(raw, names).into_iter().filter(fits).map(own).map(|(span, text, own)| (span, own, text)).collect()
}

/// Returns the name of the field that a place is in, from the line up to it: of torn JSON, or of front matter.
fn name_before(line: &str) -> Option<String> {
    let start = line.trim_start();
    let name = if start.starts_with(['{', '[', '"']) {
        start.rsplit_once("\":")?.0.rsplit_once('"')?.1
    } else {
        start.split_once(':')?.0.trim_start_matches("- ")
    };
    Some(name.to_owned())
}

/// Returns what a field holds, by its name. The names are those of the formats.
fn content_of(path: &[Cow<'_, str>]) -> FieldContent {
    let Some(name) = path.last() else { return FieldContent::Free };
    let lower = name.to_ascii_lowercase();
    let is_id = lower == "id"
        || lower == "ids"
        || lower.ends_with("_id")
        || lower.ends_with("_ids")
        || name.ends_with("Id")
        || name.ends_with("Ids");
    let is_hash = ["checksum", "hash", "digest", "fingerprint", "sha256", "etag", "signature"]
        .iter()
        .any(|own| lower == *own || lower.ends_with(&format!("_{own}")) || is_camel(name, own));
    let is_time = lower.ends_with("_at") || lower == "timestamp" || lower == "created" || lower == "updated";
    let is_reference =
        matches!(&*lower, "references" | "refs" | "linked_to" | "supersedes" | "superseded_by");
    match (is_id || is_hash || is_time || is_reference, path.len()) {
        (false, _) => FieldContent::Free,
        (true, 1) => FieldContent::Own,
        (true, _) if is_hash => FieldContent::Own,
        (true, _) => FieldContent::Opaque,
    }
}

/// True if a name ends in a word that is written with a capital: `bundleHash`.
fn is_camel(name: &str, word: &str) -> bool {
    let start = name.len().checked_sub(word.len());
    start.and_then(|at| name.get(at..)).is_some_and(|end| {
        end.eq_ignore_ascii_case(word) && end.starts_with(|own: char| own.is_ascii_uppercase())
    })
}
