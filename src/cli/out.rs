//! stdout: lines of safe text, or JSON.

use std::io::{self, BufWriter, Stdout, Write};

use serde::Serialize;

use super::json::Escaping;
use crate::text::secrets::mask;
use crate::text::show::show;

/// Where data goes. Nothing else prints.
pub struct Out {
    to: BufWriter<Stdout>,
}

impl Out {
    /// Standard output.
    pub fn stdout() -> Self {
        Out { to: BufWriter::with_capacity(1 << 16, io::stdout()) }
    }

    /// Prints one line of text from a store: masked, and safe on a terminal.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.to, "{}", show(&mask(text)))
    }

    /// Prints a value as one line of JSON.
    pub fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut self.to, Escaping))?;
        self.to.write_all(b"\n")
    }

    /// Prints bytes that the program made itself.
    pub fn own(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)
    }

    /// Hands everything over.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
