//! How agents come to the memories of a store, and why they may not.

use std::path::{Path, PathBuf};

/// Where programs keep their memories on this machine.
#[derive(Clone, Debug, Default)]
pub struct AgentHome {
    /// The home folder, if there is one.
    pub home: Option<PathBuf>,
    /// Variables of the environment that name folders, with absolute paths.
    pub variables: Vec<(&'static str, PathBuf)>,
}

impl AgentHome {
    /// Returns the folder that a variable names.
    pub fn variable(&self, name: &str) -> Option<&Path> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, folder)| folder.as_path())
    }
}

/// How it is known that a folder has memories, apart from its content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KnownBy {
    /// By its path: a default place, or one that the user named.
    #[default]
    Path,
    /// By a variable of the environment, or by a setting of a project or of the user.
    Setting(Option<PathBuf>),
}

/// Why no agent loads the memories of a store when it starts, or may not load them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unloaded {
    /// It is in a project, where no agent looks for it.
    Elsewhere,
    /// A setting names another folder, as it is written in this file. Untrusted text.
    Redirected(String, PathBuf),
    /// This file of settings turns memories off.
    TurnedOff(PathBuf),
    /// Today's versions spell the name of the folder in another way, and load this one.
    Respelled(PathBuf),
    /// The project is not at its path any more.
    Moved,
    /// It is where no agent looks by itself, and it is not known whether one is told to.
    Unknown,
}
