//! What a family is.

use std::path::Path;

use crate::format::FormatInfo;
use crate::format::notes::rules::NoteRules;

/// How the memories of a file are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// The file is one memory.
    Topics,
    /// Lines that lead to files, and sections of text.
    Index,
    /// Entries between lines of `§`.
    Entries,
}

/// What a model gets at the start of a family's files, but for an index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FamilyLoad {
    /// Nothing.
    Nothing,
    /// Their names.
    Names,
    /// All of them, as its instructions ask for.
    Whole,
}

/// What one program, or one habit, makes of a folder of Markdown.
pub struct Family {
    pub about: FormatInfo,
    pub rules: NoteRules,
    /// The name of the file that leads to the others, if the family has one.
    pub index: Option<&'static str>,
    /// True if files are entries between delimiters.
    pub has_entries: bool,
    /// True if a file is named by its stem, where no other file has that.
    pub is_named_by_stem: bool,
    /// What a model gets at the start of files other than an index.
    pub loads: FamilyLoad,
    /// True if `mem:name` is a reference.
    pub has_mem_references: bool,
    /// True if topics have front matter.
    pub has_front_matter: bool,
}

impl Family {
    /// Returns how a file's memories are written.
    pub fn grammar_of(&self, path: &Path) -> Grammar {
        let name = path.file_name().unwrap_or_default();
        match self.index {
            Some(index) if path.iter().count() == 1 && name == index => Grammar::Index,
            _ if self.has_entries => Grammar::Entries,
            _ => Grammar::Topics,
        }
    }
}
