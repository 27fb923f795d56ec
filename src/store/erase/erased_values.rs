//! Values that are erased wherever they are. In a document that must stay, they are masked.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::detectors::MASK;
use crate::store::erase::erasure_target::SharedText;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{self, JsonSplice};
use crate::text::json_scanner::Tape;
use crate::text::line_ends;
use crate::text::string_places::unescaped;
use crate::text::value_search::ValueSearch;

/// The values of an erasure. They are searched for in everything that the bytes can be decoded to, as a later check
/// does.
#[derive(Clone, Default)]
pub struct ErasedValues {
    search: Arc<ValueSearch>,
}

impl ErasedValues {
    /// Takes these values, whatever their line ends are.
    pub fn of(values: &[SharedText]) -> ErasedValues {
        ErasedValues { search: Arc::new(ValueSearch::of(values.iter().cloned())) }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.search.values().is_empty()
    }

    /// True if one of them can be the name of a member: letters and underscores.
    pub fn are_names(&self) -> bool {
        let is_name = |own: &SharedText| own.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        self.search.values().iter().any(is_name)
    }

    /// True if one of them is the name of a member in a JSON document.
    pub fn are_names_in(&self, document: &[u8]) -> bool {
        let mut tape = Tape::default();
        let root = if self.are_names() { json_edit::scan(&mut tape, document).ok() } else { None };
        let is_it = |own: Json<'_>| own.text().is_some_and(|name| self.is_value(name.as_bytes()));
        root.is_some_and(|root| root.each_other().any(is_it))
    }

    /// True if a text is one of them.
    pub fn is_value(&self, text: &[u8]) -> bool {
        self.search.values().iter().any(|own| **own == *line_ends::unified(text))
    }

    /// True if a text is one of them but for capitals: an index has words in small letters.
    pub fn is_value_in_any_case(&self, text: &str) -> bool {
        let is_it = |value: &SharedText| String::from_utf8_lossy(value).to_lowercase() == text.to_lowercase();
        self.search.values().iter().any(is_it)
    }

    /// True if one of them is in the bytes, in any form.
    pub fn any(&self, bytes: &[u8]) -> bool {
        self.search.any(bytes)
    }

    /// Returns the numbers of those that are in the bytes, in any form.
    pub fn which(&self, bytes: &[u8]) -> BTreeSet<usize> {
        self.search.which(bytes)
    }

    /// Returns the bytes with every value masked; `None` if nothing in them is masked, or if it can't be done:
    /// the search finds the value afterwards.
    pub fn masked(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.is_empty() || !self.any(bytes) {
            return None;
        }
        let masked = |encoding: TextEncoding| {
            let text = encoding.text(bytes)?;
            encoding.bytes(&self.masked_here(text.as_bytes())?)
        };
        let is_clean = |own: &Vec<u8>| own != bytes && !self.any(own);
        let plain = TextEncoding::of(bytes).and_then(masked).filter(is_clean);
        // Marks in UTF-8 would not be text in UTF-16.
        let is_bytes = || matches!(TextEncoding::of(bytes), None | Some(TextEncoding::EightBits));
        plain.or_else(|| self.masked_here(bytes).filter(|own| is_bytes() && is_clean(own)))
    }

    /// Masks the values in bytes as they are. `None` if they are no text.
    fn masked_here(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let in_json = self.masked_json(bytes).unwrap_or_else(|| bytes.to_vec());
        if self.any(&in_json) { self.masked_text(&in_json) } else { Some(in_json) }
    }

    /// Masks the values within the strings, names and numbers of a JSON document.
    fn masked_json(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut tape = Tape::default();
        let root = json_edit::scan(&mut tape, bytes).ok()?;
        // A document of ASCII stays one: a format may ask for that.
        let ascii: String = MASK.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
        let mask = if bytes.is_ascii() { &*ascii } else { MASK };
        let mut splices = Vec::new();
        self.splices(root, (mask, 0), &mut splices);
        Some(json_edit::apply(bytes, splices))
    }

    fn splices<'m>(
        &self,
        value: Json<'_>,
        (mask, depth): (&'m str, usize),
        splices: &mut Vec<JsonSplice<'m>>,
    ) {
        if !self.any(value.raw()) {
            return;
        }
        let inside: Vec<Json<'_>> = match value.kind() {
            JsonKind::Object => value.members().flat_map(|(name, own)| [name, own]).collect(),
            JsonKind::Array => value.items().collect(),
            JsonKind::String => return splices.extend(self.in_string(value, mask)),
            // No other number is wrong in the same way for everybody who reads it.
            _ => return splices.push(JsonSplice::of(value, "0")),
        };
        match depth < DEPTH {
            true => inside.into_iter().for_each(|own| self.splices(own, (mask, depth + 1), splices)),
            false => splices.push(JsonSplice::of(value, "null")),
        }
    }

    fn in_string<'m>(&self, value: Json<'_>, mask: &'m str) -> Vec<JsonSplice<'m>> {
        let (start, end) = value.span();
        let whole = || vec![JsonSplice::new(start + 1..end - 1, mask)];
        let Some(inner) = value.quoted() else { return Vec::new() };
        let (text, places) = unescaped(inner);
        let at = |place: usize| start + 1 + places.as_ref().map_or(place, |all| all[place]);
        let spans = self.spans(&text);
        let splices: Vec<JsonSplice<'m>> =
            spans.iter().map(|own| JsonSplice::new(at(own.start)..at(own.end), mask)).collect();
        let left = cut(&text, &spans);
        // What is left has the value in base64, for example.
        if splices.is_empty() || self.any(&left) { whole() } else { splices }
    }

    /// Masks the values in a text: as they are, escaped as in JSON, then in another encoding, and else the whole
    /// line.
    fn masked_text(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let is_text = std::str::from_utf8(bytes).is_ok();
        let is_binary: fn(&u8) -> bool = if is_text { |byte| *byte == 0 } else { is_control };
        if bytes.iter().any(is_binary) {
            return None;
        }
        let plain = cut(bytes, &self.spans(bytes));
        let (text, places) = unescaped(&plain);
        let at = |place: usize| places.as_ref().map_or(place, |all| all[place]);
        let spans: Vec<Range<usize>> =
            self.spans(&text).into_iter().map(|own| at(own.start)..at(own.end)).collect();
        let plain = cut(&plain, &spans);
        let is_encoding = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
        let words = self.without_pieces(&plain, &|byte| !is_encoding(byte));
        Some(self.without_pieces(&words, &|byte| byte == b'\n'))
    }

    /// Replaces every piece that holds a value by the mask.
    fn without_pieces(&self, bytes: &[u8], ends: &dyn Fn(u8) -> bool) -> Vec<u8> {
        if !self.any(bytes) {
            return bytes.to_vec();
        }
        let mut out = Vec::with_capacity(bytes.len());
        for piece in bytes.split_inclusive(|byte| ends(*byte)) {
            let inner = piece.len() - usize::from(piece.last().is_some_and(|byte| ends(*byte)));
            let holds = self.any(&piece[..inner]);
            out.extend_from_slice(if holds { MASK.as_bytes() } else { &piece[..inner] });
            out.extend_from_slice(&piece[inner..]);
        }
        out
    }

    /// Returns where the values are in a text as they are, in order, without overlaps.
    fn spans(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut spans: Vec<Range<usize>> = Vec::new();
        for value in self.search.values() {
            spans.extend(line_ends::find_all(text, value));
        }
        spans.sort_by_key(|own| own.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for own in spans {
            match merged.last_mut() {
                Some(last) if own.start < last.end => last.end = last.end.max(own.end),
                _ => merged.push(own),
            }
        }
        merged
    }
}

/// The encoding of a text other than UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextEncoding {
    /// UTF-16, the lower byte of a unit first. The text begins with a byte order mark.
    Utf16Le,
    /// UTF-16, the higher byte first.
    Utf16Be,
    /// Eight bits, as in ISO 8859-1: which one does not matter to a value of ASCII.
    EightBits,
}

impl TextEncoding {
    /// Returns the encoding of a text; `None` if it is UTF-8, or no text.
    fn of(bytes: &[u8]) -> Option<TextEncoding> {
        match bytes {
            [0xff, 0xfe, ..] if bytes.len().is_multiple_of(2) => Some(TextEncoding::Utf16Le),
            [0xfe, 0xff, ..] if bytes.len().is_multiple_of(2) => Some(TextEncoding::Utf16Be),
            _ => (std::str::from_utf8(bytes).is_err() && !bytes.iter().any(is_control))
                .then_some(TextEncoding::EightBits),
        }
    }

    /// Returns the text with its mark; `None` if a surrogate has no partner.
    fn text(self, bytes: &[u8]) -> Option<String> {
        let unit: fn([u8; 2]) -> u16 = match self {
            TextEncoding::Utf16Le => u16::from_le_bytes,
            TextEncoding::Utf16Be => u16::from_be_bytes,
            TextEncoding::EightBits => return Some(bytes.iter().copied().map(char::from).collect()),
        };
        let units = bytes.chunks_exact(2).map(|own| unit([own[0], own[1]]));
        char::decode_utf16(units).collect::<Result<String, _>>().ok()
    }

    /// Returns a text in this encoding. A character that eight bits do not have is written in UTF-8.
    fn bytes(self, text: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(text).ok()?;
        let in_eight_bits =
            |c: char| u8::try_from(c).map_or_else(|_| c.to_string().into_bytes(), |byte| vec![byte]);
        let order: fn(u16) -> [u8; 2] = match self {
            TextEncoding::Utf16Le => u16::to_le_bytes,
            TextEncoding::Utf16Be => u16::to_be_bytes,
            TextEncoding::EightBits => return Some(text.chars().flat_map(in_eight_bits).collect()),
        };
        Some(text.encode_utf16().flat_map(order).collect())
    }
}

/// True for a control character that is rare in text. Bytes that are no UTF-8 and have one are taken for no text.
fn is_control(byte: &u8) -> bool {
    *byte < 0x20 && !b"\t\n\r\x08\x0c\x1b".contains(byte)
}

/// A value nested deeper than this goes as one piece.
const DEPTH: usize = 64;

fn cut(text: &[u8], spans: &[Range<usize>]) -> Vec<u8> {
    let splices = spans.iter().map(|own| JsonSplice::new(own.clone(), MASK)).collect();
    json_edit::apply(text, splices)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = "the \"secret\" 漢字";

    fn masked(text: &str) -> String {
        let values = ErasedValues::of(&[VALUE.as_bytes().into()]);
        String::from_utf8(values.masked(text.as_bytes()).expect("it holds the value")).expect("text")
    }

    #[test]
    fn a_value_is_masked_in_json_and_every_other_byte_stays() {
        let json = serde_json::to_string(VALUE).expect("JSON");
        let inner = &json[1..json.len() - 1];
        let config = |own: &str| format!("{{ \"a\" : [1.0, \"x\\u0041 {own} y\"],\n \"{own}\": \"z\" }}\n");
        assert_eq!(masked(&config(inner)), config(MASK));
        let plain = serde_json::to_string("an \"ascii\" value").expect("JSON");
        let values = ErasedValues::of(&[b"an \"ascii\" value"[..].into()]);
        let masked_ascii = values.masked(format!("{{\"a\":{plain}}}").as_bytes());
        assert_eq!(
            masked_ascii.as_deref(),
            Some(format!("{{\"a\":\"{}\"}}", "\\u2022".repeat(6)).as_bytes())
        );
        let packed = "dGhlICJzZWNyZXQiIOa8ouWtlw==";
        assert_eq!(
            masked(&format!("{{\"é\":\"{packed} b\",\"c\":2}}")),
            format!("{{\"é\":\"{MASK}\",\"c\":2}}")
        );
    }

    #[test]
    fn a_value_is_masked_in_text_of_other_encodings_and_every_other_byte_stays() {
        let values = ErasedValues::of(&[VALUE.as_bytes().into()]);
        let latin = |own: &str| [b"caf\xe9 ", own.as_bytes(), b" \xfc\n"].concat();
        assert_eq!(values.masked(&latin(VALUE)), Some(latin(MASK)));
        assert_eq!(masked(&format!("\x07 {VALUE}\n")), format!("\x07 {MASK}\n"));
        let ascii = ErasedValues::of(&[b"the \"secret\" 77"[..].into()]);
        let json = |own: &str| [b"{\"a\":\"caf\xe9 ", own.as_bytes(), b"\",\"b\":1}"].concat();
        assert_eq!(ascii.masked(&json("the \\\"secret\\\" 77")), Some(json(MASK)));
        for encoding in [TextEncoding::Utf16Le, TextEncoding::Utf16Be] {
            let wide = |own: &str| encoding.bytes(format!("\u{feff}é {own}\r\n").as_bytes()).unwrap();
            assert_eq!(values.masked(&wide(VALUE)), Some(wide(MASK)));
        }
        let odd = [0xff, 0xfe, b'a', 0, 0, 0xd8];
        assert_eq!(TextEncoding::of(&odd).and_then(|own| own.text(&odd)), None);
    }

    #[test]
    fn a_value_is_masked_in_plain_text() {
        assert_eq!(masked(&format!("# A\n{VALUE}, and\r\nmore")), format!("# A\n{MASK}, and\r\nmore"));
        for path in ["C:\\users", "C:\\u日本", "C:\\u12"] {
            assert_eq!(masked(&format!("{path} {VALUE}\n")), format!("{path} {MASK}\n"));
        }
        assert_eq!(masked("key: dGhlICJzZWNyZXQiIOa8ouWtlw== # b\n"), format!("key: {MASK} # b\n"));
    }

    #[test]
    fn bytes_without_the_value_and_bytes_that_are_no_text_stay() {
        let values = ErasedValues::of(&[VALUE.as_bytes().into()]);
        assert_eq!(values.masked(b"{\"a\": \"the secret\"}"), None);
        assert_eq!(values.masked(&[&[0xff, 0], VALUE.as_bytes()].concat()), None);
    }
}
