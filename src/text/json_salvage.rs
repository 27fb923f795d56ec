//! Completes a torn JSON object: closes what is open, and drops what would be a guess.

use super::json::{escape_len, units};
use super::json_scanner::{JsonKind, Newlines, Tape, TapeNode};

/// How a torn object becomes a complete one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedObject {
    /// The number of its bytes that stay.
    pub kept: usize,
    /// The bytes that close it.
    pub tail: Vec<u8>,
    /// True if its last text ends where it was cut.
    pub is_cut_text: bool,
}

impl CompletedObject {
    /// Returns the complete object.
    pub fn bytes(&self, torn: &[u8]) -> Vec<u8> {
        [torn.get(..self.kept).unwrap_or_default(), &self.tail].concat()
    }
}

/// Completes the object at the start of `torn`. `None` if no member of it survived.
pub fn complete_object(torn: &[u8]) -> Option<CompletedObject> {
    // The object ends where the bytes are not UTF-8.
    let text = torn.utf8_chunks().next()?.valid().as_bytes();
    text.strip_prefix(b"{")?;
    let mut tape = Tape::default();
    tape.scan(text, Newlines::Refused);
    let all = &tape.nodes;
    let cut = all.iter().position(|own| !is_whole(text, own)).unwrap_or(all.len());
    let (nodes, end) = (&all[..cut], all.get(cut).map_or(text.len(), |own| own.start as usize));
    let is_open = |own: &TapeNode| {
        let is_list = matches!(own.kind, JsonKind::Object | JsonKind::Array);
        is_list && (own.end == own.start || own.end as usize > end)
    };
    let open: Vec<&TapeNode> = nodes.iter().filter(|own| is_open(own)).collect();
    let values = || nodes.iter().filter(|own| !own.is_key);
    // Up to here it can be closed as it is.
    let safe = values().map(|own| if is_open(own) { own.start + 1 } else { own.end }).max()? as usize;
    let closing = open.iter().rev().map(|own| if own.kind == JsonKind::Object { b'}' } else { b']' });
    let ending = |kept: usize, tail: &[u8], is_cut_text: bool| {
        let tail = tail.iter().copied().chain(closing).collect();
        CompletedObject { kept, tail, is_cut_text }
    };
    let value = value_start(text, nodes.last()?, open.last(), safe);
    if let Some((kept, tail)) = value.and_then(|at| cut_value(text, at)) {
        return Some(ending(kept, tail, tail == b"\""));
    }
    // If a record begins inside a text, the first quote of the record ends the text.
    let is_cut_text = text[safe - 1] == b'"'
        && text.get(safe).is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'_');
    let has_member = values().count() > 1 || open.is_empty();
    has_member.then(|| if is_cut_text { ending(safe - 1, b"\"", true) } else { ending(safe, b"", false) })
}

/// True if nothing of a text or number is cut: a number may have had more digits.
fn is_whole(text: &[u8], own: &TapeNode) -> bool {
    match own.kind {
        JsonKind::Number => {
            matches!(text.get(own.end as usize), Some(b',' | b'}' | b']' | b' ' | b'\t'))
        }
        JsonKind::String => !own.is_escaped || string(text, own.start as usize).is_ok(),
        _ => true,
    }
}

/// Returns where a value begins after the last name, or in the list that is open.
fn value_start(text: &[u8], last: &TapeNode, open: Option<&&TapeNode>, safe: usize) -> Option<usize> {
    let open = open?;
    let (from, separator): (usize, &[u8]) = match open.kind {
        _ if last.is_key => (last.end as usize, b":"),
        JsonKind::Array if safe == open.start as usize + 1 => (safe, b""),
        JsonKind::Array => (safe, b","),
        _ => return None,
    };
    let after_space = |at: usize| Some(at + text[at..].iter().position(|byte| !b" \t\r\n".contains(byte))?);
    let at = after_space(from)?;
    after_space(at + text[at..].starts_with(separator).then_some(separator.len())?)
}

/// Completes the text or the word at a place, which is cut: all before the first place stays.
fn cut_value(text: &[u8], at: usize) -> Option<(usize, &'static [u8])> {
    let rest = &text[at..];
    if rest.starts_with(b"\"") {
        return string(text, at).err().map(|kept| (kept, &b"\""[..]));
    }
    let words: [&'static [u8]; 3] = [b"true", b"false", b"null"];
    let word = words.into_iter().find(|word| word.starts_with(rest))?;
    Some((text.len(), &word[rest.len()..]))
}

/// Returns where a text ends. An error is the place up to which it stays, if it is cut.
fn string(text: &[u8], start: usize) -> Result<usize, usize> {
    let mut at = start + 1;
    loop {
        at += match text.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => escape(&text[at..]).ok_or(at)?,
            // A string has no control characters. What follows one is something else.
            None | Some(0..0x20) => return Err(without_half(text, start, at)),
            Some(_) => 1,
        };
    }
}

/// Returns the length of an escape. `None` if it or the other half of its character is cut or wrong.
fn escape(rest: &[u8]) -> Option<usize> {
    let len = escape_len(rest)?;
    let is_half = || {
        let own = std::str::from_utf8(&rest[..len]).unwrap_or_default();
        matches!(units(own).next(), Some(Err(0xd800..0xdc00)))
    };
    (rest.len() >= 12 || !is_half()).then_some(len)
}

/// Returns the end of the text of a string, without a joiner whose next character was cut.
fn without_half(text: &[u8], start: usize, end: usize) -> usize {
    const JOINER: &[u8] = "\u{200d}".as_bytes();
    if text[start..end].ends_with(JOINER) { end - JOINER.len() } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json_scanner::ScanResult;
    use proptest::prelude::*;

    fn whole(torn: &str) -> Option<String> {
        complete_object(torn.as_bytes()).map(|own| String::from_utf8(own.bytes(torn.as_bytes())).unwrap())
    }

    #[test]
    fn a_text_that_another_record_ends_is_called_cut() {
        for (torn, is_cut) in [
            (r#"{"id":"a","text":"a pool of {"id":"b""#, true),
            (r#"{"id":"a","text":"a pool of"#, true),
            (r#"{"id":"a","text":"a pool of 20","#, false),
            (r#"{"id":"a","text":"a pool of 20""#, false),
            (r#"{"id":"a","text":"a pool of 20","n":1 x"#, false),
            ("{\"id\":\"a\"\0\0{\"id\":\"b\"}", false),
        ] {
            assert_eq!(complete_object(torn.as_bytes()).map(|own| own.is_cut_text), Some(is_cut), "{torn}");
        }
        let torn = r#"{"id":"a","text":"a pool of {"id":"b""#;
        assert_eq!(whole(torn).as_deref(), Some(r#"{"id":"a","text":"a pool of {"}"#));
    }

    #[test]
    fn what_was_open_is_closed_and_what_is_a_guess_goes() {
        for (torn, expected) in [
            (r#"{"a":"b","c":"d"#, r#"{"a":"b","c":"d"}"#),
            (r#"{"a":"b","c":["d","e"#, r#"{"a":"b","c":["d","e"]}"#),
            (r#"{"a":"b","c":["#, r#"{"a":"b","c":[]}"#),
            (r#"{"a":"b","c":12"#, r#"{"a":"b"}"#),
            (r#"{"a":"b","c":12,"#, r#"{"a":"b","c":12}"#),
            (r#"{"a":"b","c":tr"#, r#"{"a":"b","c":true}"#),
            (r#"{"a":"b","c"#, r#"{"a":"b"}"#),
            (r#"{"a":"b","c":"x\"#, r#"{"a":"b","c":"x"}"#),
            (r#"{"a":"b","c":"x\u00e"#, r#"{"a":"b","c":"x"}"#),
            (r#"{"a":"b","c":"x\ud83d\ude"#, r#"{"a":"b","c":"x"}"#),
            (r#"{"a":"b","c":1.5e3 x"#, r#"{"a":"b","c":1.5e3}"#),
            (r#"{"a":"b","c":{"d":null,"e":"#, r#"{"a":"b","c":{"d":null}}"#),
        ] {
            assert_eq!(whole(torn).as_deref(), Some(expected), "{torn}");
        }
        for nothing in ["", "{", "{\"", r#"{"a""#, r#"{"a":"#, "[1", "x", r#"{"a":1"#] {
            assert_eq!(whole(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_cut_within_a_character_leaves_the_text_before_it() {
        let torn = &"{\"a\":\"xü".as_bytes()[..8];
        assert_eq!(complete_object(torn).map(|own| own.bytes(torn)).as_deref(), Some(&b"{\"a\":\"x\"}"[..]));
    }

    proptest! {
        #![proptest_config(crate::tries::config(256, 10_000))]

        #[test]
        fn whatever_is_completed_is_a_whole_object(bytes in proptest::collection::vec(
            proptest::sample::select(b"{}[]\",:\\u0d8etrfalsn-1. \x00\n\xc3\xbc".to_vec()), 0..60)) {
            let torn = [b"{\"a\":\"b\",\"c\":", &bytes[..]].concat();
            let own = complete_object(&torn).unwrap();
            let bytes = own.bytes(&torn);
            let found = Tape::default().scan(&bytes, Newlines::Refused);
            prop_assert!(matches!(found, ScanResult::Whole { end, .. } if end == bytes.len()), "{:?}", String::from_utf8_lossy(&bytes));
        }
    }
}
