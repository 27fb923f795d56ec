//! The default places of a format's stores, as patterns: `.claude/projects/*/memory`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::FormatInfo;
use super::store_place::{PlaceBase, StorePlace};

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
    match part.strip_suffix(b"*") {
        Some(start) => name.as_encoded_bytes().starts_with(start),
        None => name.as_encoded_bytes() == part,
    }
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
