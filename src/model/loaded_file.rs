//! What a model gets of a file when an agent starts.

use std::ops::Range;
use std::path::PathBuf;

/// How much of a file a model gets at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadedExtent {
    /// All of it.
    Whole,
    /// All up to this line, counted from 1, and nothing from it on.
    UpTo(u32),
    /// Its start and its end. These are the first and the last line of what is left out, counted from 1. A part of
    /// both lines may be loaded.
    Ends(u32, u32),
    /// Only its name.
    Name,
    /// Nothing: an agent opens it if something leads there.
    Nothing,
    /// What the program loads is not known.
    #[default]
    Unknown,
}

/// A file, and what a model gets of it at the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedFile {
    /// Its path relative to the root.
    pub path: PathBuf,
    /// How much is loaded.
    pub extent: LoadedExtent,
    /// The places in the file of what is loaded and counts toward a limit, line by line.
    pub loaded: Vec<Range<usize>>,
    /// The lines that are not loaded, if a part is.
    pub beyond: Vec<Range<usize>>,
    /// The limit, if there is one.
    pub limit: Option<LoadLimit>,
    /// Where the limit is from: a file of settings, or the version of the program and the day it was looked up.
    pub limit_source: Option<String>,
    /// What goes beyond the limit.
    pub excess: LoadExcess,
    /// The lines that lead to other files, with the paths of these files relative to the root.
    pub leads: Vec<(Range<usize>, PathBuf)>,
}

/// What must go of a file so that all of it is loaded: nothing if all is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadExcess {
    /// The number of lines.
    pub lines: usize,
    /// The number of bytes.
    pub bytes: usize,
    /// The number of characters.
    pub characters: usize,
}

impl LoadExcess {
    /// True if nothing must go.
    pub fn is_none(self) -> bool {
        self == LoadExcess::default()
    }

    /// Returns what must still go after something of this size went.
    #[must_use]
    pub fn less(self, gone: LoadExcess) -> LoadExcess {
        LoadExcess {
            lines: self.lines.saturating_sub(gone.lines),
            bytes: self.bytes.saturating_sub(gone.bytes),
            characters: self.characters.saturating_sub(gone.characters),
        }
    }
}

/// The most that is loaded of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadLimit {
    /// This number of lines or of bytes, whichever comes first.
    LinesOrBytes(usize, usize),
    /// This number of lines or of characters, whichever comes first.
    LinesOrCharacters(usize, usize),
    /// This number of bytes.
    Bytes(usize),
    /// This number of characters.
    Characters(usize),
}

/// What a program's files beside a store say about what it loads of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadSettings {
    /// The folder above the store that shows which program loads it; empty if none does.
    pub below: &'static str,
    /// The settings by their names; the last of a name counts. A switch is 1 or 0.
    pub numbers: Vec<(String, usize)>,
    /// The file that they are from, relative to the root.
    pub file: Option<PathBuf>,
    /// The file of settings that can't be read, with the reason.
    pub unread: Option<(PathBuf, String)>,
    /// The numbers of characters in the files that are loaded before the memories.
    pub before: Vec<usize>,
}

impl LoadSettings {
    /// Those of a store without such files.
    pub const NONE: LoadSettings =
        LoadSettings { below: "", numbers: Vec::new(), file: None, unread: None, before: Vec::new() };

    /// Returns the value of a setting.
    pub fn number(&self, name: &str) -> Option<usize> {
        let mut known = self.numbers.iter().rev().filter(|_| !name.is_empty());
        known.find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

impl LoadedFile {
    /// Returns the number of loaded bytes. A name counts with one byte for its line end.
    pub fn bytes(&self) -> usize {
        match self.extent {
            LoadedExtent::Name => self.path.as_os_str().len() + 1,
            _ => self.loaded.iter().map(ExactSizeIterator::len).sum(),
        }
    }

    /// Returns the estimated number of tokens: a token has about four bytes.
    pub fn tokens(&self) -> usize {
        self.bytes().div_ceil(4)
    }
}
