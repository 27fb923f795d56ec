//! What a family is.

use std::path::Path;

use super::facts::PartFacts;
use super::load_rule::{LoadRule, rules_of};
use super::settings::SettingsPlace;
use crate::format::FormatInfo;
use crate::format::notes::rules::NoteRules;
use crate::model::LoadSettings;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// The file is one memory.
    Topics,
    /// Lines that lead to files, and sections of text.
    Index,
    /// Entries between lines of `§`.
    Entries,
    Sections(SectionRule),
    /// Bullets below one heading. The rest of the file is instructions.
    Bullets,
}

/// Which sections of a file are its memories.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SectionRule {
    /// The level of their headings. A file without any such heading is one memory.
    pub level: usize,
    pub kind: &'static str,
    /// True if their ids do not name the file.
    pub has_short_ids: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FileId {
    /// Its path without `.md`.
    Path,
    /// Its stem if it is directly in the folder, else its path.
    StemAtTop,
    Stem,
}

/// What a model gets at the start of a family's files.
#[derive(Clone, Copy)]
pub enum FamilyLoad {
    Nothing,
    Names,
    Whole,
    /// What its rules say, and nothing of other files.
    Rules,
    /// That is up to the instructions of a project, or to a program that is not known.
    Unknown,
}

/// Returns how a file is written, and the type of a memory that is the whole file.
type FileKinds = fn(&Path) -> (Grammar, &'static str);

/// What one program, or one habit, makes of a folder of Markdown.
pub struct Family {
    pub about: FormatInfo,
    pub rules: NoteRules,
    /// The name of the file that leads to the others, if the family has one.
    pub index: Option<&'static str>,
    /// True if files are entries between delimiters.
    pub has_entries: bool,
    /// How a file is written, and the type of a memory that is the whole file, if files differ.
    pub file_kinds: Option<FileKinds>,
    pub file_id: FileId,
    pub loads: FamilyLoad,
    pub settings: Option<SettingsPlace>,
    /// True if `mem:name` is a reference.
    pub has_mem_references: bool,
    pub has_front_matter: bool,
    /// What a memory says of itself outside front matter.
    pub facts: fn(&Path, &str) -> PartFacts,
    /// Returns what of a line can be a title.
    pub title: fn(&str) -> Option<&str>,
}

impl Family {
    pub fn grammar_of(&self, path: &Path) -> Grammar {
        let name = path.file_name().unwrap_or_default();
        match (self.index, self.file_kinds) {
            (Some(index), _) if path.iter().count() == 1 && name == index => Grammar::Index,
            (_, Some(kinds)) => kinds(path).0,
            _ if self.has_entries => Grammar::Entries,
            _ => Grammar::Topics,
        }
    }

    /// Returns the rule by which a file is loaded, if it has one.
    pub fn load_rule(&self, path: &Path, settings: &LoadSettings) -> Option<&'static LoadRule> {
        rules_of(self.about.name).iter().find(|rule| {
            path == Path::new(rule.file) && (rule.below.is_empty() || rule.below == settings.below)
        })
    }

    /// Returns the type of a memory that is a whole file and names no type.
    pub fn kind_of(&self, path: &Path) -> &'static str {
        self.file_kinds.map_or("note", |kinds| kinds(path).1)
    }
}
