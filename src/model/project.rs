//! The project that memories are about.

use std::path::{Path, PathBuf};

use super::PathText;

/// The folder of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its path. Untrusted text: a file of the agent may say it.
    pub path: PathBuf,
    /// False if no folder is there: the project was removed, or moved and no file says where to.
    pub is_there: bool,
    /// How the folder that the memories are named after is related to it.
    pub relation: ProjectRelation,
}

/// How the folder that memories are named after is related to their project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectRelation {
    /// It is the project.
    Same,
    /// The project was there before.
    MovedFrom(PathBuf),
    /// It is a work tree of the project.
    WorkTree {
        path: PathBuf,
        /// False if it is gone.
        is_there: bool,
    },
}

impl Project {
    /// Returns a project with memories that are named after its folder.
    pub fn at(path: PathBuf, is_there: bool) -> Project {
        Project { path, is_there, relation: ProjectRelation::Same }
    }

    /// Returns the folder that the memories are named after.
    pub fn named(&self) -> &Path {
        match &self.relation {
            ProjectRelation::Same => &self.path,
            ProjectRelation::MovedFrom(path) | ProjectRelation::WorkTree { path, .. } => path,
        }
    }

    /// Returns the folder with the files that the memories speak of, if it can be looked at here.
    pub fn folder(&self) -> Option<&Path> {
        let folder = match &self.relation {
            ProjectRelation::WorkTree { path, is_there: true } => path,
            _ => &self.path,
        };
        (self.is_there && folder.is_absolute()).then_some(folder)
    }

    /// Returns the name of its folder. Untrusted text.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_text().into_owned()).unwrap_or_default()
    }

    /// True if both are the same project. Paths of Windows are the same in any case, and with `/`.
    pub fn is_same(&self, other: &Project) -> bool {
        let key = |project: &Project| project.path.to_text().replace('/', "\\").to_lowercase();
        self.path == other.path || is_of_windows(&self.path) && key(self) == key(other)
    }
}

/// True if a path starts with the letter of a drive, or with the name of a server.
pub fn is_of_windows(path: &Path) -> bool {
    match path.as_os_str().as_encoded_bytes() {
        [b'\\', b'\\', ..] => true,
        [drive, b':', b'\\' | b'/', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}
