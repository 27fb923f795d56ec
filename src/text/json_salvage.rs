//! Completes a torn JSON object: closes what is open, and drops what would be a guess.

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

/// How much of a value or a name was found.
enum TokenPart {
    /// All of it. It ends before this byte.
    Whole(usize),
    /// A part: everything before this byte, to be completed with these bytes.
    Cut(usize, &'static [u8]),
    Gone,
}

/// Completes the object at the start of `torn`. `None` if no member of it survived.
pub fn complete_object(torn: &[u8]) -> Option<CompletedObject> {
    // The object ends where the bytes are not UTF-8.
    let text = match std::str::from_utf8(torn) {
        Ok(_) => torn,
        Err(error) => torn.get(..error.valid_up_to())?,
    };
    (text.first() == Some(&b'{')).then(|| ObjectWalk::default().run(text)).flatten()
}

struct ObjectWalk {
    /// The closing brackets of everything that is open, the innermost last.
    open: Vec<u8>,
    expect: Expect,
    /// Up to here it can be closed as it is.
    safe: usize,
    has_member: bool,
}

impl Default for ObjectWalk {
    fn default() -> ObjectWalk {
        ObjectWalk { open: Vec::new(), expect: Expect::Value, safe: 0, has_member: false }
    }
}

impl ObjectWalk {
    fn run(mut self, text: &[u8]) -> Option<CompletedObject> {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            at = match (byte, self.expect) {
                (b' ' | b'\t' | b'\r' | b'\n', _) => at + 1,
                (b'{' | b'[', Expect::Value | Expect::ValueOrEnd) => self.opened(byte, at + 1),
                (b'}', Expect::KeyOrEnd | Expect::CommaOrEnd) if self.open.last() == Some(&b'}') => {
                    self.closed(at + 1)
                }
                (b']', Expect::ValueOrEnd | Expect::CommaOrEnd) if self.open.last() == Some(&b']') => {
                    self.closed(at + 1)
                }
                (b',', Expect::CommaOrEnd) => {
                    let is_object = self.open.last() == Some(&b'}');
                    self.expect = if is_object { Expect::Key } else { Expect::Value };
                    at + 1
                }
                (b':', Expect::Colon) => {
                    self.expect = Expect::Value;
                    at + 1
                }
                (b'"', Expect::Key | Expect::KeyOrEnd) => match string(text, at) {
                    TokenPart::Whole(end) => {
                        self.expect = Expect::Colon;
                        end
                    }
                    _ => break,
                },
                (_, Expect::Value | Expect::ValueOrEnd) => match value(text, at) {
                    TokenPart::Whole(end) => self.passed(end),
                    TokenPart::Cut(kept, tail) => return Some(self.ending(kept, tail, byte == b'"')),
                    TokenPart::Gone => break,
                },
                _ => break,
            };
            if self.open.is_empty() {
                break;
            }
        }
        let safe = self.safe;
        // If a record begins inside a text, the first quote of the record ends the text.
        let is_cut_text = self.expect == Expect::CommaOrEnd
            && text.get(safe).is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'_')
            && safe.checked_sub(1).is_some_and(|last| text[last] == b'"');
        let (kept, tail): (usize, &[u8]) = if is_cut_text { (safe - 1, b"\"") } else { (safe, b"") };
        self.has_member.then(|| self.ending(kept, tail, is_cut_text))
    }

    fn opened(&mut self, byte: u8, at: usize) -> usize {
        self.has_member |= !self.open.is_empty();
        self.open.push(if byte == b'{' { b'}' } else { b']' });
        self.expect = if byte == b'{' { Expect::KeyOrEnd } else { Expect::ValueOrEnd };
        self.safe = at;
        at
    }

    fn closed(&mut self, at: usize) -> usize {
        self.open.pop();
        self.passed(at)
    }

    fn passed(&mut self, at: usize) -> usize {
        self.has_member = true;
        self.expect = Expect::CommaOrEnd;
        self.safe = at;
        at
    }

    fn ending(&self, kept: usize, tail: &[u8], is_cut_text: bool) -> CompletedObject {
        let closing = self.open.iter().rev().copied();
        CompletedObject { kept, tail: tail.iter().copied().chain(closing).collect(), is_cut_text }
    }
}

/// Reads the value at a byte, if it is neither an object nor a list.
fn value(text: &[u8], at: usize) -> TokenPart {
    let words: [&'static [u8]; 3] = [b"true", b"false", b"null"];
    match text.get(at) {
        Some(b'"') => string(text, at),
        // A number may have had more digits.
        Some(b'-' | b'0'..=b'9') => {
            let is_of_it = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
            let len = text[at..].iter().take_while(|byte| is_of_it(byte)).count();
            let ends = matches!(text.get(at + len), Some(b',' | b'}' | b']' | b' ' | b'\t'));
            let is_number = std::str::from_utf8(&text[at..at + len]).is_ok_and(is_number);
            if ends && is_number { TokenPart::Whole(at + len) } else { TokenPart::Gone }
        }
        _ => {
            let rest = &text[at..];
            let whole = words.iter().find(|word| rest.starts_with(word));
            let begun = || words.iter().find(|word| word.starts_with(rest));
            match (whole, begun()) {
                (Some(word), _) => TokenPart::Whole(at + word.len()),
                (None, Some(word)) => TokenPart::Cut(text.len(), &word[rest.len()..]),
                _ => TokenPart::Gone,
            }
        }
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let leads = digits.starts_with('0') && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let is_plain = !digits.starts_with('.') && !digits.ends_with('.') && !digits.contains(".e");
    !leads
        && is_plain
        && digits.as_bytes().first().is_some_and(u8::is_ascii_digit)
        && text.parse::<f64>().is_ok()
}

fn string(text: &[u8], start: usize) -> TokenPart {
    let mut at = start + 1;
    loop {
        at = match text.get(at) {
            Some(b'"') => return TokenPart::Whole(at + 1),
            Some(b'\\') => match escape(&text[at..]) {
                Some(len) => at + len,
                None => return TokenPart::Cut(at, b"\""),
            },
            // A string has no control characters. What follows one is something else.
            None | Some(0..0x20) => return TokenPart::Cut(without_half(text, start, at), b"\""),
            Some(_) => at + 1,
        };
    }
}

/// Returns the length of an escape. `None` if it or the other half of its character is cut or wrong.
fn escape(rest: &[u8]) -> Option<usize> {
    let unit = |rest: &[u8]| {
        let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    match rest.get(1)? {
        b'u' => match unit(rest)? {
            0xd800..=0xdbff if rest.len() < 12 => None,
            _ => Some(6),
        },
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        _ => None,
    }
}

/// Returns the end of the text of a string, without a joiner whose next character was cut.
fn without_half(text: &[u8], start: usize, end: usize) -> usize {
    const JOINER: &[u8] = "\u{200d}".as_bytes();
    match text[start..end].ends_with(JOINER) {
        true => end - JOINER.len(),
        false => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json_scanner::{Newlines, ScanResult, Tape};
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
