//! Where programs look for files of instructions, and how such files import others: data of the formats.

/// A place where a program looks for files of instructions.
#[derive(Clone, Copy)]
pub struct InstructionPlace {
    /// The name of the program.
    pub reader: &'static str,
    /// What the path is relative to.
    pub base: InstructionBase,
    /// The path of a file; or of a folder and `*` with an ending, such as `rules/*.md`: the files with that ending in it
    /// and in its folders.
    pub path: &'static str,
    /// How the files import others, if they do.
    pub imports: Option<ImportRule>,
}

/// What the path of a place is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionBase {
    /// The project of the store.
    Project,
    /// The home folder.
    Home,
    /// The root of the store.
    Store,
}

/// How a file of instructions imports others.
#[derive(Clone, Copy)]
pub struct ImportRule {
    /// Returns the paths that a text imports: absolute, below `~/`, or relative to the file.
    pub paths: fn(&str) -> Vec<String>,
    /// How deep imports go.
    pub depth: usize,
}
