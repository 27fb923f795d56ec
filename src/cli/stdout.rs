//! Standard output: lines of safe text, or JSON.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use serde::Serialize;

use super::json_escape::EscapingFormatter;
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
    to: BufWriter<Stdout>,
}

impl SafeStdout {
    pub fn stdout() -> Self {
        SafeStdout { to: BufWriter::with_capacity(1 << 16, io::stdout()) }
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
