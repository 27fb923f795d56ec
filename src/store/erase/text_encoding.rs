//! The encodings of texts other than UTF-8.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-16, the lower byte of a unit first. The text begins with a byte order mark.
    Utf16Le,
    /// UTF-16, the higher byte first.
    Utf16Be,
    /// Eight bits, as in ISO 8859-1: which one does not matter to a value of ASCII.
    EightBits,
}

impl TextEncoding {
    /// Returns the encoding of a text; `None` if it is UTF-8, or no text.
    pub fn of(bytes: &[u8]) -> Option<TextEncoding> {
        match bytes {
            [0xff, 0xfe, ..] if bytes.len().is_multiple_of(2) => Some(TextEncoding::Utf16Le),
            [0xfe, 0xff, ..] if bytes.len().is_multiple_of(2) => Some(TextEncoding::Utf16Be),
            _ => (std::str::from_utf8(bytes).is_err() && !bytes.iter().any(is_control))
                .then_some(TextEncoding::EightBits),
        }
    }

    /// Returns the text with its mark; `None` if a surrogate has no partner.
    pub fn text(self, bytes: &[u8]) -> Option<String> {
        let unit: fn([u8; 2]) -> u16 = match self {
            TextEncoding::Utf16Le => u16::from_le_bytes,
            TextEncoding::Utf16Be => u16::from_be_bytes,
            TextEncoding::EightBits => return Some(bytes.iter().copied().map(char::from).collect()),
        };
        let units = bytes.chunks_exact(2).map(|own| unit([own[0], own[1]]));
        char::decode_utf16(units).collect::<Result<String, _>>().ok()
    }

    /// Returns a text in this encoding. A character that eight bits do not have is written in UTF-8.
    pub fn bytes(self, text: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(text).ok()?;
        let order: fn(u16) -> [u8; 2] = match self {
            TextEncoding::Utf16Le => u16::to_le_bytes,
            TextEncoding::Utf16Be => u16::to_be_bytes,
            TextEncoding::EightBits => return Some(text.chars().flat_map(eight_bits).collect()),
        };
        Some(text.encode_utf16().flat_map(order).collect())
    }
}

/// True for a control character that is rare in text. Bytes that are no UTF-8 and have one are taken for no text.
pub fn is_control(byte: &u8) -> bool {
    *byte < 0x20 && !b"\t\n\r\x08\x0c\x1b".contains(byte)
}

fn eight_bits(c: char) -> Vec<u8> {
    u8::try_from(c).map_or_else(|_| c.to_string().into_bytes(), |byte| vec![byte])
}
