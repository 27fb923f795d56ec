//! The other program: what it does to a file, and how its text is recognized.

use std::cell::RefCell;
use std::path::Path;

use crate::faulty::Faulty;
use palimp::disk::{Disk, WritableFile};

use super::deeds::bytes_of;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Writes a copy beside the file and renames it over the file, or creates the file.
    Replace,
    /// Truncates the file and writes it again.
    Rewrite,
    /// Adds to its end.
    Append,
    /// Adds to the end of a file that it opened earlier.
    AppendLate,
    /// Rewrites a file that it opened earlier, with its content of that time.
    RewriteLate,
}

pub const FOREIGN: [Foreign; 5] =
    [Foreign::Replace, Foreign::Rewrite, Foreign::Append, Foreign::AppendLate, Foreign::RewriteLate];

pub const MARK: &str = "written-by-another";
/// The start of the record that it adds to a log.
pub const LINE_START: &str = "{\"id\":\"written-by-another\"";

/// Returns the file's bytes with the mark: as a record, a member or a line.
fn marked(file: &Path, was: &[u8]) -> Vec<u8> {
    match file.extension().and_then(|end| end.to_str()) {
        Some("jsonl") => [was, line().as_bytes()].concat(),
        Some("json") if was.is_empty() => format!("{{\"other\":\"{MARK}\"}}\n").into_bytes(),
        Some("json") => {
            let text = String::from_utf8_lossy(was);
            text.replacen('{', &format!("{{\n  \"other\": \"{MARK}\","), 1).into_bytes()
        }
        _ => [was, format!("{MARK}\n").as_bytes()].concat(),
    }
}

fn line() -> String {
    format!("{{\"id\":\"{MARK}\",\"type\":\"learning\",\"content\":\"{MARK}\"}}\n")
}

fn tail(file: &Path) -> String {
    if is_log(file) { line() } else { format!("{MARK}\n") }
}

pub fn is_log(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "jsonl")
}

/// An open file, and its content when it was opened.
type Open = (Box<dyn WritableFile>, Vec<u8>);

thread_local! {
    /// The file that the other program has open.
    static OPEN: RefCell<Option<Open>> = const { RefCell::new(None) };
}

/// Opens the file for a later write. Returns `None` if it does not exist.
pub fn open(agent: &'static Faulty, file: &Path) -> Option<()> {
    let was = bytes_of(agent, file)?;
    OPEN.set(Some((agent.append(file).ok()?, was)));
    Some(())
}

pub fn close() {
    OPEN.take();
}

/// Does it. Returns `None` if there is no file to do it to.
pub fn act(disk: &Faulty, file: &Path, foreign: Foreign) -> Option<()> {
    match foreign {
        Foreign::Replace => {
            let bytes = marked(file, &bytes_of(disk, file).unwrap_or_default());
            let beside = file.with_extension("by-another");
            let mut out = disk.create(&beside, 0o600).ok()?;
            out.write(&bytes).and_then(|()| out.sync()).ok()?;
            disk.rename(&beside, file).ok()
        }
        Foreign::Rewrite => {
            let bytes = marked(file, &bytes_of(disk, file)?);
            let mut out = disk.append(file).ok()?;
            out.set_len(0).and_then(|()| out.write(&bytes)).and_then(|()| out.sync()).ok()
        }
        Foreign::Append => {
            let mut out = disk.append(file).ok()?;
            out.write(tail(file).as_bytes()).and_then(|()| out.sync()).ok()
        }
        Foreign::AppendLate => add_late(tail(file).as_bytes()),
        Foreign::RewriteLate => rewrite_late(|was| marked(file, was)),
    }
}

/// Adds to the end of the file that was opened. Returns `None` if it was done before.
pub fn add_late(bytes: &[u8]) -> Option<()> {
    let (mut out, _) = OPEN.take()?;
    out.write(bytes).and_then(|()| out.sync()).ok()
}

/// Writes over the file that was opened, which had the bytes that `becomes` gets.
pub fn rewrite_late(becomes: impl Fn(&[u8]) -> Vec<u8>) -> Option<()> {
    let (mut out, was) = OPEN.take()?;
    out.set_len(0).and_then(|()| out.write(&becomes(&was))).and_then(|()| out.sync()).ok()
}

/// True if a file has the mark, compressed or not.
pub fn has_mark(path: &Path, bytes: &[u8]) -> bool {
    let has = |bytes: &[u8]| memchr::memmem::find(bytes, MARK.as_bytes()).is_some();
    let is_packed = path.extension().is_some_and(|end| end == "gz" || end == "tgz");
    has(bytes) || is_packed && has(&palimp::text::unpack::gunzip(bytes, 1 << 20).content)
}
