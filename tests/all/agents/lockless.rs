//! Agents that take no lock.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::time::Duration;

use super::part::Part;

/// The number of lines written to a file that is kept open.
const KEPT: usize = 40;

fn open(part: &Part) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(&part.file)
}

/// `open(path, "a")`, a line, closed.
pub fn open_and_write(part: &Part, at: usize) -> io::Result<()> {
    let mut file = open(part)?;
    file.write_all(format!("{}\n", part.line(at)).as_bytes())
}

/// Writes a line to a file that was opened long before, as a logger does.
pub fn write_to_what_is_open(part: &Part, at: usize) -> io::Result<()> {
    thread_local!(static OPEN: RefCell<Option<File>> = const { RefCell::new(None) });
    OPEN.with_borrow_mut(|kept| {
        if at.is_multiple_of(KEPT) {
            *kept = None;
        }
        if kept.is_none() {
            *kept = Some(open(part)?);
        }
        let line = format!("{}\n", part.line(at));
        kept.as_mut().map_or(Ok(()), |file| file.write_all(line.as_bytes()))
    })
}

/// Writes a line in two calls, like a full buffer. No other agent appends to this file: otherwise
/// lines would be torn without palimp.
pub fn write_twice(part: &Part, at: usize) -> io::Result<()> {
    let mut file = open(part)?;
    let line = format!("{}\n", part.line(at));
    let (one, two) = line.as_bytes().split_at(line.len() / 2);
    file.write_all(one)?;
    std::thread::sleep(Duration::from_micros((at as u64 * 6271) % 3000));
    file.write_all(two)
}
