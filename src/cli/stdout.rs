//! Standard output: lines of safe text, or JSON.

use std::io::{self, BufWriter, IsTerminal, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::detectors::mask;
use crate::text::safe_text::sanitize;

/// Returns the number of columns of standard output, if it is a terminal.
pub fn terminal_width() -> Option<usize> {
    let is_terminal = io::stdout().is_terminal();
    let columns = || crossterm::terminal::size().map_or(0, |(columns, _)| usize::from(columns));
    is_terminal.then(columns).map(|columns| if columns == 0 { 80 } else { columns })
}

/// The output of data. Nothing else prints to standard output.
pub struct SafeStdout {
    to: BufWriter<Box<dyn Write>>,
}

impl SafeStdout {
    pub fn stdout() -> Self {
        SafeStdout { to: BufWriter::with_capacity(1 << 16, Box::new(io::stdout())) }
    }

    /// An output that nobody wants.
    pub fn closed() -> Self {
        SafeStdout { to: BufWriter::new(Box::new(io::sink())) }
    }

    /// Prints one line of text from a store: masked, and safe on a terminal.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.to, "{}", sanitize(&mask(text)))
    }

    pub fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut self.to, EscapingFormatter))?;
        self.to.write_all(b"\n")
    }

    /// Prints bytes that the program made itself.
    pub fn own(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)
    }

    /// Prints lines that are drawn already: safe text, with palimp's own colours.
    pub fn drawn(&mut self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| writeln!(self.to, "{line}"))
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Formats compact JSON that is safe on a terminal: stored text is escaped, never removed.
struct EscapingFormatter;

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
}
