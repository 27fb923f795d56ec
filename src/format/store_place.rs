//! Where stores and files of instructions are by default, as data, and as patterns: `.claude/projects/*/memory`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::FormatInfo;

/// What the path of a default place is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceBase {
    /// The home folder. The memories are about no project, unless a file beside them names one.
    Home,
    /// A project, which the memories are about; also the home folder.
    Project,
}

/// A default place of stores.
#[derive(Clone, Copy, Debug)]
pub struct StorePlace {
    /// What the path is relative to.
    pub base: PlaceBase,
    /// The path. `*` is any one folder, `a*` one whose name starts with `a`.
    pub path: &'static str,
    /// The program that reads the memories there.
    pub reader: &'static str,
    /// The variables of the environment that move it, each with the number of leading folders that its value replaces.
    pub moved_by: &'static [(&'static str, usize)],
}

impl StorePlace {
    /// Creates a place below the home folder.
    pub const fn home(path: &'static str, reader: &'static str) -> StorePlace {
        StorePlace { base: PlaceBase::Home, path, reader, moved_by: &[] }
    }

    /// Creates a place below a project.
    pub const fn project(path: &'static str, reader: &'static str) -> StorePlace {
        StorePlace { base: PlaceBase::Project, path, reader, moved_by: &[] }
    }

    /// Adds the variables that move it.
    pub const fn moved_by(self, moved_by: &'static [(&'static str, usize)]) -> StorePlace {
        StorePlace { moved_by, ..self }
    }

    /// True if it may be below this folder. Folders with a `*` are listed only in the home folder.
    pub fn may_be_below(&self, is_home: bool) -> bool {
        is_home || self.base == PlaceBase::Project || !self.path.contains('*')
    }
}

impl FormatInfo {
    /// Returns the usual default place; empty if its stores may be anywhere.
    pub fn usual_place(&self) -> &'static str {
        self.places.first().map_or("", |place| place.path)
    }

    /// Returns the longest default place that a folder's path ends with, if any.
    pub fn place_of(&self, root: &Path) -> Option<&'static StorePlace> {
        self.places.iter().filter(|place| ends_in(root, place.path)).max_by_key(|place| place.path.len())
    }

    /// Returns the folder that contains a store at a default place of projects.
    pub fn folder_around(&self, root: &Path) -> Option<PathBuf> {
        let place = self.place_of(root).filter(|place| place.base == PlaceBase::Project)?;
        root.ancestors().nth(Path::new(place.path).iter().count()).map(Path::to_owned)
    }
}

fn ends_in(path: &Path, place: &str) -> bool {
    let mut names = path.iter().rev();
    Path::new(place).iter().rev().all(|part| names.next().is_some_and(|name| fits(name, part)))
}

fn fits(name: &OsStr, part: &OsStr) -> bool {
    let part = part.as_encoded_bytes();
    let name = name.as_encoded_bytes();
    part.strip_suffix(b"*").map_or(name == part, |start| name.starts_with(start))
}

/// Returns the folders below `base` at a place. `folders` returns the names of the folders in a folder.
pub fn folders_at(base: &Path, place: &Path, folders: &dyn Fn(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    let mut found = vec![base.to_owned()];
    for part in place {
        let is_it = |folder: &PathBuf| folder.file_name().is_some_and(|name| fits(name, part));
        found = match is_any(part) {
            true => found.iter().flat_map(|folder| folders(folder)).filter(is_it).collect(),
            false => found.into_iter().map(|folder| folder.join(part)).collect(),
        };
    }
    found
}

/// Returns the number of folders of a place after its last `*`: the folder there tells stores apart.
pub fn fixed_end(place: &str) -> usize {
    Path::new(place).iter().rev().take_while(|part| !is_any(part)).count()
}

fn is_any(part: &OsStr) -> bool {
    part.as_encoded_bytes().ends_with(b"*")
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_with_a_star_is_found_in_every_folder() {
        let inner = |folder: &Path| match folder.ends_with("projects") {
            true => vec![folder.join("-a"), folder.join("-b")],
            false => Vec::new(),
        };
        let place = ".claude/projects/*/memory";
        let found = folders_at(Path::new("/home/m"), Path::new(place), &inner);
        let expected = ["/home/m/.claude/projects/-a/memory", "/home/m/.claude/projects/-b/memory"];
        assert_eq!(found, expected.map(PathBuf::from));
        assert!(found.iter().all(|own| ends_in(own, place)) && fixed_end(place) == 1);
        assert!(!ends_in(Path::new("/projects/x/memory"), place) && ends_in(Path::new("/a/b/c"), "b/c"));
        let some = folders_at(Path::new("/h/projects"), Path::new("-a*/own"), &inner);
        assert_eq!(some, [PathBuf::from("/h/projects/-a/own")]);
        assert!(ends_in(&some[0], "-a*/own") && !ends_in(&some[0], "-b*/own"));
    }
}
