//! Canonical JSON and the checksums over it.
//!
//! Specification 2 §8.2 says "sorted keys, no whitespace"; its pseudo-code passes the
//! sorted top-level keys as JavaScript's replacer array, which also drops every nested
//! key that is not one of them. Both flavours are computed here.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::json::{Json, Kind, Unit, units};

/// How a checksum relates to the record that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// It is the digest of the canonical form.
    Canonical,
    /// It is the digest that the pseudo-code makes: it does not cover nested content.
    Legacy,
    /// It is neither.
    Mismatch,
}

/// The member that holds the checksum, and is not covered by it.
const OWN: &str = "checksum";

/// Judges the checksum of an entry, if it has one that is a string.
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

/// `sha256:` and the digest of the entry's canonical form (RFC 8785) without `checksum`.
pub fn checksum(entry: Json<'_>) -> String {
    sha256(&canonical(entry, None))
}

/// The digest that agents make who copied the pseudo-code of specification 2 §8.2.
pub fn legacy_checksum(entry: Json<'_>) -> String {
    let names: Vec<String> =
        last_members(entry).into_iter().map(|(name, _)| name).filter(|n| n != OWN).collect();
    sha256(&canonical(entry, Some(&names)))
}

fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::from("sha256:"), |hex, byte| hex + &format!("{byte:02x}"))
}

/// RFC 8785: members sorted by UTF-16 units, numbers as JavaScript writes them, no
/// white space. `only` restricts the members at every depth. What is still to be written
/// waits on a stack of its own, so that no depth of nesting can exhaust the program's.
fn canonical(entry: Json<'_>, only: Option<&[String]>) -> String {
    let mut out = String::new();
    let own = last_members(entry).into_iter().filter(|(name, _)| name != OWN).collect();
    let mut waiting = Vec::new();
    push_members(own, only, &mut waiting);
    out.push('{');
    while let Some(step) = waiting.pop() {
        match step {
            Step::Text(text) => out.push_str(&text),
            Step::Value(value) => write_value(value, only, &mut waiting, &mut out),
        }
    }
    out
}

/// What is still to be written; the last is the next.
enum Step<'a> {
    Text(Cow<'static, str>),
    Value(Json<'a>),
}

/// Puts an object's members, and the brace that closes it, on the stack.
fn push_members<'a>(members: Vec<(String, Json<'a>)>, only: Option<&[String]>, waiting: &mut Vec<Step<'a>>) {
    let kept = members.into_iter().filter(|(name, _)| only.is_none_or(|only| only.contains(name)));
    waiting.push(Step::Text(Cow::Borrowed("}")));
    for (index, (name, value)) in kept.enumerate().collect::<Vec<_>>().into_iter().rev() {
        let comma = if index > 0 { "," } else { "" };
        waiting.push(Step::Value(value));
        waiting.push(Step::Text(Cow::Owned(format!("{comma}{}:", name_in_quotes(&name)))));
    }
}

fn write_value<'a>(value: Json<'a>, only: Option<&[String]>, waiting: &mut Vec<Step<'a>>, out: &mut String) {
    match value.kind() {
        Kind::Object => {
            out.push('{');
            push_members(last_members(value), only, waiting);
        }
        Kind::Array => {
            out.push('[');
            waiting.push(Step::Text(Cow::Borrowed("]")));
            for (index, item) in value.items().enumerate().collect::<Vec<_>>().into_iter().rev() {
                waiting.push(Step::Value(item));
                waiting.push(Step::Text(Cow::Borrowed(if index > 0 { "," } else { "" })));
            }
        }
        _ => write_scalar(value, out),
    }
}

/// Writes what is neither object nor array as JavaScript's `JSON.stringify` does.
pub(super) fn write_scalar(value: Json<'_>, out: &mut String) {
    match value.kind() {
        Kind::String => write_string(&String::from_utf8_lossy(value.quoted().unwrap_or_default()), out),
        Kind::Number => out.push_str(ryu_js::Buffer::new().format(value.number().unwrap_or_default())),
        _ => out.push_str(&String::from_utf8_lossy(value.raw())),
    }
}

/// The members of an object, sorted by UTF-16 units; of doubled keys the last.
pub(super) fn last_members(object: Json<'_>) -> Vec<(String, Json<'_>)> {
    let mut members: Vec<(String, Json<'_>)> =
        object.members().map(|(key, value)| (key.text().unwrap_or_default().into_owned(), value)).collect();
    members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    members.reverse();
    members.dedup_by(|(a, _), (b, _)| a == b);
    members.reverse();
    members
}

pub(super) fn name_in_quotes(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    out.push('"');
    name.chars().for_each(|c| write_char(c, &mut out));
    out.push('"');
    out
}

/// Writes a string as JavaScript's `JSON.stringify` does.
fn write_string(inner: &str, out: &mut String) {
    out.push('"');
    for unit in units(inner) {
        match unit {
            Unit::Char(c) => write_char(c, out),
            Unit::Lone(code) => out.push_str(&format!("\\u{code:04x}")),
        }
    }
    out.push('"');
}

fn write_char(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", c as u32)),
        _ => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::scan::{Newlines, Tape};

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
    fn a_lone_surrogate_is_written_as_an_escape() {
        assert_eq!(form(r#"{"a":"\uD83D\uDE00 \uD83D x"}"#, None), "{\"a\":\"\u{1f600} \\ud83d x\"}");
    }
}
