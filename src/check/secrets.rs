//! Finds what looks sensitive in the records of a store, field by field.
//!
//! Ids, checksums, hashes, references and times of a format are never searched: they only look random.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::detectors::{Detection, Kind, NameList, detect, masked};
use crate::format::lines_of;
use crate::model::{Document, Entry, Store};
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{Tape, scan};
use crate::text::lines::{LineSpan, line_at, lines};
use crate::text::string_places::unescaped;

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
    let place = (document.path.as_path(), record.line, before);
    found.into_iter().map(|part| finding(place, &raw, part)).collect()
}

/// Returns what looks sensitive in a copy of memories, in the order of its text.
pub fn findings_in_copy(file: &Path, bytes: &[u8], names: Option<&NameList>) -> Vec<Finding> {
    if bytes.contains(&0) {
        // It is no text, but a swap file, say. Names of homes and numbers are there by chance.
        let secrets = detect(bytes, None).into_iter().filter(|found| found.kind.is_secret());
        return secrets.map(|found| finding((file, 1, 0), bytes, part_of(bytes, found))).collect();
    }
    let is_object = |end: usize| scan(&mut Tape::default(), &bytes[..end]).is_ok();
    let is_log = bytes.starts_with(b"{") && line_at(bytes, 0).is_some_and(|first| is_object(first.end));
    let in_part = |line: u32, raw: &[u8]| -> Vec<Finding> {
        sensitive_parts(raw, names).into_iter().map(|part| finding((file, line, 0), raw, part)).collect()
    };
    if !is_log {
        return in_part(1, bytes);
    }
    let in_line = |(number, line): (u32, LineSpan)| in_part(number, &bytes[line.start..line.end]);
    (1..).zip(lines(bytes)).flat_map(in_line).collect()
}

/// Makes a finding in `raw`, which starts in this line of a file, after that many bytes.
fn finding(
    (file, line, before): (&Path, u32, usize),
    raw: &[u8],
    (place, found, value): SensitivePart,
) -> Finding {
    let lead = &raw[..place.start];
    let newlines = memchr::memchr_iter(b'\n', lead).count();
    let start = lead.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let on_line = if newlines == 0 { before } else { 0 };
    Finding {
        file: file.to_owned(),
        line: line + newlines as u32,
        span: place.start - start + on_line..place.end - start + on_line,
        kind: found.kind,
        masked: masked(found.kind, &value, found.hidden.start - found.span.start),
        rule: found.rule,
        value,
    }
}

/// At most this many bytes before a finding and after it are shown with it.
const AROUND: usize = 160;

/// Returns the text before a finding and after it, as it is stored, with every sensitive value in it hidden.
/// `number` is the place of the finding in [`findings`].
pub fn text_around(store: &Store, entry: &Entry, number: usize) -> Option<[String; 2]> {
    let raw = store.raw(entry);
    let parts = sensitive_parts(&raw, None);
    let own = parts.get(number)?.0.clone();
    let (mut start, mut end) = (own.start.saturating_sub(AROUND), (own.end + AROUND).min(raw.len()));
    // A part of a value would be drawn as it is.
    for (place, ..) in parts.iter().filter(|(place, ..)| *place != own) {
        if place.start < start && start < place.end {
            start = place.end;
        }
        if place.start < end && end < place.end {
            end = place.start;
        }
    }
    let hidden = |range: Range<usize>| {
        let (mut text, mut shown) = (String::new(), range.start);
        for (place, found, value) in &parts {
            if range.start <= place.start && place.end <= range.end {
                text.push_str(&String::from_utf8_lossy(raw.get(shown..place.start).unwrap_or_default()));
                text.push_str(&masked(found.kind, value, found.hidden.start - found.span.start));
                shown = place.end;
            }
        }
        text + &String::from_utf8_lossy(raw.get(shown..range.end).unwrap_or_default())
    };
    Some([hidden(start.min(own.start)..own.start), hidden(own.end..end.max(own.end))])
}

/// Returns how many bytes are on the record's first line before it.
pub(crate) fn before_on_its_line(document: &Document, record: u32, start: u64) -> usize {
    let (lines, bytes) = lines_of(document, record);
    if lines.start < start {
        let lead = bytes.get(..(start - lines.start) as usize).unwrap_or_default();
        return lead.len() - lead.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    }
    let lead = document.bytes.get(..start as usize).unwrap_or_default();
    let line = lead.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    lead[line..].strip_prefix(crate::text::lines::BOM).unwrap_or(&lead[line..]).len()
}

/// What may be found in a field.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum FieldContent {
    /// Everything.
    Free,
    /// It is an id or a hash of somebody else: only what has the form of a token.
    Opaque,
    /// It is the format's own: nothing.
    Own,
}

impl FieldContent {
    fn may_have(self, kind: Kind) -> bool {
        match self {
            FieldContent::Free => true,
            FieldContent::Opaque => matches!(kind, Kind::Token | Kind::PrivateKey | Kind::Jwt),
            FieldContent::Own => false,
        }
    }
}

/// A sensitive value of a record: where it is stored, what it is, and its text.
pub type SensitivePart = (Range<usize>, Detection, Vec<u8>);

/// Returns each sensitive value of a record.
pub fn sensitive_parts(raw: &[u8], names: Option<&NameList>) -> Vec<SensitivePart> {
    let mut tape = Tape::default();
    let Ok(root) = scan(&mut tape, raw) else { return in_text(raw, names) };
    let mut all = Vec::new();
    each_text(root, &mut |path, text, at| {
        let content = content_of(path);
        let lead = path.last().map(|name| format!("{name}: ")).unwrap_or_default();
        add_found((&lead, text), names, &|kind| content.may_have(kind), at, &mut all);
    });
    in_names_and_numbers(root, None, 0, &mut all);
    all.sort_by_key(|(place, ..)| place.start);
    all
}

/// Gets the path of a text, the text, and the function that says where a place of it is stored.
pub(crate) type TextVisitor<'v> = &'v mut dyn FnMut(&[Cow<'_, str>], &[u8], &dyn Fn(usize) -> usize);

/// Passes each text of a JSON value to `see`, without escapes, but for what is the format's own.
pub(crate) fn each_text(root: Json<'_>, see: TextVisitor<'_>) {
    root.each_string(&mut |path, value| {
        let Some(inner) = value.quoted().filter(|inner| !inner.is_empty()) else { return };
        if content_of(path) != FieldContent::Own {
            let (text, places) = unescaped(inner);
            let start = value.span().0 + 1;
            see(path, &text, &|place| start + places.as_ref().map_or(place, |all| all[place]));
        }
    });
}

/// Deeper names and numbers are not searched.
const DEPTH: usize = 64;

/// Adds what is in names of members, and numbers that are a card or a password.
fn in_names_and_numbers(value: Json<'_>, name: Option<&str>, depth: usize, all: &mut Vec<SensitivePart>) {
    let is_asked = |kind: Kind| kind.is_secret() || matches!(kind, Kind::Card | Kind::Email);
    match value.kind() {
        JsonKind::Object | JsonKind::Array if depth == DEPTH => {}
        JsonKind::Object => {
            for (key, own) in value.members() {
                let text = key.quoted().unwrap_or_default();
                add_found(("", text), None, &is_asked, &|at| key.span().0 + 1 + at, all);
                in_names_and_numbers(own, key.text().as_deref(), depth + 1, all);
            }
        }
        JsonKind::Array => value.items().for_each(|own| in_names_and_numbers(own, name, depth + 1, all)),
        JsonKind::Number if value.raw().len() >= SHORTEST_NUMBER => {
            let path = name.map(Cow::Borrowed).into_iter().collect::<Vec<_>>();
            if content_of(&path) == FieldContent::Free {
                let lead = name.filter(|name| !name.is_empty()).map(|name| format!("{name}: "));
                let text = (&*lead.unwrap_or_default(), value.raw());
                add_found(text, None, &is_asked, &|at| value.span().0 + at, all);
            }
        }
        _ => {}
    }
}

/// A shorter number, in digits, is neither a card nor a password.
const SHORTEST_NUMBER: usize = 8;

/// Adds what is found in a text of one of the kinds. `lead` is the name of the field, which says what the value is:
/// `"password": "…"`. `at` returns where a place of the text is stored.
fn add_found(
    (lead, text): (&str, &[u8]),
    names: Option<&NameList>,
    is_asked: &dyn Fn(Kind) -> bool,
    at: &dyn Fn(usize) -> usize,
    all: &mut Vec<SensitivePart>,
) {
    for mut own in detect(&[lead.as_bytes(), text].concat(), names) {
        if own.span.start < lead.len() || !is_asked(own.kind) {
            continue;
        }
        for span in [&mut own.span, &mut own.hidden] {
            *span = span.start - lead.len()..span.end - lead.len();
        }
        let value = text[own.span.clone()].to_vec();
        all.push((at(own.span.start)..at(own.span.end), own, value));
    }
}

fn part_of(raw: &[u8], found: Detection) -> SensitivePart {
    let place = found.span.clone();
    (place.clone(), found, raw[place].to_vec())
}

/// Like [`sensitive_parts`], for a record that is no JSON: a note, a section, a broken line.
fn in_text(raw: &[u8], names: Option<&NameList>) -> Vec<SensitivePart> {
    let field = |at: usize| {
        let start = raw[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |own| own + 1);
        let line = String::from_utf8_lossy(&raw[start..at]).into_owned();
        name_before(&line).map_or(FieldContent::Free, |name| content_of(&[Cow::Owned(name)]))
    };
    let fits = |own: &Detection| field(own.span.start).may_have(own.kind);
    detect(raw, names).into_iter().filter(fits).map(|own| part_of(raw, own)).collect()
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
pub(crate) fn content_of(path: &[Cow<'_, str>]) -> FieldContent {
    let Some(name) = path.last() else { return FieldContent::Free };
    let lower = name.to_ascii_lowercase();
    let is_id = matches!(&*lower, "id" | "ids")
        || ["_id", "_ids"].iter().any(|end| lower.ends_with(end))
        || ["Id", "Ids"].iter().any(|end| name.ends_with(end));
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
