//! Canonical JSON and the checksums over it.
//!
//! Specification 2 §8.2 says "sorted keys, no whitespace". Its pseudo-code passes the sorted top-level keys
//! as JavaScript's replacer array, which also drops every nested key that is not one of them. Both forms are
//! computed here, and the indented form for the `bundleHash` of specification 3.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::digest::hex;
use super::json::{Json, JsonKind, units};

/// The relation of a checksum to its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// It is the digest of the canonical form.
    Canonical,
    /// It is the digest of the pseudo-code, which does not cover nested content.
    Legacy,
    /// It is neither.
    Mismatch,
}

/// The member with the checksum, which does not cover itself.
const OWN: &str = "checksum";

/// Checks the checksum of an entry, if it has one that is a string.
pub fn verify(entry: Json<'_>) -> Option<Checksum> {
    let stored = entry.get(OWN)?.text()?;
    if stored == checksum(entry) {
        Some(Checksum::Canonical)
    } else if stored == legacy_checksum(entry) {
        Some(Checksum::Legacy)
    } else {
        Some(Checksum::Mismatch)
    }
}

/// Returns `sha256:` and the digest of the entry's canonical form (RFC 8785) without `checksum`.
pub fn checksum(entry: Json<'_>) -> String {
    sha256(&form(entry))
}

/// Returns the canonical form of an object (RFC 8785) without `checksum`.
pub fn form(entry: Json<'_>) -> String {
    canonical(entry, None)
}

/// Returns the digest of agents that use the pseudo-code of specification 2 §8.2.
pub fn legacy_checksum(entry: Json<'_>) -> String {
    let names: Vec<String> =
        last_members(entry).into_iter().map(|(name, _)| name).filter(|n| n != OWN).collect();
    sha256(&canonical(entry, Some(&names)))
}

fn sha256(text: &str) -> String {
    String::from("sha256:") + &hex(&Sha256::digest(text.as_bytes()))
}

/// Returns the digest of a value's indented form, in hexadecimal. `None` if it is nested so deep that its
/// indentation would be a multiple of its content. No format writes that.
pub fn sha256_indented(value: Json<'_>) -> Option<String> {
    let mut hasher = Sha256::new();
    write_indented(value, &mut |text| hasher.update(text.as_bytes())).then(|| hex(&hasher.finalize()))
}

/// Returns a value as `JSON.stringify` writes it with two spaces, sorted. `None` as in [`sha256_indented`].
pub fn indented(value: Json<'_>) -> Option<String> {
    let mut out = String::new();
    write_indented(value, &mut |text| out.push_str(text)).then_some(out)
}

/// Passes the indented form to `take` in pieces. Returns false if it grows out of proportion.
fn write_indented(value: Json<'_>, take: &mut dyn FnMut(&str)) -> bool {
    let room = value.raw().len().saturating_mul(64).saturating_add(1 << 20);
    let mut writer = CanonicalWriter { is_indented: true, ..CanonicalWriter::default() };
    writer.value(value, 0);
    writer.write(room, take)
}

/// Returns the form of RFC 8785: members sorted by UTF-16 units, numbers as JavaScript writes them, no white
/// space. `only` restricts the members at every depth.
fn canonical(entry: Json<'_>, only: Option<&[String]>) -> String {
    let mut writer = CanonicalWriter { only, ..CanonicalWriter::default() };
    let own = last_members(entry).into_iter().filter(|(name, _)| name != OWN);
    writer.inner(['{', '}'], own.map(|(name, value)| (Some(name), value)).collect(), 0);
    let mut out = String::new();
    writer.write(usize::MAX, &mut |text| out.push_str(text));
    out
}

/// A part that is still to be written. The parts are on a separate stack, the next one last, so that no depth
/// of nesting can exhaust the program's stack.
enum PendingPart<'a> {
    Text(Cow<'static, str>),
    Value(Json<'a>, usize),
    /// A line break and its indentation.
    Break(usize),
}

#[derive(Default)]
struct CanonicalWriter<'a> {
    only: Option<&'a [String]>,
    is_indented: bool,
    waiting: Vec<PendingPart<'a>>,
    out: String,
}

impl<'a> CanonicalWriter<'a> {
    /// Writes the waiting parts. Returns false if they need more than `room` bytes.
    fn write(&mut self, mut room: usize, take: &mut dyn FnMut(&str)) -> bool {
        const PIECE: usize = 1 << 16;
        while let Some(step) = self.waiting.pop() {
            match step {
                PendingPart::Text(text) => self.out.push_str(&text),
                PendingPart::Value(value, depth) => self.value(value, depth),
                PendingPart::Break(depth) => {
                    self.out.push('\n');
                    self.out.extend(std::iter::repeat_n("  ", depth));
                }
            }
            if self.out.len() > PIECE {
                let Some(left) = room.checked_sub(self.out.len()) else { return false };
                room = left;
                take(&self.out);
                self.out.clear();
            }
        }
        take(&self.out);
        true
    }

    fn value(&mut self, value: Json<'a>, depth: usize) {
        match value.kind() {
            JsonKind::Object => {
                let members = last_members(value).into_iter();
                self.inner(['{', '}'], members.map(|(name, value)| (Some(name), value)).collect(), depth);
            }
            JsonKind::Array => {
                self.inner(['[', ']'], value.items().map(|item| (None, item)).collect(), depth)
            }
            _ => write_scalar(value, &mut self.out),
        }
    }

    fn inner(&mut self, [open, close]: [char; 2], mut inner: Vec<(Option<String>, Json<'a>)>, depth: usize) {
        if let Some(only) = self.only {
            inner.retain(|(name, _)| name.as_ref().is_none_or(|name| only.contains(name)));
        }
        self.out.push(open);
        if inner.is_empty() {
            return self.out.push(close);
        }
        self.waiting.push(PendingPart::Text(String::from(close).into()));
        self.waiting.extend(self.is_indented.then_some(PendingPart::Break(depth)));
        for (index, (name, value)) in inner.into_iter().enumerate().rev() {
            self.waiting.push(PendingPart::Value(value, depth + 1));
            let colon = if self.is_indented { ": " } else { ":" };
            self.waiting.extend(name.map(|name| PendingPart::Text((quoted(&name) + colon).into())));
            self.waiting.extend(self.is_indented.then_some(PendingPart::Break(depth + 1)));
            self.waiting.extend((index > 0).then_some(PendingPart::Text(",".into())));
        }
    }
}

/// Writes a value that is neither object nor array as JavaScript's `JSON.stringify` does.
pub(super) fn write_scalar(value: Json<'_>, out: &mut String) {
    match value.kind() {
        JsonKind::String => write_string(&String::from_utf8_lossy(value.quoted().unwrap_or_default()), out),
        JsonKind::Number => out.push_str(ryu_js::Buffer::new().format(value.number().unwrap_or_default())),
        _ => out.push_str(&value.spelled()),
    }
}

/// Returns the members of an object, sorted by UTF-16 units, and only the last one of doubled keys.
pub(super) fn last_members(object: Json<'_>) -> Vec<(String, Json<'_>)> {
    let mut members: Vec<(String, Json<'_>)> =
        object.members().map(|(key, value)| (key.text().unwrap_or_default().into_owned(), value)).collect();
    members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    members.reverse();
    members.dedup_by(|(a, _), (b, _)| a == b);
    members.reverse();
    members
}

/// Returns a text as a JSON string, as JavaScript writes it.
pub fn quoted(text: &str) -> String {
    // A text can always be written.
    serde_json::to_string(text).unwrap_or_default()
}

fn write_string(inner: &str, out: &mut String) {
    out.push('"');
    for unit in units(inner) {
        match unit {
            Ok(c @ ('"' | '\\' | '\0'..='\u{1f}')) => {
                let escaped = quoted(c.encode_utf8(&mut [0]));
                out.push_str(&escaped[1..escaped.len() - 1]);
            }
            Ok(c) => out.push(c),
            Err(code) => out.push_str(&format!("\\u{code:04x}")),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json_scanner::{Newlines, Tape};

    fn form(text: &str, only: Option<&[String]>) -> String {
        let mut tape = Tape::default();
        tape.scan(text.as_bytes(), Newlines::Refused);
        canonical(Json::of(text.as_bytes(), &tape), only)
    }

    #[test]
    fn the_canonical_form_sorts_keys_and_writes_numbers_as_javascript_does() {
        let entry = r#"{ "b": 1.0, "a": {"z":1e21,"y":0.000001,"x":[1E-7, -0]}, "checksum":"x", "é":"\u00e9\u000f\/" }"#;
        assert_eq!(form(entry, None), r#"{"a":{"x":[1e-7,0],"y":0.000001,"z":1e+21},"b":1,"é":"é\u000f/"}"#);
    }

    #[test]
    fn the_legacy_form_drops_nested_names_that_are_not_top_level_ones() {
        let entry = r#"{"id":"a","content":{"role":"user","id":"n","message":"hi"},"tags":[{"id":1,"x":2}]}"#;
        let names = ["content", "id", "tags"].map(str::to_owned);
        assert_eq!(form(entry, Some(&names)), r#"{"content":{"id":"n"},"id":"a","tags":[{"id":1}]}"#);
    }

    #[test]
    fn keys_sort_by_utf16_units_and_of_doubled_keys_the_last_counts() {
        assert_eq!(
            form("{\"\u{1f600}\":1,\"\u{fb33}\":2,\"a\":3,\"a\":4}", None),
            "{\"a\":4,\"\u{1f600}\":1,\"\u{fb33}\":2}"
        );
    }

    #[test]
    fn no_depth_of_nesting_exhausts_the_stack() {
        let depth = 60_000;
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(form(&deep, None), deep);
    }

    #[test]
    fn the_indented_form_is_what_javascript_writes_with_two_spaces() {
        let text = r#"{"b":[1.0,[],{}],"a":{"y":"\u00e9\/","x":null},"a ":true}"#;
        let mut tape = Tape::default();
        tape.scan(text.as_bytes(), Newlines::Refused);
        let value = Json::of(text.as_bytes(), &tape);
        let written = "{\n  \"a\": {\n    \"x\": null,\n    \"y\": \"é/\"\n  },\n  \"a \": true,\n  \"b\": [\n    \
                       1,\n    [],\n    {}\n  ]\n}";
        assert_eq!(indented(value).as_deref(), Some(written));
        assert_eq!(sha256_indented(value), Some(hex(&Sha256::digest(written.as_bytes()))));
    }

    #[test]
    fn what_is_mostly_indentation_has_no_indented_form() {
        let deep = "[".repeat(60_000) + &"]".repeat(60_000);
        let mut tape = Tape::default();
        tape.scan(deep.as_bytes(), Newlines::Refused);
        assert_eq!(sha256_indented(Json::of(deep.as_bytes(), &tape)), None);
    }

    #[test]
    fn a_lone_surrogate_is_written_as_an_escape() {
        assert_eq!(form(r#"{"a":"\uD83D\uDE00 \uD83D x"}"#, None), "{\"a\":\"\u{1f600} \\ud83d x\"}");
    }
}
