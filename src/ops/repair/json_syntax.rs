//! Repairs the spelling of broken lines: raw line breaks, bytes of another encoding, NULs, an extra comma.

use crate::text::json_edit::{Tape, quoted};
use crate::text::json_scanner::{Newlines, ScanResult};

pub(super) struct RespelledLine {
    pub title: &'static str,
    pub reason: &'static str,
    pub confidence: u8,
    pub bytes: Vec<u8>,
    /// The bytes that leave the line, each with its position.
    pub out: Vec<(usize, Vec<u8>)>,
}

/// A new line, and what leaves the old one.
type ChangedLine = (Vec<u8>, Vec<(usize, Vec<u8>)>);

fn respelled(
    content: &[u8],
    title: &'static str,
    confidence: u8,
    reason: &'static str,
    (bytes, out): ChangedLine,
) -> Option<RespelledLine> {
    (bytes != content).then_some(RespelledLine { title, reason, confidence, bytes, out })
}

/// A function that returns the repaired line, if it has something to repair.
type SyntaxFix = fn(&[u8]) -> Option<RespelledLine>;

pub(super) fn spelled(content: &[u8]) -> Vec<RespelledLine> {
    let ways: [SyntaxFix; 5] = [escaped, without_nuls, western, replaced, without_comma];
    let tried = ways.iter().filter_map(|way| way(content));
    tried.filter(|own| is_whole(&own.bytes)).collect()
}

fn is_whole(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
        && matches!(Tape::default().scan(bytes, Newlines::Refused), ScanResult::Whole { end, .. } if end == bytes.len())
}

/// Escapes raw line breaks and tabs in texts, and removes line breaks between members.
fn escaped(content: &[u8]) -> Option<RespelledLine> {
    let mut bytes = Vec::with_capacity(content.len() + 16);
    let (mut is_text, mut skips) = (false, false);
    let mut out: Vec<(usize, Vec<u8>)> = Vec::new();
    for (at, &byte) in content.iter().enumerate() {
        if is_text && byte < 0x20 && byte != 0 && !skips {
            let text = quoted(std::str::from_utf8(&[byte]).ok()?);
            bytes.extend_from_slice(text.trim_matches('"').as_bytes());
            continue;
        }
        if !is_text && matches!(byte, b'\n' | b'\r') {
            match out.last_mut() {
                Some((from, gone)) if *from + gone.len() == at => gone.push(byte),
                _ => out.push((at, vec![byte])),
            }
            continue;
        }
        (is_text, skips) = match byte {
            _ if skips => (is_text, false),
            b'\\' if is_text => (true, true),
            b'"' => (!is_text, false),
            _ => (is_text, false),
        };
        bytes.push(byte);
    }
    let reason = "With them escaped the memory is intact.";
    respelled(content, "escape the line breaks in its texts", 90, reason, (bytes, out))
}

pub(super) fn without_nuls(content: &[u8]) -> Option<RespelledLine> {
    let left = without(content, |_, byte| byte == 0);
    respelled(content, "remove the NUL bytes", 80, "Without them the memory is intact.", left)
}

/// The characters of Windows-1252 from 0x80 to 0x9f.
const WESTERN: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Reads bytes that are not UTF-8 as Windows-1252.
pub(super) fn western(content: &[u8]) -> Option<RespelledLine> {
    let of = |byte: u8| match byte {
        0x80..=0x9f => WESTERN.chars().nth(usize::from(byte - 0x80)).unwrap_or(char::REPLACEMENT_CHARACTER),
        _ => char::from(byte),
    };
    let read = decoded(content, &|bad| bad.iter().map(|byte| of(*byte)).collect());
    let reason = "They are no UTF-8, and are letters in that encoding.";
    respelled(content, "read the odd bytes as Windows-1252", 60, reason, read)
}

pub(super) fn replaced(content: &[u8]) -> Option<RespelledLine> {
    let read = decoded(content, &|_| char::REPLACEMENT_CHARACTER.to_string());
    let reason = "They are no UTF-8; the rest of the memory is intact.";
    respelled(content, "put a replacement character for the odd bytes", 50, reason, read)
}

fn decoded(content: &[u8], of: &dyn Fn(&[u8]) -> String) -> ChangedLine {
    let (mut bytes, mut out, mut at) = (Vec::with_capacity(content.len()), Vec::new(), 0);
    for chunk in content.utf8_chunks() {
        bytes.extend_from_slice(chunk.valid().as_bytes());
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            out.push((at, chunk.invalid().to_vec()));
            bytes.extend_from_slice(of(chunk.invalid()).as_bytes());
            at += chunk.invalid().len();
        }
    }
    (bytes, out)
}

/// Removes commas before a closing bracket, outside of texts.
fn without_comma(content: &[u8]) -> Option<RespelledLine> {
    let (mut is_text, mut skips) = (false, false);
    let mut stays = vec![true; content.len()];
    let mut comma = None;
    for (at, &byte) in content.iter().enumerate() {
        match byte {
            _ if skips => skips = false,
            b'\\' if is_text => skips = true,
            b'"' => (is_text, comma) = (!is_text, None),
            _ if is_text || byte.is_ascii_whitespace() => {}
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(at) = comma.take() {
                    stays[at] = false;
                }
            }
            _ => comma = None,
        }
    }
    let left = without(content, |at, _| !stays[at]);
    respelled(content, "remove the extra comma", 85, "Without it the memory is intact.", left)
}

fn without(content: &[u8], goes: impl Fn(usize, u8) -> bool) -> ChangedLine {
    let (mut bytes, mut out): ChangedLine = Default::default();
    for (at, &byte) in content.iter().enumerate() {
        match out.last_mut() {
            _ if !goes(at, byte) => bytes.push(byte),
            Some((start, own)) if *start + own.len() == at => own.push(byte),
            _ => out.push((at, vec![byte])),
        }
    }
    (bytes, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_but_for_its_spelling_is_offered_whole() {
        let told = |content: &[u8]| -> Vec<(&str, String)> {
            let text = |own: RespelledLine| (own.title, String::from_utf8(own.bytes).unwrap());
            spelled(content).into_iter().map(text).collect()
        };
        let raw = told(b"{\"a\":\"x\ny\tz\"}");
        assert_eq!(raw, [("escape the line breaks in its texts", r#"{"a":"x\ny\tz"}"#.to_owned())]);
        assert_eq!(told(b"{\"a\":1,\"b\":[2,],}")[0].1, r#"{"a":1,"b":[2]}"#);
        assert_eq!(told(b"{\"a\":\"x\0\0y\"}")[0].1, r#"{"a":"xy"}"#);
        let odd = told(b"{\"a\":\"M\xfcller \x96 x\"}");
        assert_eq!(
            odd.iter().map(|own| own.1.as_str()).collect::<Vec<_>>(),
            ["{\"a\":\"Müller – x\"}", "{\"a\":\"M\u{fffd}ller \u{fffd} x\"}"]
        );
        assert!(told(b"{\"a\":").is_empty());
    }
}
