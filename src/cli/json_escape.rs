//! JSON that is safe on a terminal: stored text is escaped, never removed.

use std::io::{self, Write};

use serde_json::ser::{CharEscape, Formatter};

use crate::text::safe_text::sanitize;

/// Formats compact JSON. What a terminal might obey is escaped.
pub struct EscapingFormatter;

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, to: &mut W, text: &str) -> io::Result<()> {
        if text.is_ascii() && !text.contains('\u{7f}') {
            return to.write_all(text.as_bytes());
        }
        let mut buffer = [0; 4];
        for c in text.chars() {
            let own = c.encode_utf8(&mut buffer);
            if c == '\u{7f}' || *sanitize(own) != *own {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(to, "\\u{unit:04x}")?;
                }
            } else {
                to.write_all(own.as_bytes())?;
            }
        }
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, to: &mut W, escape: CharEscape) -> io::Result<()> {
        serde_json::ser::CompactFormatter.write_char_escape(to, escape)
    }
}
