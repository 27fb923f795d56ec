//! What lies beside stores: files of other programs that may repeat what a memory says.

use serde::{Deserialize, Serialize};

use super::SecretValues;

/// What a file beside a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurroundingKind {
    /// What an agent and its user said.
    Transcript,
    /// A database of an agent, with its free pages and its log.
    Database,
    /// A file in which another program keeps memories.
    Memory,
    /// A file of instructions that an agent reads.
    Instructions,
    /// The commands that were typed into a shell or another program.
    History,
    /// A swap file, a backup or an undo file of an editor.
    Editor,
    /// Something that was thrown away.
    Trash,
    /// A file that an agent imports memories from.
    Import,
    /// A commit or another object of a git work tree.
    Git,
    /// Another file that git keeps: the last message, a log of a branch, settings.
    GitFile,
}

impl SurroundingKind {
    /// Returns what such a file is called, for one and for several.
    pub fn words(self) -> [&'static str; 2] {
        match self {
            SurroundingKind::Transcript => ["transcript", "transcripts"],
            SurroundingKind::Database => ["database file", "database files"],
            SurroundingKind::Memory => ["memory file of another program", "memory files of other programs"],
            SurroundingKind::Instructions => ["file of instructions", "files of instructions"],
            SurroundingKind::History => ["history of commands", "histories of commands"],
            SurroundingKind::Editor => ["file of an editor", "files of editors"],
            SurroundingKind::Trash => ["file in the trash", "files in the trash"],
            SurroundingKind::Import => ["file that is imported", "files that are imported"],
            SurroundingKind::Git => ["git object", "git objects"],
            SurroundingKind::GitFile => ["file of git", "files of git"],
        }
    }
}

/// What the paths of a pattern are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PatternBase {
    /// The home folder.
    Home,
    /// The folder below home in which the system keeps settings of programs.
    Settings,
    /// The folder of a project, or around a store.
    Project,
}

/// Where a program keeps such files. `*` is any text in a name, `**` any folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct SurroundingPattern {
    /// What they are.
    pub kind: SurroundingKind,
    /// What the paths are relative to.
    pub base: PatternBase,
    /// The paths, with a space between two of them.
    pub paths: &'static str,
}

impl SurroundingPattern {
    /// Makes a pattern of paths below the home folder.
    pub const fn new(kind: SurroundingKind, paths: &'static str) -> SurroundingPattern {
        SurroundingPattern { kind, base: PatternBase::Home, paths }
    }
}

/// A place beside the stores that holds a value, or words of a topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SurroundingFinding {
    /// What it is.
    pub kind: SurroundingKind,
    /// The file; of git, the work tree. Untrusted text.
    pub path: String,
    /// How often a value, or the text of a memory, is in it.
    pub matches: u64,
    /// How often the words of a topic are in it.
    #[serde(skip_serializing_if = "crate::model::journal_line::is_zero", default)]
    pub words: u64,
    /// The line of the first match, from 1 on. `None` of what has no lines, and of a file that was not read that far.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u64>,
    /// Of git: the commit or the object, and the branches that lead to it. Untrusted text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
}

/// What was searched beside the stores, and what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurroundingReport {
    /// The number of searched files.
    pub files: u64,
    /// Their length in bytes.
    pub bytes: u64,
    /// The places that hold a value.
    pub found: Vec<SurroundingFinding>,
    /// What could not be searched, with the reasons. Untrusted text.
    pub unread: Vec<String>,
    /// The number of texts that were not searched for: short ones, and more than the limit.
    pub skipped: usize,
    /// True if the search was stopped before its end.
    pub stopped: bool,
    /// The values and texts that were searched for, if a place holds one. A receipt keeps their digests alone.
    #[serde(skip)]
    pub sought: SecretValues,
}
