//! Files of instructions, which a model gets beside the memories of a project. They are no memories.

use std::path::{Path, PathBuf};

use super::PathText;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionFile {
    /// Its absolute path. Untrusted text.
    pub path: PathBuf,
    /// The program that reads it.
    pub reader: &'static str,
    /// 0 if the program looks for it. A file that another one imports follows it, and has 1 more.
    pub depth: usize,
    /// What is known of its content.
    pub content: InstructionContent,
}

/// What is known of the content of a file of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionContent {
    /// Its size.
    Read {
        /// The number of bytes.
        bytes: usize,
        /// The number of lines.
        lines: usize,
    },
    /// It is too long to be read, and has this number of bytes.
    Long(u64),
    /// It is outside the project and the home folder, and is not opened.
    Outside,
    /// Another file imports it, and it is not there.
    Missing,
    /// The system does not let palimp read it.
    Unreadable,
}

impl InstructionFile {
    /// Returns its number of bytes, if it is known.
    pub fn bytes(&self) -> u64 {
        match self.content {
            InstructionContent::Read { bytes, .. } => bytes as u64,
            InstructionContent::Long(bytes) => bytes,
            _ => 0,
        }
    }

    /// Returns the estimated number of tokens: a token has about four bytes.
    pub fn tokens(&self) -> u64 {
        self.bytes().div_ceil(4)
    }
}

/// The files of instructions that models get in a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectInstructions {
    /// The folder of the project. Untrusted text.
    pub folder: PathBuf,
    /// The home folder, if it is known.
    pub home: Option<PathBuf>,
    /// The files in the order in which they are read, those of one program after another.
    pub files: Vec<InstructionFile>,
    /// True if there are more files than are looked at.
    pub has_more: bool,
}

impl ProjectInstructions {
    /// Returns the short name of a file: below the project, below the home folder (`~/`), or the whole path.
    pub fn name(&self, file: &InstructionFile) -> String {
        let below = |folder: &Path| file.path.strip_prefix(folder).ok().map(|own| own.to_text().into_owned());
        let of_home = || Some(format!("~/{}", below(self.home.as_deref()?)?));
        below(&self.folder).or_else(of_home).unwrap_or_else(|| file.path.to_text().into_owned())
    }

    /// Returns the programs that read the files, with what each gets.
    pub fn readers(&self) -> impl Iterator<Item = (&'static str, &[InstructionFile])> {
        self.files
            .chunk_by(|one, other| one.reader == other.reader)
            .filter_map(|own| Some((own.first()?.reader, own)))
    }
}
