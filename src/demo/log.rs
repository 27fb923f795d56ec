//! A JSON Lines file under construction, which remembers where its records are.

use std::path::{Path, PathBuf};

use crate::model::Code;

use super::damage::Damage;

/// One readable record of a file.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Its first byte.
    pub offset: usize,
    /// Its stored timestamp.
    pub when: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its importance, as it is stored: a number or a word.
    pub importance: String,
    /// Its category, for the format that has one.
    pub category: String,
}

/// A problem that was planted: which file, which line (where it has one), which code.
pub type Planted = (PathBuf, Option<u32>, Code);

/// A file of records.
#[derive(Clone, Debug, Default)]
pub struct Log {
    path: PathBuf,
    /// Its bytes so far.
    pub bytes: Vec<u8>,
    /// Its readable records so far.
    pub placed: Vec<Placed>,
    /// The problems planted in it so far.
    pub planted: Vec<Planted>,
    lines: u32,
}

impl Placed {
    /// Each of its tags, with its id.
    pub fn tags_and_id(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tags.iter().map(|tag| (tag.as_str(), self.id.as_str()))
    }
}

impl Log {
    /// An empty file at `path`, relative to the folder of all demo stores.
    pub fn new(path: &Path) -> Self {
        Log { path: path.to_owned(), ..Log::default() }
    }

    /// Adds a record, damaged or not. `placed` gets its line and offset here.
    pub fn add(&mut self, mut placed: Placed, line: &str, damage: Option<Damage>) {
        let (before, record, end) = match damage {
            Some(damage) => damage.bytes(line),
            None => (&b""[..], line.to_owned(), &b"\n"[..]),
        };
        self.push(before);
        placed.line = self.lines + 1;
        placed.offset = self.bytes.len();
        if let Some(damage) = damage {
            self.planted.push((self.path.clone(), Some(placed.line), damage.code()));
        }
        self.push(record.as_bytes());
        self.push(end);
        if damage.is_none_or(Damage::leaves_it_readable) {
            self.placed.push(placed);
        }
    }

    /// The file.
    pub fn file(&self) -> (PathBuf, Vec<u8>) {
        (self.path.clone(), self.bytes.clone())
    }

    fn push(&mut self, bytes: &[u8]) {
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u32;
        self.bytes.extend_from_slice(bytes);
    }
}
